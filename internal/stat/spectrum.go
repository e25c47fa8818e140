package stat

import (
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/dsp/fourier"
)

// Spectrum is a one-sided power spectral density: its integral over frequency is
// the variance of the series. Frequencies are in cycles per step of the series,
// or per unit of its time for Lomb and Scargle's.
type Spectrum struct {
	Method    string // periodogram, welch or lomb_scargle
	Frequency []float64
	Power     []float64
	Segment   int // values of a segment
	Segments  int // averaged
}

// Periodogram is that of a series whose mean or trend is already taken off, with
// step 1. Frequency 0 is there too.
func Periodogram(x []float64) *Spectrum {
	s := &Spectrum{Method: "periodogram", Segment: len(x), Segments: 1}
	s.Frequency, s.Power = density(x, float64(len(x)))
	return s
}

// AveragedPeriodogram averages the periodograms of segments that overlap by half, each without
// its mean and weighted by Hann's window (Welch 1967).
func AveragedPeriodogram(x []float64, segment int) *Spectrum {
	s := &Spectrum{Method: "welch", Segment: segment}
	window, squares := make([]float64, segment), 0.0
	for i := range window {
		window[i] = 0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/float64(segment))
		squares += window[i] * window[i]
	}
	part := make([]float64, segment)
	for lo := 0; lo+segment <= len(x); lo += segment - segment/2 {
		mean := 0.0
		for _, v := range x[lo : lo+segment] {
			mean += v / float64(segment)
		}
		for i, v := range x[lo : lo+segment] {
			part[i] = (v - mean) * window[i]
		}
		f, p := density(part, squares)
		if s.Power == nil {
			s.Frequency, s.Power = f, make([]float64, len(p))
		}
		for i, v := range p {
			s.Power[i] += v
		}
		s.Segments++
	}
	for i := range s.Power {
		s.Power[i] /= float64(s.Segments)
	}
	return s
}

// density is the one-sided squared transform over the sum of the squared window.
func density(x []float64, squares float64) (frequency, power []float64) {
	n := len(x)
	c := transform(x)
	frequency, power = make([]float64, n/2+1), make([]float64, n/2+1)
	for k := range power {
		frequency[k] = float64(k) / float64(n)
		a := real(c[k])*real(c[k]) + imag(c[k])*imag(c[k])
		if k > 0 && 2*k != n {
			a *= 2
		}
		power[k] = a / squares
	}
	return frequency, power
}

// largestFactor is the largest prime factor that the mixed-radix transform takes
// without becoming slow.
const largestFactor = 100

// transform returns the coefficients 0 to n/2 of the discrete Fourier transform.
func transform(x []float64) []complex128 {
	n := len(x)
	rest := n
	for p := 2; p <= largestFactor; p++ {
		for rest%p == 0 {
			rest /= p
		}
	}
	if rest == 1 {
		return fourier.NewFFT(n).Coefficients(nil, x)
	}
	return chirp(x)
}

// chirp is the transform of any length as a convolution of a power of two
// (Bluestein 1970); the angles are reduced exactly.
func chirp(x []float64) []complex128 {
	n := len(x)
	m := 1
	for m < 2*n {
		m *= 2
	}
	w := make([]complex128, n)
	for k := range w {
		square := (uint64(k) * uint64(k)) % uint64(2*n)
		w[k] = cmplx.Rect(1, -math.Pi*float64(square)/float64(n))
	}
	a, b := make([]complex128, m), make([]complex128, m)
	for k, v := range x {
		a[k] = complex(v, 0) * w[k]
		b[k] = cmplx.Conj(w[k])
		if k > 0 {
			b[m-k] = b[k]
		}
	}
	f := fourier.NewCmplxFFT(m)
	a, b = f.Coefficients(nil, a), f.Coefficients(nil, b)
	for k := range a {
		a[k] *= b[k]
	}
	a = f.Sequence(nil, a)
	out := make([]complex128, n/2+1)
	for k := range out {
		out[k] = a[k] / complex(float64(m), 0) * w[k]
	}
	return out
}

// LombScargle is the share of the variance that a sine with a mean of its own
// explains at each frequency, of values at any times (Lomb 1976, Scargle 1982;
// with the floating mean of Zechmeister and Kürster 2009). Its powers are from 0
// to 1, no density.
func LombScargle(t, y, frequency []float64) *Spectrum {
	s := &Spectrum{Method: "lomb_scargle", Frequency: frequency, Power: make([]float64, len(frequency)), Segment: len(y), Segments: 1}
	n := float64(len(y))
	mean, yy := 0.0, 0.0
	for _, v := range y {
		mean += v / n
	}
	for _, v := range y {
		yy += (v - mean) * (v - mean)
	}
	for k, f := range frequency {
		var c, q, cc, cq, qq, yc, yq float64
		for i, at := range t {
			sin, cos := math.Sincos(2 * math.Pi * f * at)
			c, q = c+cos, q+sin
			cc, cq, qq = cc+cos*cos, cq+cos*sin, qq+sin*sin
			yc, yq = yc+(y[i]-mean)*cos, yq+(y[i]-mean)*sin
		}
		cc, cq, qq = cc-c*c/n, cq-c*q/n, qq-q*q/n
		if d := cc*qq - cq*cq; d > 1e-12*(cc+qq)*(cc+qq) && yy > 0 {
			s.Power[k] = (yc*yc*qq - 2*yc*yq*cq + yq*yq*cc) / (d * yy)
		}
	}
	return s
}
