package statistics

import (
	"fmt"
	"math"
	"slices"

	"atelier/internal/stat"
)

// mostRefined is the most values that a wave is fitted to.
const mostRefined = 20_000

// refine puts the strongest peak where a sine fits best, between the frequencies of
// the spectrum.
func (a *analysis) refine() {
	if a.power == nil || len(a.peaks) == 0 || !(a.peaks[0].White < a.alpha) || a.s.n() > mostRefined || len(a.power.Frequency) < 2 {
		return
	}
	f := a.peaks[0].Frequency
	w := stat.FitWave(a.clock(), floats(a.s.x), f)
	if w != nil && w.SE > 0 && !a.periodic() {
		a.beyond = a.outdoes(w)
	}
	if w != nil && w.SE > 0 && a.periodic() {
		a.wave = a.apart(w)
		a.peaks[0].Frequency = a.wave.Frequency
		if a.power.Method == "lomb_scargle" { // which has a power at any frequency
			k := stat.LombScargle(floats(a.s.t), floats(a.rest), []float64{a.wave.Frequency})
			a.peaks[0].Power, a.peaks[0].Share = k.Power[0], k.Power[0]
		}
	}
}

// clock is the times of the values, on the grid where there is one.
func (a *analysis) clock() []float64 {
	if a.s.shape == irregular {
		return floats(a.s.t)
	}
	t := make([]float64, a.s.n())
	for i, place := range a.s.place {
		t[i] = float64(place) * a.s.step
	}
	return t
}

// change finds changes of the mean, of a series without its seasons. A long one
// is averaged in runs first.
func (a *analysis) change() {
	least, factor := a.in.MinSegment, a.in.Penalty
	half := a.s.data.known(a.s.column).half
	x := a.withoutPeriod()
	a.outside, x = stat.Outliers(x, half, least)
	if len(a.outside) > 0 {
		a.leave(farValues, "%s", a.outsiders())
	}
	if n := len(x); n > stat.MaxChangePoints {
		a.coarse = (n + stat.MaxChangePoints - 1) / stat.MaxChangePoints
		x = stat.Averaged(x, a.coarse)
		least = max(1, least/a.coarse)
		a.leave(coarseChanges, "The search for changes took means of %d values each; places are right to as many.", a.coarse)
	}
	half /= math.Sqrt(float64(a.coarse))
	a.changes = stat.ChangePoints(x, half, least, factor)
	for i, by := range penalties {
		a.other[i] = len(stat.ChangePoints(x, half, least, by*factor).Segments) - 1
	}
	a.sloping, a.ramps = slopes(x), a.changes.Ramps(x)
	a.chance = math.NaN()
	if len(a.changes.Segments) > 1 {
		a.chance = stat.ChangesBeyondMemory(x, half, least, factor, a.alpha)
	}
	if a.coarse == 1 {
		a.memory = remembered(x, a.changes.Segments)
	}
	for i := range a.changes.Segments {
		p := &a.changes.Segments[i]
		p.Start, p.End = p.Start*a.coarse, p.End*a.coarse
		if i == len(a.changes.Segments)-1 {
			p.End = len(a.s.x)
		}
		c := stat.CentralOf(a.inside(p.Start, p.End))
		p.Mean, p.SD = c.Mean(), c.SD()
	}
}

// inside are the values from start up to end without outliers.
func (a *analysis) inside(start, end int) []stat.DD {
	values := make([]stat.DD, 0, end-start)
	for i := start; i < end; i++ {
		if _, far := slices.BinarySearch(a.outside, i); !far {
			values = append(values, a.s.x[i])
		}
	}
	return values
}

// slopes is the sum of squares that a line leaves.
func slopes(x []stat.DD) (sum float64) {
	at := make([]stat.DD, len(x))
	for i := range at {
		at[i] = stat.F(float64(i))
	}
	l := stat.Line(at, x, 0.05)
	for _, v := range l.Rest(at, x) {
		sum += v.Float() * v.Float()
	}
	return sum
}

const (
	coarseChanges = "change_points_coarse"
	farValues     = "outliers"
)

// outsiders names the values that stand far outside.
func (a *analysis) outsiders() string {
	i := a.outside[0]
	first := fmt.Sprintf("%v in row %d", a.s.x[i].Float(), a.s.rows[i])
	if k := len(a.outside); k > 1 {
		return fmt.Sprintf("%d single values stand far outside those about them, the first is %s; changes of the mean and the means between them are without them, the other figures have them.", k, first)
	}
	return fmt.Sprintf("The value %s stands alone far outside those about it; changes of the mean and the means between them are without it, the other figures have it.", first)
}

// remembered is the first autocorrelation of a series about the means of its
// parts.
func remembered(x []stat.DD, parts []stat.Segment) float64 {
	var rest []stat.DD
	for _, p := range parts {
		_, r := stat.Centre(x[p.Start:p.End])
		rest = append(rest, r...)
	}
	if r := stat.Autocorrelate(rest, nil, 1, 0.05).R; len(r) > 0 {
		return r[0]
	}
	return 0
}

// seasonal says that there are seasons that chance does not explain.
func (a *analysis) seasonal() bool { return a.season != nil && float64(a.season.P) < a.alpha }

// withoutSeasons takes off what the phases' means differ from the mean of all.
func (a *analysis) withoutSeasons() []stat.DD {
	out := make([]stat.DD, len(a.s.x))
	for i, v := range a.s.x {
		out[i] = v.Sub(a.phase[a.s.place[i]%a.season.Period])
	}
	return out
}

// fewestCycles is how often a wave must repeat to be told from changes of the mean.
const fewestCycles = 3

// withoutPeriod is the series without its seasons, or without its wave where that
// describes it better, by the criterion of Schwarz.
func (a *analysis) withoutPeriod() []stat.DD {
	x, t := a.s.x, a.clock()
	a.periodless = false
	n := float64(len(x))
	least := math.Inf(1)
	try := func(values []stat.DD, parameters float64) {
		l := stat.Line(a.s.t, values, a.alpha)
		sum := 0.0
		for _, v := range l.Rest(a.s.t, values) {
			sum += v.Float() * v.Float()
		}
		if of := n*math.Log(sum/n) + parameters*math.Log(n); of < least {
			x, least, a.periodless = values, of, true
		}
	}
	if a.seasonal() {
		try(a.withoutSeasons(), float64(a.season.Period-1))
	}
	if w := a.wave; w != nil && w.Frequency*(t[len(t)-1]-t[0]) >= fewestCycles {
		values := make([]stat.DD, len(w.Rest))
		for i, v := range w.Rest {
			values[i] = stat.F(v)
		}
		try(values, float64(2*w.Harmonics+1))
	}
	return x
}
