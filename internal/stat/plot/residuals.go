package plot

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"atelier/internal/stat"
)

// Residuals are the four figures that a regression is judged by: residuals over
// fitted values, quantiles over normal ones, the size of the residuals over fitted
// values, residuals over leverage. points is a sample of n observations, p the
// number of coefficients, target the response's name.
func Residuals(points []stat.Point, n, p int, target string) []*Figure {
	if len(points) < 3 {
		return nil
	}
	var r residuals
	r.target, r.n, r.p = target, n, p
	for _, v := range points {
		if math.IsNaN(v.Standardized) {
			continue
		}
		r.fitted, r.residual = append(r.fitted, v.Fitted), append(r.residual, v.Residual)
		r.standard, r.root = append(r.standard, v.Standardized), append(r.root, math.Sqrt(math.Abs(v.Standardized)))
		r.leverage, r.cook, r.row = append(r.leverage, v.Leverage), append(r.cook, v.Cook), append(r.row, v.Row)
	}
	if len(r.fitted) < 3 {
		return nil
	}
	note := fmt.Sprintf("n = %d", n)
	if len(points) < n {
		note = fmt.Sprintf("%d of n = %d", len(points), n)
	}
	return []*Figure{
		{Name: "residuals_fitted", Title: "Residuals over fitted values", panels: []panel{r.overFitted(note)},
			Alt: "Residuals over fitted values with their running mean, which lies near zero where the model has the right form."},
		{Name: "residuals_qq", Title: "Normal quantiles", panels: []panel{r.quantiles(note)},
			Alt: "Standardized residuals over normal quantiles with a 95 % band; normal errors lie on the line."},
		{Name: "residuals_scale", Title: "Spread over fitted values", panels: []panel{r.scale(note)},
			Alt: "Root of the absolute standardized residuals over fitted values; errors of equal variance have a level running mean."},
		{Name: "residuals_leverage", Title: "Residuals over leverage", panels: []panel{r.overLeverage(note)},
			Alt: "Standardized residuals over leverage with the lines of Cook's distance 0.5 and 1; observations beyond them decide the fit."},
	}
}

type residuals struct {
	target                                           string
	n, p                                             int
	fitted, residual, standard, root, leverage, cook []float64
	row                                              []int64
}

func (r *residuals) overFitted(note string) panel {
	return func(label func(string) string) *plot.Plot {
		p := axes("Residuals over fitted values, "+note, "fitted "+r.target, "residual", label)
		lo, hi := bounds(r.fitted...)
		span(&p.X, lo, hi)
		span(&p.Y, -most(r.residual), most(r.residual))
		cloud(p, r.fitted, r.residual)
		level(p, 0, grey, dashed)
		x, y := smooth(r.fitted, r.residual)
		line(p, x, y, orange, 1.4, nil)
		r.farthest(p, r.fitted, r.residual)
		return p
	}
}

// farthest names the rows of the three largest standardized residuals.
func (r *residuals) farthest(p *plot.Plot, x, y []float64) {
	order := make([]int, len(r.standard))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if math.Abs(r.standard[a]) > math.Abs(r.standard[b]) {
			return -1
		}
		return 1
	})
	r.name(p, x, y, order[:min(3, len(order))])
}

func (r *residuals) name(p *plot.Plot, x, y []float64, which []int) {
	var mx, my []float64
	var names []string
	for _, i := range which {
		if r.row[i] > 0 && !near(p, mx, my, x[i], y[i]) {
			mx, my, names = append(mx, x[i]), append(my, y[i]), append(names, fmt.Sprintf("row %d", r.row[i]))
		}
	}
	marks(p, mx, my, names)
}

// near says that a name would stand on another.
func near(p *plot.Plot, x, y []float64, atX, atY float64) bool {
	for i := range x {
		if math.Abs(x[i]-atX) < 0.16*(p.X.Max-p.X.Min) && math.Abs(y[i]-atY) < 0.06*(p.Y.Max-p.Y.Min) {
			return true
		}
	}
	return false
}

func most(values []float64) float64 {
	m := 0.0
	for _, v := range values {
		m = math.Max(m, math.Abs(v))
	}
	return m
}

// quantiles draws the ordered residuals over those of a normal sample, with the
// band that 95 % of each order statistic keep to.
func (r *residuals) quantiles(note string) panel {
	return func(label func(string) string) *plot.Plot {
		sorted := slices.Sorted(slices.Values(r.standard))
		x, y, low, high := normalOrder(sorted)
		p := axes("Normal quantiles, "+note, "normal quantile", "standardized residual", label)
		span(&p.X, x[0], x[len(x)-1])
		yl, yh := bounds(slices.Concat(y, low, high)...)
		span(&p.Y, yl, yh)
		p.Add(ribbon(x, low, high))
		line(p, []float64{x[0], x[len(x)-1]}, []float64{x[0], x[len(x)-1]}, grey, 0.8, dashed)
		dots(p, x, y, blue, 1.7)
		return p
	}
}

// shownQuantiles is the most points of a quantile plot.
const shownQuantiles = 400

// normalOrder are the normal quantiles at (i-0.5)/n, the values, and the band
// from the standard error of an order statistic.
func normalOrder(sorted []float64) (x, y, low, high []float64) {
	n := len(sorted)
	last := math.Inf(-1)
	for i, v := range sorted {
		q := (float64(i) + 0.5) / float64(n)
		z := mathext.NormalQuantile(q)
		if n > shownQuantiles && i != n-1 && z-last < 8.0/shownQuantiles {
			continue // evenly along the axis, so that the ends stay whole
		}
		last = z
		se := math.Sqrt(q*(1-q)/float64(n)) / (math.Exp(-z*z/2) / math.Sqrt(2*math.Pi))
		x, y, low, high = append(x, z), append(y, v), append(low, z-1.96*se), append(high, z+1.96*se)
	}
	return x, y, low, high
}

func (r *residuals) scale(note string) panel {
	return func(label func(string) string) *plot.Plot {
		p := axes("Spread over fitted values, "+note, "fitted "+r.target, "root of |standardized residual|", label)
		lo, hi := bounds(r.fitted...)
		span(&p.X, lo, hi)
		span(&p.Y, 0, most(r.root))
		p.Y.Min = 0
		cloud(p, r.fitted, r.root)
		x, y := smooth(r.fitted, r.root)
		line(p, x, y, orange, 1.4, nil)
		return p
	}
}

func (r *residuals) overLeverage(note string) panel {
	return func(label func(string) string) *plot.Plot {
		p := axes("Residuals over leverage, "+note, "leverage", "standardized residual", label)
		_, hi := bounds(r.leverage...)
		span(&p.X, 0, hi)
		p.X.Min = 0
		span(&p.Y, -most(r.standard), most(r.standard))
		cloud(p, r.leverage, r.standard)
		level(p, 0, grey, dashed)
		for _, d := range []float64{0.5, 1} {
			r.contour(p, d)
		}
		order := make([]int, len(r.cook))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int {
			if r.cook[a] > r.cook[b] {
				return -1
			}
			return 1
		})
		r.name(p, r.leverage, r.standard, order[:min(3, len(order))])
		return p
	}
}

// contour is where Cook's distance is d: the residual is sqrt(d p (1-h) / h).
func (r *residuals) contour(p *plot.Plot, d float64) {
	for _, side := range []float64{1, -1} {
		var x, y []float64
		for i := 1; i <= 200; i++ {
			h := p.X.Max * float64(i) / 200
			if h >= 1 {
				break
			}
			if v := side * math.Sqrt(d*float64(r.p)*(1-h)/h); v <= p.Y.Max && v >= p.Y.Min {
				x, y = append(x, h), append(y, v)
			}
		}
		line(p, x, y, orange, 0.9, []vg.Length{3, 2})
		if n := len(x); n > 1 && side > 0 {
			marks(p, x[n-1:], y[n-1:], []string{fmt.Sprintf("Cook %v", d)})
		}
	}
}
