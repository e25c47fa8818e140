package solve

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// sameAsSingle expects every figure of a case to be that of a solve of its own: value, error bar,
// trust, and the names of the checks that fail.
func sameAsSingle(t *testing.T, of *answer, pointer string, single *answer) {
	t.Helper()
	compared := 0
	for _, want := range single.Quantities {
		if want.Pointer == "/energy" || want.Pointer == p99Stress {
			continue // a case tells neither
		}
		got := of.quantity(t, pointer+want.Pointer)
		compared++
		// The solver stops at another place of the same tolerance, 1e-8.
		size := math.Max(math.Abs(*want.Value), want.Scale)
		if math.Abs(*got.Value-*want.Value) > 1e-6*size {
			t.Errorf("%s%s is %g, alone %g", pointer, want.Pointer, *got.Value, *want.Value)
		}
		// Of a figure that is exact but for rounding it is chance which check stands behind it;
		// a case may then say less than a solve of its own, not more.
		exact := want.Error != nil && got.Error != nil && math.Max(*want.Error, *got.Error) < 1e-6*size
		if exact && want.Trust == evidence.Verified && got.Trust == evidence.Converged {
			continue
		}
		if got.Trust != want.Trust || (got.Error == nil) != (want.Error == nil) || got.Coverage != want.Coverage {
			t.Errorf("%s%s is %s ±%v, alone %s ±%v\n%v\n%v", pointer, want.Pointer, got.Trust, deref(got.Error), want.Trust, deref(want.Error), got.Reasons, want.Reasons)
			continue
		}
		// Duals are solved to two digits, and what rounding and the solver leave is no bar to compare.
		if want.Error != nil && math.Abs(*got.Error-*want.Error) > 0.02**want.Error+1e-5*size {
			t.Errorf("%s%s is ±%g, alone ±%g", pointer, want.Pointer, *got.Error, *want.Error)
		}
	}
	failed := func(a *answer, below string) (names []string) {
		for _, c := range a.Evidence.Checks {
			if !c.Passed && (c.Figure == "" || strings.HasPrefix(c.Figure+"/", below+"/")) {
				names = append(names, c.Name)
			}
		}
		slices.Sort(names)
		return slices.Compact(names)
	}
	if got, want := failed(of, pointer), failed(single, ""); !slices.Equal(got, want) {
		t.Errorf("%s fails %v, alone %v", pointer, got, want)
	}
	if compared < 3 {
		t.Errorf("%d figures were compared", compared)
	}
}

// Cases and a combination on drawn parts: a clamped block, whose peak has no bound, and a bracket
// on planes of symmetry, whose has.
func TestACaseIsLikeASolveOfItsOwn(t *testing.T) {
	draw := random(t)
	lx, ly, lz := draw(1, 2), draw(0.2, 0.4), draw(0.2, 0.4)
	warm, slope := draw(5, 20), draw(-20, 20)
	force, gravity, pressure, speed, a, b := draw(1e4, 1e5), draw(5, 50), draw(1e5, 1e6), draw(10, 60), draw(1.1, 1.5), draw(-1.5, -0.5)
	for _, part := range []struct{ name, supports string }{
		{"clamped", `{"attribute": 1, "type": "fixed"}`},
		{"symmetric", `{"attribute": 1, "type": "symmetry"}, {"attribute": 3, "type": "symmetry"}, {"attribute": 5, "type": "frictionless"}`},
	} {
		common := fmt.Sprintf(`"materials": [{"E": 2e11, "nu": 0.3, "density": 7850, "yield": 2.5e8, "alpha": 1.2e-5}], "probes": [[%g, %g, %g]],
			"stress_lines": [{"from": [%g, 0, %g], "to": [%g, %g, %g]}]`, lx*0.9, ly*0.7, lz*0.4, lx/2, lz/2, lx/2, ly, lz/2)
		one := func(f float64) string {
			return fmt.Sprintf(`{"attribute": 2, "type": "load", "force": [%g, %g, 0]}`, f*force, f*force/7)
		}
		two := func(f float64) string {
			return fmt.Sprintf(`{"attribute": 4, "type": "pressure", "value": %g}`, f*pressure)
		}
		turning := func(f float64) string {
			return fmt.Sprintf(`"rotation": {"axis": [0, 1, 0], "speed": %g}`, speed*math.Sqrt(f))
		}
		warmth := func(f float64) string {
			return fmt.Sprintf(`"temperature": {"reference": 293, "value": %g, "gradient": [%g, 0, 0], "at": [0, 0, 0]}`, 293+f*warm, f*slope)
		}
		mesh := box([3]int{5, 2, 2}, [3]float64{lx, ly, lz})
		all := solved(t, "fea.solve", mesh, "LinearElasticity", fmt.Sprintf(`{%s, "bcs": [%s],
			"cases": [{"name": "one", "bcs": [%s], "gravity": [0, %g, 0]}, {"name": "two", "bcs": [%s]}, {"name": "turning", %s, %s}],
			"combinations": [{"name": "sum", "factors": {"one": %g, "two": %g, "turning": 2}}]}`,
			common, part.supports, one(1), -gravity, two(1), turning(1), warmth(1), a, b))
		alone := func(loads, bcs string) *answer {
			return solved(t, "fea.solve", mesh, "LinearElasticity", fmt.Sprintf(`{%s, %s "bcs": [%s, %s]}`, common, loads, part.supports, bcs))
		}
		sameAsSingle(t, all, "/cases/0", alone(fmt.Sprintf(`"gravity": [0, %g, 0],`, -gravity), one(1)))
		sameAsSingle(t, all, "/cases/1", alone("", two(1)))
		sameAsSingle(t, all, "/combinations/0", alone(fmt.Sprintf(`"gravity": [0, %g, 0], %s, %s,`, -a*gravity, turning(2), warmth(2)), one(a)+", "+two(b)))
		if s := all.Solver; s.Matrices != 1 || s.Loads != 4 {
			t.Errorf("%s: %d matrices for %d loads", part.name, s.Matrices, s.Loads)
		}
		want := []string{"displacement_one", "von_mises_one", "displacement_sum", "von_mises_sum"}
		for _, f := range all.Fields {
			want = slices.DeleteFunc(want, func(w string) bool { return w == f.Name })
		}
		if len(want) > 0 {
			t.Errorf("the file has no fields %v", want)
		}
	}
}

// A combination starts from the sum of its cases, which solves its equations: iterations are those
// of the cases, and the matrix is one.
func TestACombinationTakesNoIterations(t *testing.T) {
	draw := random(t)
	mesh := box([3]int{6, 3, 3}, [3]float64{draw(0.5, 1), draw(0.2, 0.4), draw(0.2, 0.4)})
	pull := fmt.Sprintf(`{"attribute": 2, "type": "load", "force": [%g, %g, 0]}`, draw(1e4, 1e5), draw(1e3, 1e4))
	const start = `{"materials": [{"E": 2e11, "nu": 0.3}], "bcs": [{"attribute": 1, "type": "fixed"}`
	alone := solved(t, "fea.solve", mesh, "LinearElasticity", start+`, `+pull+`]}`)
	both := solved(t, "fea.solve", mesh, "LinearElasticity", start+`], "cases": [{"name": "pull", "bcs": [`+pull+`]}], "combinations": [{"name": "more", "factors": {"pull": 1.35}}]}`)
	if one, two := alone.Solver, both.Solver; one.Method != "multigrid" || two.Method != "multigrid" || one.Iterations != two.Iterations || two.Matrices != 1 || two.Loads != 2 {
		t.Errorf("the case alone takes %+v, with a combination %+v", one, two)
	}
}

// A plate under tension along x and along y: sigma_x, sigma_y and their displacements
// superpose, the von Mises stress of both is sqrt(sx^2 - sx sy + sy^2).
func TestCombinationsSuperposeTensors(t *testing.T) {
	draw := random(t)
	l, h, sx, sy, a, b, nu := draw(0.5, 2), draw(0.5, 2), draw(2e7, 8e7), draw(2e7, 8e7), draw(1, 2), draw(1, 2), draw(0.2, 0.4)
	const e = 2e11
	mises := func(x, y float64) float64 { return math.Sqrt(x*x - x*y + y*y) }
	// The sum of opposite stresses yields, and none of its parts.
	yield := 0.5 * (mises(a*sx, -b*sy) + max(mises(a*sx, b*sy), sx, sy))
	r := solved(t, "fea.solve", rectangle(4, 3, l, h), "LinearElasticity", fmt.Sprintf(`{"plane": "stress", "materials": [{"E": %g, "nu": %g, "yield": %g}],
		"bcs": [{"attribute": 1, "type": "symmetry"}, {"attribute": 3, "type": "symmetry"}],
		"cases": [{"name": "along x", "bcs": [{"attribute": 2, "type": "load", "value": [%g, 0]}]}, {"name": "along y", "bcs": [{"attribute": 4, "type": "load", "value": [0, %g]}]},
			{"name": "back", "bcs": [{"attribute": 2, "type": "load", "value": [%g, 0]}]}],
		"combinations": [{"name": "both", "factors": {"along x": %g, "along y": %g}}, {"name": "across", "factors": {"along x": %g, "along y": %g}},
			{"name": "nothing", "factors": {"along x": 1, "back": 1}}]}`, e, nu, yield, sx, sy, -sx, a, b, a, -b))
	for i, s := range [][2]float64{{a * sx, b * sy}, {a * sx, -b * sy}} {
		c, at := r.Output.Combinations[i], fmt.Sprintf("/combinations/%d", i)
		near(t, c.Name+": von Mises", c.VonMises.Max, mises(s[0], s[1]), 1e-6)
		covers(t, r, at+"/von_mises/max", c.VonMises.Max, mises(s[0], s[1]))
		near(t, c.Name+": safety", c.SafetyFactor.Min, yield/mises(s[0], s[1]), 1e-6)
		near(t, c.Name+": displacement", c.MaxDisplacement.Value, math.Hypot(l*(s[0]-nu*s[1])/e, h*(s[1]-nu*s[0])/e), 1e-6)
		near(t, c.Name+": reaction", c.Loads[0].Force[0], -s[0]*h, 1e-6)
		near(t, c.Name+": reaction", c.Loads[1].Force[1], -s[1]*l, 1e-6)
		near(t, c.Name+": reaction as quantity", Figure(*r.quantity(t, at+"/loads/1/force/1").Value), -s[1]*l, 1e-6)
	}
	g := r.Governing
	if g.VonMises.Name != "across" || g.VonMises.Figure != "/combinations/1/von_mises/max" || g.SafetyFactor.Name != "across" || len(g.VonMises.Undecided) > 0 {
		t.Errorf("governing are %+v and %+v", g.VonMises, g.SafetyFactor)
	}
	near(t, "governing safety", g.SafetyFactor.Value, yield/mises(a*sx, -b*sy), 1e-6)
	if !strings.Contains(r.Summary, "in across") {
		t.Errorf("the summary %q does not name it", r.Summary)
	}
	// What yields is in doubt, and what does not is not.
	fails(t, r, "yield")
	for pointer, want := range map[string]evidence.Trust{"/cases/0/von_mises/max": evidence.Verified, "/combinations/0/von_mises/max": evidence.Verified, "/combinations/1/von_mises/max": evidence.Suspect} {
		if q := r.quantity(t, pointer); q.Trust != want {
			t.Errorf("%s is %s, expected %s: %v", pointer, q.Trust, want, q.Reasons)
		}
	}
	// Parts that cancel leave nothing, and it is said.
	nothing := r.Output.Combinations[2]
	if nothing.VonMises.Max != 0 || nothing.MaxDisplacement.Value != 0 {
		t.Errorf("what cancels leaves %+v", nothing)
	}
	if s, ok := r.failed("loaded"); !ok || !strings.Contains(s, "cancel") || !strings.HasPrefix(s, "Combination nothing") {
		t.Errorf("nothing says that the loads cancel: %q", s)
	}
}

// A plate between two planes that hold it along x, heated, cooled and pulled along y:
// sigma_x = nu sigma_y - E alpha dT.
func TestTemperaturesOfCasesSuperpose(t *testing.T) {
	draw := random(t)
	hot, cold, sy, f, g, nu := draw(10, 50), draw(-50, -10), draw(1e7, 5e7), draw(1, 2), draw(0.5, 1), draw(0.2, 0.4)
	const e, alpha = 2e11, 1.2e-5
	r := solved(t, "fea.solve", rectangle(4, 3, draw(0.5, 2), draw(0.5, 2)), "LinearElasticity", fmt.Sprintf(`{"plane": "stress", "materials": [{"E": %g, "nu": %g, "alpha": %g}],
		"bcs": [{"attribute": [1, 2], "type": "symmetry"}, {"attribute": 3, "type": "symmetry"}],
		"cases": [{"name": "hot", "temperature": {"value": %g, "reference": 293}}, {"name": "cold", "temperature": {"value": [{"attribute": 1, "value": %g}], "reference": 293}},
			{"name": "pull", "bcs": [{"attribute": 4, "type": "load", "value": [0, %g]}]}],
		"combinations": [{"name": "all", "factors": {"hot": %g, "cold": %g, "pull": 1}}]}`, e, nu, alpha, 293+hot, 293+cold, sy, f, g))
	for i, change := range []float64{hot, cold} {
		near(t, r.Output.Cases[i].Name, r.Output.Cases[i].VonMises.Max, e*alpha*math.Abs(change), 1e-6)
	}
	sx := nu*sy - e*alpha*(f*hot+g*cold)
	near(t, "all", r.Output.Combinations[0].VonMises.Max, math.Sqrt(sx*sx-sx*sy+sy*sy), 1e-6)
}

// A mass that hangs on a face weighs by the gravity of its own case, whatever acts in others:
// the support bears f (m + M) g1 + h M g2.
func TestAMassWeighsByTheGravityOfItsCase(t *testing.T) {
	draw := random(t)
	l, h, mass, density, g1, g2, f, k := draw(0.5, 1), draw(0.1, 0.2), draw(100, 1000), draw(2000, 8000), draw(5, 15), draw(5, 15), draw(1, 2), draw(-2, -1)
	r := solved(t, "fea.solve", rectangle(6, 2, l, h), "LinearElasticity", fmt.Sprintf(`{"plane": "stress", "materials": [{"E": 2e11, "nu": 0.3, "density": %g}], "bcs": [{"attribute": 1, "type": "fixed"}],
		"cases": [{"name": "machine", "gravity": [0, %g], "bcs": [{"attribute": 2, "type": "remote_mass", "mass": %g, "at": [%g, %g]}]}, {"name": "lifted", "gravity": [0, %g]}],
		"combinations": [{"name": "sum", "factors": {"machine": %g, "lifted": %g}}]}`, density, -g1, mass, l, h/2, -g2, f, k))
	part := density * l * h
	near(t, "machine", r.Output.Cases[0].Loads[0].Force[1], (mass+part)*g1, 1e-6)
	near(t, "sum", r.Output.Combinations[0].Loads[0].Force[1], f*(mass+part)*g1+k*part*g2, 1e-6)
}

// A bar on a plane of symmetry under tension and bending: N / A + M c / I. Springs that are
// 1e-6 of the bar's stiffness hold it across.
func TestTensionAndBendingOfABar(t *testing.T) {
	draw := random(t)
	l, b, h := draw(0.5, 1), draw(0.05, 0.1), draw(0.05, 0.1)
	n, m, fn, fm := draw(1e4, 1e5), draw(100, 1000), draw(0.5, 2), draw(-2, -0.5)
	r := solved(t, "fea.solve", box([3]int{6, 2, 2}, [3]float64{l, h, b}), "LinearElasticity", fmt.Sprintf(`{"materials": [{"E": 2e11, "nu": 0.3, "yield": 1e9}],
		"bcs": [{"attribute": 1, "type": "symmetry"}, {"attribute": 1, "type": "elastic", "stiffness": [0, 1e6, 1e6]}],
		"cases": [{"name": "tension", "bcs": [{"attribute": 2, "type": "load", "force": [%g, 0, 0]}]}, {"name": "bending", "bcs": [{"attribute": 2, "type": "moment", "moment": [0, 0, %g]}]}],
		"combinations": [{"name": "sum", "factors": {"tension": %g, "bending": %g}}]}`, n, m, fn, fm))
	tension, bending := n/(b*h), m*h/2/(b*h*h*h/12)
	for i, want := range []float64{tension, bending} {
		near(t, r.Output.Cases[i].Name, r.Output.Cases[i].VonMises.Max, want, 1e-4)
	}
	sum := math.Abs(fn)*tension + math.Abs(fm)*bending
	near(t, "sum", r.Output.Combinations[0].VonMises.Max, sum, 1e-4)
	near(t, "safety", r.Governing.SafetyFactor.Value, 1e9/max(sum, tension, bending), 1e-4)
	// The tensile side is that where fm M bends it: a positive moment about z pulls at y = 0.
	if y := r.Output.Combinations[0].VonMises.At[1]; math.Abs(float64(y)-h) > 1e-9 {
		t.Errorf("the peak lies at y = %g of %g", float64(y), h)
	}
}

// Two loads of 0.6 of the load of a column (Euler, clamped and free): it bears each, not both.
func TestACombinationBucklesThoughCasesDoNot(t *testing.T) {
	draw := random(t)
	l, h := draw(0.8, 1.2), draw(0.02, 0.03)
	load := 0.6 * math.Pi * math.Pi * 2e11 * h * h * h / 12 / (4 * l * l)
	r := solved(t, "fea.solve", rectangle(24, 1, l, h), "LinearElasticity", fmt.Sprintf(`{"plane": "stress", "materials": [{"E": 2e11, "nu": 0}], "bcs": [{"attribute": 1, "type": "fixed"}],
		"cases": [{"name": "one", "bcs": [{"attribute": 2, "type": "load", "force": [%g, 0]}]}], "combinations": [{"name": "twice", "factors": {"one": 2}}]}`, -load))
	for _, c := range r.Evidence.Checks {
		if c.Name == "buckling" && c.Passed != strings.Contains(c.Sentence, "case one") {
			t.Errorf("%s: %s", c.Figure, c.Sentence)
		}
	}
	fails(t, r, "buckling")
}

// A mesh is refined for a figure of a case; the others stand on it without bars from a finer one.
func TestAccuracyOfACase(t *testing.T) {
	draw := random(t)
	l, h := draw(1, 2), draw(0.2, 0.3)
	r := solved(t, "fea.solve", rectangle(6, 2, l, h), "LinearElasticity", `{"plane": "stress", "materials": [{"E": 2e11, "nu": 0.3}], "bcs": [{"attribute": 1, "type": "fixed"}],
		"cases": [{"name": "pull", "bcs": [{"attribute": 2, "type": "load", "value": [1e6, 0]}]}, {"name": "bend", "bcs": [{"attribute": 2, "type": "load", "value": [0, 1e5]}]}],
		"accuracy": {"quantity": "/cases/1/max_displacement/value", "target": 0.003}}`)
	if r.Accuracy == nil || !r.Accuracy.Reached || r.Accuracy.Quantity != "/cases/1/max_displacement/value" {
		t.Fatalf("accuracy is %+v", r.Accuracy)
	}
	q := r.quantity(t, r.Accuracy.Quantity)
	if q.Trust != evidence.Verified || *q.Error > 0.003**q.Value {
		t.Errorf("%g ±%v is %s: %v", *q.Value, deref(q.Error), q.Trust, q.Reasons)
	}
	// Timoshenko's beam: F L^3 / (3 E I) + F L / (k G A), k = 5/6.
	f, e := 1e5*h, 2e11
	near(t, "deflection", r.Output.Cases[1].MaxDisplacement.Value, f*l*l*l/(3*e*h*h*h/12)+f*l/(5.0/6*e/2.6*h), 0.02)
}

// A shaft about its axis, pulled along and pressed from its side in cases of their own: each is
// under a uniform stress, and a combination under their sum (Hooke's law).
func TestCasesOfABodyOfRevolution(t *testing.T) {
	draw := random(t)
	radius, length, e, nu := draw(0.01, 0.1), draw(0.05, 0.3), draw(5e10, 3e11), draw(0.1, 0.45)
	s, p, f, g := draw(1e6, 1e8), draw(1e6, 1e8), draw(-2, 2), draw(0.5, 2)
	a := turned(t, quads(5, 4, skewed(radius, length)), fmt.Sprintf(`"materials": [{"E": %.17g, "nu": %.17g}], "analysis_opts": {"rel_tol": 1e-12},
		"bcs": [{"attribute": 3, "type": "symmetry"}, {"attribute": 1, "type": "symmetry"}],
		"cases": [{"name": "along", "bcs": [{"attribute": 4, "type": "load", "value": [0, %.17g]}]}, {"name": "across", "bcs": [{"attribute": 2, "type": "pressure", "value": %.17g}]}],
		"combinations": [{"name": "both", "factors": {"along": %.17g, "across": %.17g}}]`, e, nu, s, p, f, g))
	at := func(s, p float64) (far, mises float64) {
		return math.Hypot((s+2*nu*p)/e*length, (-p*(1-nu)-nu*s)/e*radius), math.Abs(s + p)
	}
	for i, one := range []CaseResult{a.Output.Cases[0], a.Output.Cases[1], a.Output.Combinations[0]} {
		share := [][2]float64{{1, 0}, {0, 1}, {f, g}}[i]
		far, mises := at(share[0]*s, share[1]*p)
		near(t, one.Name+" moves", one.MaxDisplacement.Value, far, 1e-7)
		near(t, one.Name+" von Mises", one.VonMises.Max, mises, 1e-6*(s+p)/mises)
		area := math.Pi * radius * radius
		if got := float64(one.Loads[0].Force[1]); math.Abs(got+share[0]*s*area) > 1e-8*(s+p)*area {
			t.Errorf("%s reaction %g, expected %g", one.Name, got, -share[0]*s*area)
		}
	}
}

func TestCasesThatSayNotOneThingAreRefused(t *testing.T) {
	const (
		start = `{"materials": [{"E": 2e11, "nu": 0.3}], `
		held  = `"bcs": [{"attribute": 1, "type": "fixed"}]`
		pull  = `{"name": "pull", "bcs": [{"attribute": 2, "type": "load", "value": [1e6, 0]}]}`
		cases = `"cases": [` + pull + `]`
	)
	for _, row := range []struct{ config, pointer, hint string }{
		{start + held + `, ` + cases + `, "combinations": [{"name": "sum", "factors": {"pul": 1}}]}`, "/config/combinations/0/factors/pul", `"pull"`},
		{start + held + `, ` + cases + `, "combinations": [{"name": "sum", "factors": {"pull": 0}}]}`, "/config/combinations/0/factors", "factor"},
		{start + held + `, ` + cases + `, "combinations": [{"name": "pull", "factors": {"pull": 1}}]}`, "/config/combinations/0/name", "name of its own"},
		{start + held + `, "cases": [` + pull + `, ` + pull + `]}`, "/config/cases/1/name", "name of its own"},
		{start + held + `, "combinations": [{"name": "sum", "factors": {"pull": 1}}]}`, "/config/combinations", "cases"},
		{start + held + `, "cases": [{"name": "none"}]}`, "/config/cases/0", "gravity"},
		{start + held + `, "cases": [{"name": "held", "bcs": [{"attribute": 2, "type": "fixed"}]}]}`, "/config/cases/0/bcs/0/type", ""},
		{start + held + `, "cases": [{"name": "a", "bcs": [{"attribute": 2, "type": "moment", "force": [1, 0]}]}]}`, "/config/cases/0/bcs/0/force", "moment"},
		{start + held + `, "cases": [{"name": "a", "gravity": [0, -9.81], "acceleration": [0, -9.81]}]}`, "/config/cases/0/acceleration", "one"},
		{start + held + `, "gravity": [0, -9.81], ` + cases + `}`, "/config/gravity", "a case of its own"},
		{start + `"bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "pressure", "value": 1}], ` + cases + `}`, "/config/bcs/1/type", "a case of its own"},
		{start + `"bcs": [{"attribute": 1, "type": "fixed", "value": [0, 1e-3]}], ` + cases + `}`, "/config/bcs/0/value", "of its own"},
		{start + `"analysis": "buckling", ` + held + `, ` + cases + `}`, "/config/cases", "call of its own"},
		{start + `"second_opinion": true, ` + held + `, ` + cases + `}`, "/config/second_opinion", "call of its own"},
		{start + `"temperature": {"value": 350, "reference": 293}, ` + held + `, ` + cases + `}`, "/config/temperature", "a case of its own"},
		{start + `"temperature": {"reference": 293, "heat": {"steady": true, "conductivity": 50, "bcs": [{"attribute": 1, "type": "fixed_temp", "value": 300}]}}, ` + held + `, ` + cases + `}`,
			"/config/temperature/heat", "call of its own"},
		{start + held + `, "cases": [{"name": "hot", "temperature": {"value": 350, "reference": 293}}]}`, "/config/materials/0", "thermal expansion"},
		{start + held + `, ` + cases + `, "accuracy": {"quantity": "/von_mises/max", "target": 0.01}}`, "/config/accuracy/quantity", "/cases/0"},
		{`{"materials": [{"E": 2e11, "nu": 0.3, "yield": 1e8, "tangent_modulus": 1e9}], ` + held + `, ` + cases + `}`, "/config/materials/0/tangent_modulus", ""},
		{start + held + `, "modes": 3, ` + cases + `}`, "/config/modes", "analyses"},
		// The engine tells places in the caller's configuration.
		{start + held + `, "cases": [` + pull + `, {"name": "lost", "bcs": [{"attribute": 1, "type": "load", "value": [1, 0]}]}]}`, "/config/cases/1/bcs/0", ""},
		{start + held + `, "cases": [{"name": "mass", "bcs": [{"attribute": 2, "type": "remote_mass", "mass": 5, "at": [2, 0]}]}]}`, "/config/cases/0/bcs/0/mass", "/config/cases/0/gravity"},
	} {
		code := contract.CodeInvalidRequest
		if strings.Contains(row.config, `"lost"`) {
			code = "ERR_CONFLICTING_CONDITIONS"
		}
		e := refused(t, "fea.solve", rectangle(4, 2, 1, 0.5), "LinearElasticity", row.config, code, row.pointer)
		if !strings.Contains(e.Hint, row.hint) {
			t.Errorf("%s: the hint %q does not say %q", row.pointer, e.Hint, row.hint)
		}
	}
	refused(t, "fea.solve", rectangle(4, 2, 1, 0.5), "Poisson", `{"fixed_attributes": [1], `+cases+`}`, contract.CodeInvalidRequest, "/config/cases")
}
