package statistics

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"atelier/internal/contract"
	"atelier/internal/dataset"
	"atelier/internal/jsonvalue"
	"atelier/internal/stat"
)

// maxLevels is the most levels of a categorical feature, maxTerms of columns of
// the design.
const (
	maxLevels = 200
	maxTerms  = 500
	maxPower  = 20
)

// modelSpec is what a call asks for of the data.
type modelSpec struct {
	target                            string
	features, categorical             []string
	contrasts                         map[string]contrastSpec
	weights, cluster, offset, exposed string // columns, "" for none
	binary                            bool   // the target has two values
	event                             string // the one that counts as 1, "" for that which the words tell
}

// design turns the rows of the selected data into blocks of the kernel. Rows that lack a
// value of any column are left out.
type design struct {
	data       *selectedData
	target     int
	weight     int // -1: none, as are the next three
	cluster    int
	offset     int
	exposure   int
	products   []product // as written; expand makes terms of them
	terms      []term
	factors    []*factor
	numeric    []int // columns to be decoded, without repetition
	words      []int // columns to be read as texts
	targetSet  map[string]bool
	event      string // of a target that is read as texts
	other      string
	references named // of the categorical columns
	selected   int64
	used       int64
	missing    map[string]int64 // rows that lack a value, by column
}

// newDesign reads the terms of a model, and goes through the data once for the
// levels and the counts.
func newDesign(ctx context.Context, d *selectedData, spec modelSpec) (*design, error) {
	m := &design{data: d, missing: map[string]int64{}, references: named{}}
	if err := m.roles(spec); err != nil {
		return nil, err
	}
	for i, text := range spec.features {
		pointer := fmt.Sprintf("/features/%d", i)
		if slices.Contains(spec.features[:i], text) {
			return nil, contract.Errorf(contract.CodeInvalidInput, "the feature %q stands twice", text).At(pointer)
		}
		if err := m.addFeature(text, pointer, spec); err != nil {
			return nil, err
		}
	}
	for i, name := range spec.categorical {
		if m.factorOf(d.Find(name)) == nil {
			return nil, contract.Errorf(contract.CodeInvalidInput, "%q is not among the features", name).At(fmt.Sprintf("/categorical/%d", i))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(spec.contrasts)) {
		if m.factorOf(d.Find(name)) == nil {
			return nil, contract.Errorf(contract.CodeInvalidInput, "%q is not among the features", name).At("/contrasts/" + jsonvalue.Escape(name)).
				WithHint("contrasts codes the levels of columns that stand in features.")
		}
	}
	return m, m.census(ctx, spec)
}

// roles finds the columns beside the features.
func (m *design) roles(spec modelSpec) error {
	text := false
	at, err := m.data.column(spec.target, "/target", !spec.binary)
	if err != nil {
		return err
	}
	m.target = at
	if kind := m.data.Columns[at].Type; spec.binary && (spec.event != "" || kind == dataset.String || kind == dataset.Boolean) {
		text = true
		m.targetSet = map[string]bool{}
		m.need(&m.words, at)
		m.data.takeLevels(at)
	}
	if !text {
		m.need(&m.numeric, at)
	}
	for _, role := range []struct {
		name, pointer string
		at            *int
		numeric       bool
	}{
		{spec.weights, "/weights", &m.weight, true}, {spec.offset, "/offset", &m.offset, true},
		{spec.exposed, "/exposure", &m.exposure, true}, {spec.cluster, "/cluster", &m.cluster, false},
	} {
		if *role.at = -1; role.name == "" {
			continue
		}
		if *role.at, err = m.data.column(role.name, role.pointer, role.numeric); err != nil {
			return err
		}
		if role.numeric {
			m.need(&m.numeric, *role.at)
		} else {
			m.need(&m.words, *role.at)
			m.data.takeLevels(*role.at)
		}
	}
	return nil
}

func (m *design) need(list *[]int, column int) {
	if !slices.Contains(*list, column) {
		*list = append(*list, column)
	}
}

// counts is what the census learns of a block.
type counts struct {
	selected, used int64
	missing        map[string]int64
	levels         map[int]map[string]bool // by column
}

func (m *design) census(ctx context.Context, spec modelSpec) error {
	levels := map[int]map[string]bool{}
	for _, column := range m.words {
		levels[column] = map[string]bool{}
	}
	if err := stat.EachBlock(ctx, m.data.Blocks(), m.count, func(c counts) {
		m.selected, m.used = m.selected+c.selected, m.used+c.used
		for k, n := range c.missing {
			m.missing[k] += n
		}
		for column, set := range c.levels {
			if len(levels[column]) <= maxLevels {
				maps.Copy(levels[column], set)
			}
		}
	}); err != nil {
		return err
	}
	if m.used == 0 {
		return m.data.empty(m.selected)
	}
	if m.targetSet != nil {
		if err := m.chooseEvent(spec, sortLevels(levels[m.target])); err != nil {
			return err
		}
	}
	for _, f := range m.factors {
		if err := f.code(sortLevels(levels[f.column]), spec.contrasts[f.name]); err != nil {
			return err
		}
		if f.reference != "" {
			m.references = append(m.references, entry{f.name, f.reference})
		}
	}
	return m.expand()
}

// chooseEvent says which of two texts of the target counts as 1.
func (m *design) chooseEvent(spec modelSpec, levels []string) error {
	if len(levels) > maxLevels {
		levels = levels[:maxLevels]
	}
	if len(levels) != 2 {
		return contract.Errorf(contract.CodeInvalidInput, "the target %q has %s in the selected rows, not two values", spec.target, listed(levels)).At("/target").
			WithHint("Select the rows of two of them with a filter.")
	}
	m.other, m.event = inOrder(levels[0], levels[1])
	switch spec.event {
	case "", m.event:
	case m.other:
		m.other, m.event = m.event, m.other
	default:
		return contract.Errorf(contract.CodeInvalidInput, "the target %q has no value %q", spec.target, spec.event).At("/event").
			WithHint("Its values are %s.", listed(levels))
	}
	return nil
}

func (m *design) count(i int) (counts, error) {
	c := counts{missing: map[string]int64{}, levels: map[int]map[string]bool{}}
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
		absent, err := rows.Absent(column)
		if err != nil {
			return c, err
		}
		mark(column, absent)
	}
	texts := map[int][]string{}
	for _, column := range m.words {
		words, absent, err := rows.Words(column)
		if err != nil {
			return c, err
		}
		mark(column, absent)
		texts[column] = words
	}
	for column, words := range texts {
		set := map[string]bool{}
		last := ""
		for k, w := range words {
			if !lost[k] && len(set) <= maxLevels && (w != last || len(set) == 0) {
				set[w], last = true, w
			}
		}
		c.levels[column] = set
	}
	for _, l := range lost {
		if !l {
			c.used++
		}
	}
	return c, nil
}

// names are those of the terms.
func (m *design) names() []string {
	var names []string
	for _, t := range m.terms {
		names = append(names, t.name)
	}
	return names
}
