package statistics

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"atelier/internal/contract"
)

func (a *analysis) result(ctx context.Context, call *contract.Call) (*contract.Result, error) {
	out := a.output()
	res := &contract.Result{Output: out, Warnings: append(slices.Clone(a.s.notes), a.left...), Summary: a.summary(out), Statement: a.statement(out)}
	if err := a.s.data.stateValues(ctx, res, nil); err != nil {
		return nil, err
	}
	a.s.statePasted(res.Statement)
	for _, w := range a.left {
		if w.Code != coarseChanges && w.Code != farValues {
			res.Status = contract.StatusPartial
		}
	}
	for _, c := range out.Checks {
		if !*c.OK {
			res.Warnings = append(res.Warnings, contract.Warning{Code: "check_" + c.Name, Message: c.Consequence})
		}
	}
	if dropped := a.s.without + a.s.missing; dropped > 0 {
		res.Warnings = append(res.Warnings, contract.Warning{Code: "rows_dropped",
			Message: fmt.Sprintf("%d of %d selected rows lack the time or the value and were left out.", dropped, a.s.selected)})
		if float64(dropped) > droppedShare*float64(a.s.selected) {
			res.Status = contract.StatusPartial
		}
	}
	if a.changes.Penalty == 0 {
		res.Warnings = append(res.Warnings, contract.Warning{Code: "no_noise", Message: a.noSearch()})
	}
	res.Artifacts = a.tables()
	if a.in.Plots {
		more, err := a.picture(call, res, out)
		if err != nil {
			return nil, err
		}
		res.Artifacts = append(res.Artifacts, more...)
	}
	return res, nil
}

func (a *analysis) summary(out *timeSeriesOutput) string {
	text := fmt.Sprintf("Time series of %s values of %s.", thousands(out.SampleCount), a.in.Column)
	switch {
	case a.straight():
		text += fmt.Sprintf(" Every value lies on a straight line of slope %.4g per %s.", a.line.Slope, a.s.unit)
	case a.sloped():
		text += fmt.Sprintf(" Slope %.4g per %s", a.line.Slope, a.s.unit)
		if a.curved() {
			text += fmt.Sprintf(" on average, of a trend that curves from %.3g to %.3g", a.bend.Start, a.bend.End)
		}
		text += "."
	case a.doubtful() && !a.steps():
		text += " No sure slope, as the values depend on those before them."
	}
	text += a.periodSays()
	switch k := len(a.outside); {
	case k == 1:
		text += fmt.Sprintf(" The value in row %d is an outlier.", a.s.rows[a.outside[0]])
	case k > 1:
		text += fmt.Sprintf(" %d single values are outliers.", k)
	}
	if a.steps() {
		text += fmt.Sprintf(" The mean changes %s.", times(out.Changes.Count))
	}
	return text
}

// spectrumRows is the most rows of the spectrum's table; above, each stands for
// several frequencies and has the largest of their powers.
const spectrumRows = 20_000

func (a *analysis) tables() []contract.Artifact {
	lags := [][]string{{"lag", "autocorrelation", "band", "partial", "partial_band"}}
	for k, r := range a.acf.R {
		lags = append(lags, append([]string{strconv.Itoa(k + 1)}, texts(number(r), number(a.acf.Band[k]), number(a.acf.Partial[k]), number(a.acf.PartialBand))...))
	}
	power := [][]string{{"frequency", "power"}}
	if a.power != nil {
		f, p := thin(a.power.Frequency, a.power.Power, spectrumRows)
		for k := range f {
			power = append(power, texts(number(f[k]), number(p[k])))
		}
	}
	parts := [][]string{{"start_index", "end_index", "start_row", "start_time", "mean", "standard_deviation"}}
	for _, p := range a.changes.Segments {
		raw, _ := a.s.when(p.Start)
		parts = append(parts, append([]string{strconv.Itoa(p.Start), strconv.Itoa(p.End), strconv.FormatInt(a.s.rows[p.Start], 10)}, texts(number(raw), number(p.Mean), number(p.SD))...))
	}
	return csvFiles(csvTable{"autocorrelation.csv", lags}, csvTable{"spectrum.csv", power}, csvTable{"segments.csv", parts})
}

// thin keeps the largest of neighbours, so that at most most are left.
func thin(x, y []float64, most int) (tx, ty []float64) {
	run := (len(x) + most - 1) / most
	if run < 2 {
		return x, y
	}
	for lo := 0; lo < len(x); lo += run {
		best := lo
		for k := lo; k < min(lo+run, len(x)); k++ {
			if y[k] > y[best] {
				best = k
			}
		}
		tx, ty = append(tx, x[best]), append(ty, y[best])
	}
	return tx, ty
}
