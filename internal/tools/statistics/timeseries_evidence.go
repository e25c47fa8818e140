package statistics

import (
	"fmt"
	"math"

	"atelier/internal/evidence"
	"atelier/internal/stat"
)

// mostMemory is the first autocorrelation about the means of the parts above
// which values depend too much on those before them for the penalty to hold.
const mostMemory = 0.3

// steps says that changes of the mean describe the series better than a line, and
// than values that depend on those before them.
func (a *analysis) steps() bool {
	return len(a.changes.Segments) > 1 && !a.staircase() && !a.ramps && !a.unsteady() && a.memory <= mostMemory && !(a.chance > a.alpha)
}

// sloped says that the summary gives the slope.
func (a *analysis) sloped() bool { return a.line.P < a.alpha && !a.steps() && !a.doubtful() }

// periodic says that noise does not explain the strongest peak.
func (a *analysis) periodic() bool {
	return a.power != nil && len(a.peaks) > 0 && a.peaks[0].White < a.alpha && (!(a.peaks[0].Red >= a.alpha) || a.beyond)
}

// statement is what stands behind the figures of a series.
func (a *analysis) statement(out *timeSeriesOutput) *evidence.Statement {
	st := &evidence.Statement{Notes: []string{"Sums, trend and autocorrelations are in double-double arithmetic; the partition is the cheapest of all."}}
	st.Check(missingRows(a.s.selected, a.s.without+a.s.missing))
	k := a.s.data.known(a.s.column)
	n, sd := float64(a.s.n()), float64(out.SD)
	off := stat.SquaresRounding(a.s.n(), k.largest, sd*sd*(n-1))
	st.Check(k.size())
	for _, figure := range []string{"/mean", "/standard_deviation", "/trend/slope", "/trend/p_value"} {
		st.Check(evidence.Within("arithmetic", evidence.Exact, figure, off, arithmeticLimit, "1", "Sums are in double-double arithmetic: rounding leaves all digits that the data determine."))
	}
	unit, rounding := "unit of "+a.in.Column, stat.MeanRounding(k.largest)
	mean := evidence.Of("mean", "/mean", float64(out.Mean), unit, "sums").PlusMinus(k.half+rounding, "bound")
	mean.Scale = sd
	st.Figure(mean, evidence.Of("standard deviation", "/standard_deviation", sd, unit, "sums").PlusMinus(k.half*math.Sqrt(n/(n-1))+rounding, "bound"))
	a.stateTrend(st, k, off)
	a.statePeriod(st)
	a.stateChanges(st)
	return st
}

// stateTrend gives the slope with what the last digits of the values leave open:
// errors u/sqrt(3) move it by that over the length of the centred times. Its p
// value rests on errors that are right for long series only.
func (a *analysis) stateTrend(st *evidence.Statement, k known, arithmetic float64) {
	l := a.line
	times := stat.CentralOf(a.s.t)
	length := times.SD() * math.Sqrt(float64(times.N-1))
	off := twoSigma*k.deviation()/length + (arithmetic+tailDigits)*math.Abs(l.Slope)
	slope := evidence.Of("slope", "/trend/slope", l.Slope, fmt.Sprintf("unit of %s per %s", a.in.Column, a.s.unit), "least squares")
	if slope.Scale, slope.Quoted = zeroIfNaN(l.SE), a.sloped(); slope.Value != nil {
		slope = slope.PlusMinus(off, "estimate")
	}
	p := evidence.Of("p value of the slope", "/trend/p_value", l.P, "1", "Student's t with errors of Newey and West")
	if p.Scale = pScale(a.alpha); p.Value != nil && a.s.n() >= enoughTimes && !a.doubtful() {
		df := float64(a.s.n() - 2)
		p = p.PlusMinus(tailError(func(v float64) float64 { return stat.TTail2(v, df) }, math.Abs(l.T), off/l.SE), "estimate")
	}
	st.Figure(slope, p)
	if l.P < a.alpha && !a.steps() {
		sentence := "The slope is beyond chance with errors by an autoregression too."
		if a.doubtful() {
			sentence = a.doubt()
		}
		st.Check(evidence.Within("memory", evidence.Model, "/trend", a.trend.P, a.alpha, "1", sentence))
		if sentence = "A curve describes the trend no better than a straight line, or hardly."; a.curved() {
			sentence = a.bending()
		}
		st.Check(evidence.Holds("straight_trend", evidence.Model, "/trend", !a.curved(), sentence))
	}
}

// doubt is why a slope may be chance.
func (a *analysis) doubt() string {
	what := fmt.Sprintf("an autoregression of order %d, whose coefficients add up to %.2f", a.trend.Order, a.trend.Persistence)
	if a.trend.Persistence >= 1 {
		what = "they may be a random walk"
	}
	return fmt.Sprintf("The values depend on those before them for longer than the %d lags of the slope's error reach (%s): with errors that allow for it the p value of the slope is %.2g, so no trend is shown.", a.line.Lags, what, a.trend.P)
}

// enoughTimes is the number of values from which errors of Newey and West, bands
// and false-alarm levels are no rough approximations.
const enoughTimes = 50

// statePeriod gives the strongest period where a sine fits best, with the bar of
// that fit where the autocorrelations find the same period, else to half the
// resolution of the spectrum.
func (a *analysis) statePeriod(st *evidence.Statement) {
	if !a.periodic() || len(a.power.Frequency) < 2 {
		return
	}
	const figure = "/spectrum/peaks/0/period"
	period := 1 / a.peaks[0].Frequency
	half := period * period * (a.power.Frequency[1] - a.power.Frequency[0]) / 2
	off, by := half, "the strongest peak of the spectrum, to half its resolution"
	if w := a.wave; w != nil {
		bar := math.Max(stat.WaveBar*w.SE*a.stays.Widen*period*period, a.jitterOf(period))
		if w.Edged(a.s.step) {
			bar = math.Max(bar, period/float64(a.s.places))
		}
		other, deviation := a.recurs(period)
		if a.wanders() {
			off, by = math.Max(off, math.Max(1/a.stays.Low-period, period-1/a.stays.High)), "the strongest peak of the spectrum, with the spread from window to window"
			st.Check(evidence.Holds("phase", evidence.Model, figure, false, a.wandering()))
		} else if limit := math.Hypot(2*stat.WaveBar*deviation, bar); math.Abs(other-period) <= limit && !math.IsNaN(a.stays.Phase) {
			st.Check(evidence.Within("phase", evidence.Model, figure, 1-a.stays.Phase, 1-stat.PhaseLevel, "1", "The windows of the series agree about the phase."))
			off, by = bar, fmt.Sprintf("a sine of that period with %d harmonics by least squares", w.Harmonics)
			st.Check(evidence.Within("autocorrelation", evidence.Independent, figure, other-period, limit, a.s.unit,
				fmt.Sprintf("The autocorrelations find a period of %s too.", a.lasting(other))))
		}
		if a.swells() {
			off = math.Max(off, half)
			st.Check(evidence.Holds("amplitude", evidence.Model, figure, false, a.swelling(period)))
		}
	}
	st.Figure(evidence.Of("period", figure, period, a.s.unit, by).PlusMinus(off, "estimate").Quote())
	a.checkPeriod(st, period)
}

// jitterOf is what steps that are not quite the same move a period by.
func (a *analysis) jitterOf(period float64) float64 {
	if a.s.shape == irregular {
		return 0
	}
	return a.s.jitter * a.s.step * period / (a.s.step * float64(a.s.places))
}

// recurs is the period by the autocorrelations with its deviation; NaN without a
// regular step.
func (a *analysis) recurs(period float64) (found, deviation float64) {
	if a.s.shape == irregular {
		return math.NaN(), math.NaN()
	}
	x, _ := a.s.onGrid(a.rest) // what is missing is 0, the mean
	total := 0.0
	for _, v := range a.rest {
		total += v.Float() * v.Float() / float64(len(a.rest))
	}
	share := math.Min(1, a.wave.Amplitude*a.wave.Amplitude/2/total)
	found, deviation = stat.Recurrence(floats(x), period/a.s.step, share)
	return found * a.s.step, deviation * a.s.step
}

// checkPeriod holds the strongest period against its multiples, and the seasons
// that it makes against noise, where it is a whole number of steps.
func (a *analysis) checkPeriod(st *evidence.Statement, period float64) {
	if a.repeats > 0 {
		sentence := "The spectrum has no lines at fractions of its frequency."
		if a.repeats > 1 {
			sentence = fmt.Sprintf("The spectrum has lines at fractions of its frequency: the series repeats only after %d of these periods, %s.", a.repeats, a.lasting(float64(a.repeats)*period))
		}
		st.Check(evidence.Holds("multiples", evidence.Model, "/spectrum/peaks/0/period", a.repeats == 1, sentence))
	}
	steps := period / a.s.step
	drift := math.Abs(steps-math.Round(steps)) * float64(a.s.n()) / steps
	if s := a.season; s != nil && !s.Given && a.repeats == 1 && float64(s.Period) == math.Round(steps) && drift < steps/4 {
		st.Check(evidence.Within("seasonality", evidence.Model, "/spectrum/peaks/0/period", float64(s.P), a.alpha, "1",
			fmt.Sprintf("The means of the places in a period of %d values differ with a p value of %.2g.", s.Period, float64(s.P))))
	}
}

// lasting is a time with its unit.
func (a *analysis) lasting(time float64) string {
	if c := a.s.calendar; c.unit != "" {
		return c.lasting(time / a.s.step)
	}
	unit := a.s.unit
	if unit == "sample" && time != 1 {
		unit = "samples"
	}
	return fmt.Sprintf("%.4g %s", time, unit)
}

// stateChanges gives the number of changes where they are what describes the
// series, with how it depends on the penalty.
func (a *analysis) stateChanges(st *evidence.Statement) {
	if !a.steps() {
		return
	}
	count := len(a.changes.Segments) - 1
	off := 0
	for _, other := range a.other {
		off = max(off, int(math.Abs(float64(other-count))))
	}
	sentence := fmt.Sprintf("With penalties of %v and %v times as much there are %d and %d changes.", penalties[0], penalties[1], a.other[0], a.other[1])
	if 2*off > count {
		sentence += " Their number follows the penalty more than the data: give penalty, and quote single changes only."
	}
	if !math.IsNaN(a.chance) {
		st.Check(evidence.Within("memory_of_changes", evidence.Model, "/change_points/count", a.chance, a.alpha, "1",
			fmt.Sprintf("Series without changes, drawn from an autoregression of this one or a random walk, are described as well by changes with a probability of %.2g.", a.chance)))
	}
	st.Check(evidence.Within("penalty", evidence.Refinement, "/change_points/count", float64(off), float64(count)/2, "1", sentence))
	f := evidence.Of("changes of the mean", "/change_points/count", float64(count), "1", "the cheapest partition (PELT)").PlusMinus(float64(off), "estimate").Quote()
	st.Figure(f)
}

// penalties are the other ones that changes are sought with, by that of the call.
var penalties = [2]float64{0.75, 1.5}
