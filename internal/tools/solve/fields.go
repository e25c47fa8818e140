package solve

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"atelier/internal/contract"
)

// The solver classes that these tools run.
const (
	classElasticity = "LinearElasticity"
	classPoisson    = "Poisson"
	classHeat       = "HeatTransfer"
	classFlow       = "NavierStokes"
)

// A field that a class does not use would be ignored without a word, and the
// caller would believe it counted. These tables say which fields mean something.
var (
	classFields = map[string][]string{
		classElasticity: {"analysis", "second_opinion", "modes", "prestress", "frequencies", "damping", "history", "time", "start", "materials", "bolts", "temperature", "plane", "density", "gravity", "acceleration", "rotation", "body_force", "cases", "combinations", "contacts", "stress_lines", "order", "accuracy"},
		classPoisson:    {"rhs", "load", "body_force", "coefficient", "fixed_attributes", "order", "accuracy"},
		classHeat: {"materials", "material", "conductivity", "specific_heat", "density", "initial_temperature", "source", "phase_change", "dt", "t_final",
			"output_interval_steps", "steady", "plane", "order", "accuracy"},
		classFlow: {"viscosity", "density", "dt", "t_final", "body_force", "g", "output_interval_steps", "steady"},
	}
	commonFields = []string{"bcs", "probes", "analysis_opts"}

	conditionFields = map[string]map[string][]string{
		classElasticity: {"fixed": {"components", "value"}, "load": {"value", "force", "pressure", "gradient", "at"}, "pressure": {"value", "pressure", "gradient", "at"},
			"moment": {"moment"}, "remote_force": {"force", "at"}, "remote_mass": {"mass", "at"}, "bearing": {"force"}, "elastic": {"stiffness"}, "symmetry": {}, "frictionless": {}, "cylindrical": {"components"}},
		classPoisson: {"fixed": {"value"}, "load": {"value"}},
		classHeat:    {"fixed_temp": {"value"}, "heat_flux": {"value"}, "convection": {"h", "ambient"}, "radiation": {"emissivity", "ambient"}},
		classFlow:    {"inlet": {"velocity", "profile"}, "wall": {"velocity"}, "outlet": {"pressure"}},
	}
	placeFields = []string{"attribute", "attr", "face", "where", "type"}

	// Fields that say the same: of each set one may be given, since the others would not
	// count.
	sameFields = map[string][][]string{
		classElasticity: {{"gravity", "acceleration"}},
		classPoisson:    {{"rhs", "load", "body_force"}},
	}
	samePlaces = [][]string{{"attribute", "attr"}}
)

// refuseTwice refuses a second field of a set of which one may be given.
func refuseTwice(at string, given map[string]json.RawMessage, sets [][]string) error {
	for _, set := range sets {
		first := ""
		for _, name := range set {
			if _, ok := given[name]; !ok {
				continue
			}
			if first != "" {
				return contract.Errorf(contract.CodeInvalidInput, "%s is given beside %s, which means the same: give one", name, first).
					At(at+"/"+name).WithHint("Of %s one may be given.", strings.Join(set, ", "))
			}
			first = name
		}
	}
	return nil
}

// className finds the class without regard to case, '_' and '-'.
func className(given string) (string, bool) {
	plain := func(s string) string {
		return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(s))
	}
	for name := range classFields {
		if plain(name) == plain(given) {
			return name, true
		}
	}
	return "", false
}

// checkFields refuses fields of a configuration, which stands at a pointer, that the class does
// not use.
func checkFields(class, at string, config json.RawMessage) error {
	var given struct {
		BCs      []map[string]json.RawMessage `json:"bcs"`
		Contacts []struct {
			Sides []map[string]json.RawMessage `json:"sides"`
		} `json:"contacts"`
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(config, &all); err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	if err := json.Unmarshal(config, &given); err != nil {
		return fmt.Errorf("boundary conditions and contacts: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !slices.Contains(classFields[class], name) && !slices.Contains(commonFields, name) {
			return unused(at+"/"+name, name, class, append(slices.Clone(classFields[class]), commonFields...))
		}
	}
	if err := refuseTwice(at, all, sameFields[class]); err != nil {
		return err
	}
	for i, c := range given.Contacts {
		for k, side := range c.Sides {
			if err := refuseTwice(fmt.Sprintf("%s/contacts/%d/sides/%d", at, i, k), side, samePlaces); err != nil {
				return err
			}
		}
	}
	for i, bc := range given.BCs {
		var kind string
		if err := json.Unmarshal(bc["type"], &kind); err != nil {
			return fmt.Errorf("boundary condition %d: %w", i, err)
		}
		at := fmt.Sprintf("%s/bcs/%d", at, i)
		if err := refuseTwice(at, bc, samePlaces); err != nil {
			return err
		}
		known, ok := conditionFields[class][strings.ToLower(kind)]
		if !ok {
			return contract.Errorf(contract.CodeInvalidInput, "%s has no boundary condition of type %q", class, kind).
				At(at+"/type").WithHint("Its types are %s.", strings.Join(slices.Sorted(maps.Keys(conditionFields[class])), ", "))
		}
		for _, name := range slices.Sorted(maps.Keys(bc)) {
			if !slices.Contains(known, name) && !slices.Contains(placeFields, name) {
				return unused(at+"/"+name, name, class+" "+kind, known)
			}
		}
	}
	if raw, ok := all["temperature"]; ok && class == classElasticity {
		return checkHeatFields(at+"/temperature", raw)
	}
	return nil
}

// checkHeatFields does so with a heat problem whose temperatures act.
func checkHeatFields(at string, temperature json.RawMessage) error {
	var given struct {
		Heat json.RawMessage `json:"heat"`
	}
	if err := json.Unmarshal(temperature, &given); err != nil {
		return fmt.Errorf("temperature: %w", err)
	}
	if given.Heat == nil {
		return nil
	}
	return checkFields(classHeat, at+"/heat", given.Heat)
}

func unused(pointer, name, by string, known []string) error {
	slices.Sort(known)
	return contract.Errorf(contract.CodeInvalidInput, "%s does not use the field %q", by, name).
		At(pointer).WithHint("It uses %s.", strings.Join(known, ", "))
}
