// Package plot draws the figures of the statistical tools, as SVG and as PNG,
// through gonum/plot. The same data give the same bytes.
package plot

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"math"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"git.sr.ht/~sbinet/gg"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Figure is a drawing of one or more panels.
type Figure struct {
	Name   string // of the file, without its ending
	Title  string
	Alt    string // what it shows, for those who do not see it
	panels []panel
	cols   int
	width  vg.Length // of a panel; 0: the usual
	height vg.Length
}

// panel draws one part; label turns a name into one that the format can show.
type panel func(label func(string) string) *plot.Plot

const (
	panelWidth  = 5.4 * vg.Inch
	panelHeight = 3.7 * vg.Inch
	resolution  = 110 // dots per inch of PNG
)

var (
	ink    = color.NRGBA{R: 0x22, G: 0x26, B: 0x2b, A: 0xff}
	faint  = color.NRGBA{R: 0xe3, G: 0xe6, B: 0xea, A: 0xff}
	blue   = color.NRGBA{R: 0x1f, G: 0x5f, B: 0xa8, A: 0xff}
	orange = color.NRGBA{R: 0xc8, G: 0x55, B: 0x0f, A: 0xff}
	grey   = color.NRGBA{R: 0x6d, G: 0x75, B: 0x7f, A: 0xff}
	band   = color.NRGBA{R: 0x1f, G: 0x5f, B: 0xa8, A: 0x26}
)

// size of the whole figure.
func (f *Figure) size() (w, h vg.Length) {
	pw, ph := f.width, f.height
	if pw == 0 {
		pw, ph = panelWidth, panelHeight
	}
	cols := max(f.cols, 1)
	rows := (len(f.panels) + cols - 1) / cols
	return pw * vg.Length(cols), ph * vg.Length(rows)
}

func (f *Figure) draw(c draw.Canvas, label func(string) string) {
	cols := max(f.cols, 1)
	rows := (len(f.panels) + cols - 1) / cols
	tiles := draw.Tiles{Rows: rows, Cols: cols, PadTop: 4, PadBottom: 4, PadLeft: 4, PadRight: 8, PadX: 10, PadY: 10}
	for i, p := range f.panels {
		p(label).Draw(tiles.At(c, i%cols, i/cols))
	}
}

// SVG is the figure as a document of its own, its text as text.
func (f *Figure) SVG() ([]byte, error) {
	w, h := f.size()
	c := vgsvg.New(w, h)
	f.draw(draw.New(c), printable)
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, err
	}
	return bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans"), []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif")), nil
}

// PNG is the figure as a picture. Letters that the fonts lack are written as
// their numbers.
func (f *Figure) PNG() ([]byte, error) {
	w, h := f.size()
	img := canvases.get(int(math.Ceil(float64(w/vg.Inch*resolution))), int(math.Ceil(float64(h/vg.Inch*resolution))))
	defer canvases.put(img)
	pen := gg.NewContextForRGBA(img)
	pen.SetLineCapButt()
	pen.InvertY()
	c := vgimg.NewWith(vgimg.UseImageWithContext(img, pen), vgimg.UseDPI(resolution))
	f.draw(draw.New(c), Legible)
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestSpeed, BufferPool: &encoders}
	if err := e.Encode(&b, img); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

var letters = sync.OnceValue(func() *sfnt.Font {
	return font.DefaultCache.Lookup(plot.DefaultFont, 10).Face
})

// Legible writes letters that the fonts lack as U+ and their number.
func Legible(s string) string {
	var b strings.Builder
	var buf sfnt.Buffer
	for _, r := range s {
		if i, err := letters().GlyphIndex(&buf, r); err == nil && i != 0 {
			b.WriteRune(r)
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "U+%04X", r)
	}
	return b.String()
}

// printable replaces what no XML document may hold.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == 0xfffe || r == 0xffff {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// longest is the most letters of a name in a figure.
const longest = 48

func shorten(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// axes makes an empty plot with its labels.
func axes(title, x, y string, label func(string) string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = label(shorten(title, 64)), label(shorten(x, 64)), label(shorten(y, longest))
	p.Title.TextStyle.Font.Variant, p.Title.TextStyle.Color = "Sans", ink
	p.Title.TextStyle.Font.Size, p.Title.Padding = 12, 6
	p.BackgroundColor = color.White
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font.Variant, a.Label.TextStyle.Font.Size, a.Label.TextStyle.Color = "Sans", 10.5, ink
		a.Tick.Label.Font.Variant, a.Tick.Label.Font.Size, a.Tick.Label.Color = "Sans", 9, ink
		a.LineStyle.Color, a.LineStyle.Width = grey, 0.6
		a.Tick.LineStyle.Color, a.Tick.LineStyle.Width, a.Tick.Length = grey, 0.6, 4
		a.Tick.Marker = plot.TickerFunc(ticks)
		a.Label.Padding, a.Padding = 3, 2
	}
	p.Legend.TextStyle.Font.Variant, p.Legend.TextStyle.Font.Size, p.Legend.TextStyle.Color = "Sans", 9, ink
	p.Legend.Top, p.Legend.Padding = true, 2
	g := plotter.NewGrid()
	g.Horizontal.Color, g.Vertical.Color = faint, faint
	g.Horizontal.Width, g.Vertical.Width = 0.5, 0.5
	p.Add(g)
	return p
}

// ticks stand at about six multiples of 1, 2 or 5 times a power of ten, all
// written with the digits that tell them apart.
func ticks(low, high float64) []plot.Tick {
	span := high - low
	if !(span > 0) || math.IsInf(span, 0) {
		return []plot.Tick{{Value: low, Label: strconv.FormatFloat(low, 'g', 6, 64)}}
	}
	step := math.Pow(10, math.Floor(math.Log10(span/5)))
	for _, m := range []float64{5, 2} {
		if span/(step*m) >= 4 {
			step *= m
			break
		}
	}
	digits := max(0, int(-math.Floor(math.Log10(step)+1e-9)))
	var out []plot.Tick
	for k := math.Ceil(low/step - 1e-9); k*step <= high+step*1e-9; k++ {
		v := k * step
		out = append(out, plot.Tick{Value: v, Label: tickText(v, step, math.Max(math.Abs(low), math.Abs(high)), digits)})
	}
	return out
}

func tickText(v, step, size float64, digits int) string {
	if math.Abs(v) < step/1e6 {
		return "0"
	}
	if size >= 1e6 || size < 1e-3 {
		needed := max(0, int(math.Ceil(math.Log10(math.Abs(v)/step)-1e-9)))
		m, e, _ := strings.Cut(strconv.FormatFloat(v, 'e', min(needed, 12), 64), "e")
		if strings.Contains(m, ".") {
			m = strings.TrimRight(strings.TrimRight(m, "0"), ".")
		}
		n, _ := strconv.Atoi(e)
		return strings.Replace(m, "-", "−", 1) + "e" + strconv.Itoa(n)
	}
	return strings.Replace(strconv.FormatFloat(v, 'f', digits, 64), "-", "−", 1)
}

// span sets the range of an axis a little wider than its values.
func span(a *plot.Axis, low, high float64) {
	if !(high > low) {
		high, low = high+math.Max(1, math.Abs(high))*0.5, low-math.Max(1, math.Abs(low))*0.5
	}
	room := (high - low) * 0.04
	a.Min, a.Max = low-room, high+room
}

func bounds(values ...float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			low, high = math.Min(low, v), math.Max(high, v)
		}
	}
	if low > high {
		return 0, 1
	}
	return low, high
}

// line adds a line through points; dash is nil for a drawn one.
func line(p *plot.Plot, x, y []float64, c color.Color, width vg.Length, dash []vg.Length) *plotter.Line {
	l := &plotter.Line{XYs: points(x, y), LineStyle: draw.LineStyle{Color: c, Width: width, Dashes: dash}}
	if len(l.XYs) > 1 {
		p.Add(l)
	}
	return l
}

var dashed = []vg.Length{4, 3}

// points are those of which both values are finite.
func points(x, y []float64) plotter.XYs {
	var out plotter.XYs
	for i := range x {
		if s := x[i] + y[i]; !math.IsNaN(s) && !math.IsInf(s, 0) {
			out = append(out, plotter.XY{X: x[i], Y: y[i]})
		}
	}
	return out
}

// level adds a line across the plot.
func level(p *plot.Plot, y float64, c color.Color, dash []vg.Length) {
	line(p, []float64{p.X.Min, p.X.Max}, []float64{y, y}, c, 0.8, dash)
}

// marks adds text beside points.
func marks(p *plot.Plot, x, y []float64, names []string) {
	if len(x) == 0 {
		return
	}
	l, err := plotter.NewLabels(plotter.XYLabels{XYs: points(x, y), Labels: names})
	if err != nil {
		return // as many names as points, so never
	}
	for i := range l.TextStyle {
		l.TextStyle[i].Font.Variant, l.TextStyle[i].Font.Size, l.TextStyle[i].Color = "Sans", 8, ink
		l.TextStyle[i].XAlign, l.TextStyle[i].YAlign = -0.5, 0.4
	}
	p.Add(l)
}

// Wide says that the figure is wider than a column of a page.
func (f *Figure) Wide() bool {
	w, _ := f.size()
	return w > 6*vg.Inch
}
