package statistics

import (
	"fmt"
	"math"

	"atelier/internal/stat"
)

type timeSeriesOutput struct {
	Model           string          `json:"model"`
	SampleCount     int             `json:"sample_count"`
	Rows            seriesRows      `json:"rows"`
	Time            timeAxis        `json:"time"`
	Mean            number          `json:"mean"`
	SD              number          `json:"standard_deviation"`
	Detrended       string          `json:"detrended"`
	Trend           trendFigures    `json:"trend"`
	MannKendall     monotoneFigures `json:"mann_kendall"`
	Autocorrelation acfFigures      `json:"autocorrelation"`
	Spectrum        *powerFigures   `json:"spectrum"`
	Seasonality     *seasonality    `json:"seasonality"`
	Changes         changeFigures   `json:"change_points"`
	Checks          []check         `json:"checks"`
	Alpha           number          `json:"alpha"`
}

type seriesRows struct {
	Selected int64 `json:"selected"`
	Used     int64 `json:"used"`
	NoTime   int64 `json:"without_time"`
	NoValue  int64 `json:"without_value"`
}

type timeAxis struct {
	Column   string `json:"column"`
	Unit     string `json:"unit"`
	Step     number `json:"step"`
	Shape    string `json:"shape"`
	Missing  int    `json:"missing_places"`
	Longest  number `json:"longest_step"`
	Jitter   number `json:"jitter"`
	Duration number `json:"duration"`
	Start    number `json:"start"`
	StartISO string `json:"start_iso,omitempty"`
}

type trendFigures struct {
	Slope       number `json:"slope"`
	Unit        string `json:"unit"`
	SE          number `json:"hac_standard_error"`
	T           number `json:"t"`
	P           number `json:"p_value"`
	Low         number `json:"low"`
	High        number `json:"high"`
	Start       number `json:"value_at_start"`
	R2          number `json:"r_squared"`
	Lags        int    `json:"hac_lags"`
	Consequence string `json:"consequence"`
}

type monotoneFigures struct {
	S        number `json:"s"`
	Variance number `json:"variance"`
	Z        number `json:"z"`
	P        number `json:"p_value"`
	Tau      number `json:"tau_b"`
	Slope    number `json:"sen_slope"`
	Low      number `json:"low"`
	High     number `json:"high"`
}

type acfFigures struct {
	Lags        int      `json:"lags"`
	Values      []number `json:"values"`
	Partial     []number `json:"partial"`
	Band        number   `json:"band"`
	LjungBox    number   `json:"ljung_box"`
	DF          int      `json:"df"`
	P           number   `json:"p_value"`
	Outside     []int    `json:"lags_outside_band"`
	Consequence string   `json:"consequence"`
}

type powerFigures struct {
	Method        string      `json:"method"`
	FrequencyUnit string      `json:"frequency_unit"`
	Resolution    number      `json:"resolution"`
	Highest       number      `json:"highest_frequency"`
	Segments      int         `json:"segments"`
	Peaks         []peakShown `json:"peaks"`
	Consequence   string      `json:"consequence"`
}

type peakShown struct {
	Frequency number `json:"frequency"`
	Period    number `json:"period"`
	Power     number `json:"power"`
	Share     number `json:"share_of_variance"`
	White     number `json:"false_alarm_white_noise"`
	Red       number `json:"false_alarm_red_noise"`
}

type changeFigures struct {
	Count       int           `json:"count"`
	Penalty     number        `json:"penalty"`
	Noise       number        `json:"noise"`
	Cost        number        `json:"cost"`
	Resolution  int           `json:"resolution_samples"`
	Seasons     bool          `json:"deseasonalized"`
	Points      []changeShown `json:"points"`
	Consequence string        `json:"consequence"`
}

type changeShown struct {
	Row    int64  `json:"row"`
	Index  int    `json:"index"`
	Time   number `json:"time"`
	ISO    string `json:"time_iso,omitempty"`
	Before number `json:"mean_before"`
	After  number `json:"mean_after"`
}

const (
	lagsInline    = 12
	changesInline = 12
)

func (a *analysis) output() *timeSeriesOutput {
	s := a.s
	c := stat.CentralOf(s.x)
	out := &timeSeriesOutput{Model: "time_series", SampleCount: s.n(), Mean: number(c.Mean()), SD: number(c.SD()), Alpha: number(a.alpha),
		Rows:      seriesRows{s.selected, int64(s.n()), s.without, s.missing},
		Detrended: a.in.Detrend, Seasonality: a.season,
		MannKendall: monotoneFigures{number(a.rank.S), number(a.rank.Variance), number(a.rank.Z), number(a.rank.P), number(a.rank.Tau), number(a.rank.Slope), number(a.rank.Low), number(a.rank.High)},
	}
	if out.Detrended == "" {
		out.Detrended = "linear"
	}
	start, iso := s.when(0)
	out.Time = timeAxis{Unit: s.unit, Step: number(s.step), Shape: s.shape, Missing: max(0, s.places-s.n()), Longest: number(s.longest), Jitter: number(s.jitter),
		Duration: number(s.t[s.n()-1].Sub(s.t[0]).Float()), Start: number(start), StartISO: iso}
	if s.timeAt >= 0 {
		out.Time.Column = s.data.Columns[s.timeAt].Name
	}
	l := a.line
	out.Trend = trendFigures{Slope: number(l.Slope), Unit: "1/" + s.unit, SE: number(l.SE), T: number(l.T), P: number(l.P), Low: number(l.Low), High: number(l.High),
		Start: number(l.Start), R2: number(l.R2), Lags: l.Lags, Consequence: a.trendSays()}
	a.correlations(out)
	a.powers(out)
	a.points(out)
	out.Checks = a.checks()
	return out
}

func (a *analysis) trendSays() string {
	p, q := a.line.P, a.rank.P
	switch {
	case p < a.alpha && a.steps():
		return fmt.Sprintf("A line rises by %.4g per %s, but changes of the mean describe the series better: see change_points.", a.line.Slope, a.s.unit)
	case a.straight():
		return "Undefined: the line goes through every value."
	case a.doubtful():
		return a.doubt()
	case p < a.alpha && a.curved():
		return a.bending()
	case p < a.alpha && q < a.alpha && a.rank.S*a.line.Slope > 0:
		return fmt.Sprintf("The series has a trend of %.4g per %s; the test by ranks agrees.", a.line.Slope, a.s.unit)
	case p < a.alpha:
		return "A straight line has a slope, but the test by ranks sees no trend: single values may make it."
	case q < a.alpha && a.r1 > 0.2:
		return "The test by ranks sees a trend, but it takes independent values for granted and these are not: with errors that allow for it there is no sure trend."
	case q < a.alpha:
		return "The test by ranks sees a trend that is no straight line."
	}
	return "No trend is shown."
}

func (a *analysis) correlations(out *timeSeriesOutput) {
	f := acfFigures{Lags: len(a.acf.R), Values: []number{}, Partial: []number{}, Band: number(math.NaN()), LjungBox: number(a.acf.LjungBox), DF: a.acf.DF, P: number(a.acf.P), Outside: []int{}}
	for k, r := range a.acf.R {
		if k < lagsInline {
			f.Values, f.Partial = append(f.Values, number(r)), append(f.Partial, number(a.acf.Partial[k]))
		}
		if math.Abs(r) > a.acf.Band[k] && len(f.Outside) < lagsInline {
			f.Outside = append(f.Outside, k+1)
		}
	}
	if len(a.acf.Band) > 0 {
		f.Band = number(a.acf.Band[0])
	}
	switch {
	case !f.P.defined():
		f.Consequence = "Undefined without a regular step."
	case a.acf.P < a.alpha:
		f.Consequence = "The values depend on those before them: tests that take independent samples for granted (t, ANOVA, correlation) do not hold for this series."
	default:
		f.Consequence = "No sign that the values depend on those before them."
	}
	out.Autocorrelation = f
}

func (a *analysis) powers(out *timeSeriesOutput) {
	if a.power == nil || len(a.power.Frequency) < 2 {
		return
	}
	f := a.power.Frequency
	p := &powerFigures{Method: a.power.Method, FrequencyUnit: "1/" + a.s.unit, Resolution: number(f[1] - f[0]), Highest: number(f[len(f)-1]), Segments: a.power.Segments, Peaks: []peakShown{}}
	for _, k := range a.peaks {
		p.Peaks = append(p.Peaks, peakShown{number(k.Frequency), number(1 / k.Frequency), number(k.Power), number(k.Share), number(k.White), number(k.Red)})
	}
	p.Consequence = a.powerSays()
	out.Spectrum = p
}

func (a *analysis) powerSays() string {
	if len(a.peaks) == 0 {
		return "There is no peak."
	}
	k := a.peaks[0]
	period := a.lasting(1 / k.Frequency)
	switch {
	case a.power.Method == "welch":
		return fmt.Sprintf("The strongest peak has the period %s. Averages have no false-alarm level: use the periodogram for one.", period)
	case a.periodic() && a.wanders():
		return a.wandering()
	case a.periodic() && a.swells():
		return a.swelling(1 / k.Frequency)
	case a.repeats > 1 && a.periodic():
		return fmt.Sprintf("The strongest peak has the period %s, but lines at fractions of its frequency tell that the series repeats only after %s.", period, a.lasting(float64(a.repeats)/k.Frequency))
	case a.periodic() && a.beyond:
		return fmt.Sprintf("The series has a period of %s%s. Noise of its first autocorrelation would make the peak, but that autocorrelation is the period's own: autoregressions with the period and without it differ with a p value of %.2g.",
			period, a.others(), a.stays.Noise)
	case k.White < a.alpha && (k.Red < a.alpha || math.IsNaN(k.Red)):
		return fmt.Sprintf("The series has a period of %s that noise does not explain%s.", period, a.others())
	case k.White < a.alpha:
		return fmt.Sprintf("The peak at %s is more than white noise gives, but not more than noise that depends on its last value.", period)
	}
	return "No peak stands out of noise."
}

func (a *analysis) points(out *timeSeriesOutput) {
	c := a.changes
	f := changeFigures{Count: len(c.Segments) - 1, Penalty: number(c.Penalty), Noise: number(c.Noise), Cost: number(c.Cost), Resolution: a.coarse, Seasons: a.periodless, Points: []changeShown{}}
	for i := 1; i < len(c.Segments) && i <= changesInline; i++ {
		f.Points = append(f.Points, a.point(i))
	}
	switch {
	case c.Penalty == 0:
		f.Consequence = a.noSearch()
	case f.Count == 0:
		f.Consequence = "The mean does not change by more than the noise gives."
	case a.staircase():
		f.Consequence = "A straight line describes the series better than the steps: the changes are stairs on a trend."
	case a.ramps:
		f.Consequence = "Between the changes the values still rise or fall: the steps are cuts of a curve, and no change is shown."
	case a.unsteady():
		f.Consequence = "The phase or the amplitude of the strongest period changes, and what it leaves swings as it does: no change is shown."
	case a.chance > a.alpha:
		f.Consequence = fmt.Sprintf("Values that depend on those before them have %s as well described by steps with a probability of %.2g, where no mean changes: no change is shown.", plural(f.Count, "change"), a.chance)
	case a.memory > mostMemory:
		f.Consequence = "About these means the values still depend strongly on those before them, which can look like changes of the mean: raise penalty and see which stay."
	default:
		f.Consequence = fmt.Sprintf("The mean changes %s.", times(f.Count))
	}
	out.Changes = f
}

// straight says that a line goes through every value.
func (a *analysis) straight() bool { return !number(a.line.R2).defined() }

// noSearch is why no changes were looked for.
func (a *analysis) noSearch() string {
	if a.changes.Noise > 0 {
		return "The penalty is 0, with which every value would be a change: no changes were looked for."
	}
	return "The values repeat or rise exactly, so there is no noise that changes could be told from: no changes were looked for."
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func (a *analysis) point(i int) changeShown {
	before, after := a.changes.Segments[i-1], a.changes.Segments[i]
	raw, iso := a.s.when(after.Start)
	return changeShown{Row: a.s.rows[after.Start], Index: after.Start, Time: number(raw), ISO: iso, Before: number(before.Mean), After: number(after.Mean)}
}

// staircase says that a line with one penalty costs less than the steps.
func (a *analysis) staircase() bool { return a.sloping+a.changes.Penalty < a.changes.Cost }

// quotable is which p value of a trend may be quoted where values are dependent.
func (a *analysis) quotable() string {
	if a.doubtful() {
		return "so is that of the slope: see trend."
	}
	return "quote the one of the slope, which allows for it."
}

// checks say what stands behind the figures.
func (a *analysis) checks() []check {
	of := func(name string, statistic, p float64, ok bool, good, bad string) check {
		c := check{Name: name, Statistic: number(statistic), PValue: number(p), OK: &ok, Consequence: good}
		if !ok {
			c.Consequence = bad
		}
		return c
	}
	s := a.s
	fine := "The step is regular."
	if s.calendar.unit != "" {
		fine = "The step is regular by the calendar: " + s.calendar.lasting(1) + "."
	}
	uneven := "The step is not regular: " + s.why() + ". Spectra are by Lomb and Scargle, autocorrelations of the pairs that are there, or none."
	if s.shape == irregular {
		uneven += " Nothing then confirms a period a second way: it is computed, never verified. Resample the series to a regular step to have it checked."
	}
	list := []check{of("regular_step", s.jitter, math.NaN(), s.shape == regular, fine, uneven)}
	if number(a.acf.P).defined() {
		list = append(list, of("ljung_box", a.acf.LjungBox, a.acf.P, a.acf.P >= a.alpha, "No sign of dependence between the values.",
			"The values are dependent: the p value of Mann and Kendall's test is too small; "+a.quotable()))
	}
	if n := s.n(); n < 50 {
		list = append(list, of("length", float64(n), math.NaN(), false, "", "The series is short: bands and false-alarm levels are approximate."))
	}
	return list
}
