package stat

import (
	"context"
	"errors"
	"math"
	"reflect"
	"runtime"
	"slices"
	"testing"
)

// extras is a source of blocks with offsets and groups.
type extras struct {
	Slices
	offset [][]float64
	group  [][]string
}

func (e extras) LoadExtra(i int) (Block, Extra, error) {
	b, err := e.Load(i)
	var x Extra
	if e.offset != nil {
		for _, v := range e.offset[i] {
			x.Offset = append(x.Offset, F(v))
		}
	}
	if e.group != nil {
		x.Group = e.group[i]
	}
	return b, x, err
}

// rows makes one block of rows of the response and the columns.
func rows(table ...[]float64) extras {
	b := Block{X: make([][]DD, len(table[0])-1)}
	for i, r := range table {
		b.Y = append(b.Y, F(r[0]))
		b.Row = append(b.Row, int64(i+1))
		for j, v := range r[1:] {
			b.X[j] = append(b.X[j], F(v))
		}
	}
	return extras{Slices: Slices{b}}
}

func fitGLM(t *testing.T, src extras, f Family, o GLMOptions) *GLM {
	t.Helper()
	g, err := FitGLM(context.Background(), src, f, o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// A 2 by 2 table in closed form: the log odds ratio, its Woolf error, and the
// area under the curve of a prediction that takes two values.
func TestLogisticOfATwoByTwoTable(t *testing.T) {
	var table [][]float64
	a, b, c, d := 17, 5, 8, 21 // y=1 x=1, y=0 x=1, y=1 x=0, y=0 x=0
	for _, cell := range []struct {
		n    int
		y, x float64
	}{{a, 1, 1}, {b, 0, 1}, {c, 1, 0}, {d, 0, 0}} {
		for range cell.n {
			table = append(table, []float64{cell.y, cell.x})
		}
	}
	g := fitGLM(t, rows(table...), Binomial, GLMOptions{})
	fa, fb, fc, fd := float64(a), float64(b), float64(c), float64(d)
	near(t, "intercept", g.Coef[0], math.Log(fc/fd), 1e-14)
	near(t, "log odds ratio", g.Coef[1], math.Log(fa*fd/(fb*fc)), 1e-14)
	near(t, "its error", g.SE[1], math.Sqrt(1/fa+1/fb+1/fc+1/fd), 1e-12)
	near(t, "error of the intercept", g.SE[0], math.Sqrt(1/fc+1/fd), 1e-12)
	entropy := func(p, n float64) float64 { return p*math.Log(p/(p+n)) + n*math.Log(n/(p+n)) }
	near(t, "deviance", g.Deviance, -2*(entropy(fa, fb)+entropy(fc, fd)), 1e-14)
	near(t, "null deviance", g.NullDeviance, -2*entropy(fa+fc, fb+fd), 1e-14)
	near(t, "Pearson", g.Pearson, 51, 1e-13) // a saturated table: n
	cal := Calibrate(g.Scores)
	near(t, "AUC", cal.AUC, (fa*fd+(fa*fb+fc*fd)/2)/((fa+fc)*(fb+fd)), 1e-14)
	if cal.TruePositive != fa || cal.FalsePositive != fb || cal.FalseNegative != fc || cal.TrueNegative != fd {
		t.Errorf("%+v", cal)
	}
}

// Counts of two groups with exposures: the log ratio of the rates, and the root
// of the sum of inverse counts.
func TestPoissonOfTwoRates(t *testing.T) {
	src := rows([]float64{3, 0}, []float64{9, 0}, []float64{4, 1}, []float64{18, 1}, []float64{7, 1})
	src.offset = [][]float64{{math.Log(2), math.Log(3), math.Log(1.5), math.Log(4), math.Log(2.5)}}
	g := fitGLM(t, src, Poisson, GLMOptions{})
	near(t, "log rate", g.Coef[0], math.Log(12./5), 1e-14)
	near(t, "log ratio", g.Coef[1], math.Log((29./8)/(12./5)), 1e-14)
	near(t, "its error", g.SE[1], math.Sqrt(1./12+1./29), 1e-12) // the weights are of the step before
	term := func(y, m float64) float64 { return 2 * (y*math.Log(y/m) - (y - m)) }
	d := term(3, 2*2.4) + term(9, 3*2.4) + term(4, 1.5*3.625) + term(18, 4*3.625) + term(7, 2.5*3.625)
	near(t, "deviance", g.Deviance, d, 1e-13)
}

// Dobson (1990), page 93, as fitted in R's documentation of glm: counts 18, 17,
// 15, 20, 10, 20, 25, 13, 12 by outcome and treatment of three levels each.
func TestPoissonOfDobson(t *testing.T) {
	counts := []float64{18, 17, 15, 20, 10, 20, 25, 13, 12}
	var table [][]float64
	for i, y := range counts {
		row := []float64{y, 0, 0, 0, 0}
		if o := i % 3; o > 0 {
			row[o] = 1
		}
		if k := i / 3; k > 0 {
			row[2+k] = 1
		}
		table = append(table, row)
	}
	g := fitGLM(t, rows(table...), Poisson, GLMOptions{})
	for i, want := range [][2]float64{{3.045, 0.1709}, {-0.4543, 0.2022}, {-0.2930, 0.1927}} {
		near(t, "coefficient", g.Coef[i], want[0], 2e-4)
		near(t, "error", g.SE[i], want[1], 3e-4)
	}
	near(t, "null deviance", g.NullDeviance, 10.5814, 1e-5)
	near(t, "deviance", g.Deviance, 5.1291, 1e-5)
	near(t, "AIC", 2*5-2*g.LogLikelihood, 56.76, 1e-4)
}

// finney is the vaso-constriction of the skin by volume and rate of air inspired
// (Finney 1947), as Pregibon (1981) analysed it.
var finney = [3][]float64{
	{3.7, 3.5, 1.25, .75, .8, .7, .6, 1.1, .9, .9, .8, .55, .6, 1.4, .75, 2.3, 3.2, .85, 1.7, 1.8, .4, .95, 1.35, 1.5, 1.6, .6, 1.8, .95, 1.9, 1.6, 2.7, 2.35, 1.1, 1.1, 1.2, .8, .95, .75, 1.3},
	{.825, 1.09, 2.5, 1.5, 3.2, 3.5, .75, 1.7, .75, .45, .57, 2.75, 3, 2.33, 3.75, 1.64, 1.6, 1.415, 1.06, 1.8, 2, 1.36, 1.35, 1.36, 1.78, 1.5, 1.5, 1.9, .95, .4, .75, .03, 1.83, 2.2, 2, 3.33, 1.9, 1.9, 1.625},
	{1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 1, 0, 0, 1},
}

func finneyRows() [][]float64 {
	var table [][]float64
	for i, y := range finney[2] {
		table = append(table, []float64{y, math.Log(finney[0][i]), math.Log(finney[1][i])})
	}
	return table
}

// The published fit: -2.875, 5.179 and 4.562, deviance 29.23; and observations 4
// and 18 are those that decide most of it.
func TestLogisticOfFinneysData(t *testing.T) {
	g := fitGLM(t, rows(finneyRows()...), Binomial, GLMOptions{})
	for i, want := range []float64{-2.875, 5.179, 4.562} {
		near(t, "coefficient", g.Coef[i], want, 2e-4)
	}
	near(t, "deviance", g.Deviance, 29.23, 2e-4)
	d, err := g.Diagnose(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	worst := []int64{d.Worst[0].Row, d.Worst[1].Row}
	slices.Sort(worst)
	if !reflect.DeepEqual(worst, []int64{4, 18}) || !(d.Gradient < 1e-12) {
		t.Errorf("%+v", d.Worst)
	}
}

// A frequency stands for as many rows, the order of rows is no matter, and a
// change of unit or origin of a column changes its coefficient alone.
func TestLikelihoodsKeepTheirSymmetries(t *testing.T) {
	table := finneyRows()
	var twice, turned, moved [][]float64
	src := rows(table...)
	for i, r := range table {
		for range 1 + i%3 {
			twice = append(twice, r)
		}
		src.Slices[0].W = append(src.Slices[0].W, F(float64(1+i%3)))
		turned = append([][]float64{r}, turned...)
		moved = append(moved, []float64{r[0], 1e6 + 8*r[1], r[2] / 1024})
	}
	plain := fitGLM(t, rows(table...), Binomial, GLMOptions{})
	byWeight, byRow := fitGLM(t, src, Binomial, GLMOptions{Weighted: true}), fitGLM(t, rows(twice...), Binomial, GLMOptions{})
	other, shifted := fitGLM(t, rows(turned...), Binomial, GLMOptions{}), fitGLM(t, rows(moved...), Binomial, GLMOptions{})
	for i := range plain.Coef {
		near(t, "coefficient by frequency", byWeight.Coef[i], byRow.Coef[i], 1e-12)
		near(t, "error by frequency", byWeight.SE[i], byRow.SE[i], 1e-12)
		near(t, "coefficient of turned rows", other.Coef[i], plain.Coef[i], 1e-12)
	}
	clustersOfFrequencies(t, src, rows(twice...))
	near(t, "likelihood by frequency", byWeight.LogLikelihood, byRow.LogLikelihood, 1e-13)
	near(t, "AUC by frequency", Calibrate(byWeight.Scores).AUC, Calibrate(byRow.Scores).AUC, 1e-14)
	near(t, "coefficient in another unit", shifted.Coef[1]*8, plain.Coef[1], 1e-9) // 1e6 costs the table 7 of its digits
	near(t, "coefficient in another unit", shifted.Coef[2]/1024, plain.Coef[2], 1e-9)
	near(t, "deviance in other units", shifted.Deviance, plain.Deviance, 1e-9)
}

// clustersOfFrequencies compares errors by cluster of rows that have frequencies
// i%3+1 with those of the rows written out.
func clustersOfFrequencies(t *testing.T, weighted, written extras) {
	t.Helper()
	weighted.group, written.group = [][]string{{}}, [][]string{{}}
	for i := range weighted.Slices[0].Y {
		name := string(rune('A' + i%7))
		weighted.group[0] = append(weighted.group[0], name)
		for range 1 + i%3 {
			written.group[0] = append(written.group[0], name)
		}
	}
	a, err := fitGLM(t, weighted, Binomial, GLMOptions{Weighted: true}).Cluster(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	b, err := fitGLM(t, written, Binomial, GLMOptions{}).Cluster(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i := range a.SE {
		near(t, "error by cluster and frequency", a.SE[i], b.SE[i], 1e-12)
	}
}

func TestSeparationIsToldWithItsColumns(t *testing.T) {
	r := noise(3)
	var complete, quasi, jointly, zeros [][]float64
	for i := range 40 {
		x, z, y := r.next(), r.next(), 0.0
		if x > 0.1 {
			y = 1
		}
		complete = append(complete, []float64{y, z, x})
		both := 0.0 // a level all of whose outcomes are 1
		if i%4 == 0 {
			both = 1
		}
		y = 0
		if both == 1 || z+r.next() > 0 {
			y = 1
		}
		quasi = append(quasi, []float64{y, x, both})
		y = 0
		if x+z > 0 {
			y = 1
		}
		jointly = append(jointly, []float64{y, x, z, r.next()})
		count := math.Floor(4 * (r.next() + 0.5))
		if both == 1 {
			count = 0
		}
		zeros = append(zeros, []float64{count, x, both})
	}
	for name, c := range map[string]struct {
		table    [][]float64
		family   Family
		complete bool
		alone    bool
		columns  []int
	}{
		"complete": {complete, Binomial, true, true, []int{1}},
		"quasi":    {quasi, Binomial, false, true, []int{1}},
		"jointly":  {jointly, Binomial, true, false, nil},
		"zeros":    {zeros, Poisson, false, true, []int{1}},
	} {
		_, err := FitGLM(context.Background(), rows(c.table...), c.family, GLMOptions{})
		var s *Separation
		if !errors.As(err, &s) || s.Complete != c.complete || s.Alone != c.alone || c.columns != nil && !reflect.DeepEqual(s.Columns, c.columns) {
			t.Errorf("%s: %v %+v", name, err, s)
		}
		if name == "jointly" && s != nil && (!slices.Contains(s.Columns, 0) || !slices.Contains(s.Columns, 1)) {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

func TestResponsesThatTheFamilyDoesNotHave(t *testing.T) {
	for name, c := range map[string]struct {
		table  [][]float64
		family Family
		want   error
		row    int64
	}{
		"half":      {[][]float64{{0, 1}, {1, 2}, {0.5, 3}}, Binomial, ErrNotBinary, 3},
		"fraction":  {[][]float64{{0, 1}, {1.5, 2}, {2, 3}}, Poisson, ErrNotCount, 2},
		"negative":  {[][]float64{{-1, 1}, {1, 2}, {2, 3}}, Poisson, ErrNotCount, 1},
		"one class": {[][]float64{{1, 1}, {1, 2}, {1, 4}}, Binomial, ErrOneClass, 0},
		"all zero":  {[][]float64{{0, 1}, {0, 2}, {0, 4}}, Poisson, ErrAllZero, 0},
		"too few":   {[][]float64{{0, 1, 2, 3}, {1, 2, 5, 7}, {2, 3, 3, 1}}, Poisson, ErrTooFew, 0},
		"infinite":  {[][]float64{{0, math.Inf(1)}, {1, 2}, {2, 3}}, Poisson, ErrNotFinite, 0},
	} {
		_, err := FitGLM(context.Background(), rows(c.table...), c.family, GLMOptions{})
		var e *RowError
		if !errors.Is(err, c.want) || errors.As(err, &e) != (c.row > 0) || c.row > 0 && e.Row != c.row {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A column that others determine has no coefficient, and the rest is as without.
func TestAliasedColumnsOfALikelihood(t *testing.T) {
	var more [][]float64
	for _, r := range finneyRows() {
		more = append(more, []float64{r[0], r[1], r[2], 4 * r[1]})
	}
	g, plain := fitGLM(t, rows(more...), Binomial, GLMOptions{}), fitGLM(t, rows(finneyRows()...), Binomial, GLMOptions{})
	if !reflect.DeepEqual(g.Step.Aliased, []int{2}) || !reflect.DeepEqual(g.Step.AliasOf[2], []int{0}) || !math.IsNaN(g.Coef[3]) {
		t.Fatalf("%v %v %v", g.Step.Aliased, g.Step.AliasOf, g.Coef)
	}
	for i := range plain.Coef {
		near(t, "coefficient", g.Coef[i], plain.Coef[i], 1e-12)
	}
}

// Any number of processors gives the same figures, bit for bit.
func TestProcessorsDoNotMatterToLikelihoods(t *testing.T) {
	src := extras{Slices: many()[:3]}
	for i := range src.Slices {
		for k, y := range src.Slices[i].Y {
			src.Slices[i].Y[k] = F(math.Max(0, math.Floor(4*(y.Hi-math.Floor(y.Hi)))))
		}
	}
	var first *GLM
	for _, n := range []int{1, 3} {
		before := runtime.GOMAXPROCS(n)
		g := fitGLM(t, src, Poisson, GLMOptions{})
		runtime.GOMAXPROCS(before)
		if first == nil {
			first = g
		} else if !reflect.DeepEqual(first.Coef, g.Coef) || !reflect.DeepEqual(first.SE, g.SE) || first.Deviance != g.Deviance {
			t.Errorf("%d processors: %v %v", n, g.Coef, first.Coef)
		}
	}
}

// The tail of the normal distribution by mpmath at 40 digits; the rounding of z
// alone costs z^2 units in the last place.
func TestNormalTailsKeepTheirDigits(t *testing.T) {
	for z, want := range map[float64]float64{0.5: 0.61707507745197379272, 3: 0.0026997960632601890533, 10: 1.5239706048321052132e-23,
		25: 6.1133934127651218328e-138, 37: 1.1451142445049153645e-299} {
		near(t, "tail", ZTail2(z), want, 1e-15*(1+z*z))
		near(t, "tail", ZTail2(-z), want, 1e-15*(1+z*z))
	}
}

// Rows that are repeated so often that products take the place of reflections
// give what their frequencies give.
func TestManyRowsOfALikelihood(t *testing.T) {
	table := finneyRows()
	few := rows(table...)
	var blocks Slices
	const copies = 2700
	for range 27 {
		var block [][]float64
		for range copies / 27 {
			block = append(block, table...)
		}
		blocks = append(blocks, rows(block...).Slices[0])
	}
	for range table {
		few.Slices[0].W = append(few.Slices[0].W, F(copies))
	}
	many, by := fitGLM(t, extras{Slices: blocks}, Binomial, GLMOptions{}), fitGLM(t, few, Binomial, GLMOptions{Weighted: true})
	if many.Step.Method != "cross_products" || by.Step.Method != "householder" {
		t.Fatal(many.Step.Method, by.Step.Method)
	}
	for i := range by.Coef {
		near(t, "coefficient", many.Coef[i], by.Coef[i], 1e-12)
		near(t, "error", many.SE[i], by.SE[i], 1e-12)
	}
	near(t, "deviance", many.Deviance, by.Deviance, 1e-13)
}

// Counts of a thousand million, in closed form: rounding of the means must not
// keep the iteration from ending.
func TestLargeCounts(t *testing.T) {
	g := fitGLM(t, rows([]float64{3e9, 0}, []float64{5e9, 0}, []float64{2e9, 1}, []float64{9e9 + 1, 1}, []float64{1e3, 1}), Poisson, GLMOptions{})
	mean := (2e9 + 9e9 + 1 + 1e3) / 3
	near(t, "log mean", g.Coef[0], math.Log(4e9), 1e-14)
	near(t, "log ratio", g.Coef[1], math.Log(mean/4e9), 1e-12)
	near(t, "error", g.SE[1], math.Sqrt(1/8e9+1/(3*mean)), 1e-12)
}

// Counts that the model meets exactly have a deviance of 0, and errors all the
// same, as Poisson counts have a variance of their own.
func TestCountsThatFitExactly(t *testing.T) {
	g := fitGLM(t, rows([]float64{3, 0}, []float64{3, 0}, []float64{5, 1}, []float64{5, 1}, []float64{5, 1}), Poisson, GLMOptions{})
	near(t, "log ratio", g.Coef[1], math.Log(5./3), 1e-13)
	near(t, "its error", g.SE[1], math.Sqrt(1./6+1./15), 1e-12)
	if !(math.Abs(g.Deviance) < 1e-25) {
		t.Errorf("deviance %v", g.Deviance)
	}
	if _, err := g.Diagnose(context.Background()); err != nil {
		t.Error(err)
	}
}

// Small tables of every kind end in a maximum where the score is 0, or in a
// fault that has a name; never in a panic or a coefficient that is not finite.
func TestSmallTablesEndInAMaximumOrAFault(t *testing.T) {
	r := noise(17)
	fitted := 0
	for range 3000 {
		n, k := 4+int(12*(r.next()+0.5)), 1+int(3*(r.next()+0.5))
		var table [][]float64
		for range n {
			row := []float64{math.Floor(2 * (r.next() + 0.5))}
			for range k {
				row = append(row, math.Floor(3*(r.next()+0.5)))
			}
			table = append(table, row)
		}
		family := Binomial
		if n%2 == 0 {
			family = Poisson
		}
		g, err := FitGLM(context.Background(), rows(table...), family, GLMOptions{})
		var s *Separation
		if err != nil {
			if !errors.As(err, &s) && !errors.Is(err, ErrOneClass) && !errors.Is(err, ErrAllZero) && !errors.Is(err, ErrTooFew) {
				t.Fatalf("%v of %v", err, table)
			}
			continue
		}
		fitted++
		score := make([]float64, k+1)
		for _, row := range table {
			eta := g.Coef[0]
			for j, x := range row[1:] {
				if b := g.Coef[j+1]; !math.IsNaN(b) { // aliased
					eta += b * x
				}
			}
			e := row[0] - family.at(F(eta), row[0]).mean
			score[0] += e
			for j, x := range row[1:] {
				score[j+1] += e * x
			}
		}
		for _, v := range score {
			if !(math.Abs(v) < 1e-9) {
				t.Fatalf("score %v of %v", score, table)
			}
		}
	}
	if fitted < 1000 {
		t.Errorf("%d of 3000 are fitted", fitted)
	}
}
