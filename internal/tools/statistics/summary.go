package statistics

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/stat"
)

//go:embed summary_stats_tool.json
var summaryContract []byte

//go:embed summary_stats_tool.1.0.json
var summaryContract10 []byte

type summaryInput struct {
	source
	Columns      []string  `json:"columns"`
	GroupBy      string    `json:"group_by"`
	Alpha        float64   `json:"alpha"`
	Quantiles    []float64 `json:"quantiles"`
	Correlations *bool     `json:"correlations"`
	Plots        bool      `json:"plots"`
}

// Conditional implements contract.Conditional: correlations of too many columns
// are missed only by who has asked for them.
func (*summaryInput) Conditional() []string { return []string{"/correlations"} }

var summaryStats = contract.Bind(summaryContract, runSummary, summaryContract10)

const (
	// maxCorrelated is the most numeric columns whose correlations are computed.
	maxCorrelated = 20
	// maxTallies is the most columns times groups of a summary.
	maxTallies = 5000
	// shownInline is the most columns times groups, of pairs, and of texts, that
	// the answer holds; all of them are in the CSV artifacts.
	shownInline = 6
)

type summaryOutput struct {
	Model         string         `json:"model"`
	SampleCount   int64          `json:"sample_count"`
	WithoutGroup  int64          `json:"rows_without_group"`
	Groups        []groupSummary `json:"groups"`
	NotShown      int            `json:"not_shown"`
	QuantileRule  string         `json:"quantile_rule"`
	CorrelationOf string         `json:"correlation_rule"`
}

type groupSummary struct {
	Level        string          `json:"level"`
	Rows         int64           `json:"rows"`
	Columns      []columnSummary `json:"columns"`
	Texts        []textSummary   `json:"texts"`
	Correlations []correlation   `json:"correlations"`
}

type columnSummary struct {
	Name        string          `json:"name"`
	N           int             `json:"n"`
	Missing     int64           `json:"missing"`
	Mean        number          `json:"mean"`
	MeanLow     number          `json:"mean_low"`
	MeanHigh    number          `json:"mean_high"`
	SD          number          `json:"standard_deviation"`
	Variance    number          `json:"variance"`
	Skewness    number          `json:"skewness"`
	Kurtosis    number          `json:"excess_kurtosis"`
	Min         number          `json:"min"`
	Q1          number          `json:"q1"`
	Median      number          `json:"median"`
	Q3          number          `json:"q3"`
	Max         number          `json:"max"`
	Quantiles   []quantile      `json:"quantiles"`
	Method      string          `json:"quantile_method"`
	RankError   number          `json:"rank_error"`
	Mode        *mode           `json:"mode"`
	Histogram   *histogramShown `json:"histogram"`
	Consequence string          `json:"consequence"`

	bins *stat.Histogram
}

// quantile is the value below which a share of the values lies. RankError is by
// which share of the values its rank is off.
type quantile struct {
	Share     number `json:"share"`
	Value     number `json:"value"`
	RankError number `json:"rank_error"`
}

// mode is the most frequent value, the smallest of those that are equally so.
type mode struct {
	Value number `json:"value"`
	Count int64  `json:"count"`
	Ties  int    `json:"ties"` // values that are as frequent, with this one
}

type histogramShown struct {
	Rule   string  `json:"rule"`
	Bins   int     `json:"bins"`
	Low    number  `json:"low"`
	Width  number  `json:"width"`
	Counts []int64 `json:"counts,omitempty"`
}

type textSummary struct {
	Name     string      `json:"name"`
	N        int64       `json:"n"`
	Missing  int64       `json:"missing"`
	Distinct int         `json:"distinct"`
	Complete bool        `json:"complete"`
	Top      []textCount `json:"top"`
	Other    int64       `json:"other"`
}

type textCount struct {
	Value string `json:"value"`
	Count int64  `json:"count"`
}

type correlation struct {
	A            string `json:"a"`
	B            string `json:"b"`
	N            int    `json:"n"`
	Pearson      number `json:"pearson"`
	Low          number `json:"low"`
	High         number `json:"high"`
	P            number `json:"p_value"`
	Spearman     number `json:"spearman"`
	SpearmanLow  number `json:"spearman_low"`
	SpearmanHigh number `json:"spearman_high"`
	SpearmanP    number `json:"spearman_p_value"`
}

func runSummary(ctx context.Context, call *contract.Call, in summaryInput) (*contract.Result, error) {
	data, err := in.open(ctx, call)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	s := &summarizer{data: data, group: -1, alpha: in.Alpha, quantiles: in.Quantiles}
	if err := s.columnsOf(in.Columns); err != nil {
		return nil, err
	}
	if in.GroupBy != "" {
		if s.group, err = data.column(in.GroupBy, "/group_by", false); err != nil {
			return nil, err
		}
		data.takeLevels(s.group)
	}
	s.pairs = (in.Correlations == nil || *in.Correlations) && len(s.numeric) > 1 && len(s.numeric) <= maxCorrelated
	if s.selected, err = data.Selected(ctx); err != nil {
		return nil, err
	}
	s.exact = s.selected*int64(max(len(s.numeric), 1)) <= inMemory
	call.Progress(0.1, "The rows are selected.")
	if err := s.gather(ctx); err != nil {
		return nil, err
	}
	call.Progress(0.6, "The columns are summed.")
	if err := s.finish(ctx); err != nil {
		return nil, err
	}
	return s.result(ctx, call, in)
}

// columnsOf finds the columns to summarise: those named, or all.
func (s *summarizer) columnsOf(names []string) error {
	d := s.data
	for i, name := range names {
		pointer := fmt.Sprintf("/columns/%d", i)
		at, err := d.column(name, pointer, false)
		if err != nil {
			return err
		}
		if slices.Contains(s.numeric, at) || slices.Contains(s.texts, at) {
			return contract.Errorf(contract.CodeInvalidInput, "the column %q stands twice", name).At(pointer)
		}
		s.add(at, pointer)
	}
	if len(names) == 0 {
		for i, c := range d.Columns {
			if _, err := d.Readable(c.Name); err == nil && len(s.numeric)+len(s.texts) < 100 {
				s.add(i, "/columns")
				d.named = append(d.named, i)
			}
		}
	}
	if len(s.numeric)+len(s.texts) == 0 {
		return contract.Errorf(contract.CodeInvalidInput, "the selection has no column").At("/columns")
	}
	return nil
}

func (s *summarizer) add(column int, pointer string) {
	if s.data.Columns[column].Type.Numeric() {
		s.numeric, s.pointers = append(s.numeric, column), append(s.pointers, pointer)
	} else {
		s.texts = append(s.texts, column)
	}
}

func (s *summarizer) result(ctx context.Context, call *contract.Call, in summaryInput) (*contract.Result, error) {
	out := s.output()
	res := &contract.Result{Output: out, Statement: &evidence.Statement{
		Notes: []string{"Sums of powers and products are about the means of blocks, in double-double arithmetic, merged in the order of the blocks.", out.QuantileRule}}}
	warn := func(code, format string, args ...any) {
		res.Warnings = append(res.Warnings, contract.Warning{Code: code, Message: fmt.Sprintf(format, args...)})
	}
	if s.withoutGroup > 0 {
		warn("rows_dropped", "%d of %d selected rows have no %s and were left out.", s.withoutGroup, s.selected, in.GroupBy)
	}
	if !s.exact && len(s.numeric) > 0 {
		warn("quantiles_estimated", "There are more than %s values: quantiles are estimated by a t-digest, each with the error of its rank as a second pass counted it.", thousands(inMemory))
		if left := s.leftOut(); left != "" {
			res.Status = contract.StatusPartial
			warn("left_out", "%s of more than %s values; they are null. Select fewer rows or columns for them.", left, thousands(inMemory))
		}
	}
	if len(s.numeric) > maxCorrelated && (in.Correlations == nil || *in.Correlations) {
		warn("correlations_left_out", "Correlations are of at most %d columns; name fewer in columns.", maxCorrelated)
		if in.Correlations != nil {
			res.Status = contract.StatusPartial
		}
	}
	res.Artifacts = s.tables()
	if in.Plots {
		more, err := s.picture(call, res, in)
		if err != nil {
			return nil, err
		}
		res.Artifacts = append(res.Artifacts, more...)
	}
	all := *out
	all.Groups = slices.Clone(out.Groups) // shorten keeps its first places
	if s.shorten(out); out.NotShown > 0 {
		warn("more_in_csv", "%s in the CSV artifacts only.", plural(out.NotShown, "more entry"))
	}
	res.Statement.Check(missingRows(s.selected, s.withoutGroup))
	s.state(res.Statement, out)
	s.stateHidden(res.Statement, &all, out)
	if err := s.data.stateValues(ctx, res, func(name string) []string {
		if hidden(&all, out, name) {
			return append(places(out, name), hiddenAt)
		}
		return places(out, name)
	}); err != nil {
		return nil, err
	}
	if err := s.stateIndependent(ctx, res.Statement, out); err != nil {
		return nil, err
	}
	res.Summary = s.summary()
	return res, nil
}

func (s *summarizer) leftOut() string {
	var left []string
	if s.pairs {
		left = append(left, "Spearman's correlations")
	}
	for _, g := range s.levels {
		for _, t := range s.cells[g].numbers {
			if t.many {
				return strings.Join(append(left, "modes of columns with many different values are not computed"), " and ")
			}
		}
	}
	if len(left) > 0 {
		return left[0] + " are not computed"
	}
	return ""
}

// shorten keeps the first entries of the answer; the artifacts have all.
func (s *summarizer) shorten(out *summaryOutput) {
	columns, texts, pairs := 0, 0, 0
	kept := out.Groups[:0]
	for _, g := range out.Groups {
		g.Columns, columns = shown(g.Columns, columns, &out.NotShown)
		g.Texts, texts = shown(g.Texts, texts, &out.NotShown)
		g.Correlations, pairs = shown(g.Correlations, pairs, &out.NotShown)
		if len(kept) == 0 || len(g.Columns)+len(g.Texts) > 0 {
			kept = append(kept, g)
		}
	}
	out.Groups = kept
}

func shown[T any](list []T, before int, left *int) ([]T, int) {
	n := max(0, min(len(list), shownInline-before))
	*left += len(list) - n
	return list[:n], before + n
}

func (s *summarizer) summary() string {
	text := fmt.Sprintf("Summary of %s in %s of %s rows.", plural(len(s.numeric)+len(s.texts), "column"), plural(len(s.levels), "group"), thousands(int(s.selected)))
	if len(s.levels) == 1 && len(s.numeric) == 1 {
		if t := s.figures[0][0]; t.N > 0 {
			text += fmt.Sprintf(" %s: mean %.6g, median %.6g, from %.6g to %.6g.", t.Name, float64(t.Mean), float64(t.Median), float64(t.Min), float64(t.Max))
		}
	}
	return text
}
