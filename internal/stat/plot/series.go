package plot

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"atelier/internal/stat"
)

// Series is a time series with what was found in it.
type Series struct {
	Name, Unit string // of the column and of the times
	T, X       []float64
	Changes    []stat.Segment
	Start      float64 // of the line
	Slope      float64 // NaN for no line
	Correlated stat.Autocorrelations
	Spectrum   *stat.Spectrum
	Background []float64 // nil for none
	Peaks      []stat.Peak
}

// shownValues is about the most points of a line: runs of values are drawn by
// their smallest and largest.
const shownValues = 1500

// Figures are the series with its changes and line, its correlations, and its
// spectrum.
func (s *Series) Figures() []*Figure {
	wide, high := 7.2*vg.Inch, 3.1*vg.Inch
	list := []*Figure{{Name: "series", Title: "Series", width: wide, height: high, panels: []panel{s.line},
		Alt: "The series over time with the means of its parts and its line."}}
	if len(s.Correlated.R) > 0 {
		list = append(list, &Figure{Name: "autocorrelation", Title: "Autocorrelation", width: wide / 2, height: high * 0.9, cols: 2, panels: []panel{
			func(label func(string) string) *plot.Plot {
				return stems("Autocorrelation", "lag", s.Correlated.R, s.Correlated.Band, label)
			},
			func(label func(string) string) *plot.Plot {
				flat := make([]float64, len(s.Correlated.Partial))
				for i := range flat {
					flat[i] = s.Correlated.PartialBand
				}
				return stems("Partial autocorrelation", "lag", s.Correlated.Partial, flat, label)
			}},
			Alt: "Autocorrelations and partial ones over the lag, with the bands that independent values keep to."})
	}
	if s.Spectrum != nil && len(s.Spectrum.Power) > 3 {
		list = append(list, &Figure{Name: "spectrum", Title: "Spectrum", width: wide, height: high, panels: []panel{s.power},
			Alt: "The power spectrum on a logarithmic scale, with its strongest peaks and the level of noise of the same first autocorrelation."})
	}
	return list
}

func (s *Series) line(label func(string) string) *plot.Plot {
	p := axes(fmt.Sprintf("%s, n = %d", shorten(s.Name, 40), len(s.X)), "time ("+s.Unit+")", s.Name, label)
	tl, th := bounds(s.T...)
	xl, xh := bounds(s.X...)
	span(&p.X, tl, th)
	span(&p.Y, xl, xh)
	p.Y.Max += (p.Y.Max - p.Y.Min) * 0.16 // for the legend
	p.Legend.Left = true
	t, x := extremes(s.T, s.X, shownValues)
	c := blue
	if len(s.Changes) > 1 || !math.IsNaN(s.Slope) {
		c.A = 0xa8
	}
	line(p, t, x, c, 0.8, nil)
	if len(s.X) <= 60 {
		dots(p, s.T, s.X, blue, 1.5)
	}
	for i, part := range s.Changes {
		if len(s.Changes) == 1 {
			break
		}
		if i > 0 {
			at := (s.T[part.Start-1] + s.T[part.Start]) / 2
			line(p, []float64{at, at}, []float64{p.Y.Min, p.Y.Max}, grey, 0.7, dashed)
		}
		l := line(p, []float64{s.T[part.Start], s.T[part.End-1]}, []float64{part.Mean, part.Mean}, orange, 1.8, nil)
		if i == 0 {
			p.Legend.Add("means between changes", l)
		}
	}
	if !math.IsNaN(s.Slope) {
		l := line(p, []float64{tl, th}, []float64{s.Start + s.Slope*tl, s.Start + s.Slope*th}, ink, 1.1, dashed)
		p.Legend.Add("line", l)
	}
	return p
}

// extremes keeps the smallest and the largest of runs of values, in their order.
func extremes(x, y []float64, most int) (tx, ty []float64) {
	run := (2*len(x) + most - 1) / most
	if run <= 2 {
		return x, y
	}
	for lo := 0; lo < len(x); lo += run {
		a, b := lo, lo
		for k := lo; k < min(lo+run, len(x)); k++ {
			if y[k] < y[a] {
				a = k
			}
			if y[k] > y[b] {
				b = k
			}
		}
		if a > b {
			a, b = b, a
		}
		tx, ty = append(tx, x[a], x[b]), append(ty, y[a], y[b])
	}
	return tx, ty
}

func stems(title, xlabel string, values, bands []float64, label func(string) string) *plot.Plot {
	p := axes(title, xlabel, "correlation", label)
	lo, hi := bounds(values...)
	_, b := bounds(bands...)
	p.X.Min, p.X.Max = 0, float64(len(values))+0.7
	span(&p.Y, math.Min(math.Min(lo, -b), 0), math.Max(math.Max(hi, b), 0))
	var x, low, high []float64
	for i, v := range bands {
		x, low, high = append(x, float64(i)+1), append(low, -v), append(high, v)
	}
	p.Add(ribbon(x, low, high))
	level(p, 0, grey, nil)
	for i, v := range values {
		if !math.IsNaN(v) {
			line(p, []float64{x[i], x[i]}, []float64{0, v}, blue, 1.2, nil)
		}
	}
	dots(p, x, values, blue, 1.8)
	return p
}

// decades is how far below the strongest power a spectrum is drawn.
const decades = 6

func (s *Series) power(label func(string) string) *plot.Plot {
	name := map[string]string{"periodogram": "Periodogram", "welch": "Welch's spectrum", "lomb_scargle": "Lomb-Scargle spectrum"}[s.Spectrum.Method]
	unit := "power density"
	if s.Spectrum.Method == "lomb_scargle" {
		unit = "share of the variance"
	}
	p := axes(name+" of "+shorten(s.Name, 32), "frequency (1/"+s.Unit+")", unit, label)
	f, power := s.Spectrum.Frequency, s.Spectrum.Power
	if f[0] == 0 {
		f, power = f[1:], power[1:]
	}
	_, top := bounds(power...)
	floor := top * math.Pow(10, -decades)
	f, power = extremes(f, power, shownValues)
	log := func(list []float64) []float64 {
		out := make([]float64, len(list))
		for i, v := range list {
			out[i] = math.Log10(math.Max(v, floor))
		}
		return out
	}
	shown := log(power)
	lo, hi := bounds(shown...)
	span(&p.X, 0, f[len(f)-1])
	p.X.Min = 0
	span(&p.Y, lo, hi+(hi-lo)*0.06)
	p.Y.Tick.Marker = plot.TickerFunc(powersOfTen)
	line(p, f, shown, blue, 0.8, nil)
	if s.Background != nil {
		bf, bp := extremes(s.Spectrum.Frequency[1:], s.Background[1:], 400)
		p.Legend.Add("noise of this autocorrelation", line(p, bf, log(bp), grey, 1, dashed))
	}
	var x, y []float64
	var names []string
	for i, k := range s.Peaks {
		if i == 0 || i < 3 && k.White < 0.01 && !(k.Red >= 0.05) {
			x, y, names = append(x, k.Frequency), append(y, k.Power), append(names, fmt.Sprintf("%.4g %s", 1/k.Frequency, s.Unit))
		}
	}
	if len(x) > 0 {
		dots(p, x, log(y), orange, 2.4)
		marks(p, x, log(y), names)
	}
	return p
}

// powersOfTen labels an axis of logarithms.
func powersOfTen(low, high float64) []plot.Tick {
	var out []plot.Tick
	for k := math.Ceil(low - 1e-9); k <= high; k++ {
		out = append(out, plot.Tick{Value: k, Label: fmt.Sprintf("1e%d", int(k))})
	}
	if len(out) < 2 {
		for _, t := range ticks(low, high) {
			t.Label = fmt.Sprintf("%.3g", math.Pow(10, t.Value))
			out = append(out, t)
		}
	}
	return out
}
