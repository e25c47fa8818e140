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

// modal solves for natural frequencies and looks at what every such answer holds.
func modal(t *testing.T, mesh fmt.Stringer, config string) *answer {
	t.Helper()
	a := solved(t, "fea.solve", mesh, "LinearElasticity", `{"analysis": "modal", `+config+`}`)
	if a.Analysis != "modal" || a.Mass == nil || a.RigidModes == nil || len(a.Modes) == 0 {
		t.Fatalf("%+v", a.Output)
	}
	for i, m := range a.Modes {
		if m.Number != i+1 || i > 0 && m.Frequency < a.Modes[i-1].Frequency {
			t.Errorf("mode %d: %+v", i, m)
		}
	}
	return a
}

// within compares a frequency with that of a theory which is off by up to share.
func (a *answer) within(t *testing.T, what string, mode int, want, share float64) {
	t.Helper()
	got := float64(a.Modes[mode].Frequency)
	if math.Abs(got-want) > share*want {
		t.Errorf("%s: mode %d has %.6g Hz, expected %.6g within %g", what, mode+1, got, want, share)
	}
}

// A bar that cannot move sideways swings at (2n - 1) c / 4L, c the root of E / rho, and
// 8 / ((2n - 1) pi)^2 of its mass moves with mode n (Blevins, Formulas for Natural Frequency
// and Mode Shape, table 8-16).
func TestBarSwingsAlongItself(t *testing.T) {
	draw := random(t)
	for range 3 {
		length, width, modulus, density := draw(0.3, 3), draw(0.01, 0.05), draw(1e9, 3e11), draw(900, 9000)
		a := modal(t, hexes([3]int{24, 1, 1}, [3]float64{length, width, width}), fmt.Sprintf(
			`"modes": 3, "materials": [{"E": %g, "nu": 0, "density": %g}], "bcs": [{"attribute": 1, "type": "fixed"},
			 {"where": {"normal": [0, 1, 0]}, "type": "fixed", "components": ["y", "z"]}, {"where": {"normal": [0, -1, 0]}, "type": "fixed", "components": ["y", "z"]},
			 {"where": {"normal": [0, 0, 1]}, "type": "fixed", "components": ["y", "z"]}, {"where": {"normal": [0, 0, -1]}, "type": "fixed", "components": ["y", "z"]}]`, modulus, density))
		for n := range 3 {
			odd := float64(2*n + 1)
			want := odd / (4 * length) * math.Sqrt(modulus/density)
			a.within(t, "bar", n, want, 2e-4)
			covers(t, a, fmt.Sprintf("/modes/%d/frequency", n), a.Modes[n].Frequency, want)
			if share, known := float64(a.Modes[n].MassShare[0]), 8/math.Pow(odd*math.Pi, 2); math.Abs(share-known) > 1e-3 {
				t.Errorf("mode %d moves %g of the mass, expected %g", n+1, share, known)
			}
		}
		if mass := density * length * width * width; math.Abs(float64(*a.Mass)-mass) > 1e-9*mass || *a.RigidModes != 0 {
			t.Errorf("mass %g, expected %g; %d rigid modes", *a.Mass, mass, *a.RigidModes)
		}
		trusted(t, a, evidence.Verified)
	}
}

// A slender cantilever has (1.8751, 4.6941, 7.8548)^2 / (2 pi L^2) sqrt(EI / rho A); shear and
// the inertia of rotation lower mode n by about (4.6 n h / L)^2 or less. The mass that moves
// with the first three is 0.6131, 0.1883 and 0.0647 of it (Blevins, table 8-1; integrals of
// its shapes).
func TestCantileverBendsAsABeam(t *testing.T) {
	draw := random(t)
	length, modulus, density := draw(0.2, 2), draw(5e10, 3e11), draw(1500, 9000)
	height := length / draw(80, 150)
	a := modal(t, quads(60, 2, scaled(length, height)), fmt.Sprintf(
		`"modes": 3, "plane": "stress", "materials": [{"E": %g, "nu": 0.3, "density": %g}], "bcs": [{"attribute": 1, "type": "fixed"}]`, modulus, density))
	for n, root := range []float64{1.87510, 4.69409, 7.85476} {
		a.within(t, "cantilever", n, root*root/(2*math.Pi*length*length)*math.Sqrt(modulus*height*height/(12*density)), 0.004)
		if share, known := float64(a.Modes[n].MassShare[1]), []float64{0.6131, 0.1883, 0.0647}[n]; math.Abs(share-known) > 2e-3 {
			t.Errorf("mode %d moves %g of the mass, expected %g", n+1, share, known)
		}
	}
	// The clamped corners, where the stress has no bound, leave the error bar of one mesh too
	// narrow, which the second mesh shows.
	if a.Evidence.Trust == evidence.Suspect {
		t.Errorf("%v", a.Evidence.Reasons)
	}
}

// A bar that nothing holds has six rigid motions and bends first at 4.7300^2 / (2 pi L^2)
// sqrt(EI / rho A) about its weaker axis, then about the other (Blevins, table 8-1).
func TestFreeBarFloats(t *testing.T) {
	draw := random(t)
	length, modulus, density := draw(0.2, 2), draw(5e10, 3e11), draw(1500, 9000)
	height := length / draw(60, 90)
	width := height * draw(1.2, 1.6)
	a := modal(t, hexes([3]int{24, 1, 1}, [3]float64{length, width, height}), fmt.Sprintf(
		`"modes": 2, "materials": [{"E": %g, "nu": 0.3, "density": %g}]`, modulus, density))
	if *a.RigidModes != 6 {
		t.Errorf("%d rigid motions", *a.RigidModes)
	}
	for n, thick := range []float64{height, width} {
		a.within(t, "free bar", n, 22.3733/(2*math.Pi*length*length)*math.Sqrt(modulus*thick*thick/(12*density)), 0.006)
		for axis, share := range a.Modes[n].MassShare {
			if math.Abs(float64(share)) > 1e-6 {
				t.Errorf("mode %d moves %g of the mass along axis %d, which a free part does not", n+1, float64(share), axis)
			}
		}
	}
	if !strings.Contains(a.Summary, "6 rigid motions are free") {
		t.Error(a.Summary)
	}
}

// A thin plate held across at its edges has pi / 2 (m^2 / a^2 + n^2 / b^2) sqrt(D / rho t)
// (Leissa, Vibration of Plates, NASA SP-160, eq. 4.20). It slides in its own plane.
func TestPlateOnItsEdges(t *testing.T) {
	draw := random(t)
	a, modulus, density, nu := draw(0.3, 1.5), draw(5e10, 3e11), draw(1500, 9000), draw(0.2, 0.35)
	b, thick := a*draw(0.6, 0.85), a/draw(90, 140)
	rigidity := modulus * math.Pow(thick, 3) / (12 * (1 - nu*nu))
	got := modal(t, hexes([3]int{8, 8, 1}, [3]float64{a, b, thick}), fmt.Sprintf(
		`"modes": 2, "materials": [{"E": %g, "nu": %g, "density": %g}], "bcs": [
		 {"where": {"normal": [1, 0, 0]}, "type": "fixed", "components": ["z"]}, {"where": {"normal": [-1, 0, 0]}, "type": "fixed", "components": ["z"]},
		 {"where": {"normal": [0, 1, 0]}, "type": "fixed", "components": ["z"]}, {"where": {"normal": [0, -1, 0]}, "type": "fixed", "components": ["z"]}]`, modulus, nu, density))
	if *got.RigidModes != 3 {
		t.Errorf("%d rigid motions", *got.RigidModes)
	}
	var want []float64
	for m := 1.0; m < 6; m++ {
		for n := 1.0; n < 6; n++ {
			want = append(want, math.Pi/2*(m*m/(a*a)+n*n/(b*b))*math.Sqrt(rigidity/(density*thick)))
		}
	}
	slices.Sort(want)
	for n := range 2 {
		got.within(t, "plate", n, want[n], 0.02)
		covers(t, got, fmt.Sprintf("/modes/%d/frequency", n), got.Modes[n].Frequency, want[n])
	}
}

// Few modes of a free block are the first of many, and none is lost among the six rigid
// motions. A half that is 1e5 times softer has its
// modes far below the shift that sets the rigid motions apart.
func TestFreeBlocksLoseNoMode(t *testing.T) {
	draw := random(t)
	for _, share := range []float64{1, 1e-5} {
		length := [3]float64{draw(0.5, 1.5), draw(0.15, 0.4), draw(0.1, 0.3)}
		mesh := hexes([3]int{4, 1, 1}, length)
		for i := range mesh.elements {
			if i >= len(mesh.elements)/2 {
				mesh.elements[i] = "2" + mesh.elements[i][1:]
			}
		}
		material := fmt.Sprintf(`"materials": [{"attribute": 1, "E": 2e11, "nu": 0.3, "density": 7850}, {"attribute": 2, "E": %g, "nu": 0.3, "density": 7850}]`, 2e11*share)
		many := modal(t, mesh, `"modes": 10, `+material)
		for _, n := range []int{1, 2, 5} {
			few := modal(t, mesh, fmt.Sprintf(`"modes": %d, `, n)+material)
			for i := range n {
				few.within(t, fmt.Sprintf("%d of a free block", n), i, float64(many.Modes[i].Frequency), 1e-6)
			}
			if _, failed := few.failed("modes_complete"); failed || *few.RigidModes != 6 {
				t.Errorf("%d modes: %v", n, few.Evidence.Checks)
			}
		}
	}
}

// A bar on a foundation of k N/m^3 at one end and free at the other swings at w c where
// w L tan(w L) = k L / E.
func TestBarSwingsOnAFoundation(t *testing.T) {
	draw := random(t)
	length, width, modulus, density := draw(0.3, 3), draw(0.01, 0.05), draw(1e9, 3e11), draw(900, 9000)
	ratio := draw(0.2, 5) // k L / E
	a := modal(t, hexes([3]int{24, 1, 1}, [3]float64{length, width, width}), fmt.Sprintf(
		`"modes": 3, "materials": [{"E": %g, "nu": 0, "density": %g}], "bcs": [{"attribute": 1, "type": "elastic", "stiffness": %.17g}, %s]`,
		modulus, density, ratio*modulus/length, slide))
	for n := range 3 {
		low, high := float64(n)*math.Pi, (float64(n)+0.5)*math.Pi
		for range 60 {
			if x := (low + high) / 2; x*math.Tan(x) < ratio {
				low = x
			} else {
				high = x
			}
		}
		want := low / (2 * math.Pi * length) * math.Sqrt(modulus/density)
		a.within(t, "bar", n, want, 2e-4)
		covers(t, a, fmt.Sprintf("/modes/%d/frequency", n), a.Modes[n].Frequency, want)
	}
}

// A sector of a ring on springs along the normals of its bore is free to turn about its axis, but
// for the facets of a mesh, which are told; springs along x and y hold it.
func TestFacetsThatHoldARingAreTold(t *testing.T) {
	ring := quarterRing(2, 12, 0.1, 0.15)
	config := `"modes": 2, "materials": [{"E": 2e11, "nu": 0.3, "density": 7850}], "bcs": [{"attribute": 1, "type": "elastic", "stiffness": %s}]`
	a := modal(t, ring, fmt.Sprintf(config, "1e10"))
	fails(t, a, "held_by_facets")
	if q := a.quantity(t, "/modes/0/frequency"); q.Trust != evidence.Suspect {
		t.Errorf("%+v", q)
	}
	if sentence, failed := modal(t, ring, fmt.Sprintf(config, "[1e10, 1e10]")).failed("held_by_facets"); failed {
		t.Error(sentence)
	}
}

// A stiff block of L x b x h on springs that act along x only floats across them: it heaves at
// sqrt(k b h / m), and rocks about its centre of mass at sqrt(k b h^3 / 12 / I) with
// I = m (L^2 + h^2) / 12. Its own give lowers that by a share below k L / E.
func TestBlockOnSpringsFloatsAcrossThem(t *testing.T) {
	draw := random(t)
	give := math.Pow(10, draw(-8, -4)) // the mount's first frequencies are 1e-4 to 1e-2 of the block's
	size := [3]float64{draw(0.2, 0.4), draw(0.1, 0.2), draw(0.3, 0.5)}
	modulus, density := draw(1e9, 3e11), draw(900, 9000)
	a := modal(t, hexes([3]int{3, 3, 3}, size), fmt.Sprintf(
		`"modes": 4, "materials": [{"E": %g, "nu": 0.3, "density": %g}], "bcs": [{"attribute": 1, "type": "elastic", "stiffness": %.17g}]`,
		modulus, density, give*modulus/size[0]))
	rate := math.Sqrt(give*modulus/density) / (2 * math.Pi * size[0]) // heave: m = density L b h
	rock := func(h float64) float64 { return rate * h / math.Hypot(size[0], h) }
	want := []float64{rate, rock(size[1]), rock(size[2])}
	slices.Sort(want)
	for n, f := range want {
		a.within(t, "block", n, f, max(give, 1e-6))
	}
	if *a.RigidModes != 3 || float64(a.Modes[3].Frequency) < 3*rate {
		t.Errorf("%d rigid modes, then %+v", *a.RigidModes, a.Modes)
	}
}

// Units that no solid has, and what a modal analysis has no use for.
func TestModalAnalysisRefusesAndDoubts(t *testing.T) {
	mesh := hexes([3]int{6, 1, 1}, [3]float64{1, 0.1, 0.1})
	const held = `"bcs": [{"attribute": 1, "type": "fixed"}]`
	for config, at := range map[string]string{
		`"materials": [{"E": 2e11, "nu": 0.3}], ` + held:                                                                                                                                                                    "/config/materials/0/density",
		`"materials": [{"E": 2e11, "nu": 0.3, "density": 7850}], "gravity": [0, 0, -9.81], ` + held:                                                                                                                         "/config/gravity",
		`"materials": [{"E": 2e11, "nu": 0.3, "density": 7850}], "bcs": [{"attribute": 2, "type": "load", "force": [0, 0, 1]}]`:                                                                                             "/config/bcs/0/type",
		`"materials": [{"E": 2e11, "nu": 0.3, "density": 7850}], "bcs": [{"attribute": 1, "type": "fixed", "value": [0, 0, 1e-3]}]`:                                                                                         "/config/bcs/0/value",
		`"materials": [{"E": 2e11, "nu": 0.3, "density": 7850}], "modes": 50, "order": 1, "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "fixed"}, {"where": {"normal": [0, 1, 0]}, "type": "fixed"}]`: "/config/modes",
	} {
		r := call(t, "fea.solve", requestFor(t, mesh, "LinearElasticity", `{"analysis": "modal", `+config+`}`))
		if r.Status != contract.StatusError || r.Errors[0].Field != at || r.Errors[0].Hint == "" {
			t.Errorf("%s: %s, %+v", config, r.Status, r.Errors)
		}
	}
	if r := call(t, "fea.solve", requestFor(t, mesh, "LinearElasticity", `{"modes": 3, "materials": [{"E": 2e11, "nu": 0.3}], `+held+`}`)); r.Status != contract.StatusError {
		t.Errorf("modes of a static analysis: %s", r.Status)
	}
	fails(t, modal(t, mesh, `"materials": [{"E": 2.1e11, "nu": 0.3, "density": 7.85}], `+held), "wave_speed")
}

// The mass is integrated exactly over straight and curved elements, and off only by what these
// leave of a round part, which its error bar holds.
func TestMassOfStraightAndCurvedMeshes(t *testing.T) {
	draw := random(t)
	in, density := draw(0.1, 1), draw(900, 9000)
	out := in * draw(1.5, 2.5)
	want := density * math.Pi / 4 * (out*out - in*in)
	straight := quarterRing(4, 40, in, out)
	ring := curved{graded(0.25, 1, 1, 1), graded(0.125, 1, 1, 1), func(x, y float64) [2]float64 {
		r := in + (out-in)*x
		sin, cos := math.Sincos(y * math.Pi / 2)
		return [2]float64{r * cos, r * sin}
	}}
	head := ring.grid().String()
	bent := text(fmt.Sprintf("%svertices\n%d\n\nnodes\nFiniteElementSpace\nFiniteElementCollection: L2_T1_2D_P2\nVDim: 2\nOrdering: 1\n\n%s",
		head[:strings.LastIndex(head, "vertices")], len(ring.grid().points), ring.nodes()))
	for what, mesh := range map[string]fmt.Stringer{"straight": straight, "curved": bent} {
		a := modal(t, mesh, fmt.Sprintf(`"modes": 1, "materials": [{"E": 2e11, "nu": 0.3, "density": %.17g}], "bcs": [{"attribute": 3, "type": "fixed"}]`, density))
		q := a.quantity(t, "/mass")
		if q.Trust != evidence.Verified || q.Error == nil {
			t.Fatalf("%s: %s %v", what, q.Trust, q.Reasons)
		}
		t.Logf("%s: %g ± %.2g, a round part has %g", what, *q.Value, *q.Error, want)
		covers(t, a, "/mass", *a.Mass, want)
		if *q.Error > 0.05*want {
			t.Errorf("%s: an error bar of %g", what, *q.Error)
		}
	}
}
