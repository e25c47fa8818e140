package statistics

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/contract"
	"atelier/stat"
)

//go:embed summary_stats_tool.json
var summaryContract []byte

type summaryInput struct {
	source
	Columns []string `json:"columns"`
	GroupBy string   `json:"group_by"`
	Alpha   *float64 `json:"alpha"`
}

var summaryStats = contract.Bind(summaryContract, runSummary)

type summaryOutput struct {
	Model       string         `json:"model"`
	SampleCount int64          `json:"sample_count"`
	Groups      []groupSummary `json:"groups"`
}

type groupSummary struct {
	Level   string          `json:"level"`
	Columns []columnSummary `json:"columns"`
}

type columnSummary struct {
	Name     string `json:"name"`
	N        int    `json:"n"`
	Missing  int64  `json:"missing"`
	Mean     number `json:"mean"`
	MeanLow  number `json:"mean_low"`
	MeanHigh number `json:"mean_high"`
	SD       number `json:"standard_deviation"`
	Variance number `json:"variance"`
	Skewness number `json:"skewness"`
	Kurtosis number `json:"excess_kurtosis"`
	Min      number `json:"min"`
	Q1       number `json:"q1"`
	Median   number `json:"median"`
	Q3       number `json:"q3"`
	Max      number `json:"max"`
}

func runSummary(ctx context.Context, call *contract.Call, in summaryInput) (*contract.Result, error) {
	data, err := in.open(ctx, call)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	columns, pointers, err := data.columnsOf(in.Columns)
	if err != nil {
		return nil, err
	}
	group := -1
	if in.GroupBy != "" {
		if group, err = data.column(in.GroupBy, "/group_by", false); err != nil {
			return nil, err
		}
	}
	t, err := data.gather(ctx, columns, pointers, group, "/group_by")
	if err != nil {
		return nil, err
	}
	out := &summaryOutput{Model: "summary_stats", SampleCount: t.selected, Groups: []groupSummary{}}
	res := &contract.Result{Output: out, Evidence: &contract.Evidence{Trust: contract.Computed, Checks: []contract.Check{},
		Reasons: []string{"Sums are about the first value, in double-double arithmetic; quantiles are of all values."}}, Confidence: 0.95}
	var large []string
	for _, level := range t.levels {
		g := groupSummary{Level: level, Columns: []columnSummary{}}
		for k, s := range t.groups[level] {
			name := data.Columns[columns[k]].Name
			g.Columns = append(g.Columns, summarize(name, s, alphaOf(in.Alpha)))
			if s.full && !slices.Contains(large, name) {
				large = append(large, name)
			}
		}
		out.Groups = append(out.Groups, g)
	}
	if len(large) > 0 {
		res.Warnings = append(res.Warnings, contract.Warning{Code: "quantiles_left_out",
			Message: fmt.Sprintf("Quantiles and shape are of at most %s values; they are null for %s.", thousands(inMemory), strings.Join(large, ", "))})
		res.Status = contract.StatusPartial
	}
	res.Summary = fmt.Sprintf("Summary of %s in %s of %s rows.", plural(len(columns), "column"), plural(len(t.levels), "group"), thousands(int(t.selected)))
	return res, nil
}

// columnsOf finds the columns to summarise: those named, or all numeric ones.
func (d *dataset) columnsOf(names []string) (columns []int, pointers []string, err error) {
	for i, name := range names {
		pointer := fmt.Sprintf("/columns/%d", i)
		at, err := d.column(name, pointer, true)
		if err != nil {
			return nil, nil, err
		}
		if slices.Contains(columns, at) {
			return nil, nil, contract.Errorf(contract.CodeInvalidInput, "the column %q stands twice", name).At(pointer)
		}
		columns, pointers = append(columns, at), append(pointers, pointer)
	}
	if len(names) == 0 {
		for i, c := range d.Columns {
			if _, err := d.Readable(c.Name); err == nil && c.Type.Numeric() && len(columns) < 100 {
				columns, pointers = append(columns, i), append(pointers, "/columns")
			}
		}
	}
	if len(columns) == 0 {
		return nil, nil, contract.Errorf(contract.CodeInvalidInput, "the selection has no numeric column").At("/columns")
	}
	return columns, pointers, nil
}

func summarize(name string, s *series, alpha float64) columnSummary {
	nan := number(math.NaN())
	c := columnSummary{Name: name, N: s.N, Missing: s.missing, Mean: nan, MeanLow: nan, MeanHigh: nan, SD: nan, Variance: nan,
		Skewness: nan, Kurtosis: nan, Min: nan, Q1: nan, Median: nan, Q3: nan, Max: nan}
	if s.N == 0 {
		return c
	}
	low, high := meanInterval(&s.Moments, alpha)
	c.Mean, c.MeanLow, c.MeanHigh = number(s.Mean()), number(low), number(high)
	c.SD, c.Variance = number(s.SD()), number(s.Variance())
	c.Min, c.Max = number(s.Min.Float()), number(s.Max.Float())
	if s.full {
		return c
	}
	sorted := stat.SortDD(s.values)
	c.Q1, c.Median, c.Q3 = number(stat.QuantileDD(sorted, 0.25)), number(stat.QuantileDD(sorted, 0.5)), number(stat.QuantileDD(sorted, 0.75))
	skewness, kurtosis := stat.Shape(sorted, &s.Moments)
	c.Skewness, c.Kurtosis = number(skewness), number(kurtosis)
	return c
}
