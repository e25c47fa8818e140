package circuit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// values shows the figures of an analysis without a sweep.
func (o *simulateOutput) values(c command, p *plot, index, part int) {
	for k, v := range p.vectors {
		if len(o.Values) >= inlineNames {
			return
		}
		if strings.Contains(v.name, "@") {
			continue // a device's own value, kept beside the analysis
		}
		one := value{Analysis: c.analysis, Name: plainName(v.name), Value: v.re[0]}
		s := signal{at: pointer("values", strconv.Itoa(len(o.Values)), "value"), name: one.Name, unit: valueUnit(c, v),
			analysis: index, part: part, probe: probe{label: v.name, name: v.name}, single: true, stats: statsOf(p, vector{re: v.re})}
		var beside []signal
		if v.im != nil {
			im := v.im[0]
			if one.Imag = &im; im != 0 {
				beside = one.complexRoot(&s)
				before, after := twin(p, k, -1), twin(p, k, 1)
				s.twin = before && im < 0
				if after || before {
					s.words = strings.Replace(strings.Replace(s.words, " + j", " ± j", 1), " - j", " ± j", 1)
				}
			}
		}
		o.Values, o.signals = append(o.Values, one), append(append(o.signals, s), beside...)
	}
}

// twin says whether a neighbour of a complex root is its conjugate.
func twin(p *plot, k, step int) bool {
	if k+step < 0 || k+step >= len(p.vectors) {
		return false
	}
	a, b := p.vectors[k], p.vectors[k+step]
	size := 1e-9 * math.Hypot(a.re[0], a.im[0])
	return b.im != nil && math.Abs(a.re[0]-b.re[0]) <= size && math.Abs(a.im[0]+b.im[0]) <= size
}

// complexRoot completes a complex pole or zero: its real part alone would be taken
// for a root without oscillation.
func (v *value) complexRoot(s *signal) []signal {
	size := math.Hypot(v.Value, *v.Imag)
	frequency, damping := size/(2*math.Pi), -v.Value/size
	v.NaturalFrequency, v.DampingRatio = &frequency, &damping
	sign := "+"
	if *v.Imag < 0 {
		sign = "-"
	}
	s.words = fmt.Sprintf("%s = %s %s j%s rad/s (natural frequency %s Hz, damping ratio %s)", v.Name, format5(v.Value), sign, format5(math.Abs(*v.Imag)), format5(frequency), format5(damping))
	s.name = "real part of " + v.Name
	var beside []signal
	for _, more := range []struct {
		key, name, unit string
		value           float64
	}{{"imag", "imaginary part of ", "rad/s", *v.Imag}, {"natural_frequency", "natural frequency of ", "Hz", frequency}, {"damping_ratio", "damping ratio of ", "1", damping}} {
		other := *s
		other.at, other.name, other.unit, other.words, other.beside = strings.TrimSuffix(s.at, "value")+more.key, more.name+v.Name, more.unit, "", s.at
		other.stats = stats{final: more.value, min: more.value, max: more.value}
		beside = append(beside, other)
	}
	return beside
}

// valueUnit is the unit of a figure of an analysis without a sweep.
func valueUnit(c command, v vector) string {
	switch {
	case strings.Contains(v.name, "impedance"):
		return "Ohm"
	case c.analysis == "tf":
		return transferUnit(c.text)
	case c.analysis == "pz":
		return "rad/s"
	case c.analysis == "noise":
		return unit(v.kind, v.name)
	case c.analysis == "sens":
		return "V per unit of the parameter"
	}
	return "1"
}
