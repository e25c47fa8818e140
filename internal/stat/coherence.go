package stat

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Coherence is whether the phase of a wave stays over its series. A period in the
// strict sense keeps it; a resonance that noise drives (an autoregression with complex
// poles), a frequency that drifts and two periods close to each other do not.
type Coherence struct {
	Noise float64 // probability that noise with memory alone explains the wave as well; NaN: not tested
	Phase float64 // p value of a phase that stays; NaN: fewer than fewestPeriods, or too few values
	Size  float64 // p value of an amplitude that stays; NaN likewise
	Widen float64 // what the bar of the frequency is too short by, at least 1
	Low   float64 // frequencies between the windows of the series
	High  float64
}

const (
	// fewestPeriods is how often a wave must be there for its phase to be compared.
	fewestPeriods = 2.9
	// windowPeriods is the least of a window, mostWindows the most of a series.
	windowPeriods = 1.5
	mostWindows   = 8
	// perPeriod is about how many means of values a period is described by.
	perPeriod = 12
	// PhaseLevel is the level of the test of the phase.
	PhaseLevel = 0.01
	// nothingLeft is the share of a wave's squares below which all that is left is what
	// its frequency was found to.
	nothingLeft = 1e-10
	// pastOrder is the highest order of the noise that a wave is held against.
	pastOrder = 14
	// standsOut is how many times the power of the noise about its frequency a wave has,
	// from which noise that drove it would surely show in its phase or its amplitude:
	// a resonance as narrow as that wanders within the series.
	standsOut = 400
)

// Coherent tests a wave of a series. step is that of the grid on which its times are,
// 0 where there is none: noise with memory is then not tried.
func Coherent(t, y []float64, w *Wave, step float64) Coherence {
	c := Coherence{Noise: math.NaN(), Phase: math.NaN(), Size: math.NaN(), Widen: 1, Low: w.Frequency, High: w.Frequency}
	n := len(t)
	periods := (t[n-1] - t[0]) * w.Frequency
	if periods < fewestPeriods {
		return c
	}
	plain := w
	if w.plain != nil {
		plain = w.plain
	}
	if w.RSS < nothingLeft*w.Amplitude*w.Amplitude*float64(n) {
		c.Phase, c.Size, c.Noise = 1, 1, 0
		return c
	}
	count := int(math.Max(3, math.Min(mostWindows, math.Floor(periods/windowPeriods))))
	c.windows(t, w, count)
	if !math.IsNaN(c.Phase) {
		c.envelope(t, w, count-1)
		c.locked(t, w)
	}
	if step > 0 && math.IsNaN(c.Noise) {
		shape := w
		if runOf(w, step) > 1 { // the means of runs have few harmonics
			shape = plain
		}
		c.Noise = noiseAlone(t, y, shape, step)
	}
	return c
}

// part is a wave of the known frequency in a window: its amplitude in phase with that
// of the whole series, the one a quarter of a period later, and the variance of the
// first in units of that of the noise.
type part struct{ along, across, va float64 }

// windows holds the windows of a series against each other: along the phase of the
// whole none may have the opposite sign.
func (c *Coherence) windows(t []float64, w *Wave, count int) {
	n := len(t)
	line, _ := straight(t, w.Rest)
	span := t[n-1] - t[0]
	parts, rest := make([]part, count), make([]float64, 0, n)
	for k, lo := 0, 0; k < count; k++ {
		hi := lo
		for hi < n && (k == count-1 || t[hi] < t[0]+span*float64(k+1)/float64(count)) {
			hi++
		}
		p, left, ok := window(t[lo:hi], line[lo:hi], w)
		if !ok {
			return
		}
		parts[k], rest, lo = p, append(rest, left...), hi
	}
	level := windowLevel(t, rest, w.Frequency, float64(count)/span, 3*count)
	flip := 1.0
	for _, p := range parts {
		flip = math.Min(flip, math.Erfc(-p.along/math.Sqrt(2*level*p.va))/2)
	}
	c.Phase = anyOf(flip, float64(count))
	c.between(parts, w.Frequency, span/float64(count))
}

// window fits a constant and a wave to the values of one window, of which line has what
// the wave of the whole series leaves.
func window(t, line []float64, w *Wave) (p part, left []float64, ok bool) {
	if len(t) < 5 {
		return p, nil, false
	}
	gram, right, row := mat.NewSymDense(3, nil), mat.NewVecDense(3, nil), make([]float64, 3)
	fill := func(i int) {
		row[0] = 1
		row[1], row[2] = math.Sincos(2*math.Pi*w.Frequency*t[i] + w.phase)
	}
	for i := range t {
		fill(i)
		for a, v := range row {
			right.SetVec(a, right.AtVec(a)+v*line[i])
			for b := a; b < 3; b++ {
				gram.SetSym(a, b, gram.At(a, b)+v*row[b])
			}
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(gram) || chol.Cond() > 1e6 {
		return p, nil, false
	}
	x, inverse := mat.NewVecDense(3, nil), mat.NewSymDense(3, nil)
	if chol.SolveVecTo(x, right) != nil || chol.InverseTo(inverse) != nil {
		return p, nil, false
	}
	left = make([]float64, len(t))
	for i := range t {
		fill(i)
		left[i] = line[i] - row[0]*x.AtVec(0) - row[1]*x.AtVec(1) - row[2]*x.AtVec(2)
	}
	return part{w.Amplitude + x.AtVec(1), x.AtVec(2), inverse.At(1, 1)}, left, true
}

// between is the range of the frequencies that the phases from window to window show:
// two of their deviations about the wave's.
func (c *Coherence) between(parts []part, frequency, apart float64) {
	squares := 0.0
	for k := 1; k < len(parts); k++ {
		turn := math.Atan2(parts[k].across, parts[k].along) - math.Atan2(parts[k-1].across, parts[k-1].along)
		turn = math.Remainder(turn, 2*math.Pi) / (2 * math.Pi * apart)
		squares += turn * turn / float64(len(parts)-1)
	}
	off := 2 * math.Sqrt(squares)
	c.Low, c.High = math.Max(frequency-off, frequency/3), frequency+off
}

// windowLevel is the variance per value of noise with the power that there is about
// a frequency: the largest of what noise of the rest's first autocorrelation has there,
// of the ordinates beyond those that were taken along, and of white noise. Noise of a
// higher order could have a peak just there, which is what a phase that wanders looks like.
func windowLevel(t, rest []float64, f, width float64, taken int) float64 {
	n := float64(len(t))
	white, sum, count := floats.Dot(rest, rest)/math.Max(1, n-float64(taken)), 0.0, 0.0
	level := white
	highest := (n - 1) / (t[len(t)-1] - t[0]) / 2
	apart := 1 / (t[len(t)-1] - t[0])
	for d := 1.5 * width; d <= 3*width; d += apart {
		for _, g := range []float64{f - d, f + d} {
			if g < width/2 || g > highest {
				continue
			}
			var c, s float64
			for i, v := range rest {
				sin, cos := math.Sincos(2 * math.Pi * g * t[i])
				c, s = c+v*cos, s+v*sin
			}
			sum, count = sum+(c*c+s*s)/n, count+1
		}
	}
	if count > 0 {
		level = math.Max(level, sum/count)
	}
	if r := lagOne(rest); r > 0 {
		cos := math.Cos(math.Pi * f / highest)
		level = math.Max(level, white*(1-r*r)/(1+r*r-2*r*cos))
	}
	return level
}

// noiseAlone is the probability that the strongest frequency of noise with memory
// explains as much as the wave does beside it: the likelihoods of autoregressions
// with and without the wave, each of the order that the criterion of Schwarz chooses.
// The values are averaged to about perPeriod of a period, so that a few orders see it.
func noiseAlone(t, y []float64, w *Wave, step float64) float64 {
	b := averaged(t, y, w, step)
	if len(b.line) < 2*pastOrder {
		return math.NaN()
	}
	order := min(pastOrder, len(b.line)/6)
	var fixed [2][][]float64
	var wanted []float64
	var lags [2][][]float64
	for i := order; i < len(b.line); i++ {
		if b.there[i] {
			wanted = append(wanted, b.line[i])
		}
	}
	column := func(of func(i int) float64) (list []float64) {
		for i := order; i < len(b.line); i++ {
			if b.there[i] {
				list = append(list, of(i))
			}
		}
		return list
	}
	line := [][]float64{column(func(int) float64 { return 1 }), column(func(i int) float64 { return float64(i) })}
	fixed[0], fixed[1] = line, line
	for h := 1; h <= w.Harmonics && (b.run == 1 || float64(h)*b.turn < math.Pi*0.95); h++ {
		fixed[1] = append(fixed[1][:len(fixed[1]):len(fixed[1])], column(func(i int) float64 { return math.Sin(float64(h*i) * b.turn) }),
			column(func(i int) float64 { return math.Cos(float64(h*i) * b.turn) }))
	}
	for k := 1; k <= order; k++ {
		lags[0] = append(lags[0], column(func(i int) float64 { return b.line[i-k] }))
		lags[1] = append(lags[1], column(func(i int) float64 { return b.rest[i-k] }))
	}
	// Both likelihoods are of as many degrees of freedom as the richest model leaves.
	free := math.Max(1, float64(len(wanted)-len(fixed[1])-order))
	without, _ := bestOrder(wanted, fixed[0], lags[0], free)
	with, exact := bestOrder(wanted, fixed[1], lags[1], free)
	if exact {
		return 0
	}
	with += float64(len(fixed[1])-4) * math.Log(float64(len(wanted)))
	return anyOf(math.Exp(-(without-with)/2), float64(len(b.line))/2)
}

// means are those of runs of a series on a grid, without its line, and without its
// wave as well; places without a value have the wave's, and none.
type means struct {
	line, rest []float64
	there      []bool
	turn       float64 // of the wave from one to the next
	run        int
}

// runOf is how many values of a grid are averaged.
func runOf(w *Wave, step float64) int {
	return int(math.Max(1, math.Floor(1/(w.Frequency*step*perPeriod))))
}

func averaged(t, y []float64, w *Wave, step float64) means {
	run := float64(runOf(w, step))
	wide := run * step
	b := means{turn: 2 * math.Pi * w.Frequency * wide, run: int(run)}
	rest, slope := straight(t, w.Rest)
	n := int(math.Round((t[len(t)-1]-t[0])/step))/int(run) + 1
	b.line, b.rest, b.there = make([]float64, n), make([]float64, n), make([]bool, n)
	count := make([]float64, n)
	mean, middle := 0.0, 0.0
	for i := range t {
		mean, middle = mean+w.Rest[i]/float64(len(t)), middle+t[i]/float64(len(t))
	}
	for i := range t {
		k := int(math.Round((t[i]-t[0])/step)) / int(run)
		b.line[k] += y[i] - mean - slope*(t[i]-middle)
		b.rest[k] += rest[i]
		count[k]++
	}
	for k := range count {
		if b.there[k] = count[k] >= run/2 && count[k] > 0; b.there[k] {
			b.line[k], b.rest[k] = b.line[k]/count[k], b.rest[k]/count[k]
			continue
		}
		at := t[0] + (float64(k)+0.5)*wide - step/2
		b.line[k], b.rest[k] = w.Amplitude*math.Sin(2*math.Pi*w.Frequency*at+w.phase), 0
	}
	return b
}

// exactShare is the share of the squares below which nothing is left.
const exactShare = 1e-20

// bestOrder is the least of free log(RSS) + p log(n) over regressions on the fixed
// columns and the first p of the others, which are made orthogonal one by one. exact
// says that nothing is left of y.
func bestOrder(y []float64, fixed, lags [][]float64, free float64) (least float64, exact bool) {
	n := float64(len(y))
	b := newBasis(y)
	for _, c := range fixed {
		b.add(c)
	}
	all := floats.Dot(y, y)
	least = math.Inf(1)
	for p := 0; ; p++ {
		rss := floats.Dot(b.rest, b.rest)
		if !(rss > exactShare*all) {
			return math.Inf(-1), true
		}
		least = math.Min(least, free*math.Log(rss)+float64(p)*math.Log(n))
		if p == len(lags) {
			return least, false
		}
		b.add(lags[p])
	}
}

// basis is a regression whose columns come one by one.
type basis struct {
	columns [][]float64 // orthonormal
	rest    []float64   // what they leave
}

func newBasis(y []float64) *basis { return &basis{rest: append([]float64(nil), y...)} }

// add takes a column and returns the sum of squares that it explains beside those
// before it; 0 of one that depends on them.
func (b *basis) add(column []float64) float64 {
	v := append([]float64(nil), column...)
	size := floats.Dot(v, v)
	for range 2 { // once more for what rounding left
		for _, c := range b.columns {
			floats.AddScaled(v, -floats.Dot(v, c), c)
		}
	}
	length := floats.Dot(v, v)
	if !(length > exactShare*size) {
		return 0
	}
	floats.Scale(1/math.Sqrt(length), v)
	b.columns = append(b.columns, v)
	along := floats.Dot(b.rest, v)
	floats.AddScaled(b.rest, -along, v)
	return along * along
}

// lagOne is the first autocorrelation of values without a mean.
func lagOne(x []float64) float64 {
	return floats.Dot(x[1:], x[:len(x)-1]) / floats.Dot(x, x)
}
