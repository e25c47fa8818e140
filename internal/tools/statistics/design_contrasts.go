package statistics

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/jsonvalue"
	"atelier/internal/stat"
)

// contrastSpec says how the levels of a factor become columns.
type contrastSpec struct {
	Coding    string   `json:"coding"`
	Reference string   `json:"reference"`
	Levels    []string `json:"levels"`
}

// factor is a categorical column with its coding.
type factor struct {
	column    int
	name      string
	pointer   string // of the feature that named it
	numeric   bool   // a number whose values are levels
	coding    string
	levels    []string
	reference string      // of treatment contrasts
	compared  string      // what the coefficients compare, in words
	labels    []string    // of the columns
	values    [][]stat.DD // by column, then by level
	index     map[string]int
}

// sortLevels orders levels by number where all are numbers, else by text.
func sortLevels(set map[string]bool) []string {
	all := slices.Sorted(maps.Keys(set))
	numbers := map[string]float64{}
	for _, l := range all {
		v, err := strconv.ParseFloat(l, 64)
		if err != nil {
			return all
		}
		numbers[l] = v
	}
	slices.SortStableFunc(all, func(a, b string) int {
		switch {
		case numbers[a] < numbers[b]:
			return -1
		case numbers[a] > numbers[b]:
			return 1
		}
		return 0
	})
	return all
}

// listed names the first levels.
func listed(levels []string) string {
	if len(levels) == 0 {
		return "no value"
	}
	var out []string
	for _, l := range levels[:min(len(levels), 20)] {
		out = append(out, strconv.Quote(l))
	}
	if len(levels) > 20 {
		out = append(out, "…")
	}
	return strings.Join(out, ", ")
}

// code makes the columns of the levels that the data have.
func (f *factor) code(found []string, spec contrastSpec) error {
	at := "/contrasts/" + jsonvalue.Escape(f.name)
	switch {
	case len(found) > maxLevels:
		return contract.Errorf(contract.CodeInvalidInput, "the feature %q has more than %d levels", f.name, maxLevels).At(f.pointer)
	case len(found) < 2:
		return contract.Errorf(contract.CodeInvalidInput, "the feature %q has the one level %q in the selected rows", f.name, found).At(f.pointer).
			WithHint("Leave it out.")
	}
	f.levels, f.coding = found, spec.Coding
	if f.coding == "" {
		f.coding = "treatment"
	}
	if spec.Levels != nil {
		given := slices.Clone(spec.Levels)
		slices.Sort(given)
		want := slices.Clone(found)
		slices.Sort(want)
		if !slices.Equal(given, want) {
			return contract.Errorf(contract.CodeInvalidInput, "levels is not an order of the levels of %q", f.name).At(at+"/levels").
				WithHint("In the selected rows they are %s.", listed(found))
		}
		f.levels = spec.Levels
	}
	reference := 0
	if spec.Reference != "" {
		if reference = slices.Index(f.levels, spec.Reference); reference < 0 {
			return contract.Errorf(contract.CodeInvalidInput, "%q has no level %q", f.name, spec.Reference).At(at+"/reference").
				WithHint("In the selected rows its levels are %s.", listed(found))
		}
		if f.coding != "treatment" {
			return contract.Errorf(contract.CodeInvalidInput, "%s contrasts have no reference level", f.coding).At(at + "/reference").
				WithHint("Leave reference out, or use the coding treatment.")
		}
	}
	f.index = map[string]int{}
	for i, l := range f.levels {
		f.index[l] = i
	}
	switch f.coding {
	case "sum":
		f.sum()
	case "helmert":
		f.helmert()
	case "polynomial":
		f.polynomial()
	case "indicator":
		f.indicators(-1)
	default:
		f.reference = f.levels[reference]
		f.indicators(reference)
	}
	return nil
}

func (f *factor) add(label string, values []stat.DD) {
	f.labels, f.values = append(f.labels, label), append(f.values, values)
}

// indicators has a column for each level but the reference, -1 for none.
func (f *factor) indicators(reference int) {
	f.compared = "each level by itself; use intercept: false"
	if reference >= 0 {
		f.compared = fmt.Sprintf("each level with the reference %q", f.levels[reference])
	}
	for k, level := range f.levels {
		if k != reference {
			values := make([]stat.DD, len(f.levels))
			values[k] = stat.F(1)
			f.add(level, values)
		}
	}
}

// sum compares each level but the last with the mean of the levels' means.
func (f *factor) sum() {
	last := len(f.levels) - 1
	f.compared = fmt.Sprintf("each level with the mean of all levels; %q is minus the sum of the others", f.levels[last])
	for k := range last {
		values := make([]stat.DD, len(f.levels))
		values[k], values[last] = stat.F(1), stat.F(-1)
		f.add("S."+f.levels[k], values)
	}
}

// helmert compares each level with the mean of those before it: -1 for these,
// and their number for the level, as R's contr.helmert.
func (f *factor) helmert() {
	f.compared = "each level with the mean of the levels before it, in units of that difference by its place"
	for k := 1; k < len(f.levels); k++ {
		values := make([]stat.DD, len(f.levels))
		for i := range k {
			values[i] = stat.F(-1)
		}
		values[k] = stat.F(float64(k))
		f.add("H."+f.levels[k], values)
	}
}

// polynomial has the orthonormal polynomials of equally spaced levels, as R's
// contr.poly: by Gram and Schmidt in double-double, once repeated.
func (f *factor) polynomial() {
	f.compared = "the trend over the levels in their order: linear, quadratic, cubic and so on, orthonormal"
	n := len(f.levels)
	var basis [][]stat.DD
	one := make([]stat.DD, n)
	for i := range one {
		one[i] = stat.F(1).Div(stat.F(float64(n)).Sqrt())
	}
	basis = append(basis, one)
	for k := 1; k < n; k++ {
		values := make([]stat.DD, n)
		for i := range values { // the polynomial before times the centred place
			values[i] = basis[k-1][i].Mul(stat.F(float64(i) - float64(n-1)/2))
		}
		for range 2 {
			for _, b := range basis {
				c := inner(values, b)
				for i := range values {
					values[i] = values[i].Sub(c.Mul(b[i]))
				}
			}
		}
		length := inner(values, values).Sqrt()
		for i := range values {
			values[i] = values[i].Div(length)
		}
		basis = append(basis, values)
		label := fmt.Sprintf("^%d", k)
		if k <= 3 {
			label = [...]string{"linear", "quadratic", "cubic"}[k-1]
		}
		f.add(label, values)
	}
}

func inner(a, b []stat.DD) stat.DD {
	var s stat.DD
	for i, x := range a {
		s = s.Add(x.Mul(b[i]))
	}
	return s
}
