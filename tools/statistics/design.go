package statistics

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"atelier/contract"
	"atelier/stat"
	"atelier/stat/capture"
)

// maxLevels is the most levels of a categorical feature, maxTerms of columns of
// the design.
const (
	maxLevels = 200
	maxTerms  = 500
	maxPower  = 20
)

// factor is a column to a power.
type factor struct{ column, power int }

// term is a column of the design: a product of powers, or whether a categorical
// column has a level.
type term struct {
	name    string
	factors []factor
	column  int // of a level
	level   string
}

// design turns the rows of a dataset into blocks of the kernel. Rows that lack a
// value of any column are left out.
type design struct {
	data       *dataset
	target     int
	weight     int // -1: none
	terms      []term
	numeric    []int // columns to be decoded, without repetition
	categories []int
	references named // of the categorical columns
	selected   int64
	used       int64
	missing    map[string]int64 // rows that lack a value, by column
}

// newDesign reads the terms of a model, and goes through the data once for the
// levels and the counts.
func newDesign(ctx context.Context, d *dataset, target string, features, categorical []string, weights string) (*design, error) {
	m := &design{data: d, weight: -1, missing: map[string]int64{}}
	var err error
	if m.target, err = d.column(target, "/target", true); err != nil {
		return nil, err
	}
	m.need(m.target)
	if weights != "" {
		if m.weight, err = d.column(weights, "/weights", true); err != nil {
			return nil, err
		}
		m.need(m.weight)
	}
	for i, name := range categorical {
		if !slices.Contains(features, name) {
			return nil, contract.Errorf(contract.CodeInvalidInput, "%q is not among the features", name).At(fmt.Sprintf("/categorical/%d", i))
		}
	}
	for i, name := range features {
		pointer := fmt.Sprintf("/features/%d", i)
		if slices.Contains(features[:i], name) {
			return nil, contract.Errorf(contract.CodeInvalidInput, "the feature %q stands twice", name).At(pointer)
		}
		if name == target {
			return nil, contract.Errorf(contract.CodeInvalidInput, "the target %q cannot be a feature", name).At(pointer)
		}
		if err := m.addFeature(name, pointer, slices.Contains(categorical, name)); err != nil {
			return nil, err
		}
	}
	if err := m.census(ctx, features); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *design) need(column int) {
	if !slices.Contains(m.numeric, column) {
		m.numeric = append(m.numeric, column)
	}
}

func (m *design) addFeature(name, pointer string, categorical bool) error {
	at := m.data.Find(name)
	if at >= 0 {
		if _, err := m.data.column(name, pointer, false); err != nil {
			return err
		}
		kind := m.data.Columns[at].Type
		if categorical || kind == capture.String || kind == capture.Boolean {
			m.categories = append(m.categories, at)
			m.terms = append(m.terms, term{name: name, column: at, level: ""}) // census makes one of each level
			return nil
		}
		m.need(at)
		m.terms = append(m.terms, term{name: name, factors: []factor{{at, 1}}})
		return nil
	}
	t := term{name: name}
	for _, part := range strings.Split(name, ":") {
		base, power, found := strings.Cut(strings.TrimSpace(part), "^")
		f := factor{power: 1}
		if found {
			k, err := strconv.Atoi(strings.TrimSpace(power))
			if err != nil || k < 1 || k > maxPower {
				return contract.Errorf(contract.CodeInvalidInput, "the power of %q is not a whole number from 1 to %d", part, maxPower).At(pointer)
			}
			f.power = k
		}
		var err error
		if f.column, err = m.data.column(strings.TrimSpace(base), pointer, true); err != nil {
			return contract.AsError(err).WithHint("A feature is a column, a power of one (x^2), or a product (x:z). The columns are %s.", columnNames(m.data))
		}
		m.need(f.column)
		t.factors = append(t.factors, f)
	}
	m.terms = append(m.terms, t)
	return nil
}

func columnNames(d *dataset) string {
	var names []string
	for _, c := range d.Columns[:min(len(d.Columns), 40)] {
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}

// counts is what the census learns of a block.
type counts struct {
	selected, used int64
	missing        map[string]int64
	levels         []map[string]bool
}

func (m *design) census(ctx context.Context, features []string) error {
	levels := make([]map[string]bool, len(m.categories))
	for i := range levels {
		levels[i] = map[string]bool{}
	}
	if err := stat.EachBlock(ctx, m.data.Blocks(), m.count, func(c counts) {
		m.selected, m.used = m.selected+c.selected, m.used+c.used
		for k, n := range c.missing {
			m.missing[k] += n
		}
		for i, set := range c.levels {
			maps.Copy(levels[i], set)
		}
	}); err != nil {
		return err
	}
	if m.used == 0 {
		return m.data.empty(m.selected)
	}
	return m.expand(levels, features)
}

func (m *design) count(i int) (counts, error) {
	c := counts{missing: map[string]int64{}}
	rows, err := m.data.Rows(i)
	if err != nil || rows.Len() == 0 {
		return c, err
	}
	c.selected = int64(rows.Len())
	lost := make([]bool, rows.Len())
	mark := func(column int, absent []bool) {
		for k, a := range absent {
			if a {
				c.missing[m.data.Columns[column].Name]++
				lost[k] = true
			}
		}
	}
	for _, column := range m.numeric {
		_, absent, err := rows.Numbers(column)
		if err != nil {
			return c, err
		}
		mark(column, absent)
	}
	var texts [][]string
	for _, column := range m.categories {
		words, absent, err := rows.Words(column)
		if err != nil {
			return c, err
		}
		mark(column, absent)
		texts = append(texts, words)
	}
	for _, words := range texts {
		set := map[string]bool{}
		for k, w := range words {
			if !lost[k] && len(set) <= maxLevels {
				set[w] = true
			}
		}
		c.levels = append(c.levels, set)
	}
	for _, l := range lost {
		if !l {
			c.used++
		}
	}
	return c, nil
}

// expand replaces every categorical feature by the columns of its levels after
// the first, which is the reference (treatment contrasts).
func (m *design) expand(levels []map[string]bool, features []string) error {
	var out []term
	k := 0
	for i, t := range m.terms {
		if t.factors != nil {
			out = append(out, t)
			continue
		}
		all := slices.Sorted(maps.Keys(levels[k]))
		k++
		pointer := fmt.Sprintf("/features/%d", i)
		switch {
		case len(all) > maxLevels:
			return contract.Errorf(contract.CodeInvalidInput, "the feature %q has more than %d levels", features[i], maxLevels).At(pointer)
		case len(all) < 2:
			return contract.Errorf(contract.CodeInvalidInput, "the feature %q has the one level %q in the selected rows", features[i], all).At(pointer).
				WithHint("Leave it out.")
		}
		m.references = append(m.references, entry{t.name, all[0]})
		for _, level := range all[1:] {
			out = append(out, term{name: fmt.Sprintf("%s[%s]", t.name, level), column: t.column, level: level})
		}
	}
	if len(out) > maxTerms {
		return contract.Errorf(contract.CodeInvalidInput, "the model has %d columns; at most %d are fitted", len(out), maxTerms).At("/features")
	}
	m.terms = out
	seen := map[string]bool{"intercept": true}
	for _, t := range out {
		if seen[t.name] {
			return contract.Errorf(contract.CodeInvalidInput, "two columns of the model would be named %q", t.name).At("/features")
		}
		seen[t.name] = true
	}
	return nil
}

// names are those of the terms.
func (m *design) names() []string {
	var names []string
	for _, t := range m.terms {
		names = append(names, t.name)
	}
	return names
}

// Blocks implements stat.Source.
func (m *design) Blocks() int { return m.data.Blocks() }

// Load implements stat.Source.
func (m *design) Load(i int) (stat.Block, error) {
	var b stat.Block
	rows, err := m.data.Rows(i)
	if err != nil || rows.Len() == 0 {
		return b, err
	}
	keep := make([]bool, rows.Len())
	for k := range keep {
		keep[k] = true
	}
	values, words := map[int][]stat.DD{}, map[int][]string{}
	for _, column := range m.numeric {
		v, absent, err := rows.Numbers(column)
		if err != nil {
			return b, err
		}
		values[column] = v
		for k, a := range absent {
			keep[k] = keep[k] && !a
		}
	}
	for _, column := range m.categories {
		w, absent, err := rows.Words(column)
		if err != nil {
			return b, err
		}
		words[column] = w
		for k, a := range absent {
			keep[k] = keep[k] && !a
		}
	}
	for k, ok := range keep {
		if ok {
			b.Row = append(b.Row, firstRow(i)+rows.Row(k))
		}
	}
	b.Y = kept(values[m.target], keep)
	if m.weight >= 0 {
		b.W = kept(values[m.weight], keep)
	}
	for _, t := range m.terms {
		b.X = append(b.X, kept(t.values(values, words, len(keep)), keep))
	}
	return b, nil
}

func (t term) values(values map[int][]stat.DD, words map[int][]string, n int) []stat.DD {
	out := make([]stat.DD, n)
	if t.factors == nil {
		for k, w := range words[t.column] {
			if w == t.level {
				out[k] = stat.F(1)
			}
		}
		return out
	}
	for k := range out {
		v := stat.F(1)
		for _, f := range t.factors {
			x := values[f.column][k]
			for range f.power {
				v = v.Mul(x)
			}
		}
		out[k] = v
	}
	return out
}

func kept(values []stat.DD, keep []bool) []stat.DD {
	out := make([]stat.DD, 0, len(values))
	for k, v := range values {
		if keep[k] {
			out = append(out, v)
		}
	}
	return out
}
