package stat

import (
	"math"
	"math/rand/v2"
	"testing"

	"atelier/internal/testenv"
)

// waved are values of a sine of a random phase in noise of the first
// autocorrelation phi and deviation noise.
func waved(r *rand.Rand, n int, period, noise, phi float64) (t, x []float64) {
	t, x = make([]float64, n), make([]float64, n)
	phase, red := 2*math.Pi*r.Float64(), 0.0
	for i := range x {
		red = phi*red + math.Sqrt(1-phi*phi)*r.NormFloat64()
		t[i], x[i] = float64(i), math.Sin(2*math.Pi*float64(i)/period+phase)+noise*red
	}
	return t, x
}

// The bars cover the true period in 95 of 100 cases at least, white noise or not; the
// autocorrelations find the same within theirs.
func TestPeriodsAreCovered(t *testing.T) {
	r := testenv.Random(t)
	for _, phi := range []float64{0, 0.5} {
		const all = 200
		covered, agree, width, bin := 0, 0, 0.0, 0.0
		for range all {
			n, period, noise := 100+r.IntN(300), 5+45*r.Float64(), 0.05+0.6*r.Float64()
			at, x := waved(r, n, period, noise, phi)
			rest, _ := straight(at, x)
			w := FitWave(at, x, Periodogram(rest).Peaks(1, n, 0)[0].Frequency)
			p := 1 / w.Frequency
			se := p * p * w.SE
			if math.Abs(p-period) <= WaveBar*se {
				covered++
			}
			total := 0.0
			for _, v := range rest {
				total += v * v / float64(n)
			}
			other, deviation := Recurrence(rest, p, math.Min(1, w.Amplitude*w.Amplitude/2/total))
			if math.Abs(other-p) <= 4*math.Hypot(deviation, se) {
				agree++
			} else {
				t.Logf("n %d period %.3f noise %.2f: %.4f ± %.4f, recurrence %.4f ± %.4f", n, period, noise, p, se, other, deviation)
			}
			width, bin = width+WaveBar*se/p/all, bin+p/float64(n)/2/all
		}
		t.Logf("phi %v: %d of %d covered by bars of %.2g on average (half a bin is %.2g), %d agree", phi, covered, all, width, bin, agree)
		if covered < 178 || agree < 190 { // 178 is 4 deviations below 190
			t.Error("too few")
		}
	}
}

// What a wave leaves is the same by blocks of rows as by whole columns, at any times,
// and the search keeps no columns: a million values would need gigabytes of them.
func TestWavesByBlocks(t *testing.T) {
	r := testenv.Random(t)
	for _, n := range []int{12, waveBlock, 2*waveBlock + 1 + r.IntN(waveBlock)} {
		at, x := waved(r, n, 5+20*r.Float64(), 0.5, 0.5)
		for i := range at {
			at[i] += 0.3 * r.Float64()
		}
		for h := 1; h <= mostHarmonics; h++ {
			f := 0.02 + 0.08*r.Float64()
			whole, got := waveOf(at, x, f, h), waveLeaves(at, x, f, h)
			if whole == nil { // a dozen values need not determine all harmonics
				if n > waveBlock || !math.IsInf(got, 1) {
					t.Errorf("%d values, %d harmonics: %v, which the columns do not determine", n, h, got)
				}
				continue
			}
			if math.Abs(got-whole.RSS) > 1e-10*whole.RSS {
				t.Errorf("%d values, %d harmonics: %.17g, want %.17g", n, h, got, whole.RSS)
			}
		}
	}
	at, x := waved(r, 20_000, 100, 0.5, 0)
	if kept := testing.AllocsPerRun(1, func() { waveLeaves(at, x, 0.01, mostHarmonics) }); kept > 100 {
		t.Errorf("%g allocations", kept)
	}
}
