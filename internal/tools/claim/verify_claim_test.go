package claim

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/runner"
	"atelier/internal/store"
	"atelier/internal/testenv"
)

// stressed is a result of 41.2 MPa ± 0.5, and of a deflection that a check
// contradicts; it was made from the file at path.
func stressed(t *testing.T, path string) Jobs {
	t.Helper()
	s := evidence.Statement{}
	s.Check(evidence.Within("refinement", evidence.Refinement, "/stress", 0.01, 0.02, "1", "Two meshes agree."),
		evidence.Within("thickness", evidence.Model, "/tip", 2, 1, "1", "The deflection is twice the thickness."))
	s.Figure(evidence.Of("peak_stress", "/stress", 41.2e6, "Pa", "largest nodal value").PlusMinus(0.5e6, "estimate"),
		evidence.Of("deflection", "/tip", 0.0016, "m", "largest"),
		evidence.Of("value at the end", "/end", 0.4997, "V", "transient").PlusMinus(0.448, "estimate"), evidence.Of("pole", "/pole", -1000, "rad/s", "pole-zero analysis"),
		evidence.Of("bandwidth", "/band", 500/math.Pi, "Hz", "pole"), evidence.Of("gain", "/gain", -35.97, "dB", "ratio of amplitudes"),
		evidence.Of("phase", "/phase", -30, "deg", "ac"), evidence.Of("turn", "/turn", math.Pi/4, "rad", "ac"), evidence.Of("gone", "/none", nan(), "m", "none"))
	e, err := evidence.Judge(s)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := store.HashFile(path)
	if err != nil {
		t.Fatal(err)
	}
	result := &contract.Result{Status: contract.StatusOK, Output: json.RawMessage(`{"stress":41.2e6,"tip":0.0016,"none":null,"band":159.15494309189535,"gain":-35.97,"end":0.4997,"pole":-1000,"steps":{"n":7},"phase":-30,"turn":0.7853981633974483,"series":[{"unit":"V","x_unit":"s","x":[0,0.002],"max":{"x":0.002,"y":5},"points":2}]}`),
		Evidence: e.WithInputs([]evidence.Input{{Reference: path, SHA256: sum}})}
	return record("fea.solve", result)
}

func nan() float64 { z := 0.0; return z / z }

func ask(t *testing.T, root string, jobs Jobs, claim string) (output, *contract.Result) {
	t.Helper()
	tool := Tools(jobs)[0]
	if err := tool.Check(); err != nil {
		t.Fatal(err)
	}
	got := runner.New()(t.Context(), &runner.Request{Tool: &tool, Input: json.RawMessage(claim), JobID: "job_2", Dir: t.TempDir(),
		Limits: contract.DefaultLimits(), Files: runner.Resolver{Roots: []string{root}}.For("", "")})
	var out output
	if got.Status != contract.StatusError {
		if err := json.Unmarshal(got.OutputJSON(), &out); err != nil {
			t.Fatal(err)
		}
	}
	return out, got
}

func TestClaims(t *testing.T) {
	root := t.TempDir()
	part := filepath.Join(root, "part.msh")
	if err := os.WriteFile(part, []byte("mesh"), 0o600); err != nil {
		t.Fatal(err)
	}
	results := stressed(t, part)
	for _, c := range []struct{ number, unit, path, want string }{
		{"41.2", "MPa", "/stress", supported},
		{"41.6", "MPa", "peak_stress", supported}, // within the error bar
		{"41200000", "", "/stress", supported},
		{"41", "MPa", "/stress", supported},    // 0.2 of rounding or bar
		{"43", "MPa", "/stress", contradicted}, // 1.8 off
		{"40", "MPa", "/stress", contradicted}, // 39.5 to 40.5, and the bar ends at 40.7
		{"0.04", "GPa", "/stress", supported},  // 0.035 to 0.045
		{"0.0", "GPa", "/stress", undecided},   // less than 50 MPa: no size
		{"0", "Pa", "/stress", contradicted},
		{"41.2", "Pa", "/stress", contradicted}, // a factor of a million
		{"1.6", "mm", "/tip", contradicted},     // the figure itself is suspect
		{"5.976", "ksi", "/stress", supported},  // 1 ksi = 6.894757 MPa
		{"1", "m", "/none", contradicted},       // undefined
		{"7", "", "/steps/n", undecided},        // in the output, without evidence, and the result is suspect
		{"8", "", "/steps/n", contradicted},
		{"0", "", "/steps/n", contradicted},
		{"1000", "rad/s", "/band", supported}, // w = 2 pi f
		{"159", "rad/s", "/band", contradicted},
		{"159.15", "Hz", "/band", supported},
		{"9549.3", "rpm", "/band", supported},
		{"-35.97", "dB", "/gain", supported},
		{"-36", "db", "/gain", supported},
		{"-30", "dB", "/gain", contradicted},
		{"0.06", "V", "/end", undecided}, // a bar as wide as the figure supports nothing
		{"0.9", "V", "/end", undecided},
		{"500", "mV", "/end", undecided}, // not even what repeats it
		{"1.5", "V", "/end", contradicted},
		{"-159.155", "Hz", "/pole", supported}, // 1000 rad/s over 2 pi
		{"-1000", "Hz", "/pole", contradicted},
		{"-1", "krad/s", "/pole", supported},
		{"-0.5235988", "rad", "/phase", supported}, // 30 degrees are pi/6
		{"-30", "rad", "/phase", contradicted},
		{"45", "deg", "/turn", supported},
		{"0.125", "turn", "/turn", supported},
		{"45", "rad", "/turn", contradicted},
		{"2", "ms", "/series/0/max/x", undecided},
		{"2", "s", "/series/0/max/x", contradicted},
		{"2000", "us", "/series/0/x/1", undecided},
		{"5000", "mV", "/series/0/max/y", undecided},
	} {
		out, got := ask(t, root, results, fmt.Sprintf(`{"number":%s,"unit":%q,"job_id":"job_1","path":%q}`, c.number, c.unit, c.path))
		if out.Verdict != c.want || len(out.Reasons) == 0 {
			t.Errorf("%s %s at %s: %s %v %v, want %s", c.number, c.unit, c.path, out.Verdict, out.Reasons, got.Errors, c.want)
		}
	}
	if out, _ := ask(t, root, results, `{"number":7,"job_id":"job_1","path":"/steps/n"}`); out.Trust != evidence.Computed || !strings.Contains(strings.Join(out.Reasons, " "), "Nothing checks") {
		t.Errorf("a figure without evidence: %+v", out)
	}
	for claim, at := range map[string]string{
		`{"number":1,"job_id":"job_x","path":"/stress"}`:                     "/job_id",
		`{"number":1,"job_id":"job_1","path":"/stres"}`:                      "/path",
		`{"number":1,"unit":"kg","job_id":"job_1","path":"/stress"}`:         "/unit",
		`{"number":1,"unit":"m","job_id":"job_1","path":"/steps/n"}`:         "/unit",
		`{"number":2,"unit":"s","job_id":"job_1","path":"/series/0/points"}`: "/unit",
		`{"number":2,"unit":"V","job_id":"job_1","path":"/series/0/max/x"}`:  "/unit",
		`{"number":1,"unit":"V","job_id":"job_1","path":"/phase"}`:           "/unit",
		`{"number":1,"unit":"dB","job_id":"job_1","path":"/stress"}`:         "/unit",
		`{"number":1,"unit":"V","job_id":"job_1","path":"/gain"}`:            "/unit",
		`{"number":"many","job_id":"job_1","path":"/stress"}`:                "/number",
	} {
		if _, got := ask(t, root, results, claim); got.Status != contract.StatusError || got.Errors[0].Field != at {
			t.Errorf("%s: %s %v", claim, got.Status, got.Errors)
		}
	}
}

// What strconv rounds a number to, to any number of digits, is a fair claim of it;
// the next number with as many digits but one is none.
func TestRoundedClaimsAreSupported(t *testing.T) {
	seed := int64(testenv.Seed(t))
	r := rand.New(rand.NewSource(seed))
	for range 2000 {
		value := (1 + 9*r.Float64()) * math.Pow(10, float64(r.Intn(25)-12))
		if r.Intn(2) == 0 {
			value = -value
		}
		digits := 1 + r.Intn(6)
		text := strconv.FormatFloat(value, 'e', digits-1, 64)
		mantissa, exponent, _ := strings.Cut(text, "e")
		power, _ := strconv.Atoi(exponent) // written by FormatFloat
		texts := []string{text, strconv.FormatFloat(value, 'f', max(0, digits-1-power), 64)}
		for _, number := range texts {
			o := output{Value: &value, accuracy: 0.05}
			if o.Claimed, _ = strconv.ParseFloat(number, 64); o.Claimed == 0 {
				continue
			}
			if o.judge(json.Number(number)); o.Verdict != supported {
				t.Fatalf("%s for %v: %s %v", number, value, o.Verdict, o.Reasons)
			}
		}
		last, _ := strconv.ParseFloat(mantissa, 64)
		last += 2 * math.Pow(10, float64(1-digits))
		o := output{Value: &value, accuracy: 0.05}
		off := strconv.FormatFloat(last, 'f', digits-1, 64) + "e" + exponent
		o.Claimed, _ = strconv.ParseFloat(off, 64)
		if o.judge(json.Number(off)); o.Verdict != contradicted && !(digits == 1 && last >= 10) {
			t.Fatalf("%s for %v: %s %v", off, value, o.Verdict, o.Reasons)
		}
	}
}

// A figure whose mesh has changed since is stale, whatever the number.
func TestClaimsGoStale(t *testing.T) {
	root := t.TempDir()
	part := filepath.Join(root, "part.msh")
	if err := os.WriteFile(part, []byte("mesh"), 0o600); err != nil {
		t.Fatal(err)
	}
	results := stressed(t, part)
	if err := os.WriteFile(part, []byte("mush"), 0o600); err != nil {
		t.Fatal(err)
	}
	const claim = `{"number":41.2,"unit":"MPa","job_id":"job_1","path":"/stress"}`
	if out, _ := ask(t, root, results, claim); out.Verdict != stale || !strings.Contains(out.Reasons[0], "has changed") {
		t.Errorf("%+v", out)
	}
	if err := os.Remove(part); err != nil {
		t.Fatal(err)
	}
	if out, _ := ask(t, root, results, claim); out.Verdict != stale || !strings.Contains(out.Reasons[0], "no longer there") {
		t.Errorf("%+v", out)
	}
	for what, replace := range map[string]func() error{
		"empty":              func() error { return os.WriteFile(part, nil, 0o600) },
		"a folder":           func() error { return os.Mkdir(part, 0o700) },
		"a link out of here": func() error { return os.Symlink("/etc/hostname", part) },
	} {
		if err := replace(); err != nil {
			t.Fatal(err)
		}
		if out, _ := ask(t, root, results, claim); out.Verdict != stale {
			t.Errorf("%s: %+v", what, out)
		}
		if err := os.Remove(part); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(part, []byte("mesh"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _ := ask(t, root, results, claim); out.Verdict != supported {
		t.Errorf("restored: %+v", out)
	}
}

// A verdict stands no higher than the figure that it is about, whatever the verdict, and
// one about a suspect figure says so in its sentence.
func TestAVerdictStandsNoHigherThanItsFigure(t *testing.T) {
	part := filepath.Join(t.TempDir(), "part.msh")
	if err := os.WriteFile(part, []byte("mesh"), 0o600); err != nil {
		t.Fatal(err)
	}
	for claim, want := range map[string]struct {
		verdict string
		trust   evidence.Trust
	}{
		`"number":41.2,"unit":"MPa","path":"/stress"`: {supported, evidence.Verified},
		`"number":99,"unit":"MPa","path":"/stress"`:   {contradicted, evidence.Verified},
		`"number":99,"unit":"mm","path":"/tip"`:       {contradicted, evidence.Suspect},
		`"number":1.6,"unit":"mm","path":"/tip"`:      {contradicted, evidence.Suspect},
		`"number":500,"unit":"mV","path":"/end"`:      {undecided, evidence.Computed},
	} {
		out, got := ask(t, filepath.Dir(part), stressed(t, part), `{"job_id":"job_1",`+claim+`}`)
		if out.Verdict != want.verdict || got.Confidence == nil || *got.Confidence != want.trust.Confidence() {
			t.Errorf("%s: %s, confidence %v, want %s of %s", claim, out.Verdict, *got.Confidence, want.verdict, want.trust)
		}
		if doubted := strings.Contains(got.Summary, "twice the thickness"); doubted != (want.trust == evidence.Suspect) {
			t.Errorf("%s: %s", claim, got.Summary)
		}
	}
}

// The unit of a figure that is no quantity is the one that the output states
// beside it; places, counts and ratios beside it are not in it.
func TestUnitBesideTheFigure(t *testing.T) {
	const out = `{"field":{"max":76,"unit":"MPa","not_finite":0,"max_at":[1,0]},"heat":{"source":20,"unit":"W"},"peak":{"min":1,"max":2},
		"probes":[{"at":[1,2],"stress":[3e6,-1e6],"displacement":[0.1,0.2]}],"fields":[{"name":"stress","unit":"Pa"}],"series":[{"unit":"V","x":[1],"phase_deg":[-30],"points":1}],"length":{"value":10,"unit":"mm","other":47.3,"min":9}}`
	s := evidence.Statement{}
	s.Figure(evidence.Of("length", "/length/value", 10, "mm", "sum"), evidence.Of("peak", "/peak/max", 2, "K", "largest"), evidence.Of("displacement x", "/probes/0/displacement/0", 0.1, "m", "nodal"))
	e, err := evidence.Judge(s)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"/field/max": "MPa", "/field/not_finite": "", "/field/max_at/0": "", "/heat/source": "W", "/peak/min": "K",
		"/probes/0/stress/0": "Pa", "/probes/0/displacement/1": "m", "/probes/0/at/0": "", "/series/0/x/0": "", "/series/0/phase_deg/0": "deg", "/length/other": "", "/length/min": "mm", "/nothing": ""} {
		if got := unitBeside(json.RawMessage(out), path, e.Quantities()); got != want {
			t.Errorf("%s is in %q, want %q", path, got, want)
		}
	}
}

// Numbers that a sentence tells apart are written with the digits in which they
// differ, whatever their size.
func TestContradictionsShowTheDifference(t *testing.T) {
	r := testenv.Random(t)
	for range 2000 {
		figure := math.Pow(10, 12*r.Float64()-6) * (1 + r.Float64())
		claim := figure * (1 + math.Pow(10, -8+6*r.Float64()))
		bar := 1e-12 * figure
		o := output{Value: &figure, Unit: "K", Claimed: claim, Error: &bar, Trust: evidence.Verified, accuracy: 0.01}
		o.judge(json.Number(strconv.FormatFloat(claim, 'e', -1, 64)))
		var value, said float64
		if _, err := fmt.Sscanf(strings.ReplaceAll(o.Reasons[0], ":", " :"), "The job's figure is %g K ± "+fmt.Sprintf("%.2g", bar)+", the claim is %g", &value, &said); err != nil {
			t.Fatalf("%q: %v", o.Reasons[0], err)
		}
		if o.Verdict != contradicted || value == said || math.Abs(value-figure) > 1e-5*figure || math.Abs(said-claim) > 1e-5*claim {
			t.Fatalf("%s: %q of %.17g and %.17g", o.Verdict, o.Reasons[0], figure, claim)
		}
	}
}

// A unit of another quantity than the figure's is refused with what both are.
func TestUnitOfAnotherQuantity(t *testing.T) {
	part := filepath.Join(t.TempDir(), "part.msh")
	if err := os.WriteFile(part, []byte("mesh"), 0o600); err != nil {
		t.Fatal(err)
	}
	for unit, want := range map[string]string{"°C": "°C is a temperature and deg is an angle", "W/m": "W/m is a power per length and deg is an angle"} {
		_, got := ask(t, filepath.Dir(part), stressed(t, part), fmt.Sprintf(`{"number": -30, "unit": %q, "job_id": "job_1", "path": "/phase"}`, unit))
		if got.Status != contract.StatusError || !strings.Contains(got.Errors[0].Message, want) || !strings.Contains(got.Errors[0].Hint, "The figure is in deg.") {
			t.Errorf("%s: %v", unit, got.Errors)
		}
	}
}
