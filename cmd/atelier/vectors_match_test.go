package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// vectorExpectation is what a vector demands of an answer; all that is given must hold.
type vectorExpectation struct {
	Status    any               `json:"status"` // a number, or a list of those allowed
	Headers   map[string]string `json:"headers"`
	Text      *string           `json:"text"`
	Equal     any               `json:"equal"`
	Contains  any               `json:"contains"`
	Tolerance float64           `json:"tolerance"`
	Schema    json.RawMessage   `json:"schema"`
	SortedBy  map[string]string `json:"sorted_by"`
	Same      [][2]string       `json:"same"`
	SameAs    *int              `json:"same_as"`
	Events    *struct {
		Last string                     `json:"last"`
		Data map[string]json.RawMessage `json:"data"`
	} `json:"events"`
}

// compare lists what an answer lacks.
func (run *vectorRun) compare(want vectorExpectation, got vectorAnswer) []string {
	var faults []string
	fault := func(format string, a ...any) { faults = append(faults, fmt.Sprintf(format, a...)) }
	if want.Status != nil && !statusFits(want.Status, got.status) {
		fault("status %d, want %v", got.status, want.Status)
	}
	for name, pattern := range want.Headers {
		if !regexp.MustCompile(pattern).MatchString(got.header.Get(name)) {
			fault("header %s is %q, want a match of %s", name, got.header.Get(name), pattern)
		}
	}
	if want.Text != nil && *want.Text != string(got.raw) {
		fault("text is not %q", *want.Text)
	}
	if want.Equal != nil && !reflect.DeepEqual(run.filled(want.Equal), got.value) {
		fault("not equal to %v", want.Equal)
	}
	if want.Contains != nil {
		faults = append(faults, lacking("", run.filled(want.Contains), got.value, want.Tolerance)...)
	}
	if want.Schema != nil {
		if err := vectorSchema(run.t, want.Schema).Validate(got.value); err != nil {
			fault("%v", err)
		}
	}
	for pointer, key := range want.SortedBy {
		if !sortedBy(got.value, pointer, key) {
			fault("%s is not sorted by %s", pointer, key)
		}
	}
	for _, pair := range want.Same {
		a, one := pointed(got.value, pair[0])
		b, other := pointed(got.value, pair[1])
		if !one || !other || !reflect.DeepEqual(a, b) {
			fault("%s is not the same as %s", pair[0], pair[1])
		}
	}
	if want.SameAs != nil && !reflect.DeepEqual(run.answers[*want.SameAs], got.value) {
		fault("not the same as the answer of step %d", *want.SameAs)
	}
	return append(faults, run.compareEvents(want, got)...)
}

func statusFits(want any, got int) bool {
	if list, ok := want.([]any); ok {
		return slices.ContainsFunc(list, func(one any) bool { return statusFits(one, got) })
	}
	return want == float64(got)
}

// lacking compares by the rule of the README: of an object the keys that are
// named, of an array every element, of anything else the value.
func lacking(at string, want, got any, tolerance float64) []string {
	var faults []string
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s is %v, want an object", at, got)}
		}
		for key, item := range w {
			value, there := g[key]
			if !there {
				faults = append(faults, at+"/"+key+" is missing")
				continue
			}
			faults = append(faults, lacking(at+"/"+key, item, value, tolerance)...)
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return []string{fmt.Sprintf("%s is %.200v, want %d elements", at, got, len(w))}
		}
		for i := range w {
			faults = append(faults, lacking(at+"/"+strconv.Itoa(i), w[i], g[i], tolerance)...)
		}
	default:
		a, one := want.(float64)
		b, other := got.(float64)
		if one && other && math.Abs(a-b) <= tolerance*math.Max(1, math.Abs(a)) {
			return nil
		}
		if !reflect.DeepEqual(want, got) {
			faults = append(faults, fmt.Sprintf("%s is %.200v, want %v", at, got, want))
		}
	}
	return faults
}

// pointed follows a JSON pointer.
func pointed(value any, pointer string) (any, bool) {
	for _, token := range strings.Split(pointer, "/")[1:] {
		switch v := value.(type) {
		case map[string]any:
			next, ok := v[strings.NewReplacer("~1", "/", "~0", "~").Replace(token)]
			if !ok {
				return nil, false
			}
			value = next
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v) {
				return nil, false
			}
			value = v[i]
		default:
			return nil, false
		}
	}
	return value, true
}

func sortedBy(value any, pointer, key string) bool {
	list, _ := pointed(value, pointer)
	items, ok := list.([]any)
	return ok && sort.SliceIsSorted(items, func(i, j int) bool {
		a, _ := pointed(items[i], "/"+key)
		b, _ := pointed(items[j], "/"+key)
		return fmt.Sprint(a) < fmt.Sprint(b)
	})
}

// vectorSchema compiles a schema of a vector; it may refer to schemas.json.
func vectorSchema(t *testing.T, raw json.RawMessage) *jsonschema.Schema {
	t.Helper()
	shared, err := os.ReadFile(filepath.Join(vectorFolder, "schemas.json"))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	for name, text := range map[string][]byte{"schemas.json": shared, "expect": raw} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
		if err == nil {
			err = compiler.AddResource("vectors:///"+name, doc)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	schema, err := compiler.Compile("vectors:///expect")
	if err != nil {
		t.Fatalf("a schema of a vector: %v", err)
	}
	return schema
}

var eventLines = regexp.MustCompile(`(?m)^event: (.*)\ndata: (.*)$`)

// compareEvents reads a stream of server-sent events.
func (run *vectorRun) compareEvents(want vectorExpectation, got vectorAnswer) []string {
	if want.Events == nil {
		return nil
	}
	var faults []string
	last := ""
	for _, event := range eventLines.FindAllStringSubmatch(string(got.raw), -1) {
		last = event[1]
		schema, known := want.Events.Data[last]
		if !known {
			continue // a client passes over events that it does not know
		}
		var data any
		if err := json.Unmarshal([]byte(event[2]), &data); err != nil {
			faults = append(faults, last+": "+err.Error())
		} else if err := vectorSchema(run.t, schema).Validate(data); err != nil {
			faults = append(faults, last+": "+err.Error())
		}
	}
	if last != want.Events.Last {
		faults = append(faults, fmt.Sprintf("the last event is %q, want %q", last, want.Events.Last))
	}
	return faults
}

// A matcher that takes everything would pass every vector.
func TestVectorsCanFail(t *testing.T) {
	run := &vectorRun{t: t, values: map[string]any{}, answers: []any{map[string]any{"a": 1.0}}}
	got := vectorAnswer{status: 200, raw: []byte(`{"a":1,"list":[{"n":"x"},{"n":"b"}]}`)}
	if err := json.Unmarshal(got.raw, &got.value); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		`{"status":400}`, `{"status":[400,404]}`, `{"headers":{"X-Request-Id":"^v$"}}`, `{"text":"hello"}`, `{"equal":{"a":1}}`,
		`{"contains":{"a":2}}`, `{"contains":{"b":1}}`, `{"contains":{"list":[{"n":"x"}]}}`, `{"contains":{"a":1.1},"tolerance":0.01}`,
		`{"schema":{"required":["b"]}}`, `{"schema":{"$ref":"schemas.json#/$defs/ToolResult"}}`, `{"sorted_by":{"/list":"n"}}`,
		`{"sorted_by":{"/none":"n"}}`, `{"same":[["/a","/list"]]}`, `{"same":[["/none","/none"]]}`, `{"same_as":0}`, `{"events":{"last":"agent_done"}}`,
	} {
		var want vectorExpectation
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		if len(run.compare(want, got)) == 0 {
			t.Errorf("%s took a wrong answer", text)
		}
	}
	for _, text := range []string{`{"status":[404,200]}`, `{"contains":{"list":[{"n":"x"},{}]}}`, `{"contains":{"a":1.001},"tolerance":0.01}`} {
		var want vectorExpectation
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		if faults := run.compare(want, got); len(faults) > 0 {
			t.Errorf("%s: %v", text, faults)
		}
	}
}
