package plot

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// manyPoints is the number from which points cover each other, and are drawn as
// hexagons whose shade is their number.
const manyPoints = 800

// cloud adds points, or hexagons where they are many. The axes are set before.
func cloud(p *plot.Plot, x, y []float64) {
	xy := points(x, y)
	if len(xy) <= manyPoints {
		size := vg.Length(2.2)
		if len(xy) > 200 {
			size = 1.7
		}
		c := blue
		c.A = 0xa0
		p.Add(&plotter.Scatter{XYs: xy, GlyphStyle: draw.GlyphStyle{Color: c, Radius: size, Shape: draw.CircleGlyph{}}})
		return
	}
	p.Add(newHexagons(xy, p))
}

// hexagons counts points in a grid of regular hexagons (Carr et al. 1987).
type hexagons struct {
	cells []hexagon
	most  int
	w, h  float64 // of a hexagon, in units of the axes
}

type hexagon struct {
	x, y float64
	n    int
}

const hexAcross = 42

func newHexagons(xy plotter.XYs, p *plot.Plot) *hexagons {
	// Regular on the page: a panel is about 1.6 times as wide as high.
	h := &hexagons{w: (p.X.Max - p.X.Min) / hexAcross}
	h.h = (p.Y.Max - p.Y.Min) / (hexAcross / 1.55) * 2 / math.Sqrt(3)
	type key struct{ row, col int }
	count := map[key]int{}
	place := func(k key) (float64, float64) {
		return p.X.Min + (float64(k.col)+float64(k.row&1)/2)*h.w, p.Y.Min + float64(k.row)*h.h*0.75
	}
	for _, v := range xy {
		row := int(math.Round((v.Y - p.Y.Min) / (h.h * 0.75)))
		best, least := key{}, math.Inf(1)
		for r := row - 1; r <= row+1; r++ {
			k := key{r, int(math.Round((v.X-p.X.Min)/h.w - float64(r&1)/2))}
			x, y := place(k)
			dx, dy := (v.X-x)/h.w, (v.Y-y)/h.h*2/math.Sqrt(3)
			if d := dx*dx + dy*dy; d < least {
				best, least = k, d
			}
		}
		count[best]++
	}
	for k, n := range count {
		x, y := place(k)
		h.cells = append(h.cells, hexagon{x, y, n})
		h.most = max(h.most, n)
	}
	slices.SortFunc(h.cells, func(a, b hexagon) int {
		switch {
		case a.y != b.y && a.y < b.y, a.y == b.y && a.x < b.x:
			return -1
		}
		return 1
	})
	return h
}

// Plot implements plot.Plotter.
func (h *hexagons) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for _, cell := range h.cells {
		var corners []vg.Point
		for _, d := range [6][2]float64{{0, 0.5}, {0.5, 0.25}, {0.5, -0.25}, {0, -0.5}, {-0.5, -0.25}, {-0.5, 0.25}} {
			corners = append(corners, vg.Point{X: tx(cell.x + d[0]*h.w), Y: ty(cell.y + d[1]*h.h)})
		}
		c.FillPolygon(shade(math.Log1p(float64(cell.n))/math.Log1p(float64(h.most))), c.ClipPolygonXY(corners))
	}
}

// shade goes from a light blue to a dark one.
func shade(t float64) color.Color {
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + (float64(b)-float64(a))*t)) }
	return color.NRGBA{R: mix(0xd2, 0x0b), G: mix(0xe1, 0x2f), B: mix(0xf2, 0x63), A: 0xff}
}

// smooth is a running mean: the means of y in slices of equal
// numbers of points along x, joined. It is nil of few points.
func smooth(x, y []float64) (sx, sy []float64) {
	xy := points(x, y)
	if len(xy) < 20 {
		return nil, nil
	}
	slices.SortStableFunc(xy, func(a, b plotter.XY) int {
		switch {
		case a.X < b.X:
			return -1
		case a.X > b.X:
			return 1
		}
		return 0
	})
	parts := min(25, max(4, len(xy)/10))
	for i := range parts {
		lo, hi := i*len(xy)/parts, (i+1)*len(xy)/parts
		var mx, my float64
		for _, v := range xy[lo:hi] {
			mx, my = mx+v.X/float64(hi-lo), my+v.Y/float64(hi-lo)
		}
		if n := len(sx); n > 0 && mx <= sx[n-1] {
			continue // equal fitted values of levels
		}
		sx, sy = append(sx, mx), append(sy, my)
	}
	return sx, sy
}
