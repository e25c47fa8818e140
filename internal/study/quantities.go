package study

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/shape"
)

//go:embed quantities.json
var quantityTable []byte

// named is a figure of a result with the names that people have for it.
type named struct {
	Figure   string   `json:"figure"` // JSON pointer
	Families []family `json:"families"`
	Names    []string `json:"names"`
}

var quantityNames = func() (list []named) {
	if err := json.Unmarshal(quantityTable, &list); err != nil {
		panic(err)
	}
	return list
}()

// figuresOf are the pointers that a name means, by family.
func figuresOf(name string) map[family]string {
	out := map[family]string{}
	for _, n := range quantityNames {
		if slices.ContainsFunc(n.Names, func(known string) bool { return shape.Spaced(known) == shape.Spaced(name) }) {
			for _, f := range n.Families {
				out[f] = n.Figure
			}
		}
	}
	return out
}

// figureOf finds the analysis and the pointer that a question or requirement means. at is
// its place in the study.
func (s *Study) figureOf(analysis, quantity, at string) (name, pointer string, err error) {
	fits := map[string]string{} // pointers by analysis
	byName := figuresOf(quantity)
	for _, a := range keys(s.Analyses) {
		switch {
		case analysis != "" && a != analysis:
		case strings.HasPrefix(quantity, "/"):
			fits[a] = quantity
		case s.Analyses[a].weighs(quantity):
			fits[a] = "/exact_volume"
		case byName[families[s.Analyses[a].Type]] != "":
			fits[a] = byName[families[s.Analyses[a].Type]]
		default:
			if pointer, ok := s.ofCondition(a, quantity); ok {
				fits[a] = pointer
			}
		}
	}
	// Of one name, analyses that have such a figure at all: a static one has no frequency.
	for a, p := range fits {
		if analysis == "" && !strings.HasPrefix(quantity, "/") && !gives(s.Analyses[a].Type, p) {
			delete(fits, a)
		}
	}
	names := keys(fits)
	switch {
	case len(names) == 1:
		return names[0], fits[names[0]], nil
	case len(names) > 1:
		return "", "", contract.Errorf(contract.CodeInvalidInput, "%q is a figure of %s", quantity, shape.List(names)).At(at + "/analysis").
			WithHint("Name the analysis.")
	case analysis != "" && len(byName) == 0 && !strings.HasPrefix(quantity, "/"), len(byName) == 0:
		return "", "", contract.Errorf(contract.CodeInvalidInput, "no quantity is named %q", quantity).At(at+"/quantity").
			WithHint("%s", nearQuantities(quantity))
	}
	return "", "", contract.Errorf(contract.CodeInvalidInput, "no analysis of the study gives %q", quantity).At(at + "/quantity").
		WithHint("Add an analysis that does, or ask for another quantity.")
}

// unanswerable are the questions and requirements that no analysis answers, or several.
func (s *Study) unanswerable() []*contract.Error {
	var faults []*contract.Error
	look := func(analysis, quantity, at string) {
		if _, _, err := s.figureOf(analysis, quantity, at); err != nil {
			faults = append(faults, contract.ErrorsOf(err)...)
		}
	}
	for _, name := range keys(s.Questions) {
		look(s.Questions[name].Analysis, s.Questions[name].Quantity, "/questions/"+escape(name))
	}
	for _, name := range keys(s.Requirements) {
		look(s.Requirements[name].Analysis, s.Requirements[name].Quantity, "/requirements/"+escape(name))
	}
	return faults
}

// gives says whether an analysis of a type has a figure, as far as that hangs on the type.
func gives(kind, pointer string) bool {
	only := map[string][]string{
		"/mass": {"modal"}, "/modes": {"modal"}, "/buckling_modes": {"buckling"}, "/harmonic": {"harmonic"}, "/transient": {"transient"}, "/plastic_strain": {"nonlinear"},
		"/von_mises": {"static", "nonlinear"}, "/max_displacement": {"static", "nonlinear"}, "/safety_factor": {"static", "nonlinear"}, "/energy": {"static", "nonlinear", "heat", "flow"},
	}
	for prefix, kinds := range only {
		if strings.HasPrefix(pointer, prefix+"/") || pointer == prefix {
			return slices.Contains(kinds, kind)
		}
	}
	return true
}

func nearQuantities(name string) string {
	var all []string
	for _, n := range quantityNames {
		all = append(all, n.Names...)
	}
	if near := contract.Nearest(name, all); near != "" {
		return "Did you mean " + near + "? A JSON pointer into the result, such as /von_mises/max, works too."
	}
	var firsts []string
	for _, n := range quantityNames {
		firsts = append(firsts, n.Names[0])
	}
	return "There are " + strings.Join(firsts, ", ") + "; or a JSON pointer into the result, such as /von_mises/max."
}
