package statistics

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/stat"
)

// maxWithin is the most levels of a factor within the subjects.
const maxWithin = 100

// subject is one of the measured: its group, and its values by level.
type subject struct {
	group  string
	values map[string]*stat.Moments
}

// measured holds the subjects of repeated measures.
type measured struct {
	selected int64
	missing  map[string]int64
	names    []string // in the order of the table
	subjects map[string]*subject
	count    int
}

// repeatedRows is a block's rows for repeated measures.
type repeatedRows struct {
	selected              int64
	missing               map[string]int64
	subject, level, group []string
	value                 []stat.DD
	row                   []int64
}

func (in *anovaInput) repeated(ctx context.Context, d *selectedData, response int, res *contract.Result) (*anovaOutput, error) {
	factor, err := d.another(in.Factor, "/factor", response)
	if err != nil {
		return nil, err
	}
	who, err := d.another(in.Subject, "/subject", response, factor)
	if err != nil {
		return nil, err
	}
	between := -1
	if in.Between != "" {
		if between, err = d.another(in.Between, "/between", response, factor, who); err != nil {
			return nil, err
		}
	}
	m, err := d.measure(ctx, in, response, factor, who, between)
	if err != nil {
		return nil, err
	}
	r, err := m.complete(in)
	if err != nil {
		return nil, err
	}
	alpha := in.Alpha
	a, err := stat.RepeatedMeasures(r.values, r.group, len(r.groups), alpha)
	if err != nil {
		return nil, contract.Errorf(contract.CodeInvalidInput, "%s at %s of %q: two levels, and two subjects more than groups less one, are needed",
			plural(len(r.values), "complete subject"), plural(len(r.levels), "level"), in.Factor).At("/subject")
	}
	out := r.output(a, in, alpha)
	out.Rows = rowsUsed{Selected: m.selected, Used: r.used, Dropped: m.selected - r.used, Missing: named{}}
	for _, name := range slices.Sorted(maps.Keys(m.missing)) {
		out.Rows.Missing = append(out.Rows.Missing, entry{name, m.missing[name]})
	}
	out.Rows.report(res, "lack a value or belong to a subject without a value at every level,")
	if len(r.incomplete) > 0 {
		out.Subjects.Dropped, out.Subjects.Incomplete = len(r.incomplete), r.incomplete[:min(20, len(r.incomplete))]
		res.Warnings = append(res.Warnings, contract.Warning{Code: "subjects_dropped",
			Message: fmt.Sprintf("%s a value at some level and left out: %s.", plural(len(r.incomplete), "subject without"), contract.Listed(r.incomplete, 10))})
	}
	if r.averaged > 0 {
		res.Warnings = append(res.Warnings, contract.Warning{Code: "values_averaged",
			Message: fmt.Sprintf("%s several values of a subject at one level; their mean is taken.", plural(r.averaged, "cell with"))})
	}
	res.Summary = r.summary(out, a, in)
	return out, nil
}

// measure reads the subjects' values.
func (d *selectedData) measure(ctx context.Context, in *anovaInput, response, factor, who, between int) (*measured, error) {
	m := &measured{missing: map[string]int64{}, subjects: map[string]*subject{}}
	var fault error
	err := stat.EachBlock(ctx, d.Blocks(), func(i int) (*repeatedRows, error) {
		return d.measureBlock(i, response, factor, who, between)
	}, func(b *repeatedRows) {
		if fault == nil {
			fault = m.add(b, in)
		}
	})
	switch {
	case err != nil:
		return nil, err
	case fault != nil:
		return nil, fault
	case m.count == 0:
		return nil, d.empty(m.selected)
	}
	return m, nil
}

func (d *selectedData) measureBlock(i, response, factor, who, between int) (*repeatedRows, error) {
	b := &repeatedRows{missing: map[string]int64{}}
	rows, err := d.Rows(i)
	if err != nil || rows.Len() == 0 {
		return b, err
	}
	defer rows.Free()
	b.selected = int64(rows.Len())
	lacks := make([]bool, rows.Len())
	read := func(column int) ([]string, error) {
		if column < 0 {
			return make([]string, rows.Len()), nil
		}
		words, absent, err := rows.Words(column)
		if err != nil {
			return nil, err
		}
		for r, is := range absent {
			if is {
				b.missing[d.Columns[column].Name]++
				lacks[r] = true
			}
		}
		return words, nil
	}
	var words [3][]string
	for k, column := range []int{who, factor, between} {
		if words[k], err = read(column); err != nil {
			return nil, err
		}
	}
	values, absent, err := rows.Numbers(response)
	if err != nil {
		return nil, err
	}
	for r, v := range values {
		if absent[r] {
			b.missing[d.Columns[response].Name]++
		}
		if absent[r] || lacks[r] {
			continue
		}
		if !v.Finite() {
			return nil, d.beyond(response, rows.Number(r), v).At("/response")
		}
		b.subject, b.level, b.group = append(b.subject, words[0][r]), append(b.level, words[1][r]), append(b.group, words[2][r])
		b.value, b.row = append(b.value, v), append(b.row, rows.Number(r))
	}
	return b, nil
}

func (m *measured) add(b *repeatedRows, in *anovaInput) error {
	m.selected += b.selected
	for name, n := range b.missing {
		m.missing[name] += n
	}
	if m.count += len(b.value); m.count > inMemory {
		return contract.Errorf(contract.CodeInvalidInput, "repeated measures are of at most %s values", thousands(inMemory)).At("/response").
			WithHint("Select fewer rows with a filter, or average the values of each subject first.")
	}
	for i, v := range b.value {
		s := m.subjects[b.subject[i]]
		if s == nil {
			s = &subject{group: b.group[i], values: map[string]*stat.Moments{}}
			m.subjects[b.subject[i]], m.names = s, append(m.names, b.subject[i])
		}
		if s.group != b.group[i] {
			return contract.Errorf(contract.CodeInvalidInput, "the subject %q is in the groups %q and %q of %q (row %d)", b.subject[i], s.group, b.group[i], in.Between, b.row[i]).
				At("/between").WithHint("A factor between subjects has one value for each of them.")
		}
		if s.values[b.level[i]] == nil {
			s.values[b.level[i]] = &stat.Moments{}
		}
		s.values[b.level[i]].Add(v)
	}
	return nil
}

// rectangle is the subjects that have a value at every level.
type rectangle struct {
	levels, groups, incomplete []string
	values                     [][]stat.DD
	group                      []int
	used                       int64
	averaged                   int
}

func (m *measured) complete(in *anovaInput) (*rectangle, error) {
	r := &rectangle{}
	levels, groups := map[string]bool{}, map[string]bool{}
	for _, s := range m.subjects {
		for level := range s.values {
			levels[level] = true
		}
	}
	r.levels = sortLevels(levels)
	if len(r.levels) > maxWithin {
		return nil, contract.Errorf(contract.CodeInvalidInput, "%q has %d levels; at most %d are compared within the subjects", in.Factor, len(r.levels), maxWithin).At("/factor")
	}
	var of []string
	for _, name := range m.names {
		s := m.subjects[name]
		if len(s.values) < len(r.levels) {
			r.incomplete = append(r.incomplete, name)
			continue
		}
		var row []stat.DD
		for _, level := range r.levels {
			v := s.values[level]
			row, r.used = append(row, v.MeanDD()), r.used+int64(v.N)
			if v.N > 1 {
				r.averaged++
			}
		}
		r.values, of, groups[s.group] = append(r.values, row), append(of, s.group), true
	}
	r.groups = sortLevels(groups)
	for _, g := range of {
		r.group = append(r.group, slices.Index(r.groups, g))
	}
	if len(r.values) == 0 {
		return nil, contract.Errorf(contract.CodeInvalidInput, "none of the %s has a value at every one of the %d levels of %q", plural(len(m.names), "subject"), len(r.levels), in.Factor).
			At("/subject").With("levels", r.levels[:min(20, len(r.levels))]).WithHint("Select levels with a filter; subject is the column that names who was measured.")
	}
	if in.Between != "" && len(r.groups) < 2 {
		return nil, contract.Errorf(contract.CodeInvalidInput, "%q has one value among the complete subjects; two groups are needed", in.Between).At("/between")
	}
	return r, nil
}

func (r *rectangle) output(a *stat.Repeated, in *anovaInput, alpha float64) *anovaOutput {
	w, nan := a.Within, number(math.NaN())
	out := &anovaOutput{Model: "repeated_measures_anova", SampleCount: len(r.values) * len(r.levels), F: number(w.F), PValue: number(w.P), Alpha: number(alpha),
		Between: squares{w.DF, number(w.SS), number(w.MS)}, Within: squares{w.DFE, number(w.SSE), number(w.MSE)},
		ResidualSD: number(math.Sqrt(w.MSE)), EtaSquared: number(w.GeneralizedEtaSquared), OmegaSquared: nan,
		Effect: &effectFigures{number(w.GeneralizedEtaSquared), number(w.PartialEtaSquared), nan, nan, number(w.Low), number(w.High)},
		Welch:  welchTest{nan, nan, nan, nan}, Levene: tested{nan, nan}, Checks: []check{}, Pairwise: []pair{}, Groups: []groupFigures{},
		Subjects: &subjectCounts{Used: a.Subjects, Incomplete: []string{}},
		reasons:  []string{"Each subject's values are turned into their mean and orthonormal contrasts, whose sums of squares are in double-double arithmetic."},
	}
	out.Terms = []anovaTerm{repeatedTerm(in.Factor, w)}
	if a.Between != nil {
		out.Model = "mixed_anova"
		out.Terms = []anovaTerm{repeatedTerm(in.Between, *a.Between), out.Terms[0], repeatedTerm(in.Factor+":"+in.Between, *a.Interaction)}
	}
	s := a.Sphericity
	out.Sphericity = &sphericity{number(a.GreenhouseGeisser), number(a.HuynhFeldt), number(s.W), number(s.Chi), s.DF, number(s.P)}
	r.fill(out, alpha)
	r.check(out, a, in)
	return out
}

func repeatedTerm(name string, t stat.RepeatedTerm) anovaTerm {
	nan := number(math.NaN())
	return anovaTerm{Name: name, DF: t.DF, SS: number(t.SS), MS: number(t.MS), F: number(t.F), PValue: number(t.P),
		effectFigures: effectFigures{nan, number(t.PartialEtaSquared), nan, nan, number(t.Low), number(t.High)},
		ownError:      &ownError{t.DFE, number(t.SSE), number(t.PGreenhouse), number(t.PHuynh), number(t.GeneralizedEtaSquared)}}
}

// fill describes the levels and compares them by paired tests.
func (r *rectangle) fill(out *anovaOutput, alpha float64) {
	moments := make([]*stat.Moments, len(r.levels))
	for l, level := range r.levels {
		moments[l] = &stat.Moments{}
		for _, row := range r.values {
			moments[l].Add(row[l])
		}
		out.Groups = append(out.Groups, describe(level, moments[l], alpha))
	}
	if len(r.levels) > maxPairs || len(r.values) < 2 {
		return
	}
	for i := range r.levels {
		for k := i + 1; k < len(r.levels); k++ {
			d := &stat.Moments{}
			for _, row := range r.values {
				d.Add(row[i].Sub(row[k]))
			}
			out.Pairwise = append(out.Pairwise, pairOf(r.levels[i], r.levels[k], stat.OneSample(d, 0, alpha)))
		}
	}
	out.adjust()
}

// check tests sphericity, normality and, between groups, equal variances.
func (r *rectangle) check(out *anovaOutput, a *stat.Repeated, in *anovaInput) {
	out.Quoted = quotedTest{"classical", number(a.Within.P)}
	var words []string
	if len(r.levels) > 2 {
		s := a.Sphericity
		ok := out.addCheck("mauchly", s.W, s.P, float64(out.Alpha), "No sign against sphericity.",
			"Sphericity does not hold: quote the p values by Greenhouse and Geisser.",
			"Sphericity cannot be tested with so few subjects: quote the p values by Greenhouse and Geisser.")
		if !ok || !number(s.P).defined() {
			out.Quoted = quotedTest{"greenhouse_geisser", number(a.Within.PGreenhouse)}
		}
		words = append(words, out.Checks[0].Consequence)
		if out.differ(number(a.Within.P), number(a.Within.PGreenhouse)) {
			words = append(words, "Without the correction for sphericity the conclusion on "+in.Factor+" would be another.")
			out.doubts = append(out.doubts, "The conclusion depends on sphericity.")
		} else if number(a.Within.PGreenhouse).defined() {
			out.agreed = "With and without the correction for sphericity the conclusion is the same."
		}
	} else {
		words = append(words, "Two levels are always spherical: the test is the paired t test squared.")
	}
	if !number(a.Within.F).defined() {
		words = []string{"The differences between the levels have no spread among the subjects, so nothing can be tested."}
	}
	residuals, means := r.residuals(len(r.groups))
	family := []assumption{out.normality(residuals)}
	if len(r.groups) > 1 {
		f, p := stat.Levene(means)
		out.Levene = tested{number(f), number(p)}
		family = append(family, assumption{name: "levene", statistic: f, p: p, sign: "that the variances of the subjects' means differ between the groups (Brown and Forsythe)",
			bad:  "The variances of the subjects' means differ between the groups: compare them by one_way of the means, which has Welch's test.",
			none: "There are too few subjects to test the variances of their means."})
	}
	out.Checks = append(out.Checks, together(family)...)
	var alone []string
	for g, of := range means {
		if len(of) == 1 && len(means) > 1 {
			alone = append(alone, r.groups[g])
		}
	}
	out.alone(alone)
	out.Consequence = strings.Join(append(words, out.againstDesign...), " ")
}

// residuals are the values less their subject's mean and their level's mean within
// the group; means are those of the subjects of each group.
func (r *rectangle) residuals(groups int) (rest []float64, means [][]stat.DD) {
	k := len(r.levels)
	own, levels := make([]stat.DD, len(r.values)), make([][]stat.Moments, groups)
	means = make([][]stat.DD, groups)
	grand := make([]stat.Moments, groups)
	for g := range levels {
		levels[g] = make([]stat.Moments, k)
	}
	for s, row := range r.values {
		m := &stat.Moments{}
		for l, v := range row {
			m.Add(v)
			levels[r.group[s]][l].Add(v)
			grand[r.group[s]].Add(v)
		}
		own[s] = m.MeanDD()
		means[r.group[s]] = append(means[r.group[s]], own[s])
	}
	for s, row := range r.values {
		g := r.group[s]
		for l, v := range row {
			rest = append(rest, v.Sub(own[s]).Sub(levels[g][l].MeanDD().Sub(grand[g].MeanDD())).Float())
		}
	}
	return rest, means
}

func (r *rectangle) summary(out *anovaOutput, a *stat.Repeated, in *anovaInput) string {
	s := fmt.Sprintf("Repeated measures of %s at %s of %s.", plural(a.Subjects, "subject"), plural(a.Levels, "level"), in.Factor)
	s += " " + verdict(in.Response, in.Factor, out.Quoted.PValue, out.Alpha, strings.ReplaceAll(out.Quoted.Test, "_", "-"))
	if a.Between != nil {
		s += " " + verdict(in.Response, in.Between, number(a.Between.P), out.Alpha, "between subjects")
		p := a.Interaction.P
		out.quotes = []string{"/terms/0/p_value", "/terms/2/p_value"}
		if out.Quoted.Test != "classical" {
			p, out.quotes[1] = a.Interaction.PGreenhouse, "/terms/2/p_value_greenhouse_geisser"
		}
		s += " " + verdict(in.Response, in.Factor+":"+in.Between, number(p), out.Alpha, strings.ReplaceAll(out.Quoted.Test, "_", "-"))
	}
	return s
}
