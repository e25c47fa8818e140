package stat

import (
	"context"
	"math"
	"testing"
)

// table makes cells of rows of level numbers and a decimal.
func cellsOf(t *testing.T, rows [][]int, values []string) []Cell {
	t.Helper()
	var cells []Cell
	for i, at := range rows {
		found := -1
		for k, c := range cells {
			same := true
			for f := range at {
				same = same && c.At[f] == at[f]
			}
			if same {
				found = k
			}
		}
		if found < 0 {
			cells, found = append(cells, Cell{At: at, Moments: &Moments{}}), len(cells)
		}
		cells[found].Add(number(t, values[i]))
	}
	return cells
}

// The battery life experiment of Montgomery, Design and Analysis of Experiments,
// table 5.1, whose analysis of variance is his table 5.5.
func TestBatteryLife(t *testing.T) {
	data := [3][3][4]string{ // material, temperature
		{{"130", "155", "74", "180"}, {"34", "40", "80", "75"}, {"20", "70", "82", "58"}},
		{{"150", "188", "159", "126"}, {"136", "122", "106", "115"}, {"25", "70", "58", "45"}},
		{{"138", "110", "168", "160"}, {"174", "120", "150", "139"}, {"96", "104", "82", "60"}},
	}
	var rows [][]int
	var values []string
	for i := range data {
		for j := range data[i] {
			for _, v := range data[i][j] {
				rows, values = append(rows, []int{i, j}), append(values, v)
			}
		}
	}
	cells := cellsOf(t, rows, values)
	for _, kind := range []Sum{TypeI, TypeII, TypeIII} {
		a, err := Analyse(context.Background(), cells, []int{3, 3}, AllTerms(2), kind, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []struct {
			df    int
			ss, f float64
		}{{2, 10683.72, 7.91}, {2, 39118.72, 28.97}, {4, 9613.78, 3.56}} {
			term := a.Terms[i]
			if term.DF != want.df || math.Abs(term.SS-want.ss) > 0.0051 || math.Abs(term.F-want.f) > 0.0051 {
				t.Errorf("type %d, term %d: %+v", kind, i, term)
			}
		}
		if a.DFE != 27 || math.Abs(a.SSE-18230.75) > 0.0051 || math.Abs(a.SST-77646.97) > 0.0051 || !a.Balanced {
			t.Errorf("%+v", a)
		}
	}
}

// Two by two cells have closed forms: the interaction is one contrast of the
// means, a main effect of type III is that of the unweighted ones, of type II
// that of means weighted by the harmonic mean of the cells' numbers, and type I
// of the first factor ignores the second.
func TestTypesOfAnUnbalancedSquare(t *testing.T) {
	counts, r := [2][2]int{{3, 5}, {7, 2}}, sequence(3)
	var cells []Cell
	for i := range 2 {
		for j := range 2 {
			c := Cell{At: []int{i, j}, Moments: &Moments{}}
			for range counts[i][j] {
				c.Add(F(1e6 + float64(i) + 0.5*float64(j) + r.next()))
			}
			cells = append(cells, c)
		}
	}
	mean := func(i, j int) float64 { return cells[2*i+j].MeanDD().Sub(F(1e6)).Float() }
	inverse := 0.0
	for _, c := range cells {
		inverse += 1 / float64(c.N)
	}
	square := func(d, v float64) float64 { return d * d / v }
	weight := func(j int) float64 { a, b := float64(counts[0][j]), float64(counts[1][j]); return a * b / (a + b) }
	one := func(i int) float64 {
		a, b := float64(counts[i][0]), float64(counts[i][1])
		return (a*mean(i, 0) + b*mean(i, 1)) / (a + b)
	}
	within := (weight(0)*(mean(0, 0)-mean(1, 0)) + weight(1)*(mean(0, 1)-mean(1, 1))) / (weight(0) + weight(1))
	for kind, want := range map[Sum]float64{
		TypeI:   square(one(0)-one(1), 1./8+1./9),
		TypeII:  square(within, 1/(weight(0)+weight(1))),
		TypeIII: square(mean(0, 0)+mean(0, 1)-mean(1, 0)-mean(1, 1), inverse),
	} {
		a, err := Analyse(context.Background(), cells, []int{2, 2}, AllTerms(2), kind, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "main effect", a.Terms[0].SS, want, 1e-12)
		near(t, "interaction", a.Terms[2].SS, square(mean(0, 0)-mean(0, 1)-mean(1, 0)+mean(1, 1), inverse), 1e-12)
	}
}

// sequence is a reproducible series between -1/2 and 1/2 (Knuth's MMIX generator).
type sequence uint64

func (n *sequence) next() float64 {
	*n = *n*6364136223846793005 + 1442695040888963407
	return float64(*n>>11)/(1<<53) - 0.5
}

// Of balanced cells the three types agree, and their sums and the error's make the
// total.
func TestBalancedTypesAgree(t *testing.T) {
	r := sequence(11)
	levels := []int{3, 2, 4}
	var cells []Cell
	for i := range 24 {
		c := Cell{At: []int{i / 8, i / 4 % 2, i % 4}, Moments: &Moments{}}
		for range 5 {
			c.Add(F(1e9 + float64(i%7) + r.next()))
		}
		cells = append(cells, c)
	}
	var first *Factorial
	for _, kind := range []Sum{TypeI, TypeII, TypeIII} {
		a, err := Analyse(context.Background(), cells, levels, AllTerms(3), kind, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = a
		}
		sum := a.SSE
		for i, term := range a.Terms {
			near(t, "type", term.SS, first.Terms[i].SS, 1e-12)
			sum += term.SS
		}
		near(t, "total", sum, a.SST, 1e-14)
	}
}

// The order of the factors does not matter to the types II and III of unbalanced
// cells, nor a shift of the values and their scale to F; type I does depend on it.
func TestTheOrderOfFactors(t *testing.T) {
	r := sequence(21)
	var cells, turned []Cell
	for i := range 12 {
		at := []int{i / 4, i % 4}
		m, scaled := &Moments{}, &Moments{}
		for range 2 + (i*i)%5 {
			v := float64(i%5) + r.next()
			m.Add(F(v))
			scaled.Add(F(v).Mul(F(1024)).Add(F(1e6)))
		}
		cells = append(cells, Cell{At: at, Moments: m})
		turned = append(turned, Cell{At: []int{at[1], at[0]}, Moments: scaled})
	}
	for _, kind := range []Sum{TypeI, TypeII, TypeIII} {
		a, err := Analyse(context.Background(), cells, []int{3, 4}, AllTerms(2), kind, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Analyse(context.Background(), turned, []int{4, 3}, AllTerms(2), kind, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "interaction", b.Terms[2].F, a.Terms[2].F, 1e-12)
		if kind == TypeI {
			if math.Abs(b.Terms[1].F-a.Terms[0].F) < 1e-3*a.Terms[0].F {
				t.Error("type I should depend on the order")
			}
			continue
		}
		near(t, "first", b.Terms[1].F, a.Terms[0].F, 1e-12)
		near(t, "second", b.Terms[0].F, a.Terms[1].F, 1e-12)
	}
}

func TestEmptyCellsAreTold(t *testing.T) {
	r := sequence(5)
	var cells []Cell
	for i := range 5 { // of six
		c := Cell{At: []int{i / 3, i % 3}, Moments: &Moments{}}
		for range 4 {
			c.Add(F(r.next()))
		}
		cells = append(cells, c)
	}
	if _, err := Analyse(context.Background(), cells, []int{2, 3}, AllTerms(2), TypeIII, 0.05); err != ErrEmptyCells {
		t.Errorf("%v", err)
	}
	a, err := Analyse(context.Background(), cells, []int{2, 3}, AllTerms(2), TypeII, 0.05)
	if err != nil || a.Terms[2].DF != 1 || len(a.Aliased) != 1 || a.Aliased[0] != 2 || a.DFE != 15 {
		t.Errorf("%+v %v", a, err) // five means: 1 + 1 + 2 + 1 degrees
	}
	if _, err := Analyse(context.Background(), cells, []int{2, 3}, []uint{1, 2}, TypeIII, 0.05); err != nil {
		t.Errorf("main effects need the margins only: %v", err)
	}
}
