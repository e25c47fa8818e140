package stat

import (
	"context"
	"math"
	"testing"
)

// Two levels are a paired t test, of which F is the square.
func TestTwoRepeatedMeasuresAreAPairedTest(t *testing.T) {
	r := sequence(1)
	var subjects [][]DD
	differences := &Moments{}
	for range 12 {
		a, b := F(1e7+3*r.next()), F(1e7+0.4+3*r.next())
		subjects = append(subjects, []DD{a, b})
		differences.Add(a.Sub(b))
	}
	a, err := RepeatedMeasures(subjects, make([]int, 12), 1, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	paired := OneSample(differences, 0, 0.05)
	near(t, "F", a.Within.F, paired.T*paired.T, 1e-13)
	near(t, "p", a.Within.P, paired.P, 1e-12)
	near(t, "GG", a.Within.PGreenhouse, paired.P, 1e-12)
	if a.GreenhouseGeisser != 1 || !math.IsNaN(a.Sphericity.W) {
		t.Errorf("%+v", a)
	}
}

// Covariances proportional to the unit matrix, made by subjects that come in pairs
// of opposite sign along each contrast, are spherical: epsilon and W are 1. With
// all the spread along one contrast, epsilon is 1/(k-1).
func TestEpsilonAtItsEnds(t *testing.T) {
	h := [][3]float64{{1 / math.Sqrt2, -1 / math.Sqrt2, 0}, {1 / math.Sqrt(6), 1 / math.Sqrt(6), -2 / math.Sqrt(6)}}
	make3 := func(along [][3]float64) [][]DD {
		var out [][]DD
		for _, v := range along {
			for _, sign := range []float64{1, -1} {
				out = append(out, []DD{F(5 + sign*v[0]), F(6 + sign*v[1]), F(8 + sign*v[2])})
			}
		}
		return out
	}
	a, err := RepeatedMeasures(make3(h), make([]int, 4), 1, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "epsilon", a.GreenhouseGeisser, 1, 1e-15)
	near(t, "W", a.Sphericity.W, 1, 1e-14)
	a, err = RepeatedMeasures(make3(h[:1]), make([]int, 2), 1, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "least epsilon", a.GreenhouseGeisser, 0.5, 1e-15)
	if !math.IsNaN(a.Sphericity.W) {
		t.Errorf("%+v", a.Sphericity)
	}
}

// The effects of balanced repeated measures are those of the two-way layout of
// subjects and levels with one value in each cell.
func TestRepeatedMeasuresAreATwoWayLayout(t *testing.T) {
	r := sequence(9)
	var subjects [][]DD
	var cells []Cell
	for s := range 7 {
		var row []DD
		for l := range 4 {
			v := F(100 + float64(s) + 0.3*float64(l) + r.next())
			m := &Moments{}
			m.Add(v)
			row, cells = append(row, v), append(cells, Cell{At: []int{s, l}, Moments: m})
		}
		subjects = append(subjects, row)
	}
	a, err := RepeatedMeasures(subjects, make([]int, 7), 1, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Analyse(context.Background(), cells, []int{7, 4}, []uint{1, 2}, TypeIII, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "F", a.Within.F, b.Terms[1].F, 1e-13)
	near(t, "error", a.Within.SSE, b.SSE, 1e-13)
	near(t, "subjects", a.SSSubjects, b.Terms[0].SS, 1e-13)
}
