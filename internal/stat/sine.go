package stat

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Wave is a sine with harmonics in a series, beside a straight line, by least
// squares.
type Wave struct {
	Frequency, SE float64 // per unit of the times; SE by the bound of Cramér and Rao
	Amplitude     float64 // of the fundamental
	Harmonics     int     // the fundamental is the first
	RSS           float64
	Rest          []float64    // the series without the wave, but with the line
	phase         float64      // of the fundamental as a sine at time 0
	parts         [][2]float64 // sine and cosine of each harmonic about the middle of the times
	plain         *Wave        // the same with few harmonics, where it has many
}

// WaveBar is the half width of the bar of a frequency, in standard errors: it covers
// 95 of 100 periods also in noise that depends on its last value, and 98 in white
// noise (TestPeriodsAreCovered).
const WaveBar = 2.5

// mostHarmonics is the most that are tried.
const mostHarmonics = 4

// FitWave refines the frequency of a peak of the spectrum within one resolution of
// it, 1/span: the least sum of squares. Harmonics are those that the criterion of
// Schwarz asks for. The standard error is the bound of Cramér and Rao, with the level
// of noise about the peak: sqrt(2 S / (A^2 sum (t-mean)^2)) / (2 pi), S being the
// variance per value that noise of the level there would have.
func FitWave(t, y []float64, frequency float64) *Wave {
	n := len(y)
	span := t[n-1] - t[0]
	var best *Wave
	for h, least := 1, math.Inf(1); h <= mostHarmonics && 2*h+4 < n/2; h++ {
		w := refined(t, y, frequency, 1/span, h)
		if w == nil {
			break
		}
		if of := float64(n)*math.Log(w.RSS/float64(n)) + float64(2*h)*math.Log(float64(n)); of < least {
			best, least = w, of
		}
	}
	if best == nil {
		return nil
	}
	mean, squares := 0.0, 0.0
	for _, v := range t {
		mean += v / float64(n)
	}
	for _, v := range t {
		squares += (v - mean) * (v - mean)
	}
	level := levelAt(t, best.Rest, best.Frequency, 1/span)
	best.SE = math.Sqrt(2*level/squares) / best.Amplitude / (2 * math.Pi)
	return best
}

// refined finds the best frequency within a resolution, by a scan and golden
// sections.
func refined(t, y []float64, frequency, resolution float64, harmonics int) *Wave {
	rss := func(f float64) float64 { return waveLeaves(t, y, f, harmonics) }
	const parts = 16
	at, least := frequency, math.Inf(1)
	for k := -parts; k <= parts; k++ {
		if f := frequency + resolution*float64(k)/parts; f > 0 {
			if v := rss(f); v < least {
				at, least = f, v
			}
		}
	}
	golden := (math.Sqrt(5) - 1) / 2
	lo, hi := math.Max(at-resolution/parts, at/10), at+resolution/parts
	a, b := hi-golden*(hi-lo), lo+golden*(hi-lo)
	va, vb := rss(a), rss(b)
	for hi-lo > 1e-7*resolution {
		if va < vb {
			hi, b, vb = b, a, va
			a = hi - golden*(hi-lo)
			va = rss(a)
		} else {
			lo, a, va = a, b, vb
			b = lo + golden*(hi-lo)
			vb = rss(b)
		}
	}
	return waveOf(t, y, (lo+hi)/2, harmonics)
}

// waveBlock is how many rows of a wave's columns are made at a time: they stay in the cache.
const waveBlock = 512

// waveRows are rows of waveColumns.
type waveRows [2 + 2*mostHarmonics][waveBlock]float64

// fill makes the rows of some times; the harmonics follow from the fundamental by addition.
func (r *waveRows) fill(t []float64, f, middle, span float64, harmonics int) {
	for i, at := range t {
		r[0][i], r[1][i] = 1, (at-middle)/span
		r[2][i], r[3][i] = math.Sincos(2 * math.Pi * f * (at - middle))
	}
	for k := 4; k < 2+2*harmonics; k += 2 {
		for i := range t {
			r[k][i], r[k+1][i] = r[k-2][i]*r[3][i]+r[k-1][i]*r[2][i], r[k-1][i]*r[3][i]-r[k-2][i]*r[2][i]
		}
	}
}

// waveLeaves is the sum of squares that a wave of one frequency leaves, infinite where
// its columns are dependent. They are not kept: a search asks some hundred times.
func waveLeaves(t, y []float64, f float64, harmonics int) float64 {
	n, q := len(t), 2+2*harmonics
	middle, span := (t[0]+t[n-1])/2, t[n-1]-t[0]
	var rows waveRows
	var line [waveBlock]float64
	gram, right := mat.NewSymDense(q, nil), mat.NewVecDense(q, nil)
	for lo := 0; lo < n; lo += waveBlock {
		m := min(waveBlock, n-lo)
		rows.fill(t[lo:lo+m], f, middle, span, harmonics)
		for a := range q {
			right.SetVec(a, right.AtVec(a)+floats.Dot(rows[a][:m], y[lo:lo+m]))
			for b := a; b < q; b++ {
				gram.SetSym(a, b, gram.At(a, b)+floats.Dot(rows[a][:m], rows[b][:m]))
			}
		}
	}
	x := normal(gram, right)
	if x == nil {
		return math.Inf(1)
	}
	rss := 0.0
	for lo := 0; lo < n; lo += waveBlock {
		m := min(waveBlock, n-lo)
		rows.fill(t[lo:lo+m], f, middle, span, harmonics)
		left := line[:copy(line[:m], y[lo:lo+m])]
		for k, v := range x {
			floats.AddScaled(left, -v, rows[k][:m])
		}
		rss += floats.Dot(left, left)
	}
	return rss
}

// waveColumns are a constant, a line, and sine and cosine of each harmonic about the
// middle of the times.
func waveColumns(t []float64, f float64, harmonics int) [][]float64 {
	n := len(t)
	middle, span := (t[0]+t[n-1])/2, t[n-1]-t[0]
	list := make([][]float64, 2+2*harmonics)
	for k := range list {
		list[k] = make([]float64, n)
	}
	for i, at := range t {
		list[0][i], list[1][i] = 1, (at-middle)/span
		for h := range harmonics {
			list[2+2*h][i], list[3+2*h][i] = math.Sincos(2 * math.Pi * f * float64(h+1) * (at - middle))
		}
	}
	return list
}

// waveOf fits a wave of one frequency; nil where its columns are dependent.
func waveOf(t, y []float64, f float64, harmonics int) *Wave {
	columns := waveColumns(t, f, harmonics)
	x := regress(columns, y)
	if x == nil {
		return nil
	}
	w := &Wave{Frequency: f, Harmonics: harmonics, Amplitude: math.Hypot(x[2], x[3])}
	line := append([]float64(nil), y...)
	for k, c := range columns {
		floats.AddScaled(line, -x[k], c)
	}
	w.RSS = floats.Dot(line, line)
	for h := range harmonics {
		w.parts = append(w.parts, [2]float64{x[2+2*h], x[3+2*h]})
	}
	floats.AddScaled(line, x[0], columns[0])
	floats.AddScaled(line, x[1], columns[1])
	w.Rest, w.phase = line, math.Atan2(x[3], x[2])-math.Pi*f*(t[0]+t[len(t)-1])
	return w
}

// levelAt is the variance per value of noise with the power that a series has about
// a frequency: the mean of its periodogram at distances of 1.5 to 6.5 resolutions, whose
// ordinates are nearly independent: the wave has taken noise next to it along. The
// line is taken off first.
func levelAt(t, y []float64, f, resolution float64) float64 {
	line, _ := straight(t, y)
	n := float64(len(y))
	sum, count, all := 0.0, 0.0, 0.0
	for _, v := range line {
		all += v * v / (n - 5)
	}
	for k := 1; k <= 6; k++ {
		for _, g := range []float64{f - (float64(k)+0.5)*resolution, f + (float64(k)+0.5)*resolution} {
			if g < resolution/2 {
				continue
			}
			var c, s float64
			for i, v := range line {
				sin, cos := math.Sincos(2 * math.Pi * g * t[i])
				c, s = c+v*cos, s+v*sin
			}
			sum, count = sum+(c*c+s*s)/n, count+1
		}
	}
	// All values tell the level of white noise better than twelve ordinates.
	return math.Max(sum/count, all)
}

// straight takes a line off.
func straight(t, y []float64) (rest []float64, slope float64) {
	n := float64(len(y))
	var mt, my, tt, ty float64
	for i := range y {
		mt, my = mt+t[i]/n, my+y[i]/n
	}
	for i := range y {
		tt, ty = tt+(t[i]-mt)*(t[i]-mt), ty+(t[i]-mt)*(y[i]-my)
	}
	slope = ty / tt
	rest = make([]float64, len(y))
	for i := range y {
		rest[i] = y[i] - my - slope*(t[i]-mt)
	}
	return rest, slope
}

// Recurrence is the period of a regular series by its autocorrelations: the place of
// their maximum near the largest whole multiple of period that half the series has
// room for, over that multiple. Its deviation is that of a sine in white noise with
// the share of the variance that the wave has, and what the ends of the series move
// it by. NaN where there is no maximum within half a period.
func Recurrence(x []float64, period, share float64) (found, deviation float64) {
	n := len(x)
	multiple := math.Floor(float64(n) / 2 / period)
	if multiple < 1 || period < 2 {
		return math.NaN(), math.NaN()
	}
	r := func(lag int) float64 {
		sum := 0.0
		for i := lag; i < n; i++ {
			sum += x[i] * x[i-lag]
		}
		return sum / float64(n-lag)
	}
	from := int(math.Max(1, math.Ceil(multiple*period-period/2)))
	to := min(int(math.Floor(multiple*period+period/2)), n-2)
	best, value := 0, 0.0
	for k := from; k <= to; k++ {
		if v := r(k); v > value {
			best, value = k, v
		}
	}
	if best == 0 {
		return math.NaN(), math.NaN()
	}
	// Through three points goes one sine of the known frequency.
	omega := 2 * math.Pi / period
	shift := math.Atan2((r(best+1)-r(best-1))/(2*math.Sin(omega)), (r(best+1)+r(best-1))/(2*math.Cos(omega)))
	if math.Abs(math.Cos(omega)) < 0.2 {
		shift = math.Atan2((r(best+1)-r(best-1))/(2*math.Sin(omega)), value)
	}
	left := float64(n) - multiple*period
	noise := 1/share - 1 // variance over that of the wave
	deviation = math.Sqrt((noise*noise+2*noise)/(2*left))/omega + 1/(left*omega*math.Abs(math.Sin(omega)))
	return (float64(best) + shift/omega) / multiple, deviation / multiple
}
