package stat

import (
	"math"
	"math/rand/v2"
	"testing"

	"atelier/internal/testenv"
)

// cycled is an autoregression with poles of modulus r at a period.
func cycled(g *rand.Rand, n int, period, r float64) (t, x []float64) {
	t, x = make([]float64, n), make([]float64, n)
	w, a, b := 2*math.Pi/period, 0.0, 0.0
	for i := -400; i < n; i++ {
		a, b = 2*r*math.Cos(w)*a-r*r*b+g.NormFloat64(), a
		if i >= 0 {
			t[i], x[i] = float64(i), a
		}
	}
	return t, x
}

// judged is the strongest period of a series, whether its phase stays, and its bar.
func judged(t, x []float64) (period, bar float64, c Coherence) {
	rest, _ := straight(t, x)
	w := FitWave(t, x, Periodogram(rest).Peaks(1, len(x), 0)[0].Frequency)
	c = Coherent(t, x, w, 1)
	period = 1 / w.Frequency
	return period, WaveBar * w.SE * c.Widen * period * period, c
}

func (c Coherence) stays() bool { return c.Phase >= PhaseLevel && c.Noise < 0.05 }

// The phase of a sine stays, in white and in red noise; that of a resonance which noise
// drives does not, and its windows spread over the period of its poles.
func TestCoherenceTellsSinesFromCycles(t *testing.T) {
	r := testenv.Random(t)
	const all = 60
	for _, phi := range []float64{0, 0.5, 0.8} {
		kept, covered, noise, phase := 0, 0, 0, 0
		for range all {
			n := 100 + r.IntN(300)
			period := float64(n) / (5 + 25*r.Float64())
			if period < 4 {
				period = 4 + 3*r.Float64()
			}
			at, x := waved(r, n, period, 0.05+0.5*r.Float64(), phi)
			p, bar, c := judged(at, x)
			if c.stays() {
				kept++
			}
			if !(c.Phase >= PhaseLevel) {
				phase++
			}
			if !(c.Noise < 0.05) {
				noise++
			}
			if math.Abs(p-period) <= bar {
				covered++
			}
		}
		t.Logf("sines, phi %v: %d of %d kept (%d lost by phase, %d by noise), %d covered", phi, kept, all, phase, noise, covered)
		if kept < 52 || covered < 52 {
			t.Error("too few")
		}
	}
	for _, modulus := range []float64{0.9, 0.95, 0.97, 0.98, 0.99} {
		kept, wrong, phase, noise, inside := 0, 0, 0, 0, 0
		for range all {
			at, x := cycled(r, 300, 20, modulus)
			p, bar, c := judged(at, x)
			if c.stays() {
				if kept++; math.Abs(p-20) > bar {
					wrong++
				}
			}
			if !(c.Phase >= PhaseLevel) {
				phase++
			}
			if !(c.Noise < 0.05) {
				noise++
			}
			if c.Low <= 1./20 && c.High >= 1./20 {
				inside++
			}
		}
		t.Logf("cycles, modulus %v: %d of %d kept, %d of them wrong (%d found by phase, %d by noise); 20 within the windows of %d", modulus, kept, all, wrong, phase, noise, inside)
		if wrong > 5 || inside < 45 && modulus > 0.9 { // 0.9 has no period to speak of: its spectrum is as wide as half its frequency
			t.Error("too many")
		}
	}
}
