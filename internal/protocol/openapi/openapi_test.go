package openapi

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"atelier/internal/protocol/httpapi"
)

// protocol is one whose routes and schemas a test chooses.
type protocol struct {
	routes  []httpapi.Route
	schemas map[string]httpapi.Schema
}

func (w protocol) Routes() []httpapi.Route            { return w.routes }
func (w protocol) Schemas() map[string]httpapi.Schema { return w.schemas }

func get(id, schema string) httpapi.Methods {
	return httpapi.Methods{"GET": {Doc: &httpapi.Operation{ID: id, Tag: "Tools", Summary: "S",
		Responses: map[int]httpapi.Body{200: httpapi.JSONBody("D", httpapi.Schema(schema))}}}}
}

func TestWhatIsWrongWithADescriptionIsNamed(t *testing.T) {
	for name, tc := range map[string]struct {
		protocols []httpapi.Protocol
		want      string // "" for none
	}{
		"good":           {[]httpapi.Protocol{protocol{[]httpapi.Route{{Path: "/a", Methods: get("a", `{}`)}}, nil}}, ""},
		"no description": {[]httpapi.Protocol{protocol{[]httpapi.Route{{Path: "/a", Methods: httpapi.Methods{"PUT": {}}}}, nil}}, "PUT /a has no description"},
		"id twice":       {[]httpapi.Protocol{protocol{[]httpapi.Route{{Path: "/a", Methods: get("a", `{}`)}, {Path: "/b", Methods: get("a", `{}`)}}, nil}}, `has the id "a" of GET /a`},
		"id of this protocol": {[]httpapi.Protocol{protocol{[]httpapi.Route{{Path: "/a", Methods: get("getOpenAPI", `{}`)}}, nil}},
			`GET /openapi.json has the id "getOpenAPI" of GET /a`},
		"no tag":          {[]httpapi.Protocol{protocol{[]httpapi.Route{{Path: "/a", Methods: httpapi.Methods{"GET": {Doc: &httpapi.Operation{ID: "a", Summary: "S"}}}}}, nil}}, "needs a tag"},
		"lost reference":  {[]httpapi.Protocol{protocol{[]httpapi.Route{{Path: "/a", Methods: get("a", `{"$ref":"#/components/schemas/Nobody"}`)}}, nil}}, "Nobody leads nowhere"},
		"two of a schema": {[]httpapi.Protocol{protocol{nil, map[string]httpapi.Schema{"X": httpapi.Schema(`{}`)}}, protocol{nil, map[string]httpapi.Schema{"X": httpapi.Schema(`{"type":"null"}`)}}}, "X is described twice"},
	} {
		t.Run(name, func(t *testing.T) {
			faults := New("1", false, tc.protocols...).Faults()
			if tc.want == "" && len(faults) > 0 || tc.want != "" && !strings.Contains(strings.Join(faults, "\n"), tc.want) {
				t.Fatalf("faults %q, want %q", faults, tc.want)
			}
		})
	}
}

// The document of one route with all that is special: a rest-of-path wildcard,
// an embedded schema with definitions of its own, an error envelope of its own.
func TestDocumentOfARoute(t *testing.T) {
	body := httpapi.JSONBody("in", httpapi.Ref("Part_input"))
	route := httpapi.Route{Path: "/v1/x/{id}/{name...}", Methods: httpapi.Methods{"POST": {Doc: &httpapi.Operation{
		ID: "x", Tag: "Tools", Summary: "S", Request: &body, Errors: []int{404, 429}, ErrorSchema: httpapi.Ref("Own"),
		Responses: map[int]httpapi.Body{200: httpapi.JSONBody("out", httpapi.Schema(`{"type":"object"}`))},
	}}}}
	const own = `{"type":"object","properties":{"p":{"$ref":"#/$defs/point"}},"$defs":{"point":{"type":"array","prefixItems":[{"type":"number"}]}}}`
	s := New("1", true, protocol{[]httpapi.Route{route}, map[string]httpapi.Schema{"Part_input": httpapi.Schema(own), "Own": httpapi.Schema(`{"type":"object"}`)}})
	if len(s.Faults()) > 0 {
		t.Fatal(s.Faults())
	}
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(s.JSON())
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(loader.Context); err != nil {
		t.Fatal(err)
	}
	item := doc.Paths.Value("/v1/x/{id}/{name}")
	if item == nil || item.Post == nil || len(item.Post.Parameters) != 2 {
		t.Fatalf("%s", s.JSON())
	}
	// The reference leads to the definition inside the embedded schema.
	point := doc.Components.Schemas["Part_input"].Value.Properties["p"]
	if point.Ref != "#/components/schemas/Part_input/$defs/point" || !point.Value.Type.Is("array") {
		t.Fatalf("%q %v", point.Ref, point.Value)
	}
	responses := item.Post.Responses.Map()
	for status, ref := range map[string]string{
		"404": "#/components/schemas/Own", "429": "#/components/schemas/Own", "413": "#/components/schemas/Own", // the route's envelope
		"401": "#/components/schemas/Error", "403": "#/components/schemas/Error", // the gate's
	} {
		r := responses[status]
		if r == nil || r.Value.Content.Get("application/json").Schema.Ref != ref {
			t.Errorf("%s: %+v, want %s", status, r, ref)
		}
	}
	if doc.Components.Schemas["Unused"] != nil {
		t.Error("a schema that nothing refers to is shown")
	}
	if got := doc.Security; len(got) != 1 || got[0]["bearer"] == nil { // needsToken: no empty alternative
		t.Errorf("security %v", got)
	}
}

func TestTheDocumentIsServedOnceAndThenNotModified(t *testing.T) {
	s := New("1", false)
	server := httptest.NewServer(httpapi.Mux(&httpapi.Gate{MaxBodyBytes: 1}, s.Routes()...))
	defer server.Close()
	for _, path := range []string{"/openapi.json", "/openapi.yaml"} {
		resp, err := http.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		tag := resp.Header.Get("ETag")
		if resp.StatusCode != 200 || tag == "" || resp.Header.Get("Cache-Control") != "no-cache" {
			t.Fatalf("%s: %d %v", path, resp.StatusCode, resp.Header)
		}
		for known, want := range map[string]int{tag: 304, "*": 304, "W/" + tag: 304, `"x", ` + tag: 304, `"x"`: 200} {
			req, _ := http.NewRequest("GET", server.URL+path, nil) // a valid URL
			req.Header.Set("If-None-Match", known)
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != want {
				t.Errorf("%s If-None-Match %s: %d, want %d", path, known, resp.StatusCode, want)
			}
		}
	}
}

// The YAML says the same as the JSON: read by another library's decoder (that of
// kin-openapi), both are one value.
func TestYAMLAndJSONAreOneDocument(t *testing.T) {
	s := New("1.10", false, protocol{[]httpapi.Route{{Path: "/a", Methods: get("a", `{"enum":["no","1e3",null,1,"~"],"pattern":"^\\d+: #x$"}`)}}, nil})
	var values []any
	for _, text := range [][]byte{s.json().content, s.yaml().content} {
		doc, err := openapi3.NewLoader().LoadFromData(text)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, string(raw))
	}
	if values[0] != values[1] {
		t.Fatalf("%s\n%s", values[0], values[1])
	}
	if !strings.HasPrefix(string(s.yaml().content), "openapi: 3.1.1\n") {
		t.Fatalf("%.80s", s.yaml().content)
	}
}
