package statistics

import (
	"context"
	_ "embed"
	"fmt"

	"atelier/contract"
	"atelier/stat"
)

//go:embed t_test_tool.json
var tTestContract []byte

type tTestInput struct {
	source
	Operation string   `json:"operation"`
	Column    string   `json:"column"`
	With      string   `json:"with"`
	Factor    string   `json:"factor"`
	Value     float64  `json:"value"`
	Alpha     *float64 `json:"alpha"`
}

var tTest = contract.Bind(tTestContract, runTTest)

type tTestOutput struct {
	Model       string         `json:"model"`
	SampleCount int            `json:"sample_count"`
	Difference  number         `json:"difference"`
	SE          number         `json:"standard_error"`
	T           number         `json:"t"`
	DF          number         `json:"df"`
	PValue      number         `json:"p_value"`
	Low         number         `json:"low"`
	High        number         `json:"high"`
	HedgesG     number         `json:"hedges_g"`
	Student     *studentTest   `json:"student"`
	Groups      []groupFigures `json:"groups"`
	Alpha       number         `json:"alpha"`
}

type studentTest struct {
	T      number `json:"t"`
	DF     number `json:"df"`
	PValue number `json:"p_value"`
}

func runTTest(ctx context.Context, call *contract.Call, in tTestInput) (*contract.Result, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	data, err := in.open(ctx, call)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	column, err := data.column(in.Column, "/column", true)
	if err != nil {
		return nil, err
	}
	var out *tTestOutput
	switch in.Operation {
	case "two_sample":
		out, err = in.twoSample(ctx, data, column)
	case "paired":
		out, err = in.paired(ctx, data, column)
	default:
		out, err = in.oneSample(ctx, data, column)
	}
	if err != nil {
		return nil, err
	}
	res := &contract.Result{Output: out, Summary: out.summary(in), Confidence: 0.95,
		Evidence: &contract.Evidence{Trust: contract.Computed, Checks: []contract.Check{}, Reasons: []string{"Sums are in double-double arithmetic."}}}
	if !out.T.defined() {
		res.Confidence = 0.5
		res.Warnings = append(res.Warnings, contract.Warning{Code: "undefined", Message: "There is no spread, or there are too few samples: nothing can be tested."})
	} else if out.SampleCount < 20 {
		res.Confidence = 0.8 // the t distribution then needs normal values
	}
	return res, nil
}

// check holds the arguments against the operation.
func (in *tTestInput) check() error {
	needed := map[string]string{"two_sample": "factor", "paired": "with"}[in.Operation]
	for name, given := range map[string]bool{"factor": in.Factor != "", "with": in.With != "", "value": in.Value != 0} {
		switch {
		case name == needed && !given:
			return contract.Errorf(contract.CodeInvalidInput, "%s needs %s", in.Operation, name).At("/"+name).With("fault", contract.FaultMissing)
		case name != needed && given && !(name == "value" && in.Operation == "one_sample"):
			return contract.Errorf(contract.CodeInvalidInput, "%s takes no %s", in.Operation, name).At("/" + name)
		}
	}
	return nil
}

func newTTest(model string, n int, t stat.TTest, alpha float64) *tTestOutput {
	return &tTestOutput{Model: model, SampleCount: n, Difference: number(t.Difference), SE: number(t.SE), T: number(t.T), DF: number(t.DF),
		PValue: number(t.P), Low: number(t.Low), High: number(t.High), HedgesG: number(t.HedgesG), Groups: []groupFigures{}, Alpha: number(alpha)}
}

func (in *tTestInput) twoSample(ctx context.Context, d *dataset, column int) (*tTestOutput, error) {
	factor, err := d.column(in.Factor, "/factor", false)
	if err != nil {
		return nil, err
	}
	t, err := d.gather(ctx, []int{column}, []string{"/column"}, factor, "/factor")
	if err != nil {
		return nil, err
	}
	var levels []string
	var list []*stat.Moments
	for _, level := range t.levels {
		if s := t.groups[level][0]; s.N > 0 {
			levels, list = append(levels, level), append(list, &s.Moments)
		}
	}
	if len(levels) != 2 || list[0].N < 2 || list[1].N < 2 {
		return nil, contract.Errorf(contract.CodeInvalidInput, "%q has %s with samples; two with at least two samples each are compared", in.Factor, plural(len(levels), "level")).
			At("/factor").WithHint("Select two levels with a filter, or use anova_tool.")
	}
	alpha := alphaOf(in.Alpha)
	out := newTTest("welch_t_test", list[0].N+list[1].N, stat.Welch(list[0], list[1], alpha), alpha)
	s := stat.Student(list[0], list[1], alpha)
	out.Student = &studentTest{number(s.T), number(s.DF), number(s.P)}
	for i, level := range levels {
		out.Groups = append(out.Groups, describe(level, list[i], alpha))
	}
	return out, nil
}

func (in *tTestInput) oneSample(ctx context.Context, d *dataset, column int) (*tTestOutput, error) {
	t, err := d.gather(ctx, []int{column}, []string{"/column"}, -1, "")
	if err != nil {
		return nil, err
	}
	s := t.groups[""][0]
	if s.N < 2 {
		return nil, contract.Errorf(contract.CodeInvalidInput, "%q has %s; two are needed", in.Column, plural(s.N, "sample")).At("/column")
	}
	alpha := alphaOf(in.Alpha)
	out := newTTest("one_sample_t_test", s.N, stat.OneSample(&s.Moments, in.Value, alpha), alpha)
	out.Groups = append(out.Groups, describe("", &s.Moments, alpha))
	return out, nil
}

func (in *tTestInput) paired(ctx context.Context, d *dataset, column int) (*tTestOutput, error) {
	with, err := d.column(in.With, "/with", true)
	if err != nil {
		return nil, err
	}
	m := pairs(d, column, with)
	all := &stat.Moments{}
	err = stat.EachBlock(ctx, d.Blocks(), func(i int) (*stat.Moments, error) {
		b, err := m.Load(i)
		part := &stat.Moments{}
		for k := range b.Y {
			v := b.Y[k].Sub(b.X[0][k])
			if !v.Finite() {
				return nil, contract.Errorf(contract.CodeInvalidInput, "row %d has an infinite value", b.Row[k]).At("/column")
			}
			part.Add(v)
		}
		return part, err
	}, all.Merge)
	if err != nil {
		return nil, err
	}
	if all.N < 2 {
		return nil, contract.Errorf(contract.CodeInvalidInput, "%s with both values; two are needed", plural(all.N, "row")).At("/with")
	}
	alpha := alphaOf(in.Alpha)
	return newTTest("paired_t_test", all.N, stat.OneSample(all, 0, alpha), alpha), nil
}

func (out *tTestOutput) summary(in tTestInput) string {
	s := fmt.Sprintf("t test on %s samples: ", thousands(out.SampleCount))
	switch {
	case !out.PValue.defined():
		return s + "nothing can be tested, as there is no spread."
	case out.PValue < out.Alpha:
		return s + fmt.Sprintf("the mean of %s differs by %.4g (p = %.3g).", in.Column, float64(out.Difference), float64(out.PValue))
	}
	return s + fmt.Sprintf("no difference of the mean of %s is shown (p = %.3g).", in.Column, float64(out.PValue))
}
