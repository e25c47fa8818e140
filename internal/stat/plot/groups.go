package plot

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"atelier/internal/stat"
)

// Group is the mean of a group with its interval, which is NaN where there is
// none.
type Group struct {
	Level           string
	N               int
	Mean, Low, High float64
}

// shownGroups is the most groups of a figure.
const shownGroups = 40

// Groups draws the means of groups with their intervals, in the order given.
func Groups(groups []Group, response, factor string, alpha float64) *Figure {
	if len(groups) == 0 {
		return nil
	}
	title := fmt.Sprintf("Means of %s with %.4g %% intervals", response, 100*(1-alpha))
	if len(groups) > shownGroups {
		title += fmt.Sprintf(", %d of %d groups", shownGroups, len(groups))
		groups = groups[:shownGroups]
	}
	f := &Figure{Name: "group_means", Title: title, width: panelWidth, height: max(2.2*vg.Inch, vg.Length(len(groups))*19+92),
		Alt: fmt.Sprintf("Means of %s by %s with intervals; means whose intervals are far apart differ.", response, factor)}
	f.panels = []panel{func(label func(string) string) *plot.Plot {
		p := axes(title, response, factor, label)
		var ends []float64
		var where []plot.Tick
		for i, g := range groups {
			y := float64(len(groups) - 1 - i) // the first one on top
			ends = append(ends, g.Mean, g.Low, g.High)
			where = append(where, plot.Tick{Value: y, Label: label(shorten(g.Level, 24)) + fmt.Sprintf(" (%d)", g.N)})
		}
		lo, hi := bounds(ends...)
		span(&p.X, lo, hi)
		p.Y.Min, p.Y.Max = -0.6, float64(len(groups))-0.4
		p.Y.Tick.Marker = plot.ConstantTicks(where)
		for i, g := range groups {
			y := where[i].Value
			line(p, []float64{g.Low, g.High}, []float64{y, y}, blue, 1.6, nil)
			for _, end := range []float64{g.Low, g.High} {
				line(p, []float64{end, end}, []float64{y - 0.14, y + 0.14}, blue, 1.2, nil)
			}
			dots(p, []float64{g.Mean}, []float64{y}, orange, 2.8)
		}
		return p
	}}
	return f
}

// Counted is a histogram of a column with the normal curve of its mean and
// standard deviation.
type Counted struct {
	Name     string
	N        int
	Bins     *stat.Histogram
	Mean, SD float64
}

// shownHistograms is the most histograms of a figure.
const shownHistograms = 6

// Histograms draws histograms with normal curves.
func Histograms(list []Counted) *Figure {
	if len(list) == 0 {
		return nil
	}
	f := &Figure{Name: "histograms", Title: "Histograms", cols: min(2, len(list)),
		Alt: "Histograms of the columns with the normal curves of their means and standard deviations."}
	if len(list) > shownHistograms {
		f.Title += fmt.Sprintf(" of the first %d of %d", shownHistograms, len(list))
		list = list[:shownHistograms]
	}
	if len(list) > 1 {
		f.width, f.height = 4.4*vg.Inch, 2.9*vg.Inch
	}
	for _, c := range list {
		f.panels = append(f.panels, c.draw)
	}
	return f
}

func (c Counted) draw(label func(string) string) *plot.Plot {
	p := axes(fmt.Sprintf("%s, n = %d", shorten(c.Name, 40), c.N), c.Name, "count", label)
	h := c.Bins
	highest := 1.0
	for _, n := range h.Counts {
		highest = math.Max(highest, float64(n))
	}
	var x, y []float64
	if h.Width > 0 && c.SD > 0 {
		scale := float64(c.N) * h.Width / (c.SD * math.Sqrt(2*math.Pi))
		for i := 0; i <= 120; i++ {
			at := h.Low + (h.High-h.Low)*float64(i)/120
			z := (at - c.Mean) / c.SD
			x, y = append(x, at), append(y, scale*math.Exp(-z*z/2))
			highest = math.Max(highest, y[i])
		}
	}
	span(&p.X, h.Low, h.High)
	p.Y.Min, p.Y.Max = 0, highest*1.05
	fill := blue
	fill.A = 0x90
	for i, n := range h.Counts {
		left, right := h.Edge(i), h.Edge(i+1)
		if h.Width == 0 {
			left, right = h.Low-(p.X.Max-p.X.Min)/40, h.High+(p.X.Max-p.X.Min)/40
		}
		gap := (right - left) * 0.03
		p.Add(box(left+gap, right-gap, 0, float64(n), fill))
	}
	line(p, x, y, orange, 1.3, nil)
	return p
}
