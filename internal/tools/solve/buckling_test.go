package solve

import (
	"fmt"
	"math"
	"testing"
)

// column is a strip of unit thickness, clamped at its left end, under an axial force
// of a share of Euler's pi^2 EI / (2L)^2 and a small one across; sizes are drawn.
type column struct {
	length, height, modulus, critical float64
}

func drawColumn(draw func(lo, hi float64) float64) column {
	c := column{length: draw(0.5, 2), modulus: draw(5e10, 3e11)}
	c.height = c.length / draw(60, 120)
	c.critical = math.Pow(math.Pi/(2*c.length), 2) * c.modulus * math.Pow(c.height, 3) / 12
	return c
}

func (c column) under(t *testing.T, share, across float64) *answer {
	return solved(t, "fea.solve", quads(40, 2, scaled(c.length, c.height)), "LinearElasticity", fmt.Sprintf(
		`{"plane": "stress", "materials": [{"E": %g, "nu": 0}], "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [%g, %g]}]}`,
		c.modulus, -share*c.critical, across))
}

// A force along a column multiplies what one across it does by 3 (tan a - a) / a^3
// with a = pi/2 sqrt(share) (Timoshenko and Gere, Theory of Elastic Stability, art.
// 1.2): small forces across do not hide it among the work of the axial one. About
// s/(1 - s) of a share s, it is 1/(1 - s) times as far off as the share is.
func TestForcesAlongAColumnBendItFurther(t *testing.T) {
	draw := random(t)
	c := drawColumn(draw)
	across := 1e-3 * c.critical // so that the tip moves across far more than along
	for _, share := range []float64{draw(0.2, 0.5), draw(0.5, 0.85)} {
		a := math.Pi / 2 * math.Sqrt(share)
		want := 3*(math.Tan(a)-a)/math.Pow(a, 3) - 1
		got := c.under(t, share, across)
		fails(t, got, "stress_stiffening")
		if change := got.value(t, "stress_stiffening"); math.Abs(change-want) > 0.03/(1-share)*want {
			t.Errorf("at %g of its load the column bends %g further, expected %g", share, change, want)
		}
		if near := got.value(t, "buckling"); math.Abs(near-share) > 0.03*share {
			t.Errorf("the column is at %g of its buckling load, expected %g", near, share)
		}
	}
	pulled := c.under(t, -draw(0.5, 2), across)
	fails(t, pulled, "stress_stiffening")
	if s, failed := pulled.failed("buckling"); failed {
		t.Errorf("a pulled column: %s", s)
	}
	light := c.under(t, draw(0.002, 0.01), across)
	for _, check := range []string{"stress_stiffening", "buckling"} {
		if s, failed := light.failed(check); failed {
			t.Errorf("at a hundredth of its load: %s", s)
		}
	}
}

// A column does not stay straight beyond its load, also where nothing pushes it aside.
func TestBeyondTheBucklingLoad(t *testing.T) {
	draw := random(t)
	c := drawColumn(draw)
	for _, share := range []float64{draw(1.1, 2), draw(5, 50)} {
		got := c.under(t, share, 0)
		fails(t, got, "buckling")
		if near := got.value(t, "buckling"); math.Abs(near-share) > 0.05*share {
			t.Errorf("the column is at %g of its buckling load, expected %g", near, share)
		}
	}
}

// Loads and stresses grow together, and with them the share of the buckling load: in a strip on
// edge, whose deflection has no part of the shape into which it turns aside. Below a hundredth of
// its load buckling is ruled out without a figure.
func TestBucklingIsRuledOutFarFromItsLoad(t *testing.T) {
	draw := random(t)
	height := draw(0.05, 0.2)
	strip := hexes([3]int{12, 2, 1}, [3]float64{height * draw(10, 13), height, height / draw(14, 20)})
	under := func(force float64) *answer {
		return solved(t, "fea.solve", strip, "LinearElasticity", fmt.Sprintf(
			`{"materials": [{"E": 2e11, "nu": 0.3}], "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [0, %g, 0]}]}`, force))
	}
	const some = 1e3
	critical := some / under(some).value(t, "buckling")
	for _, share := range []float64{draw(0.0105, 0.015), draw(0.02, 0.2), draw(0.5, 2)} {
		if near := under(share*critical).value(t, "buckling"); math.Abs(near-share) > 0.01*share {
			t.Errorf("the strip is at %g of its load, expected %g", near, share)
		}
	}
	for _, share := range []float64{draw(0.001, 0.0045), draw(0.006, 0.0095)} {
		for _, check := range under(share * critical).Evidence.Checks {
			if check.Name == "buckling" {
				t.Errorf("at %g of its load: %s", share, check.Sentence)
			}
		}
	}
}

// A strip on edge turns aside under a force at its end of 4.013 sqrt(EI GJ) / L^2
// (Timoshenko and Gere, art. 6.3, with GJ of a thin rectangle): a shape that the
// solution has no part of.
func TestAStripOnEdgeTurnsAside(t *testing.T) {
	draw := random(t)
	for _, c := range []struct {
		n   [3]int
		off float64 // long elements twist too stiffly
	}{{[3]int{20, 2, 1}, 0.12}, {[3]int{12, 2, 1}, 0.2}} {
		height, modulus := draw(0.05, 0.2), draw(5e10, 3e11)
		thick, length := height/draw(14, 20), height*draw(10, 13)
		bending, twisting := modulus*height*math.Pow(thick, 3)/12, modulus/2*height*math.Pow(thick, 3)/3*(1-0.63*thick/height)
		share := draw(1.2, 1.6)
		got := solved(t, "fea.solve", hexes(c.n, [3]float64{length, height, thick}), "LinearElasticity", fmt.Sprintf(
			`{"materials": [{"E": %g, "nu": 0}], "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [0, %g, 0]}]}`,
			modulus, -share*4.013*math.Sqrt(bending*twisting)/(length*length)))
		fails(t, got, "buckling")
		if near := got.value(t, "buckling"); math.Abs(near-share) > c.off*share {
			t.Errorf("%v: the strip is at %g of its load, expected %g", c.n, near, share)
		}
	}
}

// A long ring under pressure from outside caves in at 3 E' I / R^3 with E' = E / (1 -
// nu^2), as the pressure stays normal to it (Levy 1884; with a pressure of fixed
// direction it would be 4 E' I / R^3). The pressure acts on the outer radius.
func TestARingUnderPressureCavesIn(t *testing.T) {
	draw := random(t)
	radius, modulus, nu := draw(0.05, 1), draw(5e10, 3e11), draw(0, 0.35)
	height := radius / draw(25, 40)
	ring := quads(24, 2, func(x, y float64) [2]float64 {
		sin, cos := math.Sincos((1 - x) * math.Pi / 2)
		r := radius + (y-0.5)*height
		return [2]float64{r * cos, r * sin}
	})
	critical := 3 * modulus / (1 - nu*nu) * math.Pow(height, 3) / 12 / math.Pow(radius, 3) * radius / (radius + height/2)
	for _, share := range []float64{draw(0.2, 0.8), draw(1.05, 2)} {
		got := solved(t, "fea.solve", ring, "LinearElasticity", fmt.Sprintf(
			`{"materials": [{"E": %g, "nu": %g}], "bcs": [{"attribute": 1, "type": "fixed", "components": ["x"]}, {"attribute": 2, "type": "fixed", "components": ["y"]},
			{"attribute": 4, "type": "pressure", "value": %g}]}`, modulus, nu, share*critical))
		if near := got.value(t, "buckling"); math.Abs(near-share) > 0.04*share {
			t.Errorf("the ring is at %g of its load, expected %g", near, share)
		}
	}
}

// A rod in a liquid does not buckle under its pressure: the force along it is that of
// the liquid in its place.
func TestARodInALiquidStaysStraight(t *testing.T) {
	draw := random(t)
	c := drawColumn(draw)
	got := solved(t, "fea.solve", quads(40, 2, scaled(c.length, c.height)), "LinearElasticity", fmt.Sprintf(
		`{"plane": "stress", "materials": [{"E": %g, "nu": 0}], "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": [2, 3, 4], "type": "pressure", "value": %g}]}`,
		c.modulus, draw(2, 5)*c.critical/c.height))
	if s, failed := got.failed("buckling"); failed {
		t.Error(s)
	}
}
