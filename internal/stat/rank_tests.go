package stat

import "math"

// RankVariances is the test of Kruskal and Wallis (1952) with its correction for
// ties. A figure is NaN where it is undefined: all values equal.
type RankVariances struct {
	H, P      float64
	DF        int
	EpsilonSq float64 // H/(n-1), the share of the variance of the ranks (Kelley 1935)
	EtaSq     float64 // (H-k+1)/(n-k) (Tomczak and Tomczak 2014)
	MeanRanks []float64
	Tied      bool
	DunnZ     []float64 // of every pair, (0,1), (0,2), ..., with the ties' correction (Dunn 1964)
	DunnP     []float64
	N         int
}

// KruskalWallis compares groups by the ranks of their values. H is the analysis
// of variance of the mid-ranks, n-1 times the share of their squares between the
// groups, which is the statistic with its correction for ties; p is that of chi
// squared.
func KruskalWallis(groups [][]DD) (RankVariances, error) {
	nan := math.NaN()
	moments, all, tied := rankMoments(groups...)
	r := RankVariances{H: nan, P: nan, EpsilonSq: nan, EtaSq: nan, N: all.N, DF: len(groups) - 1, Tied: tied}
	if len(groups) < 2 || all.N <= len(groups) {
		return r, ErrGroups
	}
	for _, m := range moments {
		r.MeanRanks = append(r.MeanRanks, m.Mean())
	}
	between, total := betweenSquares(moments), all.squares()
	if !(total.Hi > 0) {
		families := len(groups) * (len(groups) - 1) / 2
		r.DunnZ, r.DunnP = nans(families), nans(families)
		return r, nil
	}
	n, k := float64(all.N), float64(len(groups))
	h := between.Mul(F(n - 1)).Div(total)
	r.H = h.Float()
	r.P = ChiTail(r.H, k-1)
	r.EpsilonSq = h.Div(F(n - 1)).Float()
	r.EtaSq = h.Sub(F(k - 1)).Div(F(n - k)).Float()
	v := total.Div(F(n - 1))
	for _, c := range pairs(moments, func(a, b *Moments) Contrast {
		se := v.Mul(F(1).Div(F(float64(a.N))).Add(F(1).Div(F(float64(b.N))))).Sqrt()
		return Contrast{Q: a.MeanDD().Sub(b.MeanDD()).Div(se).Float()}
	}) {
		r.DunnZ, r.DunnP = append(r.DunnZ, c.Q), append(r.DunnP, 2*normalTail(math.Abs(c.Q)))
	}
	return r, nil
}

// rankMoments are the moments of the mid-ranks of groups, and whether values of
// all are tied: then the ranks spread less than 1 to n do.
func rankMoments(groups ...[]DD) (moments []*Moments, all *Moments, tied bool) {
	var values []DD
	for _, g := range groups {
		values = append(values, g...)
	}
	ranks, all := Ranks(values), &Moments{}
	for _, g := range groups {
		m := &Moments{}
		for _, r := range ranks[:len(g)] {
			m.Add(r)
			all.Add(r)
		}
		ranks, moments = ranks[len(g):], append(moments, m)
	}
	n := float64(all.N)
	untied := F(n).Mul(F(n)).Sub(F(1)).Mul(F(n)).Div(F(12))
	return moments, all, all.squares().Hi < untied.Hi-0.25 // one pair takes off half
}

// RankTest is a comparison by ranks. A figure is NaN where it is undefined.
type RankTest struct {
	Statistic   float64 // U of the first group, or the sum of the positive ranks
	P           float64 // two-sided
	Exact       bool    // of all arrangements, else by the normal approximation
	Correlation float64 // the rank-biserial correlation, -1 to 1 (Kerby 2014)
	Z           float64 // of the approximation, with half a step taken off
	Used        int     // values that count: the signed-rank test leaves zeros out
}

// exactRanks is the most values of which all arrangements are counted.
const exactRanks = 50

// MannWhitney compares two groups by the ranks of their values (Mann and Whitney
// 1947): exactly where no values are tied and there are at most 50, else by the
// normal approximation with the corrections for ties and for continuity.
func MannWhitney(a, b []DD) RankTest {
	nan := math.NaN()
	if len(a) == 0 || len(b) == 0 {
		return RankTest{nan, nan, false, nan, nan, len(a) + len(b)}
	}
	moments, all, tied := rankMoments(a, b)
	n1, n2 := float64(len(a)), float64(len(b))
	u := moments[0].MeanDD().Mul(F(n1)).Float() - n1*(n1+1)/2
	t := RankTest{Statistic: u, P: nan, Z: nan, Correlation: 2*u/(n1*n2) - 1, Used: all.N}
	if !tied && all.N <= exactRanks {
		t.Exact, t.P = true, twoSided(countRankSums(len(a), len(b)), int(math.Round(u)))
		return t
	}
	return t.normal(n1*n2/2, all.squares().Div(F(n1+n2-1)).Mul(F(n1*n2/(n1+n2))).Float())
}

// normal is the approximation, with half a step towards the mean.
func (t RankTest) normal(mean, variance float64) RankTest {
	if variance > 0 {
		d := t.Statistic - mean
		t.Z = math.Copysign(math.Max(0, math.Abs(d)-0.5), d) / math.Sqrt(variance)
		t.P = math.Min(1, 2*normalTail(math.Abs(t.Z)))
	}
	return t
}

// SignedRank is Wilcoxon's test (1945) that differences lie about zero. Zeros are
// left out. It is exact where no sizes are tied and there are at most 50
// differences, else the normal approximation with both corrections.
func SignedRank(differences []DD) RankTest {
	nan := math.NaN()
	var sizes []DD
	var positive []bool
	for _, d := range differences {
		if d.Hi != 0 { // rounded, so that 0.3-0.2 is tied with 0.2-0.1
			sizes, positive = append(sizes, F(math.Abs(d.Float()))), append(positive, d.Hi > 0)
		}
	}
	t := RankTest{Statistic: nan, P: nan, Z: nan, Correlation: nan, Used: len(sizes)}
	if len(sizes) == 0 {
		return t
	}
	_, _, tied := rankMoments(sizes)
	n, squares := float64(len(sizes)), 0.0
	t.Statistic = 0
	for i, r := range Ranks(sizes) {
		if positive[i] {
			t.Statistic += r.Hi
		}
		squares += r.Hi * r.Hi
	}
	t.Correlation = 4*t.Statistic/(n*(n+1)) - 1
	if !tied && len(sizes) <= exactRanks {
		t.Exact, t.P = true, twoSided(countSignedSums(len(sizes)), int(t.Statistic))
		return t
	}
	return t.normal(n*(n+1)/4, squares/4)
}

// SignedRankMoves is by how much the exact test of differences may be off that are
// each known to within half: the sum of the positive ranks counts the pairs (a value
// and itself among them) whose sum is positive (Walsh; Tukey 1949), so that it moves
// by one for each pair whose sum has an unsure sign. p is NaN where differences are
// left out as zeros, or the test is not exact.
func (t RankTest) SignedRankMoves(differences []DD, half float64) (sum, p float64) {
	if !t.Exact || t.Used < len(differences) {
		return math.NaN(), math.NaN()
	}
	least := 2 * half * (1 - 1e-9) // at the very end two values are tied, not turned
	for i, a := range differences {
		for _, b := range differences[i:] {
			if math.Abs(a.Add(b).Float()) < least {
				sum++
			}
		}
	}
	count := countSignedSums(t.Used)
	for _, at := range []float64{t.Statistic - sum, t.Statistic + sum} {
		at = math.Min(math.Max(at, 0), float64(len(count)-1))
		p = math.Max(p, math.Abs(twoSided(count, int(at))-t.P))
	}
	if mean := float64(len(count)-1) / 2; math.Abs(t.Statistic-mean) <= sum {
		p = math.Max(p, 1-t.P)
	}
	return sum, p
}

// countRankSums counts the arrangements of m and n values by their U, as shares of
// all (the recurrence of Mann and Whitney).
func countRankSums(m, n int) []float64 {
	// Of the first i+j values, i of the first group, by a polynomial product:
	// the coefficients of the Gaussian binomial.
	count := make([]float64, m*n+1)
	count[0] = 1
	for i := 1; i <= m; i++ {
		for s := len(count) - 1; s >= n+i; s-- {
			count[s] -= count[s-n-i]
		}
		for s := i; s < len(count); s++ {
			count[s] += count[s-i]
		}
	}
	return shares(count)
}

// countSignedSums counts the signs of the ranks 1 to n by the sum of the positive
// ones, as shares of all.
func countSignedSums(n int) []float64 {
	count := make([]float64, n*(n+1)/2+1)
	count[0] = 1
	for i := 1; i <= n; i++ {
		for s := len(count) - 1; s >= i; s-- {
			count[s] += count[s-i]
		}
	}
	return shares(count)
}

func shares(count []float64) []float64 {
	all := 0.0
	for _, c := range count {
		all += c
	}
	for i := range count {
		count[i] /= all
	}
	return count
}

// twoSided is twice the smaller tail of a symmetric distribution, with the value
// itself, at most 1.
func twoSided(shares []float64, at int) float64 {
	at = min(at, len(shares)-1-at)
	p := 0.0
	for _, s := range shares[:at+1] {
		p += s
	}
	return math.Min(1, 2*p)
}
