package runner

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// A tool that asks hears, once the result is judged, what speaks against it: a failed
// check of its own, one that the runner makes (no part of 10 m moves by 200 m), and a
// suspect input, each once. What it then writes is what is kept.
func TestAToolHearsWhatSpeaksAgainstItsResult(t *testing.T) {
	c := openContents(t)
	_, _ = c.made(t, "v 0 0 0\n# doubtful", false)
	_, _ = c.made(t, "v 0 0 0\n# sound", true)
	root := t.TempDir()
	for _, row := range []struct {
		content string
		passed  bool
		size    float64
		says    []string
	}{
		{"v 0 0 0\n# sound", true, 2, nil},
		{"v 0 0 0\n# own", true, 2, nil},
		{"v 0 0 0\n# doubtful", true, 2, []string{"made by cad_import_truck, is only suspect."}},
		{"v 0 0 0\n# own", false, 2, []string{"Failed: again. "}},
		{"v 0 0 0\n# doubtful", false, 200, []string{"Failed: again. ", "is more than the size of the part", "made by cad_import_truck, is only suspect."}},
	} {
		path := write(t, root+"/part.obj", row.content)
		tool := contract.Bind([]byte(measured), func(ctx context.Context, call *contract.Call, _ input) (*contract.Result, error) {
			if _, err := call.File(ctx, path, "/n"); err != nil {
				return nil, err
			}
			s := &evidence.Statement{Size: 10}
			for _, at := range []string{"", "/size/x"} { // one check of two figures
				s.Check(evidence.Holds("again", evidence.Independent, at, row.passed, "A second way gives the size."))
			}
			s.Figure(evidence.Of("x", "/size/x", row.size, "m", "counted").PlusMinus(0, "bound").Quote())
			res := &contract.Result{Output: sized{2, map[string]any{"x": row.size}}, Statement: s, Artifacts: []contract.Artifact{{Name: "page.txt", Content: []byte("page")}}}
			call.IfDoubted(func(doubts []string) error {
				res.Artifacts[0].Content = []byte(strings.Join(doubts, "\n"))
				return nil
			})
			return res, nil
		})
		res := New()(t.Context(), &Request{Tool: &tool, Input: json.RawMessage(`{"n":1}`), JobID: "job_1", Dir: t.TempDir(),
			Limits: contract.DefaultLimits(), Files: Resolver{Roots: []string{root}, Source: c}.For(t.TempDir(), "")})
		if res.Status == contract.StatusError {
			t.Fatal(res.Errors)
		}
		said := strings.Split(string(res.Artifacts[0].Content), "\n")
		if len(row.says) == 0 {
			row.says = []string{"page"} // nothing was told
		}
		if !slices.EqualFunc(said, row.says, strings.Contains) || res.Artifacts[0].Bytes != int64(len(res.Artifacts[0].Content)) {
			t.Errorf("%+v: told %q of %d bytes", row, said, res.Artifacts[0].Bytes)
		}
	}
}

// A page that cannot be written again fails its call: it would not say what it must.
func TestAPageThatCannotSayItsDoubts(t *testing.T) {
	tool := contract.Bind([]byte(measured), func(_ context.Context, call *contract.Call, _ input) (*contract.Result, error) {
		call.IfDoubted(func([]string) error { return errors.New("no page") })
		return stated(evidence.Holds("sound", evidence.Exact, "/size/x", false, "The part is sound.")), nil
	})
	res := New()(t.Context(), &Request{Tool: &tool, Input: json.RawMessage(`{"n":1}`), JobID: "job_1", Dir: t.TempDir(), Limits: contract.DefaultLimits()})
	if res.Status != contract.StatusError || len(res.Errors) != 1 || res.Errors[0].Code != contract.CodeInternal {
		t.Errorf("%s %v", res.Status, res.Errors)
	}
}
