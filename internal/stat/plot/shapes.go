package plot

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// area is a filled polygon without an outline.
type area struct {
	xy    plotter.XYs
	color color.Color
}

// Plot implements plot.Plotter.
func (a *area) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	var corners []vg.Point
	for _, v := range a.xy {
		corners = append(corners, vg.Point{X: tx(v.X), Y: ty(v.Y)})
	}
	c.FillPolygon(a.color, c.ClipPolygonXY(corners))
}

// ribbon is the area between two curves.
func ribbon(x, low, high []float64) *area {
	a := &area{xy: points(x, high), color: band}
	back := points(x, low)
	for i := len(back) - 1; i >= 0; i-- {
		a.xy = append(a.xy, back[i])
	}
	return a
}

func box(x0, x1, y0, y1 float64, c color.Color) *area {
	return &area{xy: plotter.XYs{{X: x0, Y: y0}, {X: x0, Y: y1}, {X: x1, Y: y1}, {X: x1, Y: y0}}, color: c}
}

// dots adds points of one colour.
func dots(p *plot.Plot, x, y []float64, c color.Color, size vg.Length) {
	p.Add(&plotter.Scatter{XYs: points(x, y), GlyphStyle: draw.GlyphStyle{Color: c, Radius: size, Shape: draw.CircleGlyph{}}})
}
