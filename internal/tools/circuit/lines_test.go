package circuit

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"atelier/internal/evidence"
)

// An open line behind a resistor of k Z0 shows 1/|cos w TD + j k sin w TD| at its end:
// between 1, at every w TD = n pi, and 1/k, midway. A sweep of few points passes over
// them, and one whose steps cannot follow the line is not believed.
func TestExtremesOfASweepAlongALine(t *testing.T) {
	r := seeded(t)
	delay, z, k := between(r, 1e-9, 1e-7), between(r, 30, 100), between(r, 4, 12)
	for _, line := range []string{
		fmt.Sprintf("T1 a 0 b 0 Z0=%.17g TD=%.17g", z, delay),
		fmt.Sprintf("T1 a 0 b 0 Z0=%.17g F=%.17g", z, 0.25/delay),
		fmt.Sprintf("O1 a 0 b 0 lm\n.model lm LTRA(R=0 L=%.17g C=%.17g LEN=2)", z*delay/2, delay/z/2),
	} {
		netlist := fmt.Sprintf("line\nV1 s 0 AC 1\nRs s a %.17g\n%s\nRl b 0 1e9\n", k*z, line)
		for _, row := range []struct {
			turns  float64 // of w TD in the whole sweep, by pi
			points int
			known  bool
		}{{6, 3, true}, {6, 300, true}, {5000, 20, false}} {
			result, _ := simulated(t, input(t, map[string]any{"netlist": netlist, "analysis": "ac", "probes": []string{"v(b)"},
				"options": map[string]any{"ac": map[string]any{"fstart": 0.5 * 0.2 / delay, "fstop": 0.5 * (row.turns + 0.2) / delay, "points": row.points}}}))
			for pointer, truth := range map[string]float64{"/series/0/max/y": 1, "/series/0/min/y": 1 / k} {
				q := quantity(t, result, pointer)
				right := math.Abs(*q.Value-truth) <= 0.02*truth
				if q.Trust() != evidence.Suspect && !right || q.Trust() == evidence.Verified {
					t.Errorf("%s of %s with %d points is %s: %g, not %g: %v", pointer, line, row.points, q.Trust(), *q.Value, truth, q.Reasons())
				}
				if row.points == 300 && q.Trust() != evidence.Converged {
					t.Errorf("%s of %s in fine steps is %s: %v", pointer, line, q.Trust(), q.Reasons())
				}
				if said := strings.Contains(fmt.Sprint(q.Reasons()), "between_the_points"); said == row.known && right {
					t.Errorf("%g turns of %s: %s is %s: %v", row.turns, line, pointer, q.Trust(), q.Reasons())
				}
			}
		}
	}
}

// The delay of a line, by its options and by its model.
func TestDelays(t *testing.T) {
	for line, want := range map[string]float64{
		"T1 a 0 b 0 Z0=50 TD=2n": 2e-9, "T1 a 0 b 0 z0=50 f=100meg": 2.5e-9, "T1 a 0 b 0 Z0=50 F=100Meg NL=0.5": 5e-9,
		"O1 a 0 b 0 m\n.model m LTRA(R=1 L=250n C=100p LEN=3)": 15e-9, "Y1 a 0 b 0 m\n.model m txl R=1 L=250n G=0 C=100p length=3": 15e-9,
		"T1 a 0 b 0 Z0=50 TD={d}": -1, "P1 a b 0 c d 0 m\n.model m cpl length=1": -1,
	} {
		n, err := parseNetlist("x\nV1 a 0 1\n" + line + "\nR1 b 0 50\n.end\n")
		if err != nil {
			t.Fatal(line, err)
		}
		got, what, known := n.delay()
		if what == "" || known != (want >= 0) || known && math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s: %g, %q, %v", line, got, what, known)
		}
	}
}

// What is said of a sweep is said where there is one: a transient has none. Of a matched
// line half of the source's voltage arrives, and nothing comes back: what rounding leaves
// there is no extreme that a finer sweep could miss.
func TestAMatchedLine(t *testing.T) {
	const netlist = "line\nV1 s 0 PULSE(0 1 1n 0.1n 0.1n 5n 20n) AC 1\nRs s a 50\nT1 a 0 b 0 Z0=50 TD=1n\nRl b 0 50\n"
	for control, want := range map[string]bool{"tran 0.05n 20n": false, "ac lin 400 1meg 2000meg": true} {
		result, _ := simulated(t, input(t, map[string]any{"netlist": netlist, "control": control}))
		if said := strings.Contains(fmt.Sprint(result.Evidence.Reasons()), "The sweep was looked at"); said != want || result.Evidence.Trust() == evidence.Suspect {
			t.Errorf("%s: %v", control, result.Evidence.Reasons())
		}
	}
}
