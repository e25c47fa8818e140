package stat

import "gonum.org/v1/gonum/mat"

// influence refits without the worst observations, which needs no further pass:
// (I - Z Z')^-1 on their rows corrects the coefficients (Cook and Weisberg 1982).
func (f *Fit) influence(s *diagnosticSums, d *Diagnostics) {
	d.Worst, d.Without = s.worst, nans(len(f.Coef))
	k := len(s.worst)
	if k == 0 || f.N-k <= f.P {
		return
	}
	m, e := mat.NewDense(k, k, nil), mat.NewVecDense(k, nil)
	for i, a := range s.worst {
		e.SetVec(i, a.e)
		for j, b := range s.worst {
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
		return // without them the coefficients are not determined
	}
	shift := make([]float64, f.P)
	for i, a := range s.worst {
		for t := range shift {
			shift[t] += a.z[t] * w.AtVec(i)
		}
	}
	for row, at := range f.positions() {
		b := f.Coef[at]
		for t, x := range f.trans[row] {
			b -= x.Float() * shift[t]
		}
		d.Without[at] = b
	}
}
