package solve

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"atelier/internal/contract"
)

// The driver completes a configuration itself, since what is absent depends on the
// class. A default of the schema that it did not share would give another answer
// to a caller who writes it down.
func TestTheDriverHasTheDefaultsOfTheSchema(t *testing.T) {
	mesh := rectangle(8, 4, 2, 1)
	for _, c := range []struct{ tool, class, config string }{
		{"fea.solve", classElasticity, `{"materials": [{"attribute": 1, "E": 2e11, "nu": 0.3}], "bcs": [
			{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "value": [0, 1e5]}]}`},
		{"fea.solve", classPoisson, `{"bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "value": 1}]}`},
		{"heat.solve", "", `{"conductivity": 50, "density": 7800, "specific_heat": 500, "initial_temperature": 300, "dt": 1, "t_final": 25,
			"bcs": [{"attribute": 1, "type": "fixed_temp", "value": 400}]}`},
		{"cfd.solve", "", `{"viscosity": 0.1, "density": 1, "dt": 0.1, "t_final": 0.5, "bcs": [
			{"attribute": 1, "type": "inlet", "velocity": [1, 0]}, {"attribute": 2, "type": "outlet"},
			{"attribute": [3, 4], "type": "wall"}]}`},
	} {
		t.Run(c.tool+c.class, func(t *testing.T) {
			short := requestFor(t, mesh, c.class, c.config)
			if a, b := outputOf(t, c.tool, short), outputOf(t, c.tool, withDefaults(t, c.tool, c.class, short)); !reflect.DeepEqual(a, b) {
				t.Errorf("the defaults written down give another answer:\n%v\n%v", a, b)
			}
		})
	}
}

// withDefaults writes down every default of a schema that means something to the
// class and to the type of the condition.
func withDefaults(t *testing.T, tool, class, input string) string {
	t.Helper()
	var c *contract.Contract
	for _, tl := range Tools(nil) {
		if tl.Contract.Name == tool {
			c = tl.Contract
		}
	}
	var in map[string]any
	if err := json.Unmarshal(c.WithDefaults([]byte(input)), &in); err != nil {
		t.Fatal(err)
	}
	config := in["config"].(map[string]any)
	if class == "" {
		class = map[string]string{"heat.solve": classHeat, "cfd.solve": classFlow}[tool]
	}
	for field := range config {
		if !slices.Contains(append(classFields[class], commonFields...), field) {
			delete(config, field)
		}
	}
	for _, bc := range config["bcs"].([]any) {
		condition := bc.(map[string]any)
		for field := range condition {
			if !slices.Contains(append(conditionFields[class][condition["type"].(string)], placeFields...), field) {
				delete(condition, field)
			}
		}
	}
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	if len(raw) <= len(input)+10 {
		t.Fatalf("no default was added: %s", raw)
	}
	return string(raw)
}

// outputOf is the output of a run without what differs from run to run.
func outputOf(t *testing.T, tool, input string) map[string]any {
	t.Helper()
	r := call(t, tool, input)
	if r.Status != contract.StatusOK {
		t.Fatalf("%v\n%s", r.Errors, input)
	}
	var out map[string]any
	if err := json.Unmarshal(r.OutputJSON(), &out); err != nil {
		t.Fatal(err)
	}
	return map[string]any{"quantities": out["quantities"], "loads": out["loads"], "evidence": out["evidence"].(map[string]any)["checks"]}
}
