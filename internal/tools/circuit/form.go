package circuit

import (
	"math"
	"math/cmplx"
)

// form is what a probe shows of a complex quantity. The magnitude is the form of a
// series anyway, which has the phase and both parts beside it.
type form string

const (
	whole      form = ""
	decibel    form = "db"
	phase      form = "p"
	continuous form = "cph" // phase without jumps along a sweep
	realPart   form = "r"
	imaginary  form = "i"
)

// forms are those of the letters in vdb(a) and of the functions in db(v(a)).
var forms = map[string]form{"": whole, "m": whole, "mag": whole, "db": decibel, "p": phase, "ph": phase, "cph": continuous, "phase": phase,
	"r": realPart, "re": realPart, "real": realPart, "i": imaginary, "im": imaginary, "imag": imaginary}

// value is the form of a number; in V or A, dB relative to 1 V or 1 A, or degrees.
func (f form) value(c complex128) float64 {
	switch f {
	case decibel:
		return 20 * math.Log10(cmplx.Abs(c))
	case phase, continuous:
		return cmplx.Phase(c) * 180 / math.Pi
	case realPart:
		return real(c)
	case imaginary:
		return imag(c)
	}
	return cmplx.Abs(c)
}

// of is the form of a complex vector.
func (f form) of(v vector) vector {
	kind := v.kind
	if kind != "current" {
		kind = "voltage"
	}
	switch f {
	case decibel:
		kind = "decibel"
	case phase, continuous:
		kind = "degree"
	}
	shown := vector{name: v.name, kind: kind, re: make([]float64, len(v.re))}
	for i := range v.re {
		shown.re[i] = f.value(complex(v.re[i], v.im[i]))
	}
	if f == continuous {
		shown.re = unwrapped(shown.re)
	}
	return shown
}

// difference is that of two values of the form; a phase at one frequency is known
// but for full turns.
func (f form) difference(a, b float64) float64 {
	if f == phase || f == continuous {
		return math.Abs(math.Remainder(a-b, 360))
	}
	return math.Abs(a - b)
}

// span is what a relative change of the quantity is in the form: 1 % of a voltage
// are 0.087 dB, or 0.57 degrees. 0 where it is the quantity's own size.
func (f form) span() float64 {
	switch f {
	case decibel:
		return 20 / math.Ln10
	case phase, continuous:
		return 180 / math.Pi
	}
	return 0
}

// wraps says whether a phase passes 180 degrees between two points, so that its
// extremes say nothing.
func (f form) wraps(y []float64) bool {
	for i := 1; i < len(y) && f == phase; i++ {
		if math.Abs(y[i]-y[i-1]) > wrappedLeast {
			return true
		}
	}
	return false
}
