package stat

import (
	"context"
	"math"
	"reflect"
	"runtime"
	"testing"
)

func reduce(t *testing.T, src Source, o PenaltyOptions) *Products {
	t.Helper()
	p, err := Reduce(context.Background(), src, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Columns of a two-level factorial design are orthogonal, of mean 0 and mean
// square 1: ridge divides each coefficient by 1 + lambda/n, lasso moves it to 0
// by lambda (Hastie, Tibshirani and Friedman, table 3.4).
func orthogonal() (extras, []float64) {
	var table [][]float64
	b := []float64{2, -0.75, 0.25}
	for i := range 16 {
		x := []float64{float64(i&1)*2 - 1, float64(i>>1&1)*2 - 1, float64(i>>2&1)*2 - 1}
		e := float64(i>>3&1)*2 - 1 // orthogonal to all
		table = append(table, append([]float64{5 + b[0]*x[0] + b[1]*x[1] + b[2]*x[2] + e/2}, x...))
	}
	return rows(table...), b
}

func TestPenaltiesOfOrthogonalColumns(t *testing.T) {
	src, b := orthogonal()
	p := reduce(t, src, PenaltyOptions{})
	const lambda = 4.0
	ridge, err := p.Ridge(lambda)
	if err != nil {
		t.Fatal(err)
	}
	rss := 16 * 0.25
	for j, want := range b {
		near(t, "ridge", ridge.Coef[j+1], want/(1+lambda/16), 1e-15)
		rss += 16 * math.Pow(want-want/(1+lambda/16), 2)
	}
	near(t, "intercept", ridge.Coef[0], 5, 1e-15)
	near(t, "effective df", ridge.EffectiveDF, 1+3/(1+lambda/16), 1e-15)
	near(t, "RSS", ridge.RSS, rss, 1e-15)
	near(t, "GCV", ridge.GCV, 16*rss/math.Pow(16-ridge.EffectiveDF, 2), 1e-14)
	lasso, err := p.Lasso(context.Background(), 0.5)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(lasso.Zero, []int{2}) || lasso.EffectiveDF != 3 {
		t.Errorf("%+v", lasso)
	}
	near(t, "lasso", lasso.Coef[1], 1.5, 1e-15)
	near(t, "lasso", lasso.Coef[2], -0.25, 1e-15)
	path, err := p.RidgePath(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for k, l := range path.Lambda { // the path is by eigenvalues, the fit by a factor
		one, err := p.Ridge(l)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "GCV of the path", path.Error[k], one.GCV, 1e-12)
		near(t, "df of the path", path.DF[k], one.EffectiveDF, 1e-12)
	}
}

// correlated are columns that depend on each other, with different units.
func correlated(n int) extras {
	r := noise(11)
	var table [][]float64
	for range n {
		a, b, c := r.next(), r.next(), r.next()
		x := []float64{1e3 + a, 1e-3 * (a + 0.1*b), 50 * c, r.next()}
		table = append(table, append([]float64{4 + 3*a - b + 2*c + r.next()}, x...))
	}
	return rows(table...)
}

// Near no penalty both are least squares, and past the largest one lasso is the
// mean.
func TestPenaltiesEndAtLeastSquares(t *testing.T) {
	src := correlated(60)
	p := reduce(t, src, PenaltyOptions{})
	ols, err := LeastSquares(context.Background(), src, Options{})
	if err != nil {
		t.Fatal(err)
	}
	ridge, err := p.Ridge(1e-14)
	if err != nil {
		t.Fatal(err)
	}
	lasso, err := p.Lasso(context.Background(), 1e-14)
	if err != nil {
		t.Fatal(err)
	}
	for i := range ols.Coef {
		near(t, "ridge", ridge.Coef[i], ols.Coef[i], 1e-10)
		near(t, "lasso", lasso.Coef[i], ols.Coef[i], 1e-10)
	}
	path, err := reduce(t, src, PenaltyOptions{Folds: 5}).LassoPath(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	none, err := p.Lasso(context.Background(), path.Largest*(1+1e-12))
	if err != nil || len(none.Zero) != 4 || none.RSS != none.SST {
		t.Errorf("%v %+v", err, none)
	}
	some, err := p.Lasso(context.Background(), path.Largest*0.999)
	if err != nil || len(some.Zero) != 3 {
		t.Errorf("%v %+v", err, some)
	}
}

// The error of rows left out, made once more by fitting without each fold.
func TestCrossValidationLeavesOutEachFold(t *testing.T) {
	src := correlated(53)
	const folds, seed = 5, 42
	o := PenaltyOptions{Folds: folds, Seed: seed}
	p := reduce(t, src, o)
	path, err := p.LassoPath(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	b := src.Slices[0]
	at := 40
	lambda, sum := path.Lambda[at], 0.0
	for k := range folds {
		var train, test [][]float64
		for i := range b.Y {
			row := []float64{b.Y[i].Hi}
			for _, x := range b.X {
				row = append(row, x[i].Hi)
			}
			if fold(i, folds, seed) == k {
				test = append(test, row)
			} else {
				train = append(train, row)
			}
		}
		if len(test) < 10 || len(test) > 11 { // 53 rows are dealt out evenly
			t.Errorf("fold %d has %d rows", k, len(test))
		}
		fit, err := reduce(t, rows(train...), PenaltyOptions{}).Lasso(context.Background(), lambda)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range test {
			e := row[0] - fit.Coef[0]
			for j, x := range row[1:] {
				e -= fit.Coef[j+1] * x
			}
			sum += e * e
		}
	}
	near(t, "error of rows left out", path.Error[at], sum/53, 1e-5) // the path stops early
	if path.OneSE > path.Best || path.Error[path.OneSE] > path.Error[path.Best]+path.SE[path.Best] {
		t.Errorf("%d %d", path.Best, path.OneSE)
	}
}

// Of two equal columns ridge takes the mean and lasso one; a constant one has no
// coefficient. More columns than rows are no obstacle.
func TestPenaltiesOfDependentColumns(t *testing.T) {
	var table [][]float64
	r := noise(5)
	for range 20 {
		a := r.next()
		table = append(table, []float64{3*a + 0.1*r.next(), a, a, 7})
	}
	p := reduce(t, rows(table...), PenaltyOptions{})
	ridge, err := p.Ridge(0.5)
	if err != nil || !reflect.DeepEqual(p.Constant, []int{2}) || !math.IsNaN(ridge.Coef[3]) {
		t.Fatalf("%v %v %v", err, p.Constant, ridge)
	}
	near(t, "equal columns", ridge.Coef[1], ridge.Coef[2], 1e-15)
	lasso, err := p.Lasso(context.Background(), 0.05)
	if err != nil || len(lasso.Zero) != 1 {
		t.Fatalf("%v %+v", err, lasso)
	}
	wide := [][]float64{}
	for range 8 {
		row := []float64{r.next()}
		for range 20 {
			row = append(row, r.next())
		}
		wide = append(wide, row)
	}
	q := reduce(t, rows(wide...), PenaltyOptions{})
	if one, err := q.Lasso(context.Background(), 0.02); err != nil || one.KKT > kktLimit || one.EffectiveDF > 8 {
		t.Errorf("%v %+v", err, one)
	}
	if one, err := q.Ridge(1); err != nil || !(one.EffectiveDF < 8) || one.KKT > 1e-20 {
		t.Errorf("%v %+v", err, one)
	}
}

func TestProcessorsDoNotMatterToPenalties(t *testing.T) {
	var first *Path
	var fit *Penalised
	for _, n := range []int{1, 3} {
		before := runtime.GOMAXPROCS(n)
		p := reduce(t, many()[:3], PenaltyOptions{Folds: 4, Seed: 9})
		path, err := p.LassoPath(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		one, err := p.Ridge(10)
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first, fit = path, one
		} else if !reflect.DeepEqual(first.Error, path.Error) || !reflect.DeepEqual(fit.Coef, one.Coef) {
			t.Errorf("%d processors give other figures", n)
		}
	}
}

// Where every row is a cluster of its own, the errors are HC1's; where all rows
// of a cluster are copies, they are those of the rows without copies, but for
// the factor that counts the rows.
func TestClusterErrors(t *testing.T) {
	src := correlated(40)
	fit, err := LeastSquares(context.Background(), src, Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := fit.Diagnose(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	src.group = [][]string{{}}
	for i := range 40 {
		src.group[0] = append(src.group[0], string(rune('A'+i)))
	}
	own, err := fit.Cluster(context.Background(), src)
	if err != nil || own.Count != 40 || own.Largest != 1 {
		t.Fatalf("%v %+v", err, own)
	}
	b := src.Slices[0]
	double := extras{Slices: Slices{b, b}, group: [][]string{src.group[0], src.group[0]}}
	twice, err := LeastSquares(context.Background(), double, Options{})
	if err != nil {
		t.Fatal(err)
	}
	copies, err := twice.Cluster(context.Background(), double)
	if err != nil || copies.Count != 40 || copies.Smallest != 2 {
		t.Fatalf("%v %+v", err, copies)
	}
	n, p := 40.0, float64(fit.P)
	for i := range own.SE {
		near(t, "own clusters", own.SE[i], d.HC[1][i], 1e-13)
		near(t, "copies", copies.SE[i], own.SE[i]*math.Sqrt((2*n-1)/(2*n-p)/((n-1)/(n-p))), 1e-13)
	}
	src.group = [][]string{make([]string, 40)}
	if _, err := fit.Cluster(context.Background(), src); err != ErrFewClusters {
		t.Errorf("%v", err)
	}
}

// A response near the end of what a float64 holds has errors that are infinite,
// and the same choice as one of size 1.
func TestPathsOfAHugeResponse(t *testing.T) {
	src, huge := correlated(60), correlated(60)
	for i := range huge.Slices[0].Y {
		huge.Slices[0].Y[i] = huge.Slices[0].Y[i].Ldexp(1000)
	}
	o := PenaltyOptions{Folds: 4, Seed: 3}
	for _, path := range []func(*Products) (*Path, error){
		func(p *Products) (*Path, error) { return p.RidgePath(context.Background()) },
		func(p *Products) (*Path, error) { return p.LassoPath(context.Background()) },
	} {
		a, err := path(reduce(t, src, o))
		if err != nil {
			t.Fatal(err)
		}
		b, err := path(reduce(t, huge, o))
		if err != nil || a.Best != b.Best || a.OneSE != b.OneSE || !math.IsInf(b.Error[b.Best], 1) {
			t.Errorf("%v %d %d", err, a.Best, b.Best)
		}
	}
}

// Powers of numbers near each other depend on each other almost wholly; the
// conditions of optimality hold all the same, and the search between sets gives
// what coordinate descent gives where that ends.
func TestLassoOfNearlyDependentColumns(t *testing.T) {
	r := noise(23)
	var table [][]float64
	for range 200 {
		x := 10 + r.next()
		table = append(table, []float64{math.Sin(9*x) + 0.1*r.next(), x, x * x, x * x * x, x * x * x * x, x * x * x * x * x})
	}
	p := reduce(t, rows(table...), PenaltyOptions{})
	for _, lambda := range []float64{1e-1, 1e-3, 1e-5, 1e-8} {
		fit, err := p.Lasso(context.Background(), lambda)
		if err != nil || fit.KKT > kktLimit {
			t.Errorf("lambda %v: %v %+v", lambda, err, fit)
		}
	}
	q := reduce(t, correlated(60), PenaltyOptions{})
	for _, lambda := range []float64{0.5, 0.05, 0.005} {
		want, err := q.Lasso(context.Background(), lambda)
		if err != nil {
			t.Fatal(err)
		}
		scaled := F(lambda).Ldexp(-q.cols[len(q.cols)-1].exp)
		gamma, _ := newSignSearch(q.whole, make([]float64, 4), scaled).run(context.Background())
		for j, g := range gamma {
			near(t, "coefficient by sets", g.Ldexp(q.cols[len(q.cols)-1].exp).Float(), want.Scaled[j], 1e-13)
		}
	}
}
