package solve

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"atelier/internal/evidence"
)

// A quarter of a tube whose mesh is a polygon, with nothing known of its origin: a film
// in the bore, the outside held. Per metre of a quarter it lets through
// (pi/2) (Ta - To) / (ln(b/a)/k + 1/(h a)). Few facets are named, and no figure that
// hangs on them is verified; many are within the error bars.
func TestFacetsOfUnknownOriginAreNamed(t *testing.T) {
	draw := random(t)
	in := draw(0.5, 2)
	out, k, h := in*draw(1.3, 2.5), draw(5, 50), draw(5, 50)
	rate := math.Pi / 2 * 200 / (math.Log(out/in)/k + 1/(h*in))
	bore := 500 - rate/(math.Pi/2)/(h*in)
	tube := func(facets int, flat bool) *answer {
		return solved(t, "heat.solve", quads(10, facets, func(x, y float64) [2]float64 {
			r, w := in+(out-in)*x, y*math.Pi/2
			if flat { // a square tube
				return [2]float64{r * math.Min(1, 2-2*y), r * math.Min(1, 2*y)}
			}
			return [2]float64{r * math.Cos(w), r * math.Sin(w)}
		}), "", fmt.Sprintf(`{"conductivity": %g, "steady": true, "bcs": [{"attribute": 1, "type": "convection", "h": %g, "ambient": 500},
			{"attribute": 2, "type": "fixed_temp", "value": 300}]}`, k, h))
	}
	said := func(a *answer) bool {
		text := strings.Join(a.Evidence.Reasons, " ")
		for _, q := range a.Quantities {
			text += strings.Join(q.Reasons, " ")
		}
		return strings.Contains(text, "facets of a round surface")
	}
	coarse := tube(6, false)
	notVerified(t, coarse, "/temperature/max", evidence.Converged)
	if !said(coarse) {
		t.Errorf("the facets are not named: %v", coarse.Evidence.Reasons)
	}
	fine := tube(60, false)
	covers(t, fine, "/loads/1/heat_rate", *fine.Loads[1].HeatRate, -rate)
	covers(t, fine, "/temperature/max", fine.Temperature.Max, bore)
	if q := fine.quantity(t, "/temperature/max"); q.Trust != evidence.Verified || !said(fine) {
		t.Errorf("60 facets in a quarter: %s, %v, %v", q.Trust, q.Reasons, fine.Evidence.Reasons)
	}
	if square := tube(10, true); said(square) {
		t.Errorf("a square tube has no facets: %v", square.Evidence.Reasons)
	}
}
