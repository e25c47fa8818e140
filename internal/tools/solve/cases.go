package solve

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"atelier/internal/contract"
	"atelier/internal/jsonvalue"
)

// loadTypes are the types of conditions that act on a part, and hold it nowhere.
var loadTypes = []string{"load", "pressure", "moment", "remote_force", "remote_mass", "bearing"}

// checkCases refuses load cases that do not say one thing: supports, materials and places of
// figures stand outside of them, loads inside.
func checkCases(class string, c FeaConfig) error {
	if len(c.Cases) == 0 {
		if len(c.Combinations) > 0 {
			return contract.Errorf(contract.CodeInvalidInput, "combinations are of cases, and there are none").
				At("/config/combinations").WithHint("Give cases: a list of {name, bcs, gravity ...}.")
		}
		return nil
	}
	if class != classElasticity {
		return nil // which other classes refuse as a field
	}
	for _, check := range []func(FeaConfig) error{refuseBesideCases, checkCommon, checkNames, checkLoads, checkFactors} {
		if err := check(c); err != nil {
			return err
		}
	}
	return nil
}

// refuseBesideCases refuses what is not offered for several load cases.
func refuseBesideCases(c FeaConfig) error {
	if c.Analysis != "" && c.Analysis != "static" {
		return contract.Errorf(contract.CodeInvalidInput, "cases are for the analysis static, not %s", c.Analysis).
			At("/config/cases").WithHint("Leave analysis out, or solve each case in a call of its own, with its loads outside of cases.")
	}
	if c.Temperature != nil && c.Temperature.Heat != nil {
		return contract.Errorf(contract.CodeInvalidInput, "a heat problem is not offered with cases yet").
			At("/config/temperature/heat").WithHint("Solve it in a call of its own, with its loads outside of cases, or give temperature.value in a case.")
	}
	for _, f := range []struct {
		name  string
		given bool
	}{{"bolts", len(c.Bolts) > 0}, {"second_opinion", c.SecondOpinion != nil && *c.SecondOpinion}} {
		if f.given {
			return contract.Errorf(contract.CodeInvalidInput, "%s is not offered with cases yet", f.name).
				At("/config/" + f.name).WithHint("Solve each case in a call of its own, with its loads outside of cases.")
		}
	}
	return nil
}

// checkCommon refuses loads outside of the cases.
func checkCommon(c FeaConfig) error {
	const hint = "Put it into the case that it belongs to; one that always acts is a case of its own, with a factor in every combination. Supports alone stand outside."
	for _, f := range []struct {
		name  string
		given bool
	}{{"gravity", c.Gravity != nil}, {"acceleration", c.Acceleration != nil}, {"rotation", c.Rotation != nil}, {"body_force", c.BodyForce != nil}, {"temperature", c.Temperature != nil && c.Temperature.Heat == nil}} {
		if f.given {
			return contract.Errorf(contract.CodeInvalidInput, "%s stands outside of cases, and does not say in which it acts", f.name).
				At("/config/" + f.name).WithHint(hint)
		}
	}
	for i, bc := range c.BCs {
		at := fmt.Sprintf("/config/bcs/%d", i)
		if slices.Contains(loadTypes, bc.Type) {
			return contract.Errorf(contract.CodeInvalidInput, "a %s stands outside of cases, and does not say in which it acts", bc.Type).
				At(at + "/type").WithHint(hint)
		}
		if bc.Value != nil && (bc.Value.Scalar != 0 || slices.ContainsFunc(bc.Value.Vector, func(v float64) bool { return v != 0 })) {
			return contract.Errorf(contract.CodeInvalidInput, "a displacement that is not 0 loads the part, and is not offered with cases yet").
				At(at + "/value").WithHint("Leave value out, or solve the displacement in a call of its own.")
		}
	}
	return nil
}

// checkNames refuses two cases or combinations of one name.
func checkNames(c FeaConfig) error {
	seen := map[string]string{}
	take := func(name, at string) error {
		if first, ok := seen[name]; ok {
			return contract.Errorf(contract.CodeInvalidInput, "the name %q is that of %s already", name, first).
				At(at + "/name").WithHint("Give every case and every combination a name of its own.")
		}
		seen[name] = at
		return nil
	}
	for i, one := range c.Cases {
		if err := take(one.Name, fmt.Sprintf("/config/cases/%d", i)); err != nil {
			return err
		}
	}
	for i, one := range c.Combinations {
		if err := take(one.Name, fmt.Sprintf("/config/combinations/%d", i)); err != nil {
			return err
		}
	}
	return nil
}

// checkLoads refuses fields that a load does not use, and cases without a load.
func checkLoads(c FeaConfig) error {
	for i, one := range c.Cases {
		at := fmt.Sprintf("/config/cases/%d", i)
		one.Name = ""
		encoded, err := json.Marshal(one)
		if err != nil {
			return fmt.Errorf("case %d: %w", i, err)
		}
		if string(encoded) == "{}" {
			return contract.Errorf(contract.CodeInvalidInput, "the case %q has no load", c.Cases[i].Name).
				At(at).WithHint("Give bcs, gravity, rotation, body_force or temperature, or leave the case out.")
		}
		if err := checkFields(classElasticity, at, encoded); err != nil {
			return err
		}
	}
	return nil
}

// checkFactors refuses factors of cases that do not exist, and combinations of nothing.
func checkFactors(c FeaConfig) error {
	var names []string
	for _, one := range c.Cases {
		names = append(names, one.Name)
	}
	for i, one := range c.Combinations {
		at := fmt.Sprintf("/config/combinations/%d/factors", i)
		some := false
		for _, name := range slices.Sorted(maps.Keys(one.Factors)) {
			some = some || one.Factors[name] != 0
			if slices.Contains(names, name) {
				continue
			}
			e := contract.Errorf(contract.CodeInvalidInput, "there is no case %q", name).At(at + "/" + jsonvalue.Escape(name))
			if near := contract.Nearest(name, names); near != "" {
				return e.WithHint("Did you mean %q?", near)
			}
			return e.WithHint("The cases are %q.", names)
		}
		if !some {
			return contract.Errorf(contract.CodeInvalidInput, "every factor of the combination %q is 0", one.Name).
				At(at).WithHint("Give a factor to a case, or leave the combination out.")
		}
	}
	return nil
}
