package circuit

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

func TestVectorsOfAFile(t *testing.T) {
	host := ngspice(t)
	path := filepath.Join(t.TempDir(), "rc.cir")
	text := "rc\nV1 in 0 AC 1\nR1 in out 1k\nC1 out 0 1u\n.ac dec 10 10 10k\n.end\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	result := runTool(t, Tools(host)[1], input(t, map[string]any{"netlist_path": path, "target_vectors": []string{"frequency", "v(out)"}}))
	if result.Status != contract.StatusOK {
		t.Fatal(result.Errors)
	}
	var out vectorsOutput
	if err := json.Unmarshal(result.OutputJSON(), &out); err != nil {
		t.Fatal(err)
	}
	for i, f := range out.Vectors["frequency"] { // 1/(1+jwRC)
		w := 2 * math.Pi * f * 1e-3
		near(t, "real", out.Vectors["v(out)"][i], 1/(1+w*w), 1e-6)
		near(t, "imag", out.Imaginary["v(out)"][i], -w/(1+w*w), 1e-6)
	}
	for ref, code := range map[string]string{
		input(t, map[string]any{"netlist_path": path + "x"}):                                     contract.CodeFileNotFound,
		input(t, map[string]any{"netlist_path": path, "target_vectors": []string{"v(nowhere)"}}): "ERR_UNKNOWN_VECTOR",
	} {
		if r := runTool(t, Tools(host)[1], ref); r.Status != contract.StatusError || r.Errors[0].Code != code {
			t.Errorf("%s: %v, want %s", ref, r.Errors, code)
		}
	}
}

// The vectors of a file are judged as those of an inline netlist: the peak of a
// resonance between the points is suspect, that of a fine sweep is verified.
func TestVectorsAreJudged(t *testing.T) {
	host := ngspice(t)
	r := seeded(t)
	l, c, q := between(r, 1e-4, 1e-2), between(r, 1e-10, 1e-8), between(r, 500, 5000)
	f0 := 1 / (2 * math.Pi * math.Sqrt(l*c))
	run := func(card string) *contract.Result {
		path := filepath.Join(t.TempDir(), "resonance.cir")
		text := fmt.Sprintf("resonance\nV1 in 0 AC 1\nR1 in a %.12g\nL1 a o %.12g\nC1 o 0 %.12g\n%s\n.end\n", math.Sqrt(l/c)/q, l, c, card)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		result := runTool(t, Tools(host)[1], input(t, map[string]any{"netlist_path": path, "target_vectors": []string{"frequency", "v(o)"}}))
		if result.Status != contract.StatusOK {
			t.Fatal(result.Errors)
		}
		return result
	}
	coarse := run(fmt.Sprintf(".ac dec 20 %.12g %.12g", f0/30, f0*40))
	top := quantity(t, coarse, "/figures/v(o)/max/y")
	holds(t, coarse, top, q)
	if *top.Value < 0.95*q && !strings.Contains(strings.Join(top.Reasons(), " "), "Raise the points") {
		t.Errorf("%v", top.Reasons())
	}
	fine := run(fmt.Sprintf(".ac lin 1001 %.12g %.12g", f0*(1-3/q), f0*(1+3/q)))
	if top := quantity(t, fine, "/figures/v(o)/max/y"); top.Trust() != evidence.Verified || math.Abs(*top.Value-q) > 1e-3*q {
		t.Errorf("%g of %g\n%s", *top.Value, q, show(fine))
	}
}

// Only the scale is asked for: its end is the one figure.
func TestOnlyTheScale(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rc.cir")
	if err := os.WriteFile(path, []byte("rc\nV1 in 0 AC 1\nR1 in out 1k\nC1 out 0 1u\n.ac dec 10 10 10k\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	result := runTool(t, Tools(ngspice(t))[1], input(t, map[string]any{"netlist_path": path, "target_vectors": []string{"frequency"}}))
	if result.Status != contract.StatusOK {
		t.Fatal(result.Errors)
	}
}
