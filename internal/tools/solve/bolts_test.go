package solve

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// carved is a box of hexahedra between planes, of which those cells are kept that have a body;
// boundary attributes as of box, on what is kept of its sides.
func carved(planes [3][]float64, body func(i, j, k int) int) *grid {
	n := [3]int{len(planes[0]) - 1, len(planes[1]) - 1, len(planes[2]) - 1}
	g := hexes(n, [3]float64{float64(n[0]), float64(n[1]), float64(n[2])})
	for _, p := range g.points {
		for k := range p {
			p[k] = planes[k][int(math.Round(p[k]))]
		}
	}
	var kept []string
	for c, e := range g.elements {
		if b := body(c/(n[1]*n[2]), c/n[2]%n[1], c%n[2]); b > 0 {
			kept = append(kept, fmt.Sprintf("%d%s", b, strings.TrimPrefix(e, "1")))
		}
	}
	g.elements = kept
	g.boundary = slices.DeleteFunc(g.boundary, func(face string) bool {
		return !slices.ContainsFunc(kept, func(e string) bool {
			corners := strings.Fields(e)[2:]
			return !slices.ContainsFunc(strings.Fields(face)[2:], func(v string) bool { return !slices.Contains(corners, v) })
		})
	})
	return g.used()
}

// along are planes at the ends of lengths that follow each other.
func along(lengths ...float64) []float64 {
	at := []float64{0}
	for _, l := range lengths {
		at = append(at, at[len(at)-1]+l)
	}
	return at
}

// bolted are bars side by side between two end plates, which are body 4. The bars have bodies, 0
// for none; 2 is a sleeve that is parted in the middle, its upper half 3.
func bolted(length, plate, width, depth float64, bars ...int) *grid {
	widths := make([]float64, len(bars))
	for i := range widths {
		widths[i] = width
	}
	return carved([3][]float64{along(plate, length/4, length/4, length/4, length/4, plate), along(widths...), along(depth)}, func(i, j, _ int) int {
		switch {
		case i == 0 || i == 5:
			return 4
		case bars[j] == 2 && i > 2:
			return 3
		}
		return bars[j]
	})
}

// A bolt in a sleeve between stiff plates, without lateral contraction, is two springs side by
// side: the load P raises the force in the bolt to F0 + P kb / (kb + ks) and lowers that in the
// sleeve to F0 - P ks / (kb + ks), until the joint opens where the latter is 0 (VDI 2230-1, 5.3;
// Shigley, Mechanical Engineering Design, 8-7).
func TestABoltInASleeve(t *testing.T) {
	draw := random(t)
	length, width, depth, preload := draw(0.04, 0.08), draw(0.008, 0.012), draw(0.008, 0.012), draw(100, 1000)
	eb, es := draw(1e9, 2e9), draw(5e8, 2e9)
	kb, ks := eb*width*depth/length, es*2*width*depth/length
	share, area, yield := kb/(kb+ks), width*depth, 1e8
	opening := preload / (1 - share)
	mesh := bolted(length, 0.03, width, depth, 2, 0, 1, 0, 2)
	joint := func(load float64) *answer {
		return solved(t, "fea.solve", mesh, "LinearElasticity", fmt.Sprintf(`{"bolts": [{"body": 1, "preload": "%.17g N"}], "probes": [[%.17g, %.17g, %.17g]], "materials": [
			{"attribute": 1, "E": %g, "nu": 0, "yield": %g}, {"attribute": 2, "E": %g, "nu": 0}, {"attribute": 3, "E": %g, "nu": 0}, {"attribute": 4, "E": 1e12, "nu": 0}],
			"bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [%.17g, 0, 0]}]}`,
			preload, 0.03+length/3, 2.5*width, depth/2, eb, yield, es, es, load))
	}
	for _, part := range []float64{draw(0.3, 0.6), draw(0.8, 0.95)} {
		load := part * opening
		a := joint(load)
		b, service, clamp := a.Bolts[0], preload+share*load, preload-(1-share)*load
		near(t, "service force", b.Service, service, 0.01)
		near(t, "additional force", b.Additional, share*load, 0.01)
		near(t, "load share", *b.LoadShare, share, 0.01)
		near(t, "load factor", b.LoadFactor, share, 0.01)
		near(t, "area", b.Area, area, 1e-9)
		near(t, "utilisation", *b.Utilisation, service/(area*yield), 0.01)
		near(t, "way of the nut", b.InitialStrain*Figure(length), preload*(1/kb+1/ks), 0.01)
		near(t, "elongation", b.Elongation, preload/kb, 1e-9)
		near(t, "stress in the shank", a.Probes[0].Stress[0], service/area, 0.01)
		near(t, "reaction", a.Loads[0].Force[0], -load, 1e-6)
		near(t, "strain energy", a.Energy, service*service/(2*kb)+clamp*clamp/(2*ks), 0.01)
		for _, figure := range []string{"service", "load_share", "utilisation"} {
			if q := a.quantity(t, "/bolts/0/"+figure); q.Error == nil {
				t.Errorf("%s has no error bar", figure)
			}
		}
		for _, check := range []string{"joint_closed", "bolt_shank", "bolt_preload", "bolt_yield", "force_balance"} {
			if sentence, failed := a.failed(check); failed {
				t.Error(sentence)
			}
		}
		if b.Axis[0] != 1 || b.AxisFrom != "shape" {
			t.Errorf("the axis is %v, %s", b.Axis, b.AxisFrom)
		}
	}
	a := joint(draw(1.1, 1.5) * opening)
	fails(t, a, "joint_closed")
	if sentence, _ := a.failed("joint_closed"); !strings.Contains(sentence, "contact") || !strings.Contains(sentence, "2 and 3") {
		t.Error(sentence)
	}
}

// Half of a bolt in a sleeve, cut by a plane of symmetry along its axis, answers as the whole one:
// by TestABoltInASleeve's springs.
func TestABoltThatSymmetryCuts(t *testing.T) {
	draw := random(t)
	length, width, depth, preload, load := draw(0.04, 0.08), draw(0.008, 0.012), draw(0.008, 0.012), draw(100, 1000), draw(10, 90)
	eb, es := draw(1e9, 2e9), draw(5e8, 2e9)
	kb, ks := eb*width*depth/length, es*2*width*depth/length
	share, area := kb/(kb+ks), width*depth
	half := bolted(length, 0.03, width, depth/2, 2, 0, 1, 0, 2)
	config := func(part string, nu float64) string {
		return fmt.Sprintf(`{"bolts": [{"body": 1, "preload": %.17g%s}], "materials": [
			{"attribute": 1, "E": %g, "nu": 0, "yield": 1e8}, {"attribute": 2, "E": %g, "nu": %g}, {"attribute": 3, "E": %g, "nu": %g}, {"attribute": 4, "E": 1e12, "nu": 0}],
			"bcs": [{"attribute": 1, "type": "fixed"}, {"where": {"plane": "z_min"}, "type": "symmetry"}, {"attribute": 2, "type": "load", "force": [%.17g, 0, 0]}]}`,
			preload, part, eb, es, nu, es, nu, load/2)
	}
	a := solved(t, "fea.solve", half, "LinearElasticity", config(`, "share": 0.5`, 0))
	b := a.Bolts[0]
	near(t, "service force", b.Service, preload+share*load, 0.01)
	near(t, "load share", *b.LoadShare, share, 0.01)
	near(t, "load factor", b.LoadFactor, share, 0.01)
	near(t, "area", b.Area, area, 1e-9)
	near(t, "utilisation", *b.Utilisation, (preload+share*load)/(area*1e8), 0.01)
	near(t, "elongation", b.Elongation, preload/kb, 1e-9)
	near(t, "force through the faces", a.Joints[0].ClampForce, preload-(1-share)*load, 0.01)
	// What the half bulges against the plane of symmetry presses on the other half, not on friction.
	bulging := solved(t, "fea.solve", half, "LinearElasticity", config(`, "share": 0.5`, 0.4))
	for _, j := range bulging.Joints {
		if math.Abs(float64(j.TransverseForce)) > 1e-3*preload {
			t.Errorf("%g N along the faces of %g N", float64(j.TransverseForce), float64(j.ClampForce))
		}
	}
	if sentence, failed := bulging.failed("joint_slip"); failed {
		t.Error(sentence)
	}
	refused(t, "fea.solve", half, "LinearElasticity", config("", 0), "invalid_request", "/config/bolts/0/share")
	whole := bolted(length, 0.03, width, depth, 2, 0, 1, 0, 2)
	refused(t, "fea.solve", whole, "LinearElasticity", fmt.Sprintf(`{"bolts": [{"body": 1, "preload": 100, "share": 0.5}], %s, "bcs": [{"attribute": 1, "type": "fixed"}]}`, steel),
		"invalid_request", "/config/bolts/0/share")
}

// A force across a joint with a soft bolt passes through the faces of its sleeves, which the
// preload presses together: friction must carry it (VDI 2230-1, R8).
func TestAJointThatWouldSlip(t *testing.T) {
	draw := random(t)
	length, width, preload := draw(0.04, 0.06), draw(0.009, 0.012), draw(1000, 3000)
	mesh := bolted(length, 0.02, width, width, 2, 0, 1, 0, 2)
	joint := func(across float64) *answer {
		return solved(t, "fea.solve", mesh, "LinearElasticity", fmt.Sprintf(`{"bolts": [{"body": 1, "preload": %.17g}], "materials": [
			{"attribute": 1, "E": 4e9, "nu": 0.3}, {"attribute": 2, "E": 2e11, "nu": 0.3}, {"attribute": 3, "E": 2e11, "nu": 0.3}, {"attribute": 4, "E": 2e11, "nu": 0.3}],
			"bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [0, %.17g, 0]}]}`, preload, across))
	}
	for _, part := range []float64{draw(0.03, 0.08), draw(0.12, 0.2)} {
		a := joint(part * preload)
		if len(a.Joints) != 3 { // between the halves of the sleeves, and each of them and the plates
			t.Fatalf("joints: %+v", a.Joints)
		}
		for _, j := range a.Joints {
			near(t, "force through the faces", j.ClampForce, preload, 0.02)
			near(t, "force along the faces", j.TransverseForce, part*preload, 0.03) // the bolt carries 1 to 2 %
		}
		if sentence, failed := a.failed("joint_slip"); failed != (part > 0.1) || failed && !strings.Contains(sentence, "friction") {
			t.Errorf("%g: %t %s", part, failed, sentence)
		}
	}
}

// Two bolts on soft plates: what one is tightened by loosens the other, and both carry what was
// asked.
func TestBoltsThatLoosenEachOther(t *testing.T) {
	draw := random(t)
	length, width := draw(0.04, 0.08), draw(0.008, 0.012)
	one, two := draw(100, 1000), draw(100, 1000)
	mesh := bolted(length, 0.01, width, width, 1, 0, 2, 0, 5)
	joint := func(bolts string) *answer {
		return solved(t, "fea.solve", mesh, "LinearElasticity", fmt.Sprintf(
			`{"bolts": [%s], "materials": [{"E": 2e9, "nu": 0.3}], "bcs": [{"attribute": 1, "type": "fixed"}]}`, bolts))
	}
	first, second := fmt.Sprintf(`{"body": 1, "preload": %.17g}`, one), fmt.Sprintf(`{"body": 5, "preload": %.17g, "axis": [2, 0, 0]}`, two)
	both, alone := joint(first+", "+second), joint(first)
	for i, want := range []float64{one, two} {
		near(t, "force", both.Bolts[i].Service, want, 1e-6)
		if both.Bolts[i].LoadShare != nil {
			t.Error("there is no load")
		}
	}
	near(t, "force of one", alone.Bolts[0].Service, one, 1e-6)
	if both.Bolts[1].AxisFrom != "given" || both.Bolts[1].Axis[0] != 1 {
		t.Error(both.Bolts[1])
	}
	if ratio := both.Bolts[0].InitialStrain / alone.Bolts[0].InitialStrain; math.Abs(float64(ratio)-1) < 0.01 {
		t.Errorf("the second bolt changes the strain of the first to %g of it", ratio)
	}
	if sentence, failed := both.failed("bolt_preload"); failed {
		t.Error(sentence)
	}
}

func TestBoltsThatAreRefused(t *testing.T) {
	draw := random(t)
	length, width := draw(0.04, 0.08), draw(0.008, 0.012)
	joint := bolted(length, 0.01, width, width, 2, 0, 1, 0, 2)
	config := func(more, bolts string) string {
		return fmt.Sprintf(`{%s"bolts": [%s], %s, "bcs": [{"attribute": 1, "type": "fixed"}]}`, more, bolts, steel)
	}
	free := carved([3][]float64{along(0.01, length, length), along(width, width, width), along(width)}, func(i, j, _ int) int {
		return [][]int{{4, 4, 4}, {2, 0, 1}, {2, 0, 0}}[i][j]
	})
	line := carved([3][]float64{along(0.01, length, length, 0.01), along(width, width, width), along(width)}, func(i, j, _ int) int {
		return [][]int{{4, 4, 4}, {2, 0, 1}, {2, 0, 5}, {4, 4, 4}}[i][j]
	})
	cubes := carved([3][]float64{along(1, 1, 1), along(1), along(1)}, func(i, _, _ int) int { return []int{4, 1, 4}[i] })
	loose := carved([3][]float64{along(length), along(-1, width), along(width)}, func(_, j, _ int) int { return 9 * j })
	loose.boundary = nil // nothing can hold it
	apart := joined(joint, loose)
	const bolt = `{"body": 1, "preload": 100}`
	for what, c := range map[string]struct {
		mesh                  *grid
		config, code, pointer string
	}{
		"no such body":     {joint, config("", `{"body": 7, "preload": 100}`), "ERR_UNKNOWN_ATTRIBUTE", "/config/bolts/0/body"},
		"no preload":       {joint, config("", `{"body": 1, "preload": 0}`), "invalid_request", "/config/bolts/0/preload"},
		"pressed":          {joint, config("", `{"body": 1, "preload": "-5 kN"}`), "invalid_request", "/config/bolts/0/preload"},
		"twice":            {joint, config("", bolt+`, {"body": 1, "preload": 3}`), "invalid_request", "/config/bolts/1/body"},
		"two pieces":       {joint, config("", `{"body": 4, "preload": 100}`), "invalid_request", "/config/bolts/0/body"},
		"no longest axis":  {cubes, config("", bolt), "invalid_request", "/config/bolts/0/axis"},
		"no axis":          {joint, config("", `{"body": 1, "preload": 1, "axis": [0, 0, 0]}`), "invalid_request", "/config/bolts/0/axis"},
		"not connected":    {apart, config("", `{"body": 9, "preload": 100}`), "invalid_request", "/config/bolts/0/body"},
		"a free end":       {free, config("", bolt), "ERR_SINGULAR_SYSTEM", "/config/bolts/0/preload"},
		"two in one line":  {line, config("", bolt+`, {"body": 5, "preload": 50}`), "ERR_SINGULAR_SYSTEM", "/config/bolts/"},
		"modal":            {joint, config(`"analysis": "modal", `, bolt), "invalid_request", "/config/bolts"},
		"buckling":         {joint, config(`"analysis": "buckling", `, bolt), "invalid_request", "/config/bolts"},
		"nonlinear":        {joint, config(`"analysis": "nonlinear", `, bolt), "invalid_request", "/config/bolts"},
		"in 2-D":           {quads(4, 2, scaled(1, 0.2)), config("", bolt), "invalid_request", "/config/bolts"},
		"a second opinion": {joint, config(`"second_opinion": true, `, bolt), "invalid_request", "/config/second_opinion"},
	} {
		t.Run(what, func(t *testing.T) {
			e := refused(t, "fea.solve", c.mesh, "LinearElasticity", c.config, c.code, c.pointer)
			if e.Hint == "" && !strings.Contains(e.Message, "must be greater than 0") {
				t.Error(e)
			}
		})
	}
	refused(t, "fea.solve", joint, "Poisson", `{"rhs": 1, "fixed_attributes": [1], "bolts": [`+bolt+`]}`, "invalid_request", "/config/bolts")
}

// A bolt that grows together with its sleeve has no one force along its shank.
func TestABoltWithoutAGapIsSuspect(t *testing.T) {
	a := solved(t, "fea.solve", bolted(0.05, 0.01, 0.01, 0.01, 2, 1, 2), "LinearElasticity",
		`{"bolts": [{"body": 1, "preload": 100}], "materials": [{"E": 2e9, "nu": 0.3}], "bcs": [{"attribute": 1, "type": "fixed"}]}`)
	fails(t, a, "bolt_shank")
}
