package stat

import "math"

// Share is the effect of one term as shares of the variance, with the interval of
// the share in the population. A figure is NaN where it is undefined.
type Share struct {
	EtaSquared          float64 // of all squares
	PartialEtaSquared   float64 // of the term's squares and its error's
	OmegaSquared        float64 // of all squares, without the bias (Hays 1963)
	PartialOmegaSquared float64
	Low, High           float64 // of the partial share in the population
}

// share makes the figures of a term with df degrees from its squares, those of
// its error with dfe degrees, and all n-1 about the mean, with the interval of
// confidence 1-alpha.
func share(term, residual, total DD, df, dfe float64, n int, alpha float64) Share {
	s := shareOf(term, residual, total, df, dfe, n)
	if residual.Hi > 0 && df > 0 {
		s.Low, s.High = shareInterval(term.Div(F(df)).Div(residual.Div(F(dfe))).Float(), df, dfe, alpha)
	}
	return s
}

// shareInterval inverts noncentral F: lambda/(lambda+df+dfe+1) of both ends
// (Steiger 2004; Smithson 2003).
func shareInterval(f, df, dfe, alpha float64) (low, high float64) {
	low, high = NoncentralityF(f, df, dfe, alpha)
	size := df + dfe + 1
	return low / (low + size), high / (high + size)
}

func shareOf(term, residual, total DD, df, dfe float64, n int) Share {
	nan := math.NaN()
	s := Share{nan, nan, nan, nan, nan, nan}
	if !(df > 0) {
		return s
	}
	if total.Hi > 0 {
		s.EtaSquared = term.Div(total).Float()
	}
	if both := term.Add(residual); both.Hi > 0 {
		s.PartialEtaSquared = term.Div(both).Float()
	}
	if dfe > 0 && total.Hi > 0 {
		ms := residual.Div(F(dfe))
		beyond := term.Sub(ms.Mul(F(df)))
		s.OmegaSquared = beyond.Div(total.Add(ms)).Float()
		s.PartialOmegaSquared = beyond.Div(term.Add(ms.Mul(F(float64(n) - df)))).Float()
	}
	return s
}

// hedgesFactor takes the bias from a standardised difference of df degrees of
// freedom, exactly, by the gamma function (Hedges 1981); NaN below 2 degrees. The
// logarithms of gamma are told apart by Stirling's formula, so that nothing
// cancels.
func hedgesFactor(df float64) float64 {
	if !(df >= 2) {
		return math.NaN()
	}
	n := df / 2
	return math.Exp(-(n-1)*math.Log1p(-1/(2*n)) - 0.5 + stirlingError(n) - stirlingError(n-0.5))
}

// standardized gives Hedges' g and its interval from t, where the difference in
// deviations is t times unit: by the noncentrality of t (Steiger and Fouladi
// 1997), both ends with the correction of the bias.
func standardized(t, df, unit, alpha float64) (g, low, high float64) {
	j := hedgesFactor(df)
	low, high = NoncentralityT(t, df, alpha)
	return j * t * unit, j * low * unit, j * high * unit
}
