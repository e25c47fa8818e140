package stat

import (
	"errors"
	"math"
)

// ErrSubjects is the fault of repeated measures of too few subjects or levels.
var ErrSubjects = errors.New("repeated measures need two levels, and two subjects more than groups less one")

// RepeatedTerm is one effect of repeated measures with its own error. F and P are
// NaN without spread in the error.
type RepeatedTerm struct {
	DF, DFE                                             int
	SS, SSE                                             float64
	MS, MSE                                             float64
	F, P                                                float64
	PGreenhouse, PHuynh                                 float64 // of a within effect: with both degrees times epsilon
	PartialEtaSquared, GeneralizedEtaSquared, Low, High float64
}

// Repeated is an analysis of variance of subjects measured at every level of a
// factor, in one group or several.
type Repeated struct {
	Subjects, Levels, Groups int
	Within                   RepeatedTerm
	Between, Interaction     *RepeatedTerm // nil for one group
	SSSubjects               float64       // between the subjects of a group
	DFSubjects               int
	GreenhouseGeisser        float64 // epsilon, 1/(levels-1) to 1
	HuynhFeldt               float64 // by Lecoutre (1991) for several groups, at most 1
	Sphericity               Mauchly
}

// Mauchly is the test of sphericity (Mauchly 1940, with the second term of the
// approximation by Anderson 2003, 10.7.4). NaN for two levels, which are always
// spherical, and for fewer subjects than contrasts.
type Mauchly struct {
	W, Chi, P float64
	DF        int
}

// RepeatedMeasures analyses subjects[s][l], the value of a subject at a level,
// where group[s] is the number of its group. Each subject's values are turned into
// their mean and levels-1 orthonormal contrasts, of which the effects and errors
// are plain sums of squares; the factor's own effect is that of the unweighted
// mean of the groups (type III).
func RepeatedMeasures(subjects [][]DD, group []int, groups int, alpha float64) (*Repeated, error) {
	n := len(subjects)
	if n-groups < 1 || len(subjects[0]) < 2 {
		return nil, ErrSubjects
	}
	k := len(subjects[0])
	r := &Repeated{Subjects: n, Levels: k, Groups: groups, DFSubjects: n - groups}
	z := contrastsOf(subjects)
	column := func(j int) (between, within, mean DD) {
		moments := make([]*Moments, groups)
		for g := range moments {
			moments[g] = &Moments{}
		}
		for s := range z {
			moments[group[s]].Add(z[s][j])
		}
		var sizes DD
		for _, m := range moments {
			within = within.Add(m.squares())
			mean = mean.Add(m.MeanDD())
			sizes = sizes.Add(F(1).Div(F(float64(m.N))))
		}
		return betweenSquares(moments), within, mean.Mul(mean).Div(sizes)
	}
	between, own, _ := column(0)
	var effect, interaction, residual DD
	for j := 1; j < k; j++ {
		b, w, m := column(j)
		effect, interaction, residual = effect.Add(m), interaction.Add(b), residual.Add(w)
	}
	r.SSSubjects = own.Float()
	errors := own.Add(residual)
	r.sphericity(z, group)
	d := k - 1
	r.Within = repeatedTerm(effect, residual, errors, d, d*(n-groups), alpha)
	r.Within.correct(r)
	if groups > 1 {
		b := repeatedTerm(between, own, errors, groups-1, n-groups, alpha)
		b.PGreenhouse, b.PHuynh = math.NaN(), math.NaN()
		i := repeatedTerm(interaction, residual, errors, d*(groups-1), d*(n-groups), alpha)
		i.correct(r)
		r.Between, r.Interaction = &b, &i
	}
	return r, nil
}

// contrastsOf turns the values of every subject into root(levels) times their mean
// and Helmert's orthonormal contrasts.
func contrastsOf(subjects [][]DD) [][]DD {
	origin := subjects[0][0] // what all share costs no digits
	z := make([][]DD, len(subjects))
	for s, values := range subjects {
		z[s] = make([]DD, len(values))
		var sum DD
		for j, v := range values {
			v = v.Sub(origin)
			if j > 0 {
				n := float64(j)
				z[s][j] = sum.Sub(v.Mul(F(n))).Div(F(n * (n + 1)).Sqrt())
			}
			sum = sum.Add(v)
		}
		z[s][0] = sum.Div(F(float64(len(values))).Sqrt())
	}
	return z
}

func repeatedTerm(ss, residual, errors DD, df, dfe int, alpha float64) RepeatedTerm {
	ms, mse := ss.Div(F(float64(df))), residual.Div(F(float64(dfe)))
	nan := math.NaN()
	t := RepeatedTerm{DF: df, DFE: dfe, SS: ss.Float(), SSE: residual.Float(), MS: ms.Float(), MSE: mse.Float(), F: nan, P: nan,
		PGreenhouse: nan, PHuynh: nan, GeneralizedEtaSquared: nan}
	if all := ss.Add(errors); all.Hi > 0 {
		t.GeneralizedEtaSquared = ss.Div(all).Float() // Olejnik and Algina 2003, factors that are manipulated
	}
	s := share(ss, residual, ss.Add(errors), float64(df), float64(dfe), df+dfe+1, alpha)
	t.PartialEtaSquared, t.Low, t.High = s.PartialEtaSquared, s.Low, s.High
	if mse.Hi > 0 {
		t.F = ms.Div(mse).Float()
		t.P = FTail(t.F, float64(df), float64(dfe))
	}
	return t
}

// correct adds the p values for data that are not spherical.
func (t *RepeatedTerm) correct(r *Repeated) {
	p := func(epsilon float64) float64 { return FTail(t.F, epsilon*float64(t.DF), epsilon*float64(t.DFE)) }
	t.PGreenhouse, t.PHuynh = p(r.GreenhouseGeisser), p(r.HuynhFeldt)
}

// sphericity fills epsilon (Greenhouse and Geisser 1959; Huynh and Feldt 1976) and
// Mauchly's test from the contrasts' covariances within the groups.
func (r *Repeated) sphericity(z [][]DD, group []int) {
	nan, d := math.NaN(), r.Levels-1
	r.GreenhouseGeisser, r.HuynhFeldt, r.Sphericity = nan, nan, Mauchly{nan, nan, nan, d*(d+1)/2 - 1}
	s := r.covariances(z, group)
	var trace, squares DD
	for i := range d {
		trace = trace.Add(s[i][i])
		for j := range d {
			squares = squares.Add(s[i][j].Mul(s[i][j]))
		}
	}
	if !(squares.Hi > 0) {
		return
	}
	free, p := float64(r.Subjects-r.Groups), float64(d)
	epsilon := trace.Mul(trace).Div(squares.Mul(F(p))).Float()
	r.GreenhouseGeisser = math.Min(1, epsilon)
	r.HuynhFeldt = 1
	if below := free - p*epsilon; below > 0 {
		r.HuynhFeldt = math.Min(1, ((free+1)*p*epsilon-2)/(p*below))
	}
	if d == 1 || r.Subjects-r.Groups < d {
		return
	}
	determinant := F(1)
	scale := trace.Div(F(p))
	for _, pivot := range pivots(s) {
		if !(pivot.Hi > 1e-25*scale.Hi) {
			return
		}
		determinant = determinant.Mul(pivot.Div(scale))
	}
	m := &r.Sphericity
	m.W = determinant.Float()
	rho := 1 - (2*p*p+p+2)/(6*p*free)
	m.Chi = -free * rho * math.Log(m.W)
	second := (p + 2) * (p - 1) * (p - 2) * (2*p*p*p + 6*p*p + 3*p + 2) / (288 * math.Pow(free*p*rho, 2))
	first := ChiTail(m.Chi, float64(m.DF))
	m.P = math.Max(0, math.Min(1, first+second*(ChiTail(m.Chi, float64(m.DF)+4)-first)))
}

// covariances are those of the contrasts within the groups.
func (r *Repeated) covariances(z [][]DD, group []int) [][]DD {
	k := r.Levels
	means, count := make([][]DD, r.Groups), make([]float64, r.Groups)
	for s, g := range group {
		if means[g] == nil {
			means[g] = make([]DD, k)
		}
		count[g]++
		for j := range k {
			means[g][j] = means[g][j].Add(z[s][j])
		}
	}
	out := make([][]DD, k-1)
	for i := range out {
		out[i] = make([]DD, k-1)
	}
	centred := make([]DD, k-1)
	for s, g := range group {
		for j := range centred {
			centred[j] = z[s][j+1].Sub(means[g][j+1].Div(F(count[g])))
		}
		for i := range out {
			for j := range i + 1 {
				out[i][j] = out[i][j].Add(centred[i].Mul(centred[j]))
			}
		}
	}
	free := F(float64(r.Subjects - r.Groups))
	for i := range out {
		for j := range i + 1 {
			out[i][j] = out[i][j].Div(free)
			out[j][i] = out[i][j]
		}
	}
	return out
}

// pivots are those of a symmetric matrix, whose product is the determinant.
func pivots(s [][]DD) []DD {
	d := len(s)
	a := make([][]DD, d)
	for i := range a {
		a[i] = append([]DD(nil), s[i]...)
	}
	out := make([]DD, d)
	for i := range a {
		out[i] = a[i][i]
		if a[i][i].Hi == 0 {
			continue
		}
		for r := i + 1; r < d; r++ {
			f := a[r][i].Div(a[i][i])
			for c := i; c < d; c++ {
				a[r][c] = a[r][c].Sub(f.Mul(a[i][c]))
			}
		}
	}
	return out
}
