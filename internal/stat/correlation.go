package stat

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// Pair holds the sums of squares and products of two series about their means.
type Pair struct {
	N          int
	mx, my     DD
	xx, yy, xy DD
}

// PairOf sums two series of the same length.
func PairOf(x, y []DD) Pair { return PairAbout(CentredOf(x), CentredOf(y)) }

// Centred is a series less its mean, with the sum of squares of what remains.
type Centred struct {
	Mean, Squares DD
	Rest          []DD
}

// CentredOf takes the mean off a series.
func CentredOf(values []DD) Centred {
	mean, rest := Centre(values)
	return Centred{mean, dot(rest, rest), rest}
}

// PairAbout is PairOf of series whose means are already taken off.
func PairAbout(x, y Centred) Pair {
	return Pair{N: len(x.Rest), mx: x.Mean, my: y.Mean, xx: x.Squares, yy: y.Squares, xy: dot(x.Rest, y.Rest)}
}

// meanOf is the mean of at least one value, summed about the first.
func meanOf(values []DD) DD {
	var sum DD
	for _, v := range values {
		sum = sum.Add(v.Sub(values[0]))
	}
	return values[0].Add(sum.Div(F(float64(len(values)))))
}

// Centre takes the mean off a series and returns it with what remains.
func Centre(values []DD) (mean DD, rest []DD) {
	if len(values) == 0 {
		return DD{}, nil
	}
	mean, rest = meanOf(values), make([]DD, len(values))
	for i, v := range values {
		rest[i] = v.Sub(mean)
	}
	return mean, rest
}

// Merge adds the pairs of another run after these.
func (p *Pair) Merge(o Pair) {
	if o.N == 0 {
		return
	}
	if p.N == 0 {
		*p = o
		return
	}
	n := F(float64(p.N + o.N))
	dx, dy := o.mx.Sub(p.mx), o.my.Sub(p.my)
	w := F(float64(p.N)).Mul(F(float64(o.N))).Div(n)
	p.xx = p.xx.Add(o.xx).Add(dx.Mul(dx).Mul(w))
	p.yy = p.yy.Add(o.yy).Add(dy.Mul(dy).Mul(w))
	p.xy = p.xy.Add(o.xy).Add(dx.Mul(dy).Mul(w))
	share := F(float64(o.N)).Div(n)
	p.mx, p.my = p.mx.Add(dx.Mul(share)), p.my.Add(dy.Mul(share))
	p.N += o.N
}

// Correlation is a coefficient with its interval and its two-sided p value; a
// figure is NaN where it is undefined.
type Correlation struct {
	N         int
	R         float64
	Low, High float64
	P         float64
}

// exactlyLinear is the share of 1 - r^2 that rounding may leave of a line.
const exactlyLinear = 1e-26

// Pearson is the product-moment correlation, r = S_xy / sqrt(S_xx S_yy) with
// t = r sqrt((n-2)/(1-r^2)); the interval is tanh(atanh(r) ± z/sqrt(n-3)). The p value is exact for normal
// values, by Student's t with n-2 degrees of freedom; the interval is Fisher's.
func (p Pair) Pearson(alpha float64) Correlation {
	return p.correlation(alpha, func(float64) float64 { return 1 })
}

func (p Pair) correlation(alpha float64, spread func(r float64) float64) Correlation {
	nan := math.NaN()
	c := Correlation{N: p.N, R: nan, Low: nan, High: nan, P: nan}
	if p.N < 2 || !(p.xx.Hi > 0) || !(p.yy.Hi > 0) {
		return c
	}
	sx, sy := p.xx.Sqrt(), p.yy.Sqrt()
	r := p.xy.Div(sx).Div(sy)
	c.R = math.Max(-1, math.Min(1, r.Float()))
	rest := F(1).Sub(r).Mul(F(1).Add(r)) // 1 - r^2 without cancellation
	exact := rest.Hi <= exactlyLinear
	if p.N > 2 {
		c.P = 0
		if !exact {
			c.P = TTail2(r.Mul(F(float64(p.N-2)).Div(rest).Sqrt()).Float(), float64(p.N-2))
		}
	}
	if p.N > 3 {
		if exact {
			c.Low, c.High = c.R, c.R
			return c
		}
		z := 0.5 * math.Log(F(1).Add(r).Div(F(1).Sub(r)).Float())
		half := mathext.NormalQuantile(1-alpha/2) * math.Sqrt(spread(c.R)/float64(p.N-3))
		c.Low, c.High = math.Tanh(z-half), math.Tanh(z+half)
	}
	return c
}

// Spearman is the correlation of the ranks, ties having the mean of theirs. The
// p value is by Student's t, an approximation; the interval is Fisher's with the
// variance of Bonett and Wright (2000).
func Spearman(x, y []DD, alpha float64) Correlation {
	return PairOf(Ranks(x), Ranks(y)).correlation(alpha, func(r float64) float64 { return 1 + r*r/2 })
}

// Ranks are 1 to n in ascending order; equal values share the mean of theirs.
func Ranks(values []DD) []DD {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return values[a].Cmp(values[b]) })
	out := make([]DD, len(values))
	for lo := 0; lo < len(order); {
		hi := lo + 1
		for hi < len(order) && values[order[hi]] == values[order[lo]] {
			hi++
		}
		rank := F(float64(lo+hi+1) / 2) // a multiple of a half, exact
		for _, at := range order[lo:hi] {
			out[at] = rank
		}
		lo = hi
	}
	return out
}
