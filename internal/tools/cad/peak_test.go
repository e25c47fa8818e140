package cad

import (
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"testing"

	"atelier/internal/evidence"
	"atelier/internal/testenv"
)

// loaded is a part that is held on one plane and pulled on another.
type loaded struct {
	step   string
	radius float64 // of the place where the stress is largest
	held   int     // axis of the plane
	heldAt float64
	pulled int
	at     float64
	pull   [3]float64 // MPa
}

func planeOf(axis int, low bool) string {
	return string("xyz"[axis]) + map[bool]string{true: "_min", false: "_max"}[low]
}

func (l loaded) config() string {
	return fmt.Sprintf(`{"materials":[{"E":2.1e11,"nu":0.3}],"bcs":[{"where":{"plane":%q},"type":"fixed"},{"where":{"plane":%q},"type":"load","value":[%v,%v,%v]}]}`,
		planeOf(l.held, l.heldAt == 0), planeOf(l.pulled, false), 1e6*l.pull[0], 1e6*l.pull[1], 1e6*l.pull[2])
}

// otherPeak is the largest von Mises stress that CalculiX finds on Gmsh's mesh, Pa.
func (l loaded) otherPeak(t *testing.T, size, perCircle float64) float64 {
	t.Helper()
	question, err := json.Marshal(map[string]any{
		"step": l.step, "size": size, "per_circle": perCircle, "young": 210000, "poisson": 0.3,
		"held": []any{[]any{l.held, l.heldAt, []int{0, 1, 2}}}, "pulled": []any{l.pulled, l.at, l.pull},
	})
	if err != nil {
		t.Fatal(err)
	}
	python := filepath.Join(testenv.Engines(), gmsh, "bin", "python")
	raw, err := exec.Command(python, "testdata/peak.py", string(question)).Output()
	if err != nil {
		t.Fatalf("Gmsh and CalculiX: %v", err)
	}
	var answer struct{ Peak float64 }
	if err := json.Unmarshal(raw, &answer); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return 1e6 * answer.Peak
}

// plateWithAHole is pulled along; its peak is on the rim of the hole.
func plateWithAHole(t *testing.T) loaded {
	r := random(t)
	l, w, h := between(r, 60, 80), between(r, 40, 50), between(r, 4, 8)
	d := between(r, 0.25, 0.4) * w
	step := part(t, "plate.step", fmt.Sprintf("Box((0,0,0),(%v,%v,%v))-Cylinder((%v,%v,-1),Z,r=%v,h=%v)", l, w, h, l/2, w/2, d/2, h+2))
	return loaded{step: step, radius: d / 2, held: 0, heldAt: 0, pulled: 0, at: l, pull: [3]float64{1, 0, 0}}
}

// angleWithAFillet is bent: the upright leg, the thinner one, has its peak on the fillet.
func angleWithAFillet(t *testing.T) loaded {
	r := random(t)
	l, depth, thick := between(r, 30, 40), between(r, 12, 20), between(r, 5, 7)
	base, radius := between(r, 1.5, 1.8)*thick, between(r, 0.5, 0.9)*thick
	step := part(t, "angle.step", fmt.Sprintf(
		"(lambda s: s.MakeFillet([e for e in s.edges if abs(e.center.x-%[3]v)<1e-6 and abs(e.center.z-%[4]v)<1e-6],%[5]v))(Box((0,0,0),(%[1]v,%[2]v,%[4]v))+Box((0,0,0),(%[3]v,%[2]v,%[1]v)))",
		l, depth, thick, base, radius))
	return loaded{step: step, radius: radius, held: 0, heldAt: l, pulled: 2, at: l, pull: [3]float64{0.5, 0, 0}}
}

// The peak on the default mesh against that of other programs, a mesher and a solver,
// on meshes of theirs that are fine enough: two of them agree.
func TestGmshAndCalculiXFindTheSamePeaks(t *testing.T) {
	host := withGmsh(t)
	testenv.NeedEngines(t, host, "mfem")
	if _, err := exec.LookPath("ccx"); err != nil {
		testenv.Skip(t, testenv.Program, "CalculiX is missing; Debian has it as calculix-ccx: %v", err)
	}
	for name, made := range map[string]func(*testing.T) loaded{"plate": plateWithAHole, "angle": angleWithAFillet} {
		t.Run(name, func(t *testing.T) {
			one := made(t)
			rough, want := one.otherPeak(t, one.radius/2, 60), one.otherPeak(t, one.radius/2.5, 90)
			near(t, "the reference's own peak on a coarser mesh", rough, want, 0.006)
			var errors []float64
			for k, finer := range []map[string]any{{}, {"elements_per_circle": 72}, {"elements_per_circle": 108}} {
				finer["file_path"] = one.step
				m := mesh(t, host, finer)
				got, _, trust := solved(t, m, one.config())
				errors = append(errors, math.Abs(got/want-1))
				t.Logf("%d tetrahedra: %.5g Pa, %.2g %% off", m.out.Tetrahedra, got, 100*(got/want-1))
				if k == 0 && (m.out.Tetrahedra > 15000 || trust != evidence.Verified) {
					t.Errorf("the default mesh has %d tetrahedra, the displacement is %s", m.out.Tetrahedra, trust)
				}
			}
			const noise = 0.005 // of the reference
			if errors[0] > 0.01 || errors[2] > math.Max(errors[0], noise) {
				t.Errorf("relative errors %.2g, expected 0.01 at most, and falling to %v", errors, noise)
			}
		})
	}
}
