package stat

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// envelope tests whether phase and amplitude stay over the whole series: both may
// change as polynomials of the time up to an order, beside a trend of the third. A
// slow change is seen best by the lowest orders, a fast one by all, so that both are
// tried. Level and slope of the phase come with the frequency; they are fitted anew
// beside the changing amplitude.
func (c *Coherence) envelope(t []float64, w *Wave, order int) {
	e := newEnvelope(t, w, order)
	if e == nil {
		return
	}
	b := newBasis(e.z)
	for _, column := range e.columns(1) {
		b.add(column)
	}
	var swells, turns []float64
	for k := 1; k <= order; k++ {
		swells = append(swells, b.add(times(e.shape[k], e.sin)))
	}
	for k := 2; k <= order; k++ {
		turns = append(turns, b.add(times(times(e.shape[k], e.size), e.cos)))
	}
	taken := len(b.columns)
	level := windowLevel(t, b.rest, w.Frequency, math.Max(4, float64(order))/(t[len(t)-1]-t[0]), taken)
	level = math.Max(level, w.edgeLevel(t))
	df := math.Max(4, math.Min(24, float64(len(t)-taken)))
	phase, chi := constant(turns, level, df)
	c.Phase, c.Widen = math.Min(1, 2*math.Min(c.Phase, phase)), math.Sqrt(math.Max(1, chi))
	c.Size, _ = constant(swells, level, df)
	if w.Amplitude*w.Amplitude*float64(len(t))/4 > standsOut*level {
		c.Noise = 0
	}
}

const (
	// mostLocked is the highest harmonic whose phase is held against the fundamental's,
	// leastLocked the least share of the fundamental's amplitude that it has.
	mostLocked  = 4
	leastLocked = 0.05
)

// locked tests whether the strong harmonics keep phase and amplitude: one that does not
// is another wave near twice or thrice the frequency, beside which no series repeats.
func (c *Coherence) locked(t []float64, w *Wave) {
	n := len(t)
	at := make([]float64, n)
	for i := range t {
		at[i] = 2*(t[i]-t[0])/(t[n-1]-t[0]) - 1
	}
	shape, columns := legendre(at, trendOrder), waveColumns(t, w.Frequency, w.Harmonics)
	b := newBasis(w.Rest)
	for _, trend := range shape {
		b.add(trend)
	}
	for _, column := range columns[2:] {
		b.add(column)
	}
	squares, tested := map[int]float64{}, 0.0
	for h := 1; h <= min(mostLocked, w.Harmonics); h++ {
		if part := w.parts[h-1]; math.Hypot(part[0], part[1]) < leastLocked*w.Amplitude {
			continue
		}
		for k := 1; k <= 2; k++ {
			squares[h] += b.add(times(shape[k], columns[2*h])) + b.add(times(shape[k], columns[2*h+1]))
		}
		tested++
	}
	least, taken, edges := 1.0, len(b.columns), w.edgeLevel(t)
	df := math.Max(4, math.Min(24, float64(n-taken)))
	for h, sum := range squares {
		if h > 1 { // the envelope has tested the fundamental
			level := math.Max(edges, windowLevel(t, b.rest, float64(h)*w.Frequency, 4/(t[n-1]-t[0]), taken))
			least = math.Min(least, FTail(sum/level/4, 4, df))
		}
	}
	if tested > 1 {
		c.Phase = math.Min(c.Phase, anyOf(least, tested-1))
	}
}

// swing is a wave whose amplitude is a polynomial of the time.
type swing struct {
	z        []float64 // the series without the harmonics
	shape    [][]float64
	sin, cos []float64
	size     []float64 // the amplitude
}

// trendOrder is that of the trend beside a wave.
const trendOrder = 3

// newEnvelope fits a swing; nil where its columns are dependent.
func newEnvelope(t []float64, w *Wave, order int) *swing {
	n := len(t)
	e := &swing{z: make([]float64, n), sin: make([]float64, n), cos: make([]float64, n), size: make([]float64, n)}
	at, angle := make([]float64, n), make([]float64, n)
	for i := range t {
		at[i] = 2*(t[i]-t[0])/(t[n-1]-t[0]) - 1
		angle[i] = 2*math.Pi*w.Frequency*t[i] + w.phase
		e.z[i] = w.Rest[i] + w.Amplitude*math.Sin(angle[i])
		e.size[i] = w.Amplitude
	}
	e.shape = legendre(at, max(order, trendOrder))
	for range 4 { // the phase converges by Newton's steps
		for i := range angle {
			e.sin[i], e.cos[i] = math.Sincos(angle[i])
		}
		x := regress(e.columns(order+1), e.z)
		if x == nil {
			return nil
		}
		x = x[trendOrder+1:]
		size, level, slope := make([]float64, n), x[0], x[1]
		for k, by := range x[2:] {
			for i, v := range e.shape[k] {
				size[i] += by * v
			}
		}
		for i := range angle {
			angle[i] += math.Max(-0.5, math.Min(0.5, level+slope*at[i]))
		}
		e.size = size
	}
	return e
}

// columns are the trend, level and slope of the phase, and so many orders of the
// amplitude.
func (e *swing) columns(orders int) [][]float64 {
	list := append([][]float64{}, e.shape[:trendOrder+1]...)
	turn := times(e.size, e.cos)
	list = append(list, turn, times(turn, e.shape[1]))
	for k := range orders {
		list = append(list, times(e.shape[k], e.sin))
	}
	return list
}

func times(a, by []float64) []float64 {
	out := make([]float64, len(a))
	for i, v := range a {
		out[i] = v * by[i]
	}
	return out
}

// regress are the coefficients of least squares; nil of dependent columns.
func regress(columns [][]float64, y []float64) []float64 {
	p := len(columns)
	gram, right := mat.NewSymDense(p, nil), mat.NewVecDense(p, nil)
	for a, column := range columns {
		for b := a; b < p; b++ {
			gram.SetSym(a, b, floats.Dot(column, columns[b]))
		}
		right.SetVec(a, floats.Dot(column, y))
	}
	return normal(gram, right)
}

// normal solves the normal equations; nil where the columns are dependent.
func normal(gram *mat.SymDense, right *mat.VecDense) []float64 {
	var c mat.Cholesky
	x := mat.NewVecDense(right.Len(), nil)
	if !c.Factorize(gram) || c.Cond() > 1e10 || c.SolveVecTo(x, right) != nil {
		return nil
	}
	return x.RawVector().Data
}

// constant is the p value of the hypothesis that explained sums of squares are those
// of noise of a level, by the first two and by all of them, and their mean over it.
func constant(squares []float64, level, df float64) (p, chi float64) {
	if len(squares) == 0 {
		return math.NaN(), 1
	}
	least, sum := 1.0, 0.0
	for k, v := range squares {
		if sum += v / level; k == 1 || k == len(squares)-1 {
			least = math.Min(least, FTail(sum/float64(k+1), float64(k+1), df))
		}
	}
	if len(squares) > 2 {
		least = math.Min(1, 2*least)
	}
	return least, sum / float64(len(squares))
}

// legendre are the polynomials of Legendre up to an order at places from -1 to 1.
func legendre(at []float64, order int) [][]float64 {
	out := make([][]float64, order+1)
	for k := range out {
		out[k] = make([]float64, len(at))
		for i, x := range at {
			switch n := float64(k); k {
			case 0:
				out[k][i] = 1
			case 1:
				out[k][i] = x
			default:
				out[k][i] = ((2*n-1)*x*out[k-1][i] - (n-1)*out[k-2][i]) / n
			}
		}
	}
	return out
}

const (
	// mostFolded is the highest harmonic that a wave is given where its shape asks for
	// it, foldedWork the most values times squared columns of a fit.
	mostFolded = 60
	foldedWork = 20e6
	// nearAlias is how many resolutions from the fundamental a harmonic must appear to
	// count for the shape: nearer, a second wave would do as well.
	nearAlias = 8
)

// Whole is the wave with all harmonics that its values ask for, also those that are
// faster than they are sampled: sharp edges have many, and what is not taken off stands
// beside the fundamental as if its phase moved. A better frequency shows more of them,
// so that they are sought again. The standard error stays that of the fundamental.
func (w *Wave) Whole(t, y []float64) *Wave {
	n := float64(len(t))
	most := int(math.Min(math.Min(mostFolded, n/8), math.Sqrt(foldedWork/n)/2-1))
	best := w
	for range 4 {
		h := best.asked(t, most)
		if h <= w.Harmonics {
			break
		}
		full := waveOf(t, y, best.Frequency, h)
		if full == nil { // of a whole number of steps the faster ones repeat the slower
			if h = int((n-1)/(t[len(t)-1]-t[0])/best.Frequency/2 - 0.05); h <= w.Harmonics {
				break
			}
			full = waveOf(t, y, best.Frequency, h)
		}
		if full == nil {
			break
		}
		moved := waveOf(t, y, full.Frequency+full.off(t), h)
		if moved == nil || moved.RSS > full.RSS {
			moved = full
		}
		if best.Harmonics == moved.Harmonics && moved.RSS > best.RSS*(1-1e-6) {
			break
		}
		best = moved
	}
	if best == w || best.Harmonics <= w.Harmonics {
		return w
	}
	best.SE, best.plain = w.SE, w
	return best
}

const (
	// edgePower is the least power of the harmonics above mostHarmonics that edges have,
	// of that of the fundamental: less is what another wave leaks to them. A square wave
	// has a tenth.
	edgePower = 0.01
	// edgeThird is the least amplitude of the third harmonic of a wave so fast that it
	// has no higher ones.
	edgeThird = 0.1
)

// Edged says that a wave may have edges, of which its values say only between which two
// of them they are: it has many harmonics, or nearly all that so many values can have.
func (w *Wave) Edged(step float64) bool {
	high := 0.0
	for h, part := range w.parts {
		if h >= mostHarmonics {
			high += part[0]*part[0] + part[1]*part[1]
		}
	}
	if high >= edgePower*w.Amplitude*w.Amplitude {
		return true
	}
	return w.Harmonics >= 3 && float64(2*(w.Harmonics+1))*w.Frequency*step >= 0.95 && math.Hypot(w.parts[2][0], w.parts[2][1]) >= edgeThird*w.Amplitude
}

// edgeLevel is the variance per value of noise that moves a period's phase as much as
// two edges do, each anywhere within a step; 0 without edges.
func (w *Wave) edgeLevel(t []float64) float64 {
	step := (t[len(t)-1] - t[0]) / float64(len(t)-1)
	if !w.Edged(step) {
		return 0
	}
	angle := 2 * math.Pi * w.Frequency * step
	return w.Amplitude * w.Amplitude * angle * angle / 24 / (2 * w.Frequency * step)
}

// off is the step to a better frequency by Gauss and Newton.
func (w *Wave) off(t []float64) float64 {
	n := len(t)
	middle, span := (t[0]+t[n-1])/2, t[n-1]-t[0]
	line, _ := straight(t, w.Rest)
	columns := waveColumns(t, w.Frequency, w.Harmonics)
	slope := make([]float64, n)
	for h := range w.Harmonics {
		c := w.parts[h]
		for i, sin := range columns[2+2*h] {
			slope[i] += float64(h+1) * (c[0]*columns[3+2*h][i] - c[1]*sin) * (t[i] - middle) / span
		}
	}
	x := regress(append(columns, slope), line)
	if x == nil {
		return 0
	}
	return math.Max(-0.25, math.Min(0.25, x[len(x)-1]/(2*math.Pi))) / span
}

// asked is the highest harmonic up to most that the criterion of Schwarz asks for.
func (w *Wave) asked(t []float64, most int) int {
	n, step := float64(len(t)), (t[len(t)-1]-t[0])/float64(len(t)-1)
	line, _ := straight(t, w.Rest)
	b := newBasis(w.with(t, line))
	columns := waveColumns(t, w.Frequency, most)
	near := func(h int) bool {
		cycles := w.Frequency * step * float64(h)
		return math.Abs(math.Abs(cycles-math.Round(cycles))-w.Frequency*step)*n < nearAlias
	}
	for _, c := range columns[:4] {
		b.add(c)
	}
	rss := floats.Dot(b.rest, b.rest)
	all := rss
	best, least := 1, n*math.Log(rss/n)
	for h := 2; h <= most; h++ {
		drop := b.add(columns[2*h]) + b.add(columns[2*h+1])
		if near(h) {
			continue
		}
		rss -= drop
		if of := n*math.Log(math.Max(rss, all*exactShare)/n) + float64(2*(h-1))*math.Log(n); of < least {
			best, least = h, of
		}
	}
	for h := best + 1; best > mostHarmonics && h <= min(most, best+best/4); h++ {
		if near(h) { // a sharp shape has it
			best = h
		}
	}
	return best
}

// with adds a wave to what it leaves.
func (w *Wave) with(t, line []float64) []float64 {
	columns := waveColumns(t, w.Frequency, w.Harmonics)
	out := append([]float64(nil), line...)
	for h, c := range w.parts {
		floats.AddScaled(out, c[0], columns[2+2*h])
		floats.AddScaled(out, c[1], columns[3+2*h])
	}
	return out
}
