package main

import (
	"bytes"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"atelier/internal/contract"
	"atelier/internal/protocol/direct"
	"atelier/internal/testenv"
	"atelier/internal/tools"
)

// The whole API, judged by another implementation of OpenAPI 3.1.
func TestOpenAPIDocument(t *testing.T) {
	s := start(t, nil)
	r := s.get("/openapi.json")
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(r.raw)
	if err != nil {
		t.Fatal(err)
	}
	// Examples are held against their schemas too. Patterns are Go's own here.
	if err := doc.Validate(loader.Context); err != nil {
		t.Fatal(err)
	}
	if doc.OpenAPI != "3.1.1" {
		t.Fatalf("openapi %s", doc.OpenAPI)
	}
	// Every tool has an operation of its own, with the statuses of its contract.
	for _, tool := range s.app.tools.All() {
		c := tool.Contract
		item := doc.Paths.Value(direct.Path(c))
		if item == nil || item.Post == nil || item.Post.OperationID != c.Alias() {
			t.Fatalf("%s has no operation", c.Name)
		}
		for _, e := range c.Errors {
			response := item.Post.Responses.Status(e.HTTPStatus)
			if response == nil || !strings.Contains(*response.Value.Description, "`"+e.Code+"`") {
				t.Errorf("%s: status %d does not tell of %s", c.Name, e.HTTPStatus, e.Code)
			}
		}
	}
}

var pathParameter = regexp.MustCompile(`\{[^}]+\}`)

// No path of the document is one that the program does not serve: an answer of
// the mux itself has another sentence than the 404 of a thing that is missing.
func TestOpenAPIPathsAreServed(t *testing.T) {
	s := start(t, nil)
	doc, err := openapi3.NewLoader().LoadFromData(s.get("/openapi.json").raw)
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			req, err := http.NewRequest(method, s.url+pathParameter.ReplaceAllString(path, "x"), nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			raw := make([]byte, 4096)
			n, _ := resp.Body.Read(raw) // a stream has no end
			resp.Body.Close()
			if resp.StatusCode == 405 || resp.StatusCode == 404 && strings.Contains(string(raw[:n]), "no route is") {
				t.Errorf("%s %s: %d %s", method, path, resp.StatusCode, raw[:n])
			}
		}
	}
}

// The suite's overrides for tools are what the contracts prescribe, no more: a
// tool may refuse an input that fits its schema with its own codes, and may
// answer with the 5xx of its contract, but a crash or a broken promise stays a
// failure of the suite.
func TestOpenAPIOverridesOfTools(t *testing.T) {
	registry, err := contract.NewRegistry(tools.All(tools.Parts{}))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, testenv.Path("test", "conformance", "openapi", "tools.toml"), overrides(registry))
}

func overrides(registry *contract.Registry) []byte {
	var b bytes.Buffer
	b.WriteString("# What the contract of each tool allows it to answer. Made by\n# make generate\n")
	neverAllowed := []string{contract.CodeEngineCrashed, contract.CodeInvalidToolOutput, contract.CodeInternal}
	for _, tool := range registry.All() {
		c := tool.Contract
		fmt.Fprintf(&b, "\n[[operations]]\ninclude-name = \"POST %s\"\n", direct.Path(c))
		refusals, failures := []int{400}, []int{}
		for _, e := range append(c.Errors, general(c)...) {
			if slices.Contains(neverAllowed, e.Code) {
				continue
			}
			fmt.Fprintf(&b, "# %d %s: %s\n", e.HTTPStatus, e.Code, strings.ReplaceAll(e.When, "\n", " "))
			if e.HTTPStatus >= 500 {
				failures = append(failures, e.HTTPStatus)
			} else {
				refusals = append(refusals, e.HTTPStatus)
			}
		}
		positive := append([]string{`"2xx"`}, numbers(append(refusals, failures...))...)
		fmt.Fprintf(&b, "checks.positive_data_acceptance.expected-statuses = [%s]\n", strings.Join(positive, ", "))
		fmt.Fprintf(&b, "checks.not_a_server_error.expected-statuses = [%s]\n",
			strings.Join(append([]string{`"2xx"`, `"3xx"`, `"4xx"`}, numbers(failures)...), ", "))
	}
	return b.Bytes()
}

// general are the codes of any call that a fuzzed one can meet: files that do
// not exist, an engine that is missing, a limit that is too low.
func general(c *contract.Contract) []contract.ErrorSpec {
	var specs []contract.ErrorSpec
	for _, code := range []string{
		contract.CodeFileNotFound, contract.CodeFileOutsideRoots, contract.CodeFileEmpty, contract.CodeFileUnreadable,
		contract.CodeConflict, contract.CodeTimeout, contract.CodeMissingDependency, contract.CodeMemoryExceeded, contract.CodeTooManyRequests,
	} {
		if !slices.ContainsFunc(c.Errors, func(e contract.ErrorSpec) bool { return e.Code == code }) {
			specs = append(specs, contract.ErrorSpec{Code: code, HTTPStatus: contract.Lookup(code).HTTPStatus, When: contract.Lookup(code).Meaning})
		}
	}
	return specs
}

func numbers(list []int) []string {
	slices.Sort(list)
	var words []string
	for _, n := range slices.Compact(list) {
		words = append(words, fmt.Sprint(n))
	}
	return words
}
