package stat

import (
	"math"
	"testing"
)

func decimals(t *testing.T, texts ...string) []DD {
	t.Helper()
	var out []DD
	for _, s := range texts {
		out = append(out, number(t, s))
	}
	return out
}

// Three groups of three apart have the rank sums 6, 15 and 24, so that
// H = 12/90 (36+225+576)/3 - 30 = 7.2, whose tail with two degrees is exp(-3.6).
// What keeps the order keeps the figures.
func TestKruskalWallis(t *testing.T) {
	groups := [][]DD{decimals(t, "1", "2", "3"), decimals(t, "4", "5", "6"), decimals(t, "7", "8", "9")}
	r, err := KruskalWallis(groups)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "H", r.H, 7.2, 1e-15)
	near(t, "p", r.P, math.Exp(-3.6), 1e-14)
	near(t, "epsilon squared", r.EpsilonSq, 0.9, 1e-15)
	// Dunn: ranks 3 apart in the mean, variance 9*10/12 (1/3+1/3) = 5.
	near(t, "Dunn", r.DunnZ[0], -3/math.Sqrt(5), 1e-15)
	near(t, "Dunn's p", r.DunnP[0], math.Erfc(3/math.Sqrt(10)), 1e-15)
	for i := range groups {
		for k, v := range groups[i] {
			groups[i][k] = F(math.Exp(v.Hi))
		}
	}
	again, _ := KruskalWallis(groups)
	if again.H != r.H || again.P != r.P || again.Tied {
		t.Errorf("%+v is not %+v", again, r)
	}
	// Ties: the ranks 1.5 1.5 3.5 3.5 have the squares 4, all between the groups,
	// and H is n-1.
	r, _ = KruskalWallis([][]DD{decimals(t, "1", "1.0"), decimals(t, "2", "2.00")})
	near(t, "tied H", r.H, 3, 1e-15)
	if !r.Tied {
		t.Error("ties are not seen")
	}
	r, err = KruskalWallis([][]DD{decimals(t, "1", "1"), decimals(t, "1", "1")})
	if err != nil || !math.IsNaN(r.H) || !math.IsNaN(r.P) {
		t.Errorf("equal values: %+v %v", r, err)
	}
}

// Two groups of three apart are the first of the 20 arrangements, five positive
// differences the first of 32 signs: the exact two-sided p are 2/20 and 2/32.
func TestExactRankTests(t *testing.T) {
	u := MannWhitney(decimals(t, "1", "2", "3"), decimals(t, "4", "5", "6"))
	if !u.Exact || u.Statistic != 0 || u.Correlation != -1 {
		t.Errorf("%+v", u)
	}
	near(t, "U", u.P, 0.1, 1e-15)
	w := SignedRank(decimals(t, "1", "2", "3", "4", "5", "0"))
	if !w.Exact || w.Statistic != 15 || w.Used != 5 || w.Correlation != 1 {
		t.Errorf("%+v", w)
	}
	near(t, "W", w.P, 0.0625, 1e-15)
	// 0.3-0.2 and 0.2-0.1 are the same size, though not in binary digits.
	d := []DD{number(t, "0.3").Sub(number(t, "0.2")), number(t, "0.1").Sub(number(t, "0.2")), number(t, "1.7")}
	if w := SignedRank(d); w.Exact || w.Statistic != 4.5 {
		t.Errorf("ties of differences: %+v", w)
	}
}

// Of all 924 arrangements of six and six values, as many have each U as a plain
// count finds.
func TestCountedRankSums(t *testing.T) {
	shares, counted := countRankSums(6, 6), make([]float64, 37)
	for set := range 1 << 12 {
		members, sum := 0, 0
		for i := range 12 {
			if set>>i&1 == 1 {
				members++
				sum += i + 1
			}
		}
		if members == 6 {
			counted[sum-21]++
		}
	}
	for u, c := range counted {
		near(t, "share", shares[u], c/924, 1e-14)
	}
}

// The two-group analysis of variance is Student's test squared; Tukey's test of
// two groups is Student's, that of Games and Howell is Welch's.
func TestTwoGroupsAreATTest(t *testing.T) {
	r := sequence(2)
	a, b := &Moments{}, &Moments{}
	for i := range 19 {
		a.Add(F(1e8 + r.next()))
		if i < 7 {
			b.Add(F(1e8 + 0.3 + 3*r.next()))
		}
	}
	one, err := OneWay([]*Moments{a, b})
	if err != nil {
		t.Fatal(err)
	}
	student, welch := Student(a, b, 0.05), Welch(a, b, 0.05)
	near(t, "F", one.F, student.T*student.T, 1e-13)
	near(t, "Welch F", one.WelchF, welch.T*welch.T, 1e-13)
	near(t, "Welch df", one.WelchDF, welch.DF, 1e-13)
	tukey, games := Tukey([]*Moments{a, b}, 0.05)[0], GamesHowell([]*Moments{a, b}, 0.05)[0]
	near(t, "Tukey", tukey.P, student.P, 1e-12)
	near(t, "Tukey's interval", tukey.Low, student.Low, 1e-11)
	near(t, "Games", games.P, welch.P, 1e-12)
	near(t, "Games' interval", games.High, welch.High, 1e-11)
	if p := welch.Equivalence(welch.Low, welch.High); math.Abs(p-0.025) > 1e-12 {
		t.Errorf("bounds at the ends of the interval are the level of one side: %v", p)
	}
}

// The correction of Hedges for 2 and 4 degrees is 1/sqrt(pi) and, by
// Gamma(2)/(sqrt(2) Gamma(3/2)), sqrt(2/pi); for many it tends to 1 - 3/(4 df - 1).
func TestHedgesCorrection(t *testing.T) {
	near(t, "2", hedgesFactor(2), 1/math.Sqrt(math.Pi), 1e-14)
	near(t, "4", hedgesFactor(4), math.Sqrt(2/math.Pi), 1e-14)
	near(t, "1e6", hedgesFactor(1e6), 1-3/(4e6-1), 1e-12)
	if !math.IsNaN(hedgesFactor(1)) {
		t.Error("one degree has no correction")
	}
}

// The weights of ten values are published by Shapiro and Wilk (1965, table 5), of
// which AS R94 is an approximation to three digits: 0.5739, 0.3291, 0.2141,
// 0.1224, 0.0399. Their squares sum to one half.
func TestShapiroWilkWeights(t *testing.T) {
	sum := 0.0
	for i, want := range []float64{0.5739, 0.3291, 0.2141, 0.1224, 0.0399} {
		got := shapiroWeights(10)[i]
		if math.Abs(got-want) > 2e-3 {
			t.Errorf("weight %d: %v", i, got)
		}
		sum += got * got
	}
	near(t, "squares", sum, 0.5, 1e-12)
	// Of three values W has a closed form: evenly spaced ones have W 1 and p 1.
	w, p := ShapiroWilk([]float64{1, 2, 3})
	near(t, "W", w, 1, 1e-15)
	near(t, "p", p, 1, 1e-7)
	if w, _ := ShapiroWilk([]float64{4, 4, 4, 4}); !math.IsNaN(w) {
		t.Error("equal values have no W")
	}
}
