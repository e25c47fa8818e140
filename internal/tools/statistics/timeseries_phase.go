package statistics

import (
	"fmt"
	"math"
	"strings"

	"atelier/internal/stat"
)

const (
	// mostBeside is how many further waves are named, leastBeside their least share of
	// the strongest one's amplitude.
	mostBeside  = 2
	leastBeside = 0.1
	// besideApart is how many resolutions they are from it at least: nearer ones are
	// parts of one cycle whose phase wanders.
	besideApart = 4
)

// apart finds the waves beside the strongest one, fits that one again without them,
// and says whether its phase stays.
func (a *analysis) apart(w *stat.Wave) *stat.Wave {
	t, y := a.clock(), floats(a.s.x)
	w = w.Whole(t, y)
	step := a.s.step
	if a.s.shape == irregular {
		step = 0
	}
	rest := w.Rest
	for a.s.shape == regular && a.repeats <= 1 && len(a.beside) < mostBeside {
		next := a.next(t, rest, w)
		if next == nil {
			break
		}
		a.beside = append(a.beside, next)
		for i := range y {
			y[i] -= rest[i] - next.Rest[i]
		}
		rest = next.Rest
	}
	if len(a.beside) > 0 {
		if again := stat.FitWave(t, y, w.Frequency); again != nil && again.SE > 0 {
			w = again.Whole(t, y)
		}
	}
	a.stays = stat.Coherent(t, y, w, step)
	return w
}

// next is the strongest wave of what others leave, where it is one.
func (a *analysis) next(t, rest []float64, w *stat.Wave) *stat.Wave {
	dd := make([]stat.DD, len(rest))
	for i, v := range rest {
		dd[i] = stat.F(v)
	}
	fit := stat.Line(a.s.t, dd, a.alpha)
	line := fit.Rest(a.s.t, dd)
	r1 := 0.0
	if acf := stat.Autocorrelate(line, nil, 1, a.alpha); len(acf.R) > 0 {
		r1 = acf.R[0]
	}
	peaks := stat.Periodogram(floats(line)).Peaks(1, len(rest), r1)
	if len(peaks) == 0 || !(peaks[0].White < a.alpha && peaks[0].Red < a.alpha) {
		return nil
	}
	next := stat.FitWave(t, rest, peaks[0].Frequency/a.s.step)
	if next == nil || next.Amplitude < leastBeside*w.Amplitude || math.Abs(next.Frequency-w.Frequency)*(t[len(t)-1]-t[0]) < besideApart {
		return nil
	}
	if c := stat.Coherent(t, rest, next, a.s.step); !(c.Noise < a.alpha && c.Phase >= stat.PhaseLevel) {
		return nil
	}
	return next
}

// beyondShare is the part of the level that a second test of the strongest peak gets:
// of 2600 series of noise with memory, walks and levels that change at random, it finds
// one periodic.
const beyondShare = 0.02

// outdoes says that a wave stands out of noise although noise of the first
// autocorrelation would make its peak: a slow wave has that autocorrelation itself, and
// noise beside it makes it that of a quick process. Autoregressions with the wave and
// without it tell them apart, where the phase stays.
func (a *analysis) outdoes(w *stat.Wave) bool {
	if a.s.shape == irregular {
		return false
	}
	t, y := a.clock(), floats(a.s.x)
	c := stat.Coherent(t, y, w.Whole(t, y), a.s.step)
	return c.Noise < beyondShare*a.alpha && c.Phase >= stat.PhaseLevel
}

// wanders says that the phase of the strongest period does not stay, or that noise
// with memory explains it.
func (a *analysis) wanders() bool {
	return a.wave != nil && (a.stays.Phase < stat.PhaseLevel || a.stays.Noise >= a.alpha)
}

// swells says that the amplitude of the strongest period changes over the series, and
// its phase does not.
func (a *analysis) swells() bool {
	return a.wave != nil && !a.wanders() && a.stays.Size < stat.PhaseLevel
}

// unsteady says that the strongest period explains most of the series but changes its
// phase or amplitude: what it leaves swings as it does, and has no mean to change.
func (a *analysis) unsteady() bool {
	return a.wave != nil && (a.wanders() || a.swells()) && a.wave.RSS < slopes(a.s.x)/2
}

// swelling is what an amplitude that changes means.
func (a *analysis) swelling(period float64) string {
	return fmt.Sprintf("The amplitude of the period %s changes over the series (p value %.2g that it does not). A wave that grows or dies out has this period; two waves whose periods are too close for a series of this length to tell apart do so too, and then it is neither of theirs: only a longer series tells.",
		a.lasting(period), a.stays.Size)
}

// wandering is what a phase that does not stay means.
func (a *analysis) wandering() string {
	why := fmt.Sprintf("its phase does not stay from window to window (p value %.2g): the period drifts, or there are several close to each other", a.stays.Phase)
	if a.stays.Noise >= a.alpha {
		why = "noise whose values depend on several before them swings so by itself, and its phase does not stay"
	}
	return fmt.Sprintf("There is a cycle %s, but no fixed period: %s.", a.cycle(), why)
}

func (a *analysis) cycle() string {
	return fmt.Sprintf("of about %.3g to %s", 1/a.stays.High/a.perUnit(), a.lasting(1/a.stays.Low))
}

// others names the waves beside the strongest one; "" for none.
func (a *analysis) others() string {
	if a.wanders() || len(a.beside) == 0 {
		return ""
	}
	var list []string
	for _, w := range a.beside {
		list = append(list, fmt.Sprintf("one of %s (%.2g times its amplitude)", a.lasting(1/w.Frequency), w.Amplitude/a.wave.Amplitude))
	}
	return ", and beside it " + strings.Join(list, " and ")
}

// periodSays is the sentence of the summary about the strongest period.
func (a *analysis) periodSays() string {
	if !a.periodic() {
		return ""
	}
	period := 1 / a.peaks[0].Frequency
	switch {
	case a.wanders():
		return fmt.Sprintf(" A cycle whose phase wanders, %s: no fixed period.", a.cycle())
	case a.repeats > 1:
		return fmt.Sprintf(" Period %s, but it repeats only after %s.", a.lasting(period), a.lasting(float64(a.repeats)*period))
	}
	if a.swells() {
		return fmt.Sprintf(" Period %s%s, whose amplitude changes over the series: it may be two close to each other.", a.lasting(period), a.others())
	}
	return fmt.Sprintf(" Period %s%s.", a.lasting(period), a.others())
}

// perUnit is how many seconds, or steps, the unit has in which times are shown.
func (a *analysis) perUnit() float64 {
	if c := a.s.calendar; c.unit != "" {
		return a.s.step / float64(c.each)
	}
	return 1
}
