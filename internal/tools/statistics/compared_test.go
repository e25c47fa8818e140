package statistics

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

// Without an intercept the coefficient of a level is its mean, and no difference
// from a reference; factors say which of the two it is.
func TestFactorsSayWhatTheyCompare(t *testing.T) {
	r := testenv.Random(t)
	var b strings.Builder
	b.WriteString("y,x,g\n")
	sum, count := map[string]float64{}, map[string]float64{}
	for i := range 60 {
		g := []string{"a", "b", "c"}[i%3]
		y := math.Round(1000*(float64(i%3)+2+r.NormFloat64())) / 1000
		sum[g], count[g] = sum[g]+y, count[g]+1
		fmt.Fprintf(&b, "%.3f,%.3f,%s\n", y, r.NormFloat64(), g)
	}
	for _, c := range []struct {
		intercept bool
		features  []string
		reference float64
		says      string
	}{
		{true, []string{"g"}, sum["a"] / count["a"], `each level with the reference "a"`},
		{false, []string{"g"}, 0, `no difference from that level`},
		{true, []string{"x", "x:g"}, math.NaN(), "no levels"},
	} {
		res, err := run(t, regression, b.String(), map[string]any{"operation": "linear_regression", "target": "y", "features": c.features, "intercept": c.intercept, "plots": false})
		if err != nil {
			t.Fatal(err)
		}
		out := decoded[struct {
			Coefficients map[string]float64 `json:"coefficients"`
			Factors      []struct {
				Compared string `json:"compared"`
			} `json:"factors"`
		}](t, res)
		if len(out.Factors) != 1 || !strings.Contains(out.Factors[0].Compared, c.says) {
			t.Errorf("%v: %+v", c.features, out.Factors)
		}
		if want := sum["b"]/count["b"] - c.reference; !math.IsNaN(want) && math.Abs(out.Coefficients["g[b]"]-want) > 1e-9 {
			t.Errorf("%v: the coefficients are %v, want %v for g[b]", c.features, out.Coefficients, want)
		}
	}
}
