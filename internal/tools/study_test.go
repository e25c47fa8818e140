package tools

import (
	"encoding/json"
	"slices"
	"testing"

	"atelier/internal/study"
)

// A study knows every type of condition that the contracts of the solvers list, so that
// each acts in the analyses that it is of. fea.solve lists those of all its classes.
func TestStudiesKnowTheConditionsOfTheSolvers(t *testing.T) {
	r := registry(t)
	all := map[string][]string{}
	for _, name := range []string{"fea.solve", "heat.solve", "cfd.solve"} {
		tool, err := r.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		var schema struct {
			Properties struct {
				Config struct {
					Properties struct {
						BCs struct {
							Items struct {
								Properties struct {
									Type struct {
										Enum []string `json:"enum"`
									} `json:"type"`
								} `json:"properties"`
							} `json:"items"`
						} `json:"bcs"`
					} `json:"properties"`
				} `json:"config"`
			} `json:"properties"`
		}
		if err := json.Unmarshal(tool.Contract.InputSchema, &schema); err != nil {
			t.Fatal(err)
		}
		all[name] = schema.Properties.Config.Properties.BCs.Items.Properties.Type.Enum
	}
	others := slices.Concat(all["heat.solve"], all["cfd.solve"])
	all["fea.solve"] = slices.DeleteFunc(all["fea.solve"], func(kind string) bool { return slices.Contains(others, kind) })
	for name, want := range all {
		slices.Sort(want)
		if got := study.ConditionTypes(name); len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("%s has %v, and a study knows %v", name, want, got)
		}
	}
}
