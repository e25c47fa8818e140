package statistics

import (
	"context"
	_ "embed"
	"math"

	"atelier/internal/contract"
	"atelier/internal/stat"
)

//go:embed t_test_tool.json
var tTestContract []byte

//go:embed t_test_tool.1.0.json
var tTestContract10 []byte

type tTestInput struct {
	source
	Operation   string  `json:"operation"`
	Column      string  `json:"column"`
	With        string  `json:"with"`
	Factor      string  `json:"factor"`
	Value       float64 `json:"value"`
	Equivalence *bounds `json:"equivalence"`
	Alpha       float64 `json:"alpha"`
}

// bounds are the ends of what counts as no difference.
type bounds struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

var tTest = contract.Bind(tTestContract, runTTest, tTestContract10)

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
	GLow        number         `json:"hedges_g_low"`
	GHigh       number         `json:"hedges_g_high"`
	Student     *studentTest   `json:"student"`
	Equivalence *equivalence   `json:"equivalence,omitempty"`
	Ranks       *rankTest      `json:"ranks,omitempty"`
	Checks      []check        `json:"checks"`
	Groups      []groupFigures `json:"groups"`
	Rows        rowsUsed       `json:"rows"`
	Alpha       number         `json:"alpha"`
	Consequence string         `json:"consequence"`

	test   stat.TTest
	doubts bool // a second test comes to another conclusion
	agreed bool
	// successive is the check of the order of the rows.
	successive check
	// differences are those that signed ranks are of, half how exactly each is known.
	differences []stat.DD
	half        float64
	ranks       stat.RankTest
	data        known   // of what is compared
	share       float64 // variance of the difference of means, by that of one value
}

type studentTest struct {
	T      number `json:"t"`
	DF     number `json:"df"`
	PValue number `json:"p_value"`
}

// equivalence is the test that the difference lies between two bounds.
type equivalence struct {
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	PValue number  `json:"p_value"`
	Shown  *bool   `json:"shown"`
}

type rankTest struct {
	Statistic    number `json:"statistic"`
	Z            number `json:"z"`
	Exact        bool   `json:"exact"`
	RankBiserial number `json:"rank_biserial"`
	Used         int    `json:"used"`
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
	switch {
	case in.Factor != "":
		out, err = in.twoSample(ctx, data, column)
	case in.With != "":
		out, err = in.paired(ctx, data, column)
	default:
		out, err = in.oneSample(ctx, data, column)
	}
	if err != nil {
		return nil, err
	}
	in.equivalence(out)
	if err := in.measure(data, column, out); err != nil {
		return nil, err
	}
	res := &contract.Result{Output: out, Summary: out.summary(in), Statement: out.statement()}
	if err := data.stateRows(ctx, res, column); err != nil {
		return nil, err
	}
	if in.Factor != "" {
		if err := data.stateReplicates(ctx, res.Statement, column, data.Find(in.Factor)); err != nil {
			return nil, err
		}
	}
	if !out.PValue.defined() {
		res.Warnings = append(res.Warnings, contract.Warning{Code: "undefined", Message: "There is no spread, or there are too few samples: nothing can be tested."})
	}
	out.Rows.report(res, "lack a value")
	return res, nil
}

// measure says how exactly the values are known.
func (in *tTestInput) measure(d *selectedData, column int, out *tTestOutput) error {
	out.data, out.share = d.known(column), 1/float64(out.SampleCount)
	out.half = out.data.half
	switch {
	case in.With != "":
		at, err := d.column(in.With, "/with", true)
		if err != nil {
			return err
		}
		other := d.known(at)
		out.half += other.half
		out.data.half = math.Hypot(out.data.half, other.half)
		out.data.largest = math.Max(out.data.largest, other.largest)
	case len(out.Groups) == 2:
		out.share = 1/float64(out.Groups[0].N) + 1/float64(out.Groups[1].N)
	}
	return nil
}

// tTestTakes says which arguments an operation needs, and which it may have.
var tTestTakes = map[string]map[string]bool{
	"two_sample":   {"factor": true, "equivalence": false},
	"paired":       {"with": true, "equivalence": false},
	"one_sample":   {"value": false, "equivalence": false},
	"mann_whitney": {"factor": true},
	"signed_rank":  {"with": false, "value": false},
}

// check holds the arguments against the operation.
func (in *tTestInput) check() error {
	takes := tTestTakes[in.Operation]
	given := []struct {
		name string
		is   bool
	}{{"factor", in.Factor != ""}, {"with", in.With != ""}, {"value", in.Value != 0}, {"equivalence", in.Equivalence != nil}}
	for _, g := range given {
		needed, known := takes[g.name]
		switch {
		case needed && !g.is:
			return contract.Errorf(contract.CodeInvalidInput, "%s needs %s", in.Operation, g.name).At("/"+g.name).With("fault", contract.FaultMissing)
		case g.is && !known:
			return contract.Errorf(contract.CodeInvalidInput, "%s takes no %s", in.Operation, g.name).At("/" + g.name)
		}
	}
	if in.With != "" && in.Value != 0 {
		return contract.Errorf(contract.CodeInvalidInput, "signed_rank takes one of with and value").At("/value")
	}
	if e := in.Equivalence; e != nil && e.Low >= e.High {
		return contract.Errorf(contract.CodeInvalidInput, "the bounds of equivalence must be a low one and a higher one").At("/equivalence/high")
	}
	return nil
}

// ranked says that the operation compares ranks.
func (in *tTestInput) ranked() bool {
	return in.Operation == "mann_whitney" || in.Operation == "signed_rank"
}

func newTTest(model string, n int, t stat.TTest, alpha float64) *tTestOutput {
	return &tTestOutput{Model: model, SampleCount: n, Difference: number(t.Difference), SE: number(t.SE), T: number(t.T), DF: number(t.DF),
		PValue: number(t.P), Low: number(t.Low), High: number(t.High), HedgesG: number(t.HedgesG), GLow: number(t.GLow), GHigh: number(t.GHigh),
		Checks: []check{}, Groups: []groupFigures{}, Alpha: number(alpha), test: t}
}

func (in *tTestInput) twoSample(ctx context.Context, d *selectedData, column int) (*tTestOutput, error) {
	factor, err := d.another(in.Factor, "/factor", column)
	if err != nil {
		return nil, err
	}
	t, err := d.gather(ctx, column, "/column", []int{factor}, "/factor")
	if err != nil {
		return nil, err
	}
	list := t.moments()
	if len(list) != 2 || list[0].N < 2 || list[1].N < 2 {
		return nil, contract.Errorf(contract.CodeInvalidInput, "%q has %s with samples; two with at least two samples each are compared", in.Factor, plural(len(list), "level")).
			At("/factor").WithHint("Select two levels with a filter, or use anova_tool.")
	}
	alpha := in.Alpha
	out := newTTest("welch_t_test", list[0].N+list[1].N, stat.Welch(list[0], list[1], alpha), alpha)
	s := stat.Student(list[0], list[1], alpha)
	out.Student = &studentTest{number(s.T), number(s.DF), number(s.P)}
	for i, level := range t.keys {
		out.Groups = append(out.Groups, describe(level, list[i], alpha))
	}
	out.Rows = t.rows()
	out.successive = t.successive()
	if in.ranked() {
		if err := in.fits(t.whole, out.SampleCount); err != nil {
			return nil, err
		}
		values := t.values()
		out.byRanks("mann_whitney", stat.MannWhitney(values[0], values[1]))
		return out, nil
	}
	f, p := math.NaN(), math.NaN()
	if t.whole {
		f, p = stat.Levene(t.values())
	}
	out.Checks = together([]assumption{{name: "levene", statistic: f, p: p, sign: "that the variances differ",
		bad:  "The variances differ: quote Welch's test, the main figures here, not Student's.",
		none: "It cannot be tested: too few values, too many, or no spread."}, out.shape(t)})
	out.conclude()
	return out, nil
}

func (in *tTestInput) oneSample(ctx context.Context, d *selectedData, column int) (*tTestOutput, error) {
	t, err := d.gather(ctx, column, "/column", nil, "/column")
	if err != nil {
		return nil, err
	}
	s := t.groups[""]
	if s == nil || s.N < 2 {
		return nil, contract.Errorf(contract.CodeInvalidInput, "%q has %s; two are needed", in.Column, plural(int(t.used()), "sample")).At("/column")
	}
	alpha := in.Alpha
	out := newTTest("one_sample_t_test", s.N, stat.OneSample(&s.Moments, in.Value, alpha), alpha)
	out.Groups = append(out.Groups, describe("", &s.Moments, alpha))
	out.Rows = t.rows()
	return out, in.single(out, t, in.Value)
}

// single tests what is one series: values less a number, or differences.
func (in *tTestInput) single(out *tTestOutput, t *table, value float64) error {
	out.successive = t.successive()
	if !in.ranked() {
		out.Checks = together([]assumption{out.shape(t)})
		out.conclude()
		return nil
	}
	if err := in.fits(t.whole, out.SampleCount); err != nil {
		return err
	}
	var differences []stat.DD
	for _, v := range t.groups[""].values {
		differences = append(differences, v.Sub(stat.F(value)))
	}
	out.differences = differences
	out.byRanks("signed_rank", stat.SignedRank(differences))
	return nil
}

func (in *tTestInput) fits(whole bool, n int) error {
	if whole {
		return nil
	}
	return contract.Errorf(contract.CodeInvalidInput, "ranks are of at most %s values, and there are %s", thousands(inMemory), thousands(n)).At("/operation").
		WithHint("Select fewer rows with a filter; with so many, the t test does not depend on normality.")
}

func (in *tTestInput) paired(ctx context.Context, d *selectedData, column int) (*tTestOutput, error) {
	with, err := d.column(in.With, "/with", true)
	if err != nil {
		return nil, err
	}
	t, err := d.differences(ctx, column, with)
	if err != nil {
		return nil, err
	}
	s := t.groups[""]
	if s.N < 2 {
		return nil, contract.Errorf(contract.CodeInvalidInput, "%s with both values; two are needed", plural(s.N, "row")).At("/with")
	}
	alpha := in.Alpha
	out := newTTest("paired_t_test", s.N, stat.OneSample(&s.Moments, 0, alpha), alpha)
	out.Rows = t.rows()
	return out, in.single(out, t, 0)
}

// differences gathers a column less another, row by row.
func (d *selectedData) differences(ctx context.Context, column, with int) (*table, error) {
	all := &table{groups: map[string]*series{"": {}}, keys: []string{""}, missing: map[string]int64{}, whole: true}
	err := stat.EachBlock(ctx, d.Blocks(), func(i int) (*table, error) {
		return d.differencesOf(i, column, with)
	}, func(part *table) {
		all.selected += part.selected
		for name, n := range part.missing {
			all.missing[name] += n
		}
		s, from := all.groups[""], part.groups[""]
		s.Merge(&from.Moments)
		if s.values = append(s.values, from.values...); !all.whole || len(s.values) > inMemory {
			all.forget()
		}
	})
	if err == nil && all.selected == 0 {
		err = d.empty(0)
	}
	return all, err
}

func (d *selectedData) differencesOf(i, column, with int) (*table, error) {
	s := &series{}
	t := &table{groups: map[string]*series{"": s}, missing: map[string]int64{}}
	rows, err := d.Rows(i)
	if err != nil || rows.Len() == 0 {
		return t, err
	}
	defer rows.Free()
	t.selected = int64(rows.Len())
	a, absentA, err := rows.Numbers(column)
	if err != nil {
		return nil, err
	}
	b, absentB, err := rows.Numbers(with)
	if err != nil {
		return nil, err
	}
	for r := range a {
		for _, one := range []struct {
			column int
			absent bool
		}{{column, absentA[r]}, {with, absentB[r]}} {
			if one.absent {
				t.missing[d.Columns[one.column].Name]++
			}
		}
		if absentA[r] || absentB[r] {
			continue
		}
		v := a[r].Sub(b[r])
		switch {
		case !a[r].Finite() || b[r].Finite() && !v.Finite():
			return nil, d.beyond(column, rows.Number(r), a[r]).At("/column")
		case !v.Finite():
			return nil, d.beyond(with, rows.Number(r), b[r]).At("/with")
		}
		s.Add(v)
		s.values = append(s.values, v)
	}
	return t, nil
}
