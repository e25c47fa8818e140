package stat

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"atelier/internal/testenv"
)

// design is a table of decimals, with what is made of it.
type design struct {
	block Block
	x     [][]*big.Rat // by row, with the intercept
	y     []*big.Rat
}

// tabulate makes a design of columns written as decimals; degree 0 takes the
// columns as they are, else they are the powers of the first.
func tabulate(t *testing.T, y []string, columns [][]string, degree int) design {
	t.Helper()
	var d design
	count := max(degree, len(columns))
	d.block.X = make([][]DD, count)
	for i := range y {
		exact := func(text string) *big.Rat {
			r, ok := new(big.Rat).SetString(text)
			if !ok {
				t.Fatalf("%q is no decimal", text)
			}
			return r
		}
		row := []*big.Rat{big.NewRat(1, 1)}
		power, dd := big.NewRat(1, 1), F(1)
		for j := range count {
			if degree > 0 {
				power, dd = new(big.Rat).Mul(power, exact(columns[0][i])), dd.Mul(number(t, columns[0][i]))
			} else {
				power, dd = exact(columns[j][i]), number(t, columns[j][i])
			}
			row = append(row, power)
			d.block.X[j] = append(d.block.X[j], dd)
		}
		d.x, d.y = append(d.x, row), append(d.y, exact(y[i]))
		d.block.Y = append(d.block.Y, number(t, y[i]))
	}
	return d
}

// exactly solves the normal equations in rational arithmetic: the coefficients
// and the squares of their standard errors without any rounding.
func (d design) exactly() (b, variance []*big.Rat) {
	p := len(d.x[0])
	a := make([][]*big.Rat, p) // X'X, X'y and the identity
	for i := range a {
		a[i] = make([]*big.Rat, 2*p+1)
		for j := range a[i] {
			a[i][j] = new(big.Rat)
		}
		a[i][p+1+i].SetInt64(1)
		for r, row := range d.x {
			for j := range p {
				a[i][j].Add(a[i][j], new(big.Rat).Mul(row[i], row[j]))
			}
			a[i][p].Add(a[i][p], new(big.Rat).Mul(row[i], d.y[r]))
		}
	}
	for i := range a {
		inv := new(big.Rat).Inv(a[i][i]) // of a positive definite matrix, never 0
		for j := range a[i] {
			a[i][j].Mul(a[i][j], inv)
		}
		for k := range a {
			if k == i {
				continue
			}
			f := new(big.Rat).Set(a[k][i])
			for j := range a[k] {
				a[k][j].Sub(a[k][j], new(big.Rat).Mul(f, a[i][j]))
			}
		}
	}
	rss := new(big.Rat)
	for r, row := range d.x {
		e := new(big.Rat).Set(d.y[r])
		for j := range p {
			e.Sub(e, new(big.Rat).Mul(row[j], a[j][p]))
		}
		rss.Add(rss, e.Mul(e, e))
	}
	rss.Quo(rss, big.NewRat(int64(len(d.x)-p), 1))
	for i := range a {
		b, variance = append(b, a[i][p]), append(variance, new(big.Rat).Mul(rss, a[i][p+1+i]))
	}
	return b, variance
}

func written(n int, value func(i int) float64, places int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("%.*f", places, value(i))
	}
	return out
}

// What is said of the arithmetic is held against rational arithmetic on the same
// decimals: no coefficient and no standard error is off by more than its bound,
// and digits are never more than there are. The last two designs are those on
// which an estimate by the pivots alone claims two digits that are not there.
func TestRoundingIsBounded(t *testing.T) {
	rng := testenv.Random(t)
	uniform := func(low, high float64) func(int) float64 {
		return func(int) float64 { return low + (high-low)*rng.Float64() }
	}
	designs := map[string]design{}
	for i := range 12 {
		n, k := 12+rng.IntN(12), 1+rng.IntN(4)
		offset := math.Pow(10, float64(rng.IntN(10)))
		var columns [][]string
		for range k {
			columns = append(columns, written(n, uniform(offset, offset+1), 3+rng.IntN(5)))
		}
		designs[fmt.Sprintf("random %d", i)] = tabulate(t, written(n, uniform(-5, 5), 2), columns, 0)
	}
	for _, close := range []int{4, 8, 12, 15} { // a column and its copy that differs in the last places
		a := written(30, uniform(1, 9), 17)
		b := make([]string, len(a))
		for i, text := range a {
			r, _ := new(big.Rat).SetString(text)
			b[i] = r.Add(r, big.NewRat(int64(rng.IntN(2000)-1000), int64(math.Pow10(close)))).FloatString(18)
		}
		designs[fmt.Sprintf("nearly equal to %d places", close)] = tabulate(t, written(30, uniform(0, 1), 4), [][]string{a, b}, 0)
	}
	designs["powers to 15 of 3 to 4"] = tabulate(t, written(40, uniform(0, 1), 3), [][]string{written(40, uniform(3, 4), 6)}, 15)
	designs["powers to 6 of 1000 to 1001"] = tabulate(t, written(40, uniform(0, 1), 3), [][]string{written(40, uniform(1000, 1001), 6)}, 6)
	for name, d := range designs {
		fit, err := LeastSquares(context.Background(), Slices{d.block}, Options{})
		if err != nil {
			t.Fatal(name, err)
		}
		b, variance := d.exactly()
		fewest := 16.0
		for k := range b {
			off, _ := new(big.Rat).Sub(new(big.Rat).SetFloat64(fit.Coef[k]), b[k]).Float64()
			want, _ := b[k].Float64()
			if math.Abs(off) > fit.Rounding.Coef[k] {
				t.Errorf("%s: coefficient %d is off by %.2g, the bound is %.2g", name, k, off, fit.Rounding.Coef[k])
			}
			fewest = math.Min(fewest, -math.Log10(math.Abs(off/want)+1e-17))
			v := new(big.Float).SetPrec(200).SetRat(variance[k])
			se := v.Sqrt(v)
			ratio, _ := new(big.Float).SetPrec(200).Quo(new(big.Float).SetFloat64(fit.SE[k]), se).Float64()
			if math.Abs(ratio-1) > fit.Rounding.SE[k]+0x1p-52 {
				t.Errorf("%s: standard error %d is off by %.2g of it, the bound is %.2g", name, k, ratio-1, fit.Rounding.SE[k])
			}
		}
		t.Logf("%-28s condition %.1e, digits %.1f, at least %d", name, fit.Condition, fewest, fit.Digits)
		if float64(fit.Digits) > fewest+0.05 {
			t.Errorf("%s: %d digits are claimed, %.1f are there", name, fit.Digits, fewest)
		}
	}
}

// The bounds of fits by products, of many rows, hold against the fit by
// reflections, whose own bound is far below.
func TestRoundingOfProductsIsBounded(t *testing.T) {
	rng := testenv.Random(t)
	var blocks Slices
	for range 8 {
		b := Block{X: make([][]DD, 3)}
		for range BlockRows {
			u := 1e3 + rng.Float64()
			b.X[0], b.X[1], b.X[2] = append(b.X[0], F(u)), append(b.X[1], F(u+1e-3*rng.Float64())), append(b.X[2], F(1e6*rng.NormFloat64()))
			b.Y = append(b.Y, F(3*u+rng.NormFloat64()))
		}
		blocks = append(blocks, b)
	}
	products, err := LeastSquares(context.Background(), blocks, Options{})
	if err != nil {
		t.Fatal(err)
	}
	reflections, err := LeastSquares(context.Background(), blocks, Options{Reflections: true})
	if err != nil {
		t.Fatal(err)
	}
	if products.Method != "cross_products" || reflections.Method != "householder" {
		t.Fatalf("%s, %s", products.Method, reflections.Method)
	}
	for k := range products.Coef {
		if off := math.Abs(products.Coef[k] - reflections.Coef[k]); off > products.Rounding.Coef[k]+reflections.Rounding.Coef[k] {
			t.Errorf("coefficient %d: %.3g apart, the bound is %.3g", k, off, products.Rounding.Coef[k])
		}
	}
	t.Logf("digits %d and %d, bounds %.2g and %.2g", products.Digits, reflections.Digits, products.Rounding.Coef, reflections.Rounding.Coef)
}

// Columns of extreme scale have standard errors like any others: those of the
// same columns in other units.
func TestScaleChangesUnitsOnly(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	plain, scaled := Block{X: make([][]DD, 2)}, Block{X: make([][]DD, 2)}
	up, down := math.Ldexp(1, 600), math.Ldexp(1, -600)
	for range 40 {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		y := a + b + rng.NormFloat64()
		plain.X[0], plain.X[1], plain.Y = append(plain.X[0], F(a)), append(plain.X[1], F(b)), append(plain.Y, F(y))
		scaled.X[0], scaled.X[1], scaled.Y = append(scaled.X[0], F(a*up)), append(scaled.X[1], F(b*down)), append(scaled.Y, F(y))
	}
	p, err := LeastSquares(context.Background(), Slices{plain}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := LeastSquares(context.Background(), Slices{scaled}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for k, unit := range []float64{1, down, up} {
		if math.Abs(s.SE[k]-p.SE[k]*unit) > 1e-14*s.SE[k] || math.Abs(s.Coef[k]-p.Coef[k]*unit) > 1e-14*math.Abs(s.Coef[k]) {
			t.Errorf("%d: %v ± %v, of %v ± %v", k, s.Coef[k], s.SE[k], p.Coef[k], p.SE[k])
		}
	}
	if math.Abs(s.R2-p.R2) > 1e-15 || math.Abs(s.F-p.F) > 1e-13*p.F || math.Abs(s.VIF[0]-p.VIF[0]) > 1e-13 {
		t.Errorf("R2 %v %v F %v %v VIF %v %v", s.R2, p.R2, s.F, p.F, s.VIF, p.VIF)
	}
}

// The inflation of all columns is that of the fit; of some, that of the fit of
// these alone.
func TestInflationOfSomeColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	all, some := Block{X: make([][]DD, 4)}, Block{X: make([][]DD, 2)}
	for range 50 {
		a, c := 100+rng.NormFloat64(), rng.NormFloat64()
		b := a + 0.01*rng.NormFloat64()
		for j, v := range []float64{a, b, c, a * a} {
			all.X[j] = append(all.X[j], F(v))
		}
		some.X[0], some.X[1] = append(some.X[0], F(b)), append(some.X[1], F(c))
		y := F(a + rng.NormFloat64())
		all.Y, some.Y = append(all.Y, y), append(some.Y, y)
	}
	whole, err := LeastSquares(context.Background(), Slices{all}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	part, err := LeastSquares(context.Background(), Slices{some}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for j, v := range whole.Inflation([]int{0, 1, 2, 3}) {
		if math.Abs(v-whole.VIF[j]) > 1e-12*v {
			t.Errorf("column %d: %v, of the fit %v", j, v, whole.VIF[j])
		}
	}
	got := whole.Inflation([]int{1, 2})
	for i, j := range []int{1, 2} {
		if math.Abs(got[j]-part.VIF[i]) > 1e-12*part.VIF[i] {
			t.Errorf("column %d among two: %v, of their fit %v", j, got[j], part.VIF[i])
		}
	}
	if !math.IsNaN(got[0]) || !math.IsNaN(got[3]) {
		t.Errorf("columns that were not asked for: %v", got)
	}
}
