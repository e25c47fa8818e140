package evidence

import (
	"encoding/json"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

func judged(t *testing.T, s Statement) *Evidence {
	t.Helper()
	e, err := Judge(s)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func peak() Figure {
	return Of("peak", "/stress/max", 100, "Pa", "largest nodal value").Quote()
}

// A figure is verified only when a check of the right kind is about that very
// figure, and its error bar is known and within the accuracy.
func TestVerifiedNeedsACoveringErrorBar(t *testing.T) {
	refined := func(at string) Check {
		return Within("refinement", Refinement, at, 0.01, 0.02, "1", "Two meshes agree.")
	}
	for name, c := range map[string]struct {
		figure Figure
		checks []Check
		want   Trust
	}{
		"nothing":                  {peak(), nil, Computed},
		"only a bar":               {peak().PlusMinus(1, "estimate"), nil, Computed},
		"a residual and a bar":     {peak().PlusMinus(1, "estimate"), []Check{Within("residual", Residual, "", 1e-9, 1e-6, "1", "Solved.")}, Converged},
		"a balance on the figure":  {peak().PlusMinus(1, "estimate"), []Check{Within("balance", Balance, "/stress/max", 0, 1, "N", "Forces balance.")}, Converged},
		"bounds and model":         {peak().PlusMinus(1, "estimate"), []Check{Holds("b", Bounds, "/stress/max", true, "In range."), Holds("m", Model, "", true, "Small.")}, Computed},
		"refined elsewhere":        {peak().PlusMinus(1, "estimate"), []Check{refined("/displacement/max")}, Computed},
		"refined as a whole":       {peak().PlusMinus(1, "estimate"), []Check{refined("")}, Converged},
		"refined, no bar":          {peak(), []Check{refined("/stress/max")}, Converged},
		"refined, wide bar":        {peak().PlusMinus(5.1, "estimate"), []Check{refined("/stress/max")}, Converged},
		"refined, bar":             {peak().PlusMinus(5, "estimate"), []Check{refined("/stress/max")}, Verified},
		"refined, bar of a part":   {peak().PlusMinus(1, "estimate").Omitting("No facet is in it."), []Check{refined("/stress/max")}, Converged},
		"refined with its object":  {peak().PlusMinus(1, "estimate"), []Check{refined("/stress")}, Verified},
		"a similar name":           {peak().PlusMinus(1, "estimate"), []Check{refined("/stress/maximum")}, Computed},
		"one failed among many":    {peak().PlusMinus(1, "estimate"), []Check{refined("/stress/max"), Holds("yield", Model, "/stress", false, "It yields.")}, Suspect},
		"one failed on the whole":  {peak().PlusMinus(1, "estimate"), []Check{refined("/stress/max"), Within("balance", Balance, "", 3, 1, "N", "Forces do not balance.")}, Suspect},
		"an undefined measurement": {peak().PlusMinus(1, "estimate"), []Check{Within("refinement", Refinement, "/stress/max", nan(), 0.02, "1", "x")}, Suspect},
	} {
		e := judged(t, Statement{Checks: c.checks, Figures: []Figure{c.figure}})
		if got := e.Quantities()[0].Trust(); got != c.want {
			t.Errorf("%s: the figure is %s, want %s: %v", name, got, c.want, e.Quantities()[0].Reasons())
		}
		if e.Trust() != c.want {
			t.Errorf("%s: the result is %s, want %s: %v", name, e.Trust(), c.want, e.Reasons())
		}
		if len(e.Reasons()) == 0 {
			t.Errorf("%s: no reason is given", name)
		}
	}
}

func TestAFailedCheckTellsItsValueAndItsLimit(t *testing.T) {
	e := judged(t, Statement{Checks: []Check{Within("balance", Balance, "", 3.5, 1, "N", "Forces do not balance."), AtLeast("quality", Bounds, "", 0.01, 0.02, "1", "Elements are flat.")}})
	want := "Failed: balance. Forces do not balance. (Value 3.5 N, limit 1 N.)|Failed: quality. Elements are flat. (Value 0.01, limit 0.02.)"
	if got := strings.Join(e.Reasons(), "|"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func nan() float64 { z := 0.0; return z / z }

// The accuracy that the caller asks for decides, and a vanishing figure has a scale.
func TestAccuracyIsTheCallers(t *testing.T) {
	check := Within("refinement", Refinement, "/stress/max", 0.01, 0.02, "1", "Two meshes agree.")
	f := peak().PlusMinus(3, "estimate")
	for accuracy, want := range map[float64]Trust{0.01: Converged, 0.03: Verified, 0.2: Verified} {
		if got := judged(t, Statement{Accuracy: accuracy, Checks: []Check{check}, Figures: []Figure{f}}).Trust(); got != want {
			t.Errorf("accuracy %g: %s, want %s", accuracy, got, want)
		}
	}
	zero := Of("net", "/stress/max", 0, "N", "sum").PlusMinus(1e-9, "bound")
	if got := judged(t, Statement{Checks: []Check{check}, Figures: []Figure{zero}}).Quantities()[0].Trust(); got != Converged {
		t.Errorf("a bar around zero without a scale: %s", got)
	}
	zero.Scale = 100
	if got := judged(t, Statement{Checks: []Check{check}, Figures: []Figure{zero}}).Quantities()[0].Trust(); got != Verified {
		t.Errorf("a bar around zero with a scale: %s", got)
	}
}

// The result is as good as the weakest figure that the summary quotes, and never
// verified without one.
func TestTheHeadlineIsTheWeakestQuotedFigure(t *testing.T) {
	check := Within("refinement", Refinement, "/stress/max", 0.01, 0.02, "1", "Two meshes agree.")
	good := peak().PlusMinus(1, "estimate")
	other := Of("mass", "/mass", 3, "kg", "volume times density")
	e := judged(t, Statement{Checks: []Check{check}, Figures: []Figure{good, other}})
	if e.Trust() != Verified {
		t.Errorf("an unquoted figure lowers the headline to %s", e.Trust())
	}
	e = judged(t, Statement{Checks: []Check{check}, Figures: []Figure{good, other.Quote()}})
	if e.Trust() != Computed || !strings.Contains(e.Reasons()[0], "mass") {
		t.Errorf("%s: %v", e.Trust(), e.Reasons())
	}
	if e = judged(t, Statement{Checks: []Check{check}}); e.Trust() != Converged {
		t.Errorf("a result without figures is %s", e.Trust())
	}
}

// No result stands above its inputs, and the reasons name the weakest.
func TestTrustTravels(t *testing.T) {
	check := Within("refinement", Refinement, "/stress/max", 0.01, 0.02, "1", "Two meshes agree.")
	e := judged(t, Statement{Checks: []Check{check}, Figures: []Figure{peak().PlusMinus(1, "estimate")}})
	for in, want := range map[Trust]Trust{Suspect: Suspect, Computed: Computed, Converged: Converged, Verified: Verified, "": Verified} {
		got := e.WithInputs([]Input{{Reference: "session:part.msh", Tool: "volume_mesh_quartet", Trust: in, Reason: "3 faces are lost."}})
		if got.Trust() != want || got.Quantities()[0].Trust() != want {
			t.Errorf("an input that is %q gives %s and %s", in, got.Trust(), got.Quantities()[0].Trust())
		}
		if why := strings.Join(got.Reasons(), " "); want != Verified && (!strings.Contains(why, "session:part.msh") || !strings.Contains(why, "3 faces are lost.")) {
			t.Errorf("the reasons do not name the input: %s", why)
		}
	}
	if e.Trust() != Verified {
		t.Error("the evidence of the result alone was changed")
	}
	failed := e.WithSelftest(Selftest{Engine: "mfem", Version: "4.10", At: "2026-01-01T00:00:00Z"})
	if failed.Trust() != Suspect || failed.Quantities()[0].Trust() != Suspect {
		t.Errorf("an engine that failed its golden case gives %s", failed.Trust())
	}
}

// Whatever a tool states: a failed check gives suspect, a figure is verified only
// under a passed covering check and a bar within the accuracy, and neither is
// above an input. Stored evidence is judged anew.
func TestNoStatementOutrunsItsChecks(t *testing.T) {
	r := testenv.Random(t)
	kinds := []Kind{Residual, Balance, Refinement, Independent, Exact, Bounds, Model}
	pointers := []string{"", "/a", "/a/b", "/a/b/c", "/ab", "/d"}
	for range 20_000 {
		var s Statement
		for range r.IntN(4) {
			s.Check(Holds("c", kinds[r.IntN(len(kinds))], pointers[r.IntN(len(pointers))], r.IntN(5) > 0, "Said."))
		}
		for i := range r.IntN(3) {
			f := Of(string(rune('x'+i)), pointers[1+r.IntN(len(pointers)-1)], 1, "1", "m")
			if r.IntN(2) == 0 {
				f = f.PlusMinus(0.1*r.Float64(), "estimate")
			}
			f.Quoted = r.IntN(2) == 0
			s.Figure(f)
		}
		in := []Trust{"", Suspect, Computed, Converged, Verified}[r.IntN(5)]
		e := judged(t, s).WithInputs([]Input{{Reference: "r", Trust: in}})
		raw, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		back := &Evidence{}
		if err := json.Unmarshal([]byte(strings.ReplaceAll(string(raw), `"trust":"computed"`, `"trust":"verified"`)), back); err != nil {
			t.Fatal(err)
		}
		if in != Computed && back.Trust() != e.Trust() {
			t.Fatalf("%s reads back as %s", raw, back.Trust())
		}
		all := []Trust{e.Trust()}
		for _, q := range e.Quantities() {
			all = append(all, q.Trust())
			if q.Trust() == Verified && !covered(q, s.Checks) {
				t.Fatalf("verified without cover: %s", raw)
			}
			if q.Quoted && q.Trust().Below(e.Trust()) {
				t.Fatalf("the headline outruns %s: %s", q.Name, raw)
			}
		}
		for _, c := range s.Checks {
			if !c.Passed && e.Trust() != Suspect {
				t.Fatalf("a failed check is outvoted: %s", raw)
			}
		}
		for _, trust := range all {
			if in != "" && in.Below(trust) {
				t.Fatalf("%s above its input %s: %s", trust, in, raw)
			}
		}
	}
}

// covered finds the reason for verified on its own.
func covered(q Quantity, checks []Check) bool {
	if q.Error == nil || *q.Error > DefaultAccuracy {
		return false
	}
	for _, c := range checks {
		covers := c.Kind == Refinement || c.Kind == Independent || c.Kind == Exact
		if covers && c.Passed && c.Figure != "" && strings.HasPrefix(q.Pointer+"/", c.Figure+"/") {
			return true
		}
	}
	return false
}

func TestMalformedStatementsAreRefused(t *testing.T) {
	ok := Holds("c", Exact, "/a", true, "Said.")
	for name, s := range map[string]Statement{
		"no name":      {Checks: []Check{{Kind: Exact, Sentence: "x"}}},
		"no kind":      {Checks: []Check{{Name: "c", Sentence: "x"}}},
		"new kind":     {Checks: []Check{{Name: "c", Kind: "vote", Sentence: "x"}}},
		"no sentence":  {Checks: []Check{{Name: "c", Kind: Exact}}},
		"no pointer":   {Checks: []Check{{Name: "c", Kind: Exact, Figure: "a", Sentence: "x"}}},
		"passed blind": {Checks: []Check{{Name: "c", Kind: Exact, Sentence: "x", Passed: true, Limit: new(float64)}}},
		"no unit":      {Checks: []Check{ok}, Figures: []Figure{{Name: "f", Pointer: "/a", Method: "m"}}},
		"twice":        {Figures: []Figure{peak(), peak()}},
		"bar on null":  {Figures: []Figure{Of("f", "/a", nan(), "1", "m").PlusMinus(1, "")}},
	} {
		if _, err := Judge(s); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	if err := json.Unmarshal([]byte(`{"checks":[{"name":"c","kind":"vote","sentence":"x"}]}`), &Evidence{}); err == nil {
		t.Error("an unknown kind was read")
	}
}

// What is suspect by what it was made from says so first: a reader who sees one reason
// sees the cause.
func TestTheCauseComesFirst(t *testing.T) {
	s := Statement{}
	s.Check(Within("sums", Exact, "/mean", 0, 1e-9, "1", "Sums are exact."))
	s.Figure(Figure{Name: "mean", Pointer: "/mean", Value: number(1), Unit: "m", Error: number(1e-12), Coverage: "bound", Method: "mean", Quoted: true})
	e, err := Judge(s)
	if err != nil {
		t.Fatal(err)
	}
	bad := Input{Reference: "a.csv", Tool: "circuits.simulate", JobID: "job_1", Trust: Suspect, Reason: "Failed: kirchhoff. Currents do not add up."}
	e = e.WithInputs([]Input{{Reference: "b.csv", Trust: Converged, Tool: "x"}, bad})
	if got := e.Reasons(); e.Trust() != Suspect || got[0] != "The input a.csv, made by circuits.simulate, is only suspect. "+bad.Reason || got[1] != "mean is suspect." {
		t.Errorf("%s %q", e.Trust(), got)
	}
	if in := e.Limiting(); in == nil || *in != bad {
		t.Errorf("%+v", in)
	}
	s.Check(Holds("own", Bounds, "", false, "Its own fault."))
	if e, err = Judge(s); err != nil || e.WithInputs([]Input{bad}).Limiting() != nil {
		t.Error("its own check failed")
	}
}
