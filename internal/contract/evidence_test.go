package contract

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// A contract whose numbers would go unchecked does not start the program.
func TestContractsSayWhatStandsBehindAFigure(t *testing.T) {
	number := json.RawMessage(`{"type":"object","properties":{"stress":{"type":"object","properties":{"max":{"type":["number","null"]}}},
		"rows":{"type":"array","items":{"type":"object","properties":{"p":{"type":"number"}}}},"n":{"type":"integer"},"any":{"type":"object","additionalProperties":{"type":"number"}}}}`)
	counts := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)
	quantities := func(figures ...string) map[string]any {
		list := []any{}
		for _, f := range figures {
			list = append(list, map[string]any{"figure": f, "what": "A figure."})
		}
		return map[string]any{"quantities": list}
	}
	for name, c := range map[string]struct {
		output   json.RawMessage
		evidence any
		says     string // "" when the contract is good
	}{
		"absent":             {counts, nil, "must say what stands behind"},
		"unknown word":       {counts, "verified", `"exact", "none"`},
		"a trust":            {counts, map[string]any{"trust": "verified"}, "quantities"},
		"none without":       {counts, "none", ""},
		"none with a number": {number, "none", "the output has the number"},
		"exact":              {number, "exact", ""},
		"quantities":         {number, quantities("/stress/max", "/rows/*/p", "/any/*", "/rows/0/p", "/n"), ""},
		"no such number":     {number, quantities("/stress/mean"), "no number at /stress/mean"},
		"an object":          {number, quantities("/stress"), "no number at /stress"},
		"no pointer":         {number, quantities("stress"), "JSON pointer"},
	} {
		_, err := Parse(minimal(t, func(m map[string]any) {
			m["output_schema"] = c.output
			if m["evidence"] = c.evidence; c.evidence == nil {
				delete(m, "evidence")
			}
		}))
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

// The schemas of quantities and evidence are joined to the output's, once.
func TestEvidenceSchemaIsJoined(t *testing.T) {
	file := minimal(t, func(m map[string]any) {
		m["output_schema"] = json.RawMessage(`{"type":"object","required":["x"],"properties":{"x":{"type":"number"}},"additionalProperties":false}`)
		m["evidence"] = map[string]any{"quantities": []any{map[string]any{"figure": "/x", "what": "x"}}}
	})
	c, err := Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	good := `{"x":1,"quantities":[],"evidence":{"trust":"computed","reasons":[],"accuracy":0.05,"checks":[],"inputs":[]}}`
	if faults := c.ValidateOutput(json.RawMessage(good)); len(faults) > 0 {
		t.Error(faults)
	}
	for _, bad := range []string{`{"x":1}`, strings.Replace(good, "computed", "certain", 1), strings.Replace(good, `"checks":[]`, `"checks":[{"name":"c"}]`, 1)} {
		if len(c.ValidateOutput(json.RawMessage(bad))) == 0 {
			t.Errorf("%s fits", bad)
		}
	}
	raw, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	again, ok, err := Read(raw, nil)
	var before bytes.Buffer
	if err := json.Compact(&before, c.OutputSchema); err != nil {
		t.Fatal(err)
	}
	if err != nil || !ok || string(again.OutputSchema) != before.String() {
		t.Errorf("an exported contract reads back as %s, %v", again.OutputSchema, err)
	}
	if _, err := Parse([]byte(strings.Replace(string(file), `"properties":{"x"`, `"properties":{"quantities":{},"x"`, 1))); err == nil {
		t.Error("an output with a property of that name was accepted")
	}
}
