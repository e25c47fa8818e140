package solve

import (
	"fmt"
	"math"
	"testing"

	"atelier/internal/evidence"
)

// The only support bears what is applied, to the rounding of the solution: force and
// own weight of a cantilever of random size. A probe of a pulled bar moves by p x / E.
func TestReactionsAndProbesAgainstStatics(t *testing.T) {
	draw := random(t)
	l, b, h := draw(0.5, 2), draw(0.05, 0.2), draw(0.05, 0.2)
	fx, fy, fz, rho := draw(-1e3, 1e3), draw(-1e3, 1e3), draw(-1e3, 1e3), draw(1e3, 1e4)
	a := solved(t, "fea.solve", box([3]int{8, 2, 2}, [3]float64{l, b, h}), "LinearElasticity", fmt.Sprintf(
		`{"materials": [{"E": 210e9, "nu": 0.3}], "density": %g, "gravity": [0, 0, -9.81],
		"bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [%g, %g, %g]}]}`, rho, fx, fy, fz))
	for c, want := range []float64{-fx, -fy, -fz + 9.81*rho*l*b*h} {
		at := fmt.Sprintf("/loads/0/force/%d", c)
		q := a.quantity(t, at)
		if q.Unit != "N" || q.Trust != evidence.Verified {
			t.Errorf("%s in %s is %s: %v", at, q.Unit, q.Trust, q.Reasons)
		}
		if size := math.Hypot(math.Hypot(fx, fy), fz) + 9.81*rho*l*b*h; q.Error == nil || math.Abs(*q.Value-want) > *q.Error+1e-7*size {
			t.Errorf("%s is %g ± %v, the loads demand %g", at, *q.Value, deref(q.Error), want)
		}
	}
	p, x := draw(1e5, 1e6), draw(0.1, 0.9)*l
	a = solved(t, "fea.solve", box([3]int{4, 2, 2}, [3]float64{l, b, h}), "LinearElasticity", fmt.Sprintf(
		`{"materials": [{"E": 7e10, "nu": 0}], "probes": [[%g, %g, %g]], "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "value": [%g, 0, 0]}]}`,
		x, draw(0, b), draw(0, h), p))
	near(t, "probe", a.Probes[0].Displacement[0], p*x/7e10, 1e-7)
	covers(t, a, "/probes/0/displacement/0", a.Probes[0].Displacement[0], p*x/7e10)
}

// Two supports share a load by their stiffness: a bar that is drawn out by d bears
// E A d / L at each end, and one between two walls half its weight.
func TestReactionsOfTwoSupports(t *testing.T) {
	draw := random(t)
	l, b, e, d, rho := draw(0.5, 2), draw(0.05, 0.2), draw(1e10, 2e11), draw(1e-5, 1e-4), draw(1e3, 1e4)
	bar := box([3]int{6, 2, 2}, [3]float64{l, b, b})
	drawn := solved(t, "fea.solve", bar, "LinearElasticity", fmt.Sprintf(
		`{"materials": [{"E": %g, "nu": 0}], "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "fixed", "value": [%g, 0, 0]}]}`, e, d))
	hung := solved(t, "fea.solve", bar, "LinearElasticity", fmt.Sprintf(
		`{"materials": [{"E": %g, "nu": 0}], "density": %g, "gravity": [9.81, 0, 0], "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "fixed"}]}`, e, rho))
	pull, half := e*b*b*d/l, rho*9.81*l*b*b/2
	for i, sign := range []float64{-1, 1} {
		at := fmt.Sprintf("/loads/%d/force/0", i)
		near(t, "drawn", drawn.Loads[i].Force[0], sign*pull, 1e-6)
		near(t, "hung", hung.Loads[i].Force[0], -half, 1e-6)
		covers(t, drawn, at, drawn.Loads[i].Force[0], sign*pull)
		covers(t, hung, at, hung.Loads[i].Force[0], -half)
	}
}

// A propped plate, whose reactions are no matter of statics: the error bars of a
// coarse mesh reach the reactions of a fine one.
func TestErrorBarsOfReactionsAreTrue(t *testing.T) {
	draw := random(t)
	l, load := draw(2, 4), draw(1e5, 1e6)
	at := func(n, order int) *answer {
		return solved(t, "fea.solve", quads(2*n, n, scaled(l, 1)), "LinearElasticity", fmt.Sprintf(`{%s, "plane": "stress", "order": %d,
			"bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "fixed", "components": ["y"]}, {"attribute": 4, "type": "load", "value": [0, %g]}]}`, steel, order, -load))
	}
	fine := at(40, 2)
	for _, coarse := range []*answer{at(3, 1), at(3, 2), at(6, 1)} {
		for _, pointer := range []string{"/loads/0/force/1", "/loads/1/force/1"} {
			q, exact := coarse.quantity(t, pointer), fine.quantity(t, pointer)
			if q.Unit != "N/m" || q.Error == nil || math.Abs(*q.Value-*exact.Value) > *q.Error+1e-6*load {
				t.Errorf("%s is %g ± %v %s on order %d, and %g", pointer, *q.Value, deref(q.Error), q.Unit, coarse.Order, *exact.Value)
			}
		}
		near(t, "sum", coarse.Loads[0].Force[1]+coarse.Loads[1].Force[1], load*l, 1e-6)
	}
}

// Heat that a wall conducts: k A ΔT / L in, and out.
func TestHeatOfHeldTemperatures(t *testing.T) {
	draw := random(t)
	l, h, k, hot := draw(0.1, 1), draw(0.1, 1), draw(0.1, 100), draw(310, 400)
	a := solved(t, "heat.solve", quads(6, 4, scaled(l, h)), "", fmt.Sprintf(`{"conductivity": %g, "steady": true,
		"bcs": [{"attribute": 1, "type": "fixed_temp", "value": %g}, {"attribute": 2, "type": "fixed_temp", "value": 300}]}`, k, hot))
	for i, sign := range []float64{1, -1} {
		want := sign * k * h * (hot - 300) / l
		near(t, "heat", *a.Loads[i].HeatRate, want, 1e-6)
		if q := a.quantity(t, fmt.Sprintf("/loads/%d/heat_rate", i)); q.Unit != "W/m" || q.Error == nil || math.Abs(*q.Value-want) > *q.Error+1e-6*math.Abs(want) {
			t.Errorf("%g ± %v %s, expected %g", *q.Value, deref(q.Error), q.Unit, want)
		}
	}
}
