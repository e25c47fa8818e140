package circuit

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"atelier/internal/evidence"
)

// What LTspice and PSpice take for something else is refused with the form that is
// taken here.
func TestOtherDialectsAreRefused(t *testing.T) {
	for _, row := range []struct{ cards, says, hint string }{
		{"B1 b 0 V=limit(10*v(a),-5,5)\n", "random number", "max(min(10*v(a),5),-5)"},
		{"E1 b 0 VALUE {LIMIT(1E5*V(a,0),-5,5)}\n", "random number", "max(min(1E5*V(a,0),5),-5)"},
		{".param r={limit(7,1,5)}\nR1 a 0 {r}\n", "random number", "max(min(7,5),1)"},
		{"R1 a b 1k\nD1 b 0 di\n.model di D(Ron=1m Roff=1G Vfwd=0)\n", "Ron makes an ideal diode", "IS=1e-12"},
		{"R1 a b 1k\nD1 0 b dz\n.model dz d(Is=1e-14 vrev=5.1)\n", "vrev makes an ideal diode", "BV"},
		{"V2 b 0 SINE(0 1 1k 0 0 0 2)\nR1 b 0 1k\n", "number of cycles", "time<0.002"},
		{"V2 b 0 SIN(0 1 1k 1m 0 0 3)\nR1 b 0 1k\n", "number of cycles", "time<0.004"},
		{"V2 b 0 PWL(0 0 +1m 1 +1m 0)\nR1 b 0 1k\n", "+1m", "from the start"},
		{"R1 a 0 10_000\n", "10_000", "digits alone"},
		{"R1 a 0 0x10\n", "0x10", "digits alone"},
		{"C1 a 0 C=1_000p\n", "1_000p", "digits alone"},
		{"R1 a b 1k\nQ1 b a 0 [0] qn\n.model qn NPN\n", "in brackets", "without brackets"},
		{"R1 a b RM 1k\nR2 b 0 1k\n.model RM RES(R=2)\n", "multiplies", "product"},
		{"R1 a 0 1k\n.meas vmax MAX V(a)\n", "kind of analysis", ".meas tran vmax MAX V(a)"},
		{"R1 a 0 1k\n.tran 0 10m startup\n", "startup", "PULSE"},
		{"R1 a 0 1k\n.ac dec 10 1kHz 10MHz\n", "1000 to 0.01 Hz", "MEG"},
	} {
		in := simulateInput{Netlist: "x\nV1 a 0 DC 1 AC 1\n" + row.cards + ".op\n"}
		_, fault := readRequest(&in)
		if fault == nil || !strings.Contains(fault.Message, row.says) || !strings.Contains(fault.Hint, row.hint) {
			t.Errorf("%q: %v", row.cards, fault)
			continue
		}
		if fault.Details["line"] == nil {
			t.Errorf("%q: no line: %v", row.cards, fault)
		}
	}
}

// What is the same here, or one's own, runs: a function called limit, six numbers of a
// sine, a model's value of a device that has none.
func TestOwnFormsRun(t *testing.T) {
	r := seeded(t)
	v := between(r, 0.1, 9)
	for cards, want := range map[string]float64{
		".func limit(x,a,b) {max(min(x,b),a)}\nB1 o 0 V=limit(v(a),-5,5)\nR1 o 0 1k\n": math.Min(v, 5),
		"B1 o 0 V=max(min(v(a),5),-5)\nR1 o 0 1k\n":                                    math.Min(v, 5),
		"R1 a o RM\nR2 o 0 1k\n.model RM R(R=1k)\n":                                    v / 2,
		"R1 a o 1k\nR2 o 0 1k\nV9 s 0 SIN(0 1 1k 0 0 90)\nR9 s 0 1k\n.backanno\n":      v / 2,
	} {
		result, _ := simulated(t, input(t, map[string]any{"netlist": fmt.Sprintf("x\nV1 a 0 %.17g\n", v) + cards + ".op\n"}))
		q := quantity(t, result, "/operating_point/v(o)")
		if q.Value == nil || math.Abs(*q.Value-want) > 1e-6*want {
			t.Errorf("%q: %s, want %g", cards, show(result), want)
		}
	}
}

// LTspice needs no step of a transient: the charge of RC at its end is 1 - exp(-T/RC).
func TestTransientsWithoutAStep(t *testing.T) {
	r := seeded(t)
	stop := between(r, 1e-6, 1)
	tau := stop * between(r, 0.2, 3)
	for _, card := range []string{fmt.Sprintf(".tran %.17g uic", stop), fmt.Sprintf(".tran 0 %.17g 0 %.17g uic", stop, stop/500), fmt.Sprintf(".tran 0 %.17g uic", stop)} {
		result, _ := simulated(t, input(t, map[string]any{"netlist": fmt.Sprintf("x\nV1 a 0 1\nR1 a o 1k\nC1 o 0 %.17g IC=0\n%s\n", tau/1e3, card), "probes": []string{"v(o)"}}))
		q := quantity(t, result, "/series/0/final")
		if want := 1 - math.Exp(-stop/tau); q.Value == nil || math.Abs(*q.Value-want) > 1e-2*want || q.Trust() == evidence.Verified && math.Abs(*q.Value-want) > *q.Error {
			t.Errorf("%s: %s, want %g", card, show(result), want)
		}
		if !warned(result, "step_given") {
			t.Errorf("%s: the step is not told: %v", card, result.Warnings)
		}
	}
}

// The same input gives the same answer, of random values too; another seed another one.
func TestRandomValuesAreRepeated(t *testing.T) {
	value := func(more string) float64 {
		result, _ := simulated(t, input(t, map[string]any{"netlist": "x\nV1 a 0 1\nR1 a b {unif(1k,.3)}\nR2 b 0 {agauss(1k,100,1)}\n" + more + ".op\n"}))
		q := quantity(t, result, "/operating_point/v(b)")
		if q.Value == nil || q.Trust() == evidence.Verified || warned(result, "random_values") != (more == "") {
			t.Fatalf("%q: %s %v", more, show(result), result.Warnings)
		}
		return *q.Value
	}
	first := value("")
	for range 2 {
		if again := value(""); again != first {
			t.Errorf("%.9g, and %.9g in another run", first, again)
		}
	}
	if other := value(".options seed=77\n"); other == first {
		t.Errorf("another seed gives the same %.9g", other)
	}
}

// What a meas command does not take is told in the form that it takes.
func TestVectorsOfMeasurementsHaveTheirForm(t *testing.T) {
	for name, want := range map[string]string{
		"i(r1)": "@r1[i]", "mag(v(out))": "vm(out)", "db(v(a,b))": "vdb(a,b)", "cph(v(out))": "let d = cph(v(out))", "v(a)*2": "let d = v(a)*2", "v(zz)": "",
	} {
		if got := computed(name); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%s: %q", name, got)
		}
	}
}
