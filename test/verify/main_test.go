package main

import (
	"math"
	"testing"
)

// The references themselves against published figures.
func TestReferences(t *testing.T) {
	near := func(what string, got, want, relative float64) {
		t.Helper()
		if math.Abs(got-want) > relative*math.Abs(want) {
			t.Errorf("%s is %.8g, published %.8g", what, got, want)
		}
	}
	// NAFEMS LE1: 92.7 MPa at (2, 0). E and nu do not matter to stresses given in tractions.
	const c, f = 3.25, 2.75
	var outline []edgePoint
	for i, x := range gaussPoints(120) {
		w := x * math.Pi / 2
		tangent := complex(-c*math.Sin(w), f*math.Cos(w))
		length := math.Hypot(real(tangent), imag(tangent))
		normal := tangent * complex(0, -1/length)
		outline = append(outline, edgePoint{complex(c*math.Cos(w), f*math.Sin(w)), normal, 10e6 * normal, length * math.Pi / 2 * gaussWeights(120)[i]})
	}
	le1 := ellipticHole(2, 1, 0, outline, 210e9, 0.3, true, 31)
	_, stress := le1.at(2)
	near("LE1", stress[1], 92.7e6, 1e-3)
	if le1.rest > 1e-4 {
		t.Errorf("tractions are left over: %g", le1.rest)
	}
	// NAFEMS T4: 18.25 degrees at (0.6, 0.2).
	at, _ := cooledRectangle(0.6, 1, 750./52)
	near("T4", 100*at(0.6, 0.2), 18.25, 1e-3)
	// Poisson's equation on squares and cubes of side 1.
	u, integral := poissonRectangle(1, 1)
	near("square, middle", u(0.5, 0.5), 0.0736713533, 1e-8)
	near("square, integral", integral, 0.0351442537, 1e-8)
	middle, whole := poissonBox(1, 1, 1)
	near("cube, middle", middle, 0.0562128, 1e-5)
	near("cube, integral", whole, 0.0201684993, 1e-6)
	// A slender cantilever is Timoshenko's beam but for its clamp.
	beam := &patch{e: 210e9, nu: 0.3, flat: true, at: func(x, y float64) [2]float64 { return [2]float64{x, 0.1 * y} },
		x: graded(2, true, false), y: graded(1, true, true)}
	beam.held[0], beam.traction[1] = [2]bool{true, true}, [2]float64{0, -1e5}
	beam.solve()
	near("cantilever", -beam.moves(1, 0.5)[1], 1.919619e-4, 2e-3)
	// FV52, whose plate is held across along its lower edges only, and so lies below.
	f52 := thickPlate{10, 10, 1, 200e9, 0.3, 8000}.frequencies(1)[0]
	if f52 < 45.8 || f52 > 47.5 {
		t.Errorf("thick plate: %g Hz", f52)
	}
}
