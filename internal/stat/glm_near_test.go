package stat

import (
	"context"
	"math"
	"testing"

	"atelier/internal/testenv"
)

// A step from a maximum leads to that of data which differ little, as a fit from the
// beginning finds it.
func TestNearMaximum(t *testing.T) {
	rng := testenv.Random(t)
	for family, name := range []string{Binomial: "binomial", Poisson: "poisson"} {
		family := Family(family)
		var given, moved [][]float64
		for range 200 {
			a, b := rng.NormFloat64(), rng.NormFloat64()
			y := math.Floor(3 * rng.Float64() * math.Exp(a/3))
			if family == Binomial {
				y = map[bool]float64{true: 1}[rng.Float64() < 1/(1+math.Exp(-a))]
			}
			given = append(given, []float64{y, a, b})
			moved = append(moved, []float64{y, a + 1e-4*rng.NormFloat64(), b + 1e-4*rng.NormFloat64()})
		}
		g, want := fitGLM(t, rows(given...), family, GLMOptions{}), fitGLM(t, rows(moved...), family, GLMOptions{})
		got, err := g.Near(context.Background(), rows(moved...))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for k := range want.Coef {
			step := math.Abs(want.Coef[k] - g.Coef[k])
			if math.Abs(got.Coef[k]-want.Coef[k]) > 0.01*step+1e-7 || math.Abs(got.SE[k]-want.SE[k]) > 1e-3*want.SE[k] {
				t.Errorf("%s %d: %v %v for %v %v, from %v", name, k, got.Coef[k], got.SE[k], want.Coef[k], want.SE[k], g.Coef[k])
			}
		}
		near(t, name+" deviance", got.Deviance, want.Deviance, 1e-8)
	}
}
