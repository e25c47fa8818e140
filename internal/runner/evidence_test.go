package runner

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// measured is a contract whose results state a figure.
var measured = strings.NewReplacer(
	`"evidence": "exact"`, `"evidence": {"quantities": [{"figure": "/size/*", "what": "A size."}]}`,
	`"properties":{"n":{"type":"integer"}}`, `"properties":{"n":{"type":"integer"},"size":{"type":"object","additionalProperties":{"type":["number","null"]}}}`,
).Replace(file)

type sized struct {
	N    int            `json:"n"`
	Size map[string]any `json:"size"`
}

func state(t *testing.T, size any, s *evidence.Statement) *contract.Result {
	t.Helper()
	tool := contract.Bind([]byte(measured), func(context.Context, *contract.Call, input) (*contract.Result, error) {
		return &contract.Result{Output: sized{2, map[string]any{"x": size}}, Statement: s}, nil
	})
	if err := tool.Check(); err != nil {
		t.Fatal(err)
	}
	return New()(t.Context(), &Request{Tool: &tool, Input: json.RawMessage(`{"n":1}`), JobID: "job_1", Dir: t.TempDir(), Limits: contract.DefaultLimits()})
}

func TestEvidenceEntersTheOutput(t *testing.T) {
	s := &evidence.Statement{}
	s.Check(evidence.Within("again", evidence.Independent, "/size/x", 0.01, 0.1, "m", "A second way gives the size."))
	s.Figure(evidence.Of("x", "/size/x", 3, "m", "measured").PlusMinus(0.01, "bound").Quote())
	got := state(t, 3, s)
	var out struct {
		Quantities []struct {
			Name, Trust string
			Error       float64
		}
		Evidence struct {
			Trust  string
			Checks []struct{ Name string }
		}
	}
	if err := json.Unmarshal(got.OutputJSON(), &out); err != nil {
		t.Fatalf("%v: %+v", err, got.Errors)
	}
	if len(out.Quantities) != 1 || out.Quantities[0].Trust != "verified" || out.Quantities[0].Error != 0.01 ||
		out.Evidence.Trust != "verified" || len(out.Evidence.Checks) != 1 || *got.Confidence != 0.95 {
		t.Errorf("%s, confidence %v", got.OutputJSON(), *got.Confidence)
	}
}

// A tool cannot say what its contract does not announce, nor another figure than
// the one that its output shows, nor nothing.
func TestStatementsAreHeldAgainstTheOutput(t *testing.T) {
	of := func(pointer string, v float64) *evidence.Statement {
		return &evidence.Statement{Figures: []evidence.Figure{evidence.Of("x", pointer, v, "m", "measured")}}
	}
	for name, c := range map[string]struct {
		shown any
		s     *evidence.Statement
		says  string
	}{
		"fine":          {3, of("/size/x", 3), ""},
		"undefined":     {nil, of("/size/x", math.NaN()), ""},
		"nothing":       {3, nil, "states nothing"},
		"no figure":     {3, &evidence.Statement{}, "none of its quantities"},
		"none to state": {nil, &evidence.Statement{}, ""},
		"undeclared":    {3, of("/n", 2), "does not declare"},
		"not there":     {3, of("/size/y", 3), "has nothing"},
		"another":       {3, of("/size/x", 4), "its output shows 3"},
		"shown null":    {nil, of("/size/x", 3), "its output shows null"},
		"null for one":  {3, of("/size/x", math.NaN()), "its output shows 3"},
		"malformed":     {3, &evidence.Statement{Checks: []evidence.Check{{Name: "c", Kind: "vote", Sentence: "x"}}}, "no kind"},
	} {
		got := state(t, c.shown, c.s)
		switch {
		case c.says == "" && got.Status != contract.StatusOK:
			t.Errorf("%s: %v", name, got.Errors)
		case c.says != "" && (got.Status != contract.StatusError || got.Errors[0].Code != contract.CodeInvalidToolOutput || !strings.Contains(got.Errors[0].Message, c.says)):
			t.Errorf("%s: %s %v", name, got.Status, got.Errors)
		}
	}
}

// Without evidence there is no confidence, and only an exact tool has all of it.
func TestConfidenceComesFromTheContract(t *testing.T) {
	for kind, want := range map[string]any{"exact": 1.0, "none": nil} {
		tool := contract.Bind([]byte(strings.Replace(file, `"evidence": "exact"`, `"evidence": "`+kind+`"`, 1)), ok)
		got := New()(t.Context(), &Request{Tool: &tool, Input: json.RawMessage(`{"n":1}`), JobID: "job_1", Dir: t.TempDir(), Limits: contract.DefaultLimits()})
		raw, err := json.Marshal(got.Confidence)
		if err != nil {
			t.Fatal(err)
		}
		var shown any
		if err := json.Unmarshal(raw, &shown); err != nil || shown != want {
			t.Errorf("%s: confidence %s", kind, raw)
		}
		tool.Run = func(context.Context, *contract.Call, json.RawMessage) (*contract.Result, error) {
			return &contract.Result{Output: input{1}, Statement: &evidence.Statement{}}, nil
		}
		if got := New()(t.Context(), &Request{Tool: &tool, Input: json.RawMessage(`{"n":1}`), Dir: t.TempDir(), Limits: contract.DefaultLimits()}); got.Status != contract.StatusError {
			t.Errorf("%s: evidence that the contract does not announce was taken", kind)
		}
	}
}
