package plot

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"

	"atelier/internal/stat"
)

// Calibration draws, for groups of predictions, the share of events that came
// over the share that was predicted, with 95 % intervals of Wilson (1927).
func Calibration(groups []stat.CalibrationGroup, target string) *Figure {
	if len(groups) < 2 {
		return nil
	}
	f := &Figure{Name: "calibration", Title: "Calibration", Alt: "Observed shares of events over predicted ones for groups of predictions; a calibrated model lies on the line."}
	f.panels = []panel{func(label func(string) string) *plot.Plot {
		p := axes(fmt.Sprintf("Calibration in %d groups", len(groups)), "predicted share of "+target, "observed share", label)
		span(&p.X, 0, 1)
		span(&p.Y, 0, 1)
		line(p, []float64{0, 1}, []float64{0, 1}, grey, 0.8, dashed)
		var x, y []float64
		for _, g := range groups {
			if !(g.N > 0) {
				continue
			}
			share := g.Observed / g.N
			low, high := wilson(share, g.N)
			x, y = append(x, g.Expected/g.N), append(y, share)
			line(p, []float64{g.Expected / g.N, g.Expected / g.N}, []float64{low, high}, blue, 1.3, nil)
		}
		line(p, x, y, orange, 1.1, nil)
		dots(p, x, y, orange, 2.4)
		return p
	}}
	return f
}

// wilson is the score interval of a share of n.
func wilson(share, n float64) (low, high float64) {
	const z = 1.959963984540054
	centre := (share + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(share*(1-share)/n+z*z/(4*n*n))
	return centre - half, centre + half
}
