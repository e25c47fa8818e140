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

// A series that is the sum of two waves has neither constant phase nor amplitude, also
// where it is too short to tell them apart, and where one is near twice the frequency
// of the other. One that dies out keeps its phase and not its amplitude; the sharp edges
// of a square wave make neither move.
func TestCoherenceTellsOneWaveFromTwo(t *testing.T) {
	r := testenv.Random(t)
	const all = 40
	turn := func(cycles float64) float64 { return math.Sin(2 * math.Pi * cycles) }
	for _, c := range []struct {
		name        string
		least, most int // that keep phase and amplitude
		of          func(n int) func(i float64) float64
	}{
		// Apart by 0.3 to 0.9 of a resolution: only near the beat's maximum is that hard to see.
		{"two close", 0, 3, func(n int) func(float64) float64 {
			f, off, p, q := 5/float64(n)+0.1*r.Float64(), (0.3+0.6*r.Float64())/float64(n), r.Float64(), r.Float64()
			return func(i float64) float64 { return turn(f*i+p) + 0.7*turn((f+off)*i+q) }
		}},
		{"near the octave", 0, 3, func(n int) func(float64) float64 {
			f, off, p, q := (5+5*r.Float64())/float64(n), (0.2+0.3*r.Float64())/float64(n), r.Float64(), r.Float64()
			return func(i float64) float64 { return turn(f*i+p) + 0.5*turn((2*f+off)*i+q) }
		}},
		{"dying out", 0, 3, func(n int) func(float64) float64 {
			f, p, time := (6+20*r.Float64())/float64(n), r.Float64(), float64(n)*(0.2+0.8*r.Float64())
			return func(i float64) float64 { return math.Exp(-i/time) * turn(f*i+p) }
		}},
		{"square", all - 7, all, func(n int) func(float64) float64 {
			f, p := 1/(8+20*r.Float64()), r.Float64()
			return func(i float64) float64 { return math.Copysign(1, turn(f*i+p)) }
		}},
	} {
		kept, phases := 0, 0
		for range all {
			n := 200 + r.IntN(200)
			of, at, x := c.of(n), make([]float64, n), make([]float64, n)
			for i := range x {
				at[i], x[i] = float64(i), of(float64(i))+0.03*r.NormFloat64()
			}
			rest, _ := straight(at, x)
			w := FitWave(at, x, Periodogram(rest).Peaks(1, n, 0)[0].Frequency).Whole(at, x)
			got := Coherent(at, x, w, 1)
			if got.Phase >= PhaseLevel {
				phases++
			}
			if got.stays() && got.Size >= PhaseLevel {
				kept++
			}
		}
		t.Logf("%s: %d of %d keep phase and amplitude, %d the phase", c.name, kept, all, phases)
		if kept < c.least || kept > c.most {
			t.Errorf("%s: %d of %d", c.name, kept, all)
		}
		if c.name == "dying out" && phases < all-5 { // its zeros stay where they are
			t.Errorf("%s: the phase of %d of %d stays", c.name, phases, all)
		}
	}
}
