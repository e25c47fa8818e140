package statistics

import (
	"context"
	_ "embed"
	"fmt"
	"math"

	"atelier/internal/contract"
	"atelier/internal/stat"
)

//go:embed timeseries_tool.json
var timeSeriesContract []byte

type timeSeriesInput struct {
	source
	Column     string  `json:"column"`
	Time       string  `json:"time"`
	TimeUnit   string  `json:"time_unit"`
	Lags       int     `json:"lags"`
	Detrend    string  `json:"detrend"`
	Spectrum   string  `json:"spectrum"`
	Segment    int     `json:"segment"`
	Period     int     `json:"period"`
	Penalty    float64 `json:"penalty"`
	MinSegment int     `json:"min_segment"`
	Alpha      float64 `json:"alpha"`
	Plots      bool    `json:"plots"`
}

var timeSeries = contract.Bind(timeSeriesContract, runTimeSeries)

const (
	// maxSeries is the most values of a series, which is held in memory.
	maxSeries = 1_000_000
	// minSeries is the fewest that say anything of a series.
	minSeries = 8
	// maxLombWork is the most values times frequencies of Lomb and Scargle's.
	maxLombWork = 30_000_000
)

// analysis is a series with all that is found in it.
type analysis struct {
	in      timeSeriesInput
	alpha   float64
	s       *timed
	line    stat.LineTrend
	rank    stat.Monotone
	rest    []stat.DD // what detrending leaves, of the values that are there
	acf     stat.Autocorrelations
	power   *stat.Spectrum // in cycles per second, or per step without times
	peaks   []stat.Peak
	repeats int       // after how many periods of the first peak the series repeats; 0 without one
	noise   []float64 // power of noise of the same first autocorrelation; nil for none
	r1      float64   // first autocorrelation; 0 where there is none
	season  *seasonality
	phase   []stat.DD // what each phase of the season adds to the mean
	changes stat.Changes
	memory  float64        // first autocorrelation of what the changes leave
	sloping float64        // sum of squares that a line leaves of what is searched for changes
	ramps   bool           // the values rise or fall between the changes
	chance  float64        // probability of changes that describe a series without any as well; NaN: not tested
	wave    *stat.Wave     // sine at the strongest peak, with its harmonics; nil without a period
	stays   stat.Coherence // whether the phase of the wave does
	beyond  bool           // autoregressions tell the wave from noise where one of the first autocorrelation does not
	beside  []*stat.Wave   // others that noise does not explain either
	outside []int          // single values far from their neighbours
	// periodless says that changes were sought in what a season or a wave leaves.
	periodless bool
	trend      stat.Memory // the slope with errors that allow for memory of any length
	bend       stat.Bend   // what a curve adds to the line
	other      [2]int      // changes with other penalties
	coarse     int         // values that were averaged before the search for changes; 1: none
	left       []contract.Warning
}

func runTimeSeries(ctx context.Context, call *contract.Call, in timeSeriesInput) (*contract.Result, error) {
	data, err := in.open(ctx, call)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	s, err := in.read(ctx, data)
	if err != nil {
		return nil, err
	}
	call.Progress(0.2, "The series is read.")
	a := &analysis{in: in, alpha: in.Alpha, s: s, coarse: 1}
	a.line = stat.Line(s.t, s.x, a.alpha)
	a.rank = stat.MannKendall(s.t, s.x, a.alpha)
	if math.IsNaN(a.rank.Slope) && s.n() > stat.MaxSenPoints {
		a.leave("theil_sen_left_out", "The median of the slopes is of at most %s values; it is null.", thousands(stat.MaxSenPoints))
	}
	a.detrend()
	call.Progress(0.4, "The trend is fitted.")
	a.correlate()
	if err := a.spectrum(); err != nil {
		return nil, err
	}
	a.refine()
	call.Progress(0.6, "The spectrum is made.")
	a.seasons()
	a.remember()
	a.change()
	return a.result(ctx, call)
}

func (a *analysis) leave(code, format string, args ...any) {
	a.left = append(a.left, contract.Warning{Code: code, Message: fmt.Sprintf(format, args...)})
}

// detrend takes the mean or the line off.
func (a *analysis) detrend() {
	switch a.in.Detrend {
	case "none":
		a.rest = a.s.x
	case "mean":
		_, a.rest = stat.Centre(a.s.x)
	default:
		a.rest = a.line.Rest(a.s.t, a.s.x)
	}
}

// correlate needs a regular step; a grid with gaps will do.
func (a *analysis) correlate() {
	if a.s.shape == irregular {
		a.acf = stat.Autocorrelations{LjungBox: math.NaN(), P: math.NaN(), PartialBand: math.NaN()}
		a.leave("autocorrelation_left_out", "The times have no regular step, which autocorrelations need; they are null.")
		return
	}
	x, absent := a.s.onGrid(a.rest)
	lags := a.in.Lags
	if lags == 0 {
		lags = int(10 * math.Log10(float64(a.s.n())))
	}
	a.acf = stat.Autocorrelate(x, absent, lags, a.alpha)
	if len(a.acf.R) > 0 {
		a.r1 = a.acf.R[0]
	}
}

// spectrum is a periodogram or Welch's of a regular series, and Lomb and
// Scargle's where there are gaps or no step.
func (a *analysis) spectrum() error {
	s := a.s
	if a.in.Spectrum == "none" {
		return nil
	}
	values := floats(a.rest)
	if s.shape != regular {
		if a.in.Spectrum == "welch" || a.in.Spectrum == "periodogram" {
			return contract.Errorf(contract.CodeInvalidInput, "%s needs values at a regular step; %s", a.in.Spectrum, s.why()).At("/spectrum").
				WithHint("Leave spectrum out, or give lomb_scargle, which takes any times.")
		}
		a.lomb(values)
		return nil
	}
	switch a.in.Spectrum {
	case "lomb_scargle":
		a.lomb(values)
		return nil
	case "welch":
		segment := a.in.Segment
		if segment == 0 {
			segment = min(256, s.n())
		}
		if segment > s.n() {
			return contract.Errorf(contract.CodeInvalidInput, "a segment of %d is longer than the series of %d", segment, s.n()).At("/segment")
		}
		a.power = stat.AveragedPeriodogram(values, segment)
	default:
		a.power = stat.Periodogram(values)
	}
	a.peaks = a.power.Peaks(maxPeaks, s.n(), a.r1)
	if len(a.peaks) > 0 {
		a.repeats = a.power.Repeats(a.peaks[0].Frequency)
	}
	a.noise = a.power.Background(a.r1)
	for k := range a.power.Frequency { // per step so far
		a.power.Frequency[k] /= s.step
		a.power.Power[k] *= s.step
		a.noise[k] *= s.step
	}
	for i := range a.peaks {
		a.peaks[i].Frequency /= s.step
		a.peaks[i].Power *= s.step
	}
	return nil
}

const maxPeaks = 5

// lomb takes frequencies from one cycle of the series to half a cycle per median
// step, five to each independent one.
func (a *analysis) lomb(values []float64) {
	s := a.s
	t := floats(s.t)
	span := t[len(t)-1] - t[0]
	count := int(5 * span * 0.5 / s.step)
	if count*len(t) > maxLombWork || count < 1 {
		a.leave("spectrum_left_out", "A spectrum of %s values without a regular step is too much work; it is null. Select a shorter time_range.", thousands(len(t)))
		return
	}
	frequency := make([]float64, count)
	for k := range frequency {
		frequency[k] = float64(k+5) / (5 * span)
	}
	a.power = stat.LombScargle(t, values, frequency)
	a.peaks = a.power.Peaks(maxPeaks, len(t), a.r1)
}

// seasonality is how much of the detrended values their place in a period says.
type seasonality struct {
	Period   int    `json:"period_samples"`
	Seconds  number `json:"period"`
	Given    bool   `json:"given"`
	Strength number `json:"strength"`
	F        number `json:"f_statistic"`
	P        number `json:"p_value"`
}

// seasons compares the means of the phases of the period that was given, or of
// the strongest peak that noise does not explain and that is there twice.
func (a *analysis) seasons() {
	if a.s.shape == irregular {
		return
	}
	x, absent := a.s.onGrid(a.rest)
	period := a.in.Period
	for i := 0; i < len(a.peaks) && period == 0; i++ {
		p := a.peaks[i]
		if steps := math.Round(1 / (p.Frequency * a.s.step)); p.White < a.alpha && (!(p.Red >= a.alpha) || i == 0 && a.beyond) && steps <= float64(len(x)/2) {
			if period = int(steps); i == 0 && a.repeats > 1 {
				period = int(math.Round(float64(a.repeats) / (p.Frequency * a.s.step)))
			}
		}
	}
	if period < 2 || len(x) < 2*period {
		return
	}
	phases := make([]*stat.Moments, period)
	for i := range phases {
		phases[i] = &stat.Moments{}
	}
	for i, v := range x {
		if absent == nil || !absent[i] {
			phases[i%period].Add(v)
		}
	}
	var there []*stat.Moments
	for _, m := range phases {
		if m.N > 0 {
			there = append(there, m)
		}
	}
	v, err := stat.OneWay(there)
	if err != nil {
		return
	}
	a.phase = a.phases(period)
	a.season = &seasonality{Period: period, Seconds: number(float64(period) * a.s.step), Given: a.in.Period > 0,
		Strength: number(v.EtaSquared), F: number(v.F), P: number(v.P)}
}

// phases is what each place in a period adds to the mean of all, beside a slope
// where one is taken off: a line that knows nothing of the seasons takes a part of
// them along.
func (a *analysis) phases(period int) []stat.DD {
	in := make([][]int, period)
	for i, place := range a.s.place {
		in[place%period] = append(in[place%period], i)
	}
	var x, t stat.Moments
	at, mean := make([]stat.DD, period), make([]stat.DD, period)
	var products, squares stat.DD
	for k, list := range in {
		var px, pt stat.Moments
		for _, i := range list {
			px.Add(a.s.x[i])
			pt.Add(a.s.t[i])
			x.Add(a.s.x[i])
			t.Add(a.s.t[i])
		}
		if len(list) == 0 {
			continue
		}
		at[k], mean[k] = pt.MeanDD(), px.MeanDD()
		for _, i := range list {
			off := a.s.t[i].Sub(at[k])
			products, squares = products.Add(off.Mul(a.s.x[i].Sub(mean[k]))), squares.Add(off.Mul(off))
		}
	}
	slope := stat.DD{}
	if squares.Hi > 0 && a.in.Detrend != "none" && a.in.Detrend != "mean" {
		slope = products.Div(squares)
	}
	out := make([]stat.DD, period)
	for k, list := range in {
		if len(list) > 0 {
			out[k] = mean[k].Sub(x.MeanDD()).Sub(slope.Mul(at[k].Sub(t.MeanDD())))
		}
	}
	return out
}

// remember tests the slope with errors that allow for the memory of what the line
// and the seasons leave.
func (a *analysis) remember() {
	x := a.s.x
	if a.seasonal() {
		x = a.withoutSeasons()
	}
	l := stat.Line(a.s.t, x, a.alpha)
	t, rest, rounding := floats(a.s.t), floats(l.Rest(a.s.t, x)), a.s.data.known(a.s.column).deviation()
	a.trend = stat.Remembered(t, rest, l.Slope, rounding)
	a.bend = stat.BendOf(t, rest, l, rounding)
}

const (
	// bendLevel is the p value below which a trend is told to curve: smaller than that
	// of a slope, so that straight ones are seldom doubted. Of 300 series each with a
	// straight trend, of 20 to 400 values, it doubted 1 in 60 at most beside white noise,
	// 1 in 23 beside a first autocorrelation of 0.5, and beside one of 0.9, which wanders
	// as curves do, 1 in 8 of 20 values and 1 in 75 of 400.
	bendLevel = 0.001
	// bendShare is the size of the curve, by that of the line, from which the slope at an
	// end differs by nearly a third.
	bendShare = 0.08
)

// curved says that the trend is no straight line, and by how much that matters.
func (a *analysis) curved() bool { return a.bend.P < bendLevel && a.bend.Share > bendShare }

// bending tells of a trend that is no straight line.
func (a *analysis) bending() string {
	return fmt.Sprintf("The trend is no straight line: its slope is about %.3g per %s at the start and %.3g at the end, and %.4g is an average. Growth by a constant share is a straight line in the logarithm of the values; else give the slope of parts.",
		a.bend.Start, a.s.unit, a.bend.End, a.line.Slope)
}

// doubtful says that a slope is beyond chance by the errors of Newey and West, but
// not by those that allow for the series' memory.
func (a *analysis) doubtful() bool { return a.line.P < a.alpha && !(a.trend.P < a.alpha) }

func floats(values []stat.DD) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = v.Float()
	}
	return out
}
