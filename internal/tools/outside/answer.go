package outside

import (
	"encoding/json"
	"fmt"
	"math"
	"mime"
	"path"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"atelier/internal/contract"
	"atelier/internal/engine"
	"atelier/internal/evidence"
	"atelier/internal/jsonvalue"
)

// result makes a result of what a program has answered; input is what it was asked.
// Nothing of it is repaired: an answer that can be read in two ways is a fault of
// the tool, which is told with its place.
func (t *Tool) result(reply *engine.Reply, input map[string]json.RawMessage) (*contract.Result, error) {
	if reply.Ending != "" {
		e := contract.Errorf(contract.CodeEngineCrashed, "the program of %s answered, and then ended with %s in the place of exit status 0; its answer is not taken", t.contract.Name, reply.Ending)
		e.Log = &reply.Log
		return nil, e.WithHint("A program ends by itself, with exit status 0, right after its result; one that goes on is ended.")
	}
	for _, look := range []func(*engine.Reply) error{whole, t.named, artifacts, remarks} {
		if err := look(reply); err != nil {
			return nil, t.fault(reply, err)
		}
	}
	var output map[string]json.RawMessage
	if err := json.Unmarshal(reply.Output, &output); err != nil || output == nil {
		return nil, t.fault(reply, fmt.Errorf("answered an output that is no JSON object"))
	}
	for _, own := range []string{"evidence", "quantities"} {
		if _, has := output[own]; has {
			return nil, t.fault(reply, fmt.Errorf("put %s into its output; it belongs beside it, as checks and quantities, from which the trust is computed", own))
		}
	}
	if !t.contract.Evidence.Checked() {
		if err := copied(reply.Output, input); err != nil {
			return nil, t.fault(reply, err)
		}
	}
	statement, err := t.statement(reply.Evidence, input)
	if err == nil {
		err = t.unstated(reply.Output, statement)
	}
	if err == nil {
		err = t.summary(reply, statement, input)
	}
	if err != nil {
		return nil, t.fault(reply, err)
	}
	return &contract.Result{
		Summary: strings.TrimSpace(reply.Summary), OwnWords: true, Output: output, Artifacts: reply.Artifacts, Metrics: reply.Metrics, Warnings: reply.Warnings,
		Log: reply.Log, Statement: statement,
	}, nil
}

// unstated refuses a figure that the contract names and no quantity states: it would
// stand in the output with nothing behind it, beside others that have.
func (t *Tool) unstated(output json.RawMessage, s *evidence.Statement) error {
	if s == nil || len(s.Figures) == 0 { // of which the server tells
		return nil
	}
	return eachNumber(output, func(at string, v float64) error {
		if i := slices.IndexFunc(s.Figures, func(f evidence.Figure) bool { return f.Pointer == at }); i >= 0 {
			if stated := s.Figures[i].Value; stated != nil && *stated != v {
				return fmt.Errorf("stated the quantity %q as %v (/evidence/quantities/%d/value), and its output shows %v at %s: it is the very number that stands there", s.Figures[i].Name, *stated, i, v, at)
			}
			return nil
		}
		if !t.contract.Evidence.Names(at) {
			return nil
		}
		return fmt.Errorf("answered %v at /output%s, which its contract names as a quantity, and stated no quantity of it in evidence", v, at)
	})
}

func (t *Tool) fault(reply *engine.Reply, err error) error {
	e := contract.Errorf(contract.CodeInvalidToolOutput, "the program of %s %w", t.contract.Name, err)
	e.Log = &reply.Log
	return e.WithHint("This is a fault of the tool, not of the call: other arguments do not mend it.")
}

// line is a result as a program may write it. It is read elsewhere, part by part;
// here it says what there is, so that nothing is lost without a word.
type line struct {
	Type      string          `json:"type"`
	Summary   string          `json:"summary"`
	Output    json.RawMessage `json:"output"`
	Evidence  *said           `json:"evidence"`
	Artifacts []struct {
		Name    string   `json:"name"`
		MIME    string   `json:"mime_type"`
		Files   []string `json:"files"`
		Primary bool     `json:"primary"`
	} `json:"artifacts"`
	Metrics  map[string]json.RawMessage `json:"metrics"`
	Warnings []contract.Warning         `json:"warnings"`
}

// whole refuses an answer that readers disagree about, and one that says what
// nobody would read.
func whole(reply *engine.Reply) error {
	if fault := contract.StrictJSON(reply.Line, contract.CodeInvalidToolOutput); fault != nil {
		return fmt.Errorf("sent a result that cannot be read with certainty: %s", fault.Message)
	}
	if why := contract.Unfit(reply.Line, reflect.TypeFor[line](), jsonvalue.Rules{}); why != "" {
		return fmt.Errorf("sent a result that does not fit the protocol: %s", why)
	}
	return nil
}

func (t *Tool) named(reply *engine.Reply) error {
	if strings.TrimSpace(reply.Summary) == "" {
		return fmt.Errorf("sent no summary: one sentence with the figures that matter")
	}
	if len(reply.Evidence) > 0 && !t.contract.Evidence.Checked() {
		return fmt.Errorf("sent evidence that its contract does not announce")
	}
	return nil
}

// artifacts holds the files that an answer names to what callers are told of them.
func artifacts(reply *engine.Reply) error {
	seen := map[string]bool{}
	for i, a := range reply.Artifacts {
		for _, name := range append([]string{a.Name}, a.Files...) {
			clean := path.Clean(name)
			if seen[clean] {
				return fmt.Errorf("named the artifact %q twice (/artifacts/%d)", name, i)
			}
			seen[clean] = true
		}
		if _, _, err := mime.ParseMediaType(a.MIME); err != nil || !strings.Contains(a.MIME, "/") || strings.ContainsFunc(a.MIME, unicode.IsControl) {
			return fmt.Errorf("gave the artifact %q the mime_type %q (/artifacts/%d/mime_type), which is no media type as text/csv is", a.Name, a.MIME, i)
		}
	}
	return nil
}

// reserved are the metrics that the server itself sets: a tool's own under one of
// these names would be read as the server's word.
var reserved = []string{
	"error_code", "errors", "warnings", "job_id", "elapsed_ms", "partial", "summary_truncated", "stdout_truncated_bytes", "stderr_truncated_bytes",
	"artifacts_removed_oversize", "artifacts_removed_count_cap", "confidence", "trust", "evidence", "quantities", "status",
}

// remarks holds warnings and metrics to what readers of a result make of them.
func remarks(reply *engine.Reply) error {
	for i, w := range reply.Warnings {
		if strings.TrimSpace(w.Code) == "" || strings.TrimSpace(w.Message) == "" {
			return fmt.Errorf("sent a warning without a code or without a message (/warnings/%d)", i)
		}
		if strings.ContainsFunc(w.Code, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) || r == ',' }) {
			return fmt.Errorf("sent a warning whose code %q is not one word (/warnings/%d/code)", w.Code, i)
		}
	}
	for _, name := range reserved {
		if _, taken := reply.Metrics[name]; taken {
			return fmt.Errorf("sent the metric %s, which the server sets (/metrics/%s): choose another name", name, name)
		}
	}
	return nil
}

// copied refuses figures of a tool that has no checks: its numbers are counts, or
// stand in the input already.
func copied(output json.RawMessage, input map[string]json.RawMessage) error {
	given := []float64{}
	for _, raw := range input {
		_ = eachNumber(raw, func(_ string, v float64) error { given = append(given, v); return nil })
	}
	return eachNumber(output, func(at string, v float64) error {
		if v == math.Trunc(v) || slices.Contains(given, v) {
			return nil
		}
		return fmt.Errorf("answered the figure %v (/output%s), which is neither a whole number nor one of the input, and its contract has no quantities: name it there, with checks", v, at)
	})
}

// eachNumber calls do with every number of a JSON text that a float holds, and its
// place.
func eachNumber(raw json.RawMessage, do func(string, float64) error) error {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return nil // another part refuses it
	}
	return jsonvalue.Walk(v, func(at string, v any) error {
		if number, ok := v.(float64); ok {
			return do(at, number)
		}
		return nil
	})
}
