package statistics

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/dataset"
)

// atom is a column to a power, or the columns of a factor.
type atom struct {
	column, power int
	factor        *factor // nil of a number
}

// product is a term as written: the atoms that are multiplied.
type product []atom

// term is a column of the design: a product of powers and of codes of levels.
type term struct {
	name   string
	powers []atom
	codes  []code
}

// code is a column of a factor's contrasts.
type code struct {
	factor *factor
	column int
}

// piece is a part of a feature's text, with where it begins.
type piece struct {
	text string
	at   int
}

// split cuts a text at a sign, outside of backquotes and brackets.
func split(p piece, sign byte) []piece {
	var out []piece
	start, depth, quoted := 0, 0, false
	for i := 0; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == '`':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == sign && depth == 0:
			out = append(out, piece{p.text[start:i], p.at + start})
			start = i + 1
		}
	}
	out = append(out, piece{p.text[start:], p.at + start})
	for i := range out {
		trimmed := strings.TrimLeft(out[i].text, " ")
		out[i].at += len(out[i].text) - len(trimmed)
		out[i].text = strings.TrimRight(trimmed, " ")
	}
	return out
}

const grammar = "A feature is a column, a power (x^2), powers up to one (poly(x, 3)), a product (x:z), or a*b for a, b and a:b; other names stand in `backquotes`."

// maxCrossed is the most parts of a*b*c.
const maxCrossed = 5

// addFeature reads a feature: a column, or an expression of columns.
func (m *design) addFeature(text, pointer string, spec modelSpec) error {
	if m.data.Find(text) >= 0 {
		a, err := m.atom(text, 1, pointer, spec)
		if err != nil {
			return err
		}
		m.addProduct(product{a})
		return nil
	}
	var sides [][]product
	for _, side := range split(piece{text, 0}, '*') {
		list, err := m.readProducts(side, text, pointer, spec)
		if err != nil {
			return err
		}
		sides = append(sides, list)
	}
	if len(sides) > maxCrossed {
		return contract.Errorf(contract.CodeInvalidInput, "%q crosses %d parts; at most %d are", text, len(sides), maxCrossed).At(pointer)
	}
	// Every part alone, then every pair, and so on.
	for size := 1; size <= len(sides); size++ {
		for set := range 1 << len(sides) {
			list := []product{nil}
			count := 0
			for i, side := range sides {
				if set>>i&1 == 1 {
					list = multiply(list, side)
					count++
				}
			}
			if count != size {
				continue
			}
			for _, p := range list {
				m.addProduct(p)
			}
		}
	}
	return nil
}

func multiply(left, right []product) []product {
	var out []product
	for _, a := range left {
		for _, b := range right {
			out = append(out, append(slices.Clone(a), b...))
		}
	}
	return out
}

// readProducts reads a:b:c; several come of poly.
func (m *design) readProducts(side piece, text, pointer string, spec modelSpec) ([]product, error) {
	list := []product{nil}
	for _, part := range split(side, ':') {
		atoms, err := m.readPart(part, text, pointer, spec)
		if err != nil {
			return nil, err
		}
		var powers []product
		for _, a := range atoms {
			powers = append(powers, product{a})
		}
		list = multiply(list, powers)
	}
	return list, nil
}

// readPart reads a column, a power of one, or poly.
func (m *design) readPart(part piece, text, pointer string, spec modelSpec) ([]atom, error) {
	fail := func(at int, format string, args ...any) error {
		return contract.Errorf(contract.CodeInvalidInput, "%s at character %d of %q", fmt.Sprintf(format, args...), at+1, text).At(pointer).
			With("position", at).WithHint("%s The columns are %s.", grammar, columnNames(m.data))
	}
	if part.text == "" {
		return nil, fail(part.at, "a column is missing")
	}
	name, ok := bare(part.text)
	if ok || m.data.Find(part.text) >= 0 {
		a, err := m.atom(name, 1, pointer, spec)
		if err != nil {
			return nil, contract.AsError(err).WithHint("%s The columns are %s.", grammar, columnNames(m.data))
		}
		return []atom{a}, nil
	}
	var base, power string
	least := 0
	if inner, found := strings.CutPrefix(part.text, "poly("); found && strings.HasSuffix(inner, ")") {
		comma := strings.LastIndexByte(inner, ',')
		if comma < 0 {
			return nil, fail(part.at, "poly lacks its degree, as in poly(x, 3),")
		}
		base, power, least = strings.TrimSpace(inner[:comma]), strings.TrimSpace(strings.TrimSuffix(inner[comma+1:], ")")), 1
	} else if hat := strings.LastIndexByte(part.text, '^'); hat >= 0 {
		base, power = strings.TrimSpace(part.text[:hat]), strings.TrimSpace(part.text[hat+1:])
	} else {
		return nil, fail(part.at, "%q is no column", part.text)
	}
	k, err := strconv.Atoi(power)
	if err != nil || k < 1 || k > maxPower {
		return nil, fail(part.at, "the power of %q is not a whole number from 1 to %d", part.text, maxPower)
	}
	if name, ok = bare(base); !ok && m.data.Find(base) < 0 {
		return nil, fail(part.at, "%q is no column", base)
	}
	if least == 0 {
		least = k
	}
	var out []atom
	for p := least; p <= k; p++ {
		a, err := m.atom(name, p, pointer, spec)
		if err != nil {
			return nil, contract.AsError(err).WithHint("%s The columns are %s.", grammar, columnNames(m.data))
		}
		out = append(out, a)
	}
	return out, nil
}

// bare is the name of a column without its backquotes; ok is false of a text that
// is no name by itself.
func bare(text string) (name string, ok bool) {
	if inner, found := strings.CutPrefix(text, "`"); found {
		if inner, found = strings.CutSuffix(inner, "`"); found && !strings.Contains(inner, "`") {
			return inner, true
		}
	}
	return text, !strings.ContainsAny(text, "^`(")
}

// atom makes one of a column.
func (m *design) atom(name string, power int, pointer string, spec modelSpec) (atom, error) {
	at, err := m.data.column(name, pointer, false)
	if err != nil {
		return atom{}, err
	}
	if at == m.target {
		return atom{}, contract.Errorf(contract.CodeInvalidInput, "the target %q cannot be a feature", name).At(pointer)
	}
	_, coded := spec.contrasts[name]
	kind := m.data.Columns[at].Type
	if !coded && !slices.Contains(spec.categorical, name) && kind != dataset.String && kind != dataset.Boolean {
		m.need(&m.numeric, at)
		return atom{column: at, power: power}, nil
	}
	if power > 1 {
		return atom{}, contract.Errorf(contract.CodeInvalidInput, "%q is categorical and has no powers", name).At(pointer)
	}
	f := m.factorOf(at)
	if f == nil {
		f = &factor{column: at, name: name, pointer: pointer, numeric: kind.Numeric() && kind != dataset.Boolean}
		m.factors = append(m.factors, f)
		m.need(&m.words, at)
		m.data.takeLevels(at)
	}
	return atom{column: at, power: 1, factor: f}, nil
}

func (m *design) factorOf(column int) *factor {
	for _, f := range m.factors {
		if f.column == column {
			return f
		}
	}
	return nil
}

// addProduct adds a term, unless there is one of the same columns and powers.
func (m *design) addProduct(p product) {
	var merged product
	for _, a := range p {
		i := slices.IndexFunc(merged, func(o atom) bool { return o.column == a.column })
		switch {
		case i < 0:
			merged = append(merged, a)
		case a.factor == nil: // x:x is x^2
			merged[i].power += a.power
		}
	}
	key := func(p product) []atom {
		sorted := slices.Clone(p)
		slices.SortFunc(sorted, func(a, b atom) int { return a.column - b.column })
		return sorted
	}
	if !slices.ContainsFunc(m.products, func(o product) bool { return slices.Equal(key(o), key(merged)) }) {
		m.products = append(m.products, merged)
	}
}

// expand makes the columns of the design: of a factor, one for each of its codes.
func (m *design) expand() error {
	seen := map[string]bool{"intercept": true}
	for _, p := range m.products {
		list := []term{{}}
		for _, a := range p {
			var next []term
			for _, t := range list {
				next = append(next, t.times(a, m.data)...)
			}
			if list = next; len(m.terms)+len(list) > maxTerms {
				return contract.Errorf(contract.CodeInvalidInput, "the model has more than %d columns", maxTerms).At("/features").
					WithHint("Leave out products, or features with many levels.")
			}
		}
		for _, t := range list {
			if seen[t.name] {
				return contract.Errorf(contract.CodeInvalidInput, "two columns of the model would be named %q", t.name).At("/features")
			}
			seen[t.name] = true
		}
		m.terms = append(m.terms, list...)
	}
	return nil
}

// times multiplies a term by an atom.
func (t term) times(a atom, d *selectedData) []term {
	join := func(name string) string {
		if t.name == "" {
			return name
		}
		return t.name + ":" + name
	}
	if a.factor == nil {
		name := d.Columns[a.column].Name
		if a.power > 1 {
			name = fmt.Sprintf("%s^%d", name, a.power)
		}
		return []term{{join(name), append(slices.Clone(t.powers), a), t.codes}}
	}
	var out []term
	for k, label := range a.factor.labels {
		out = append(out, term{join(fmt.Sprintf("%s[%s]", a.factor.name, label)), t.powers, append(slices.Clone(t.codes), code{a.factor, k})})
	}
	return out
}

func columnNames(d *selectedData) string {
	var names []string
	for _, c := range d.Columns[:min(len(d.Columns), 40)] {
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}
