package circuit

import (
	"math"
	"slices"
	"strings"

	"atelier/internal/evidence"
	"atelier/internal/jsonvalue"
)

// signal is a quantity of a plot that the answer shows, and where.
type signal struct {
	at       string // JSON pointer: of a series, or of one number
	name     string // v(out)
	unit     string
	analysis int // the index of its analysis
	part     int // its plot among those of the analysis
	probe    probe
	single   bool // one number: no final, min and max
	quoted   bool
	wraps    bool      // a phase that passes 180 degrees
	zero     float64   // what is less counts as nothing
	words    string    // in the summary, in place of name and value
	beside   string    // the pointer of the figure whose words have this one too
	twin     bool      // the conjugate of a root that is told
	x, y     []float64 // of a transient
	alongX   []float64 // of a dc sweep, rising
	alongY   []float64
	stats
}

// stats are the figures of a signal; in ac of its magnitude.
type stats struct {
	final, min, max    float64
	lastAt             float64
	minIndex, maxIndex int
	minAt, maxAt       float64
}

func statsOf(p *plot, v vector) stats {
	s := stats{}
	for i := range v.re {
		y := v.magnitude(i)
		if i == 0 || y < s.min {
			s.min, s.minIndex = y, i
		}
		if i == 0 || y > s.max {
			s.max, s.maxIndex = y, i
		}
		s.final = y
	}
	if p.points() > 0 {
		x := p.vectors[0].re
		s.minAt, s.maxAt, s.lastAt = x[s.minIndex], x[s.maxIndex], x[len(x)-1]
	}
	return s
}

// magnitude is the value of a real vector, the magnitude of a complex one.
func (v *vector) magnitude(i int) float64 {
	if v.im == nil {
		return v.re[i]
	}
	return math.Hypot(v.re[i], v.im[i])
}

// peak is the largest magnitude of the signal: what its errors are relative to.
func (s *signal) peak() float64 {
	if span := s.probe.form.span(); span > 0 {
		return span
	}
	return math.Max(math.Abs(s.final), math.Max(math.Abs(s.min), math.Abs(s.max)))
}

// part names one figure of a signal.
type part struct {
	word    string // final value
	suffix  string // of the pointer
	value   float64
	at      float64
	located bool
}

func (s *signal) parts() []part {
	if s.single {
		return []part{{word: "value", value: s.final}}
	}
	return []part{
		{"final value", "/final", s.final, s.lastAt, true},
		{"minimum", "/min/y", s.min, s.minAt, true},
		{"maximum", "/max/y", s.max, s.maxAt, true},
	}
}

// figures are those of the signal, without error bars yet.
func (s *signal) figures(c command) []evidence.Figure {
	var all []evidence.Figure
	for _, p := range s.parts() {
		name := p.word + " of " + s.name
		if s.single {
			name = s.name
		}
		f := evidence.Of(name, s.at+p.suffix, p.value, s.unit, "ngspice, "+c.text)
		if p.located {
			f = f.At(p.at)
		}
		f.Quoted = s.quoted && !math.IsNaN(p.value) && (!s.wraps || p.suffix == "/final")
		f.Scale = s.scale(c.analysis)
		all = append(all, f)
	}
	return all
}

// scale is what the accuracy of a figure of the signal is relative to where the
// figure itself may vanish: a waveform's own size. In ac a small magnitude has to
// be right by itself.
func (s *signal) scale(analysis string) float64 {
	if s.probe.form != whole {
		return s.peak()
	}
	if s.single || analysis == "ac" || analysis == "noise" {
		return 0
	}
	return s.peak()
}

// pointer joins tokens to a JSON pointer.
func pointer(tokens ...string) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte('/')
		b.WriteString(jsonvalue.Escape(t))
	}
	return b.String()
}

// noise is a size below which a voltage or a current is not told from zero.
func noiseOf(unit string) float64 {
	switch unit {
	case "V":
		return 1e-6
	case "A":
		return 1e-12
	}
	return 0
}

// nearby is the largest change at the last steps of a transient: at a single one
// the two runs may cross.
func (s *signal) nearby(f *found, suffix string) float64 {
	if suffix != "/final" || len(s.x) < 4 || len(f.x) < 2 {
		return 0
	}
	largest := 0.0
	for i := len(s.x) - 3; i < len(s.x); i++ {
		if v, ok := interpolate(f.x, f.y, s.x[i]); ok {
			largest = math.Max(largest, math.Abs(v-s.y[i]))
		}
	}
	return largest
}

// interpolate is the value between the points of a waveform.
func interpolate(x, y []float64, at float64) (float64, bool) {
	k, _ := slices.BinarySearch(x, at)
	if k == 0 || k >= len(x) || x[k] <= x[k-1] {
		return 0, false
	}
	return y[k-1] + (y[k]-y[k-1])*(at-x[k-1])/(x[k]-x[k-1]), true
}

// between is how far the extreme of a transient may lie above the points, by the
// parabola through the three around it.
func (s *signal) between(suffix string) float64 {
	k := map[string]int{"/min/y": s.minIndex, "/max/y": s.maxIndex}[suffix]
	if k < 1 || k+1 >= len(s.x) {
		return 0
	}
	left, right := s.x[k]-s.x[k-1], s.x[k+1]-s.x[k]
	if left <= 0 || right <= 0 {
		return 0
	}
	a, b := (s.y[k]-s.y[k-1])/left, (s.y[k+1]-s.y[k])/right
	curvature, slope := 2*(b-a)/(left+right), (a*right+b*left)/(left+right)
	if curvature == 0 {
		return 0
	}
	return math.Min(math.Abs(slope*slope/(2*curvature)), math.Max(math.Abs(s.y[k]-s.y[k-1]), math.Abs(s.y[k+1]-s.y[k])))
}

// size is what the tolerance of a second run is relative to.
func (s *signal) size(value float64) float64 {
	if span := s.probe.form.span(); span > 0 {
		return span
	}
	return math.Abs(value)
}

// along keeps the curve of a dc sweep of one source.
func (s *signal) along(p *plot, v vector, text string) {
	if v.im != nil || len(strings.Fields(text)) != 5 {
		return
	}
	if s.alongX, s.alongY = p.vectors[0].re, v.re; len(s.alongX) > 1 && s.alongX[0] > s.alongX[1] {
		s.alongX, s.alongY = slices.Clone(s.alongX), slices.Clone(s.alongY)
		slices.Reverse(s.alongX)
		slices.Reverse(s.alongY)
	}
}

// excursion is how far a finer sweep goes beyond the two points of this one that it
// lies between, and where.
func (s *signal) excursion(x, y []float64) (most, at float64, below bool) {
	for i := range x {
		k, _ := slices.BinarySearch(s.alongX, x[i])
		if k == 0 || k >= len(s.alongX) {
			continue
		}
		a, b := s.alongY[k-1], s.alongY[k]
		if beyond := math.Max(y[i]-math.Max(a, b), math.Min(a, b)-y[i]); beyond > most {
			most, at, below = beyond, x[i], y[i] < math.Min(a, b)
		}
	}
	return most, at, below
}

// bump fails the extreme on the side of what a dc sweep passes over.
func (s *signal) bump(f *found) []evidence.Check {
	size := math.Max(s.peak(), smallest(s.unit))
	if s.at == "" || f.beyond <= accuracy*size {
		return nil
	}
	side := "/max/y"
	if f.below {
		side = "/min/y"
	}
	return []evidence.Check{evidence.Within("between_the_points", evidence.Bounds, s.at+side, f.beyond/size, accuracy, "1", s.passedOver(f)+" Shorten the step, or sweep a narrower range.")}
}
