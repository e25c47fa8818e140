package stat

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// wholeLeverage is the leverage from which an observation is taken to determine
// what it says alone: the fit goes through it whatever its value. Coordinates in
// float64 leave 1-h some twelve digits.
const wholeLeverage = 1 - 1e-11

// decidedShare is the part of a coefficient, relative to its standard error, that
// a lone observation has in it: rounding leaves 1e-12 of those it has none in.
const decidedShare = 1e-6

// lone takes an observation of leverage 1. Without it the columns depend on each
// other, and the coefficients in which it has a part are not determined.
func (s *diagnosticSums) lone(f *Fit, b Block, i int, z []float64, h float64) {
	nan := math.NaN()
	in := Influence{Leverage: math.Min(h, 1), Cook: nan, Studentized: nan, DFFITS: nan, z: slices.Clone(z)}
	if b.Row != nil {
		in.Row = b.Row[i]
	}
	for row, at := range f.positions() {
		v, e := squares(f.trans[row])
		part := 0.0
		for t, x := range f.trans[row] {
			part += x.Ldexp(-e).Float() * z[t]
		}
		if math.Abs(part) > decidedShare*math.Sqrt(v.Float()) {
			in.Decides = append(in.Decides, at)
		}
	}
	s.alone = append(s.alone, in)
}

// influence refits without the worst observations, which needs no further pass:
// (I - Z Z')^-1 on their rows corrects the coefficients (Cook and Weisberg 1982).
func (f *Fit) influence(s *diagnosticSums, d *Diagnostics) {
	d.Alone, d.Without = s.alone, nans(len(f.Coef))
	d.Worst = append(slices.Clone(s.alone), s.worst...)
	d.Worst = d.Worst[:min(len(d.Worst), worstPoints)]
	// The others do not meet the lone ones: their part of the hat matrix is 0.
	lone := min(len(s.alone), len(d.Worst))
	worst := d.Worst[lone:]
	k := len(worst)
	if len(d.Worst) == 0 || f.N-k <= f.P {
		return
	}
	shift, ok := f.withoutThese(worst)
	if !ok {
		return // without them the coefficients are not determined
	}
	for row, at := range f.positions() {
		b := f.Coef[at]
		for t, x := range f.trans[row] {
			b -= x.Float() * shift[t]
		}
		d.Without[at] = b
	}
	for _, in := range d.Worst[:lone] {
		for _, at := range in.Decides {
			d.Without[at] = math.NaN()
		}
	}
}

// withoutThese is how far the coefficients move, in orthonormal coordinates.
func (f *Fit) withoutThese(worst []Influence) (shift []float64, ok bool) {
	shift = make([]float64, f.P)
	k := len(worst)
	if k == 0 {
		return shift, true
	}
	m, e := mat.NewDense(k, k, nil), mat.NewVecDense(k, nil)
	for i, a := range worst {
		e.SetVec(i, a.e)
		for j, b := range worst {
			v := 0.0
			for t := range a.z {
				v -= a.z[t] * b.z[t]
			}
			if i == j {
				v++
			}
			m.Set(i, j, v)
		}
	}
	var w mat.VecDense
	if err := w.SolveVec(m, e); err != nil {
		return nil, false
	}
	for i, a := range worst {
		for t := range shift {
			shift[t] += a.z[t] * w.AtVec(i)
		}
	}
	return shift, true
}
