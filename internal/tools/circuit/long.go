package circuit

import "math"

// long is a number of twice the digits of a float64 (T. J. Dekker, "A floating-point
// technique for extending the available precision", Numer. Math. 18, 1971): what
// differences of almost equal voltages lose is still there.
type long struct{ hi, lo float64 }

func exactSum(a, b float64) long {
	s := a + b
	t := s - a
	return long{s, (a - (s - t)) + (b - t)}
}

func (a long) plus(b long) long {
	s := exactSum(a.hi, b.hi)
	return exactSum(s.hi, s.lo+a.lo+b.lo)
}

func (a long) minus(b long) long { return a.plus(long{-b.hi, -b.lo}) }

func (a long) times(b long) long {
	p := a.hi * b.hi
	return exactSum(p, math.FMA(a.hi, b.hi, -p)+a.hi*b.lo+a.lo*b.hi)
}

func (a long) over(b long) long {
	q := long{}
	for range 3 {
		part := long{hi: a.minus(q.times(b)).hi / b.hi}
		q = q.plus(part)
	}
	return q
}

// wide is a complex number of twice the digits.
type wide struct{ re, im long }

func widened(c complex128) wide { return wide{long{hi: real(c)}, long{hi: imag(c)}} }

func (a wide) narrowed() complex128 { return complex(a.re.hi, a.im.hi) }

func (a wide) plus(b wide) wide  { return wide{a.re.plus(b.re), a.im.plus(b.im)} }
func (a wide) minus(b wide) wide { return wide{a.re.minus(b.re), a.im.minus(b.im)} }

func (a wide) times(b wide) wide {
	return wide{a.re.times(b.re).minus(a.im.times(b.im)), a.re.times(b.im).plus(a.im.times(b.re))}
}

func (a wide) over(b wide) wide {
	size := b.re.times(b.re).plus(b.im.times(b.im))
	n := a.times(wide{b.re, long{-b.im.hi, -b.im.lo}})
	return wide{n.re.over(size), n.im.over(size)}
}

// size is the magnitude, to single digits.
func (a wide) size() float64 { return math.Hypot(a.re.hi, a.im.hi) }
