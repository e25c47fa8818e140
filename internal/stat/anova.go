package stat

import (
	"errors"
	"math"
)

// ErrGroups is the fault of data that hold fewer than two groups, or no group of
// two observations.
var ErrGroups = errors.New("analysis of variance needs two groups and more observations than groups")

// Variances is a one-way analysis of variance. A figure is NaN where it is
// undefined: F without spread inside the groups.
type Variances struct {
	N, Groups           int
	DFBetween, DFWithin int
	SSBetween, SSWithin float64
	MSBetween, MSWithin float64
	F, P                float64
	ResidualSD          float64
	EtaSquared          float64 // SSBetween / SSTotal, which is R squared
	OmegaSquared        float64
	WelchF, WelchDF     float64 // Welch 1951, unequal variances; NaN where a group has no spread
	WelchP              float64
}

// Interval is that of the share of the variance in the population, of confidence
// 1-alpha, as Share has it.
func (a *Variances) Interval(alpha float64) (low, high float64) {
	return shareInterval(a.F, float64(a.DFBetween), float64(a.DFWithin), alpha)
}

// OneWay analyses the variance of k groups of n_i, n in all, given by their moments:
//
//	SS_between = sum n_i (mean_i - mean)^2        SS_within = sum of the groups' SS_i
//	F = (SS_between/(k-1)) / (SS_within/(n-k))
func OneWay(groups []*Moments) (Variances, error) {
	all := &Moments{}
	var within DD
	for _, g := range groups {
		all.Merge(g)
		within = within.Add(g.squares())
	}
	a := Variances{N: all.N, Groups: len(groups), DFBetween: len(groups) - 1, DFWithin: all.N - len(groups)}
	if a.DFBetween < 1 || a.DFWithin < 1 {
		return a, ErrGroups
	}
	between := betweenSquares(groups)
	msb, msw := between.Div(F(float64(a.DFBetween))), within.Div(F(float64(a.DFWithin)))
	total := between.Add(within)
	a.SSBetween, a.SSWithin, a.MSBetween, a.MSWithin = between.Float(), within.Float(), msb.Float(), msw.Float()
	a.ResidualSD = msw.Sqrt().Float()
	a.F, a.P = math.NaN(), math.NaN()
	effect := shareOf(between, within, total, float64(a.DFBetween), float64(a.DFWithin), a.N)
	a.EtaSquared, a.OmegaSquared = effect.EtaSquared, effect.OmegaSquared
	if msw.Hi > 0 {
		a.F = msb.Div(msw).Float()
		a.P = FTail(a.F, float64(a.DFBetween), float64(a.DFWithin))
	}
	a.welch(groups)
	return a, nil
}

// betweenSquares are those of the groups' means about the mean of all.
func betweenSquares(groups []*Moments) DD {
	all := &Moments{}
	for _, g := range groups {
		all.Merge(g)
	}
	mean := all.MeanDD()
	var between DD
	for _, g := range groups {
		d := g.MeanDD().Sub(mean)
		between = between.Add(d.Mul(d).Mul(F(float64(g.N))))
	}
	return between
}

func (a *Variances) welch(groups []*Moments) {
	a.WelchF, a.WelchDF, a.WelchP = math.NaN(), math.NaN(), math.NaN()
	var weights, weighted DD
	for _, g := range groups {
		if g.N < 2 || g.squares().Hi <= 0 {
			return
		}
		w := g.weight()
		weights, weighted = weights.Add(w), weighted.Add(w.Mul(g.MeanDD()))
	}
	centre := weighted.Div(weights)
	k := float64(len(groups))
	var spread, lambda DD
	for _, g := range groups {
		w := g.weight()
		d := g.MeanDD().Sub(centre)
		spread = spread.Add(w.Mul(d).Mul(d))
		share := F(1).Sub(w.Div(weights))
		lambda = lambda.Add(share.Mul(share).Div(F(float64(g.N - 1))))
	}
	h := lambda.Float()
	a.WelchF = spread.Float() / (k - 1) / (1 + 2*(k-2)/(k*k-1)*h)
	a.WelchDF = (k*k - 1) / (3 * h)
	a.WelchP = FTail(a.WelchF, k-1, a.WelchDF)
}

// weight is the inverse of the variance of the mean.
func (m *Moments) weight() DD {
	n := float64(m.N)
	return F(n * (n - 1)).Div(m.squares())
}
