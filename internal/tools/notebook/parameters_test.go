package notebook_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"atelier/internal/contract"
)

// Whatever JSON a parameter is, Python's own json module sees the same value.
func TestParametersArriveAsTheyAre(t *testing.T) {
	needKernel(t)
	values := map[string]string{
		"a": `null`, "b": `[true, false, [], {}]`, "c": `-0.5e-3`, "d": `123456789012345678901234567890`,
		"e": `"quotes \" ' and \\ and \n and \u0000 and \u2028 and \ud83d\ude00"`, "f": `{"k \" '": [1, {"n": null}], "": ""}`,
		"g": `"\"\"\"'''"`, "ü": `"%s {x}"`, "match": `1e3`,
	}
	parts, given := []string{}, map[string]json.RawMessage{}
	for name, value := range values {
		raw, err := json.Marshal(value) // a JSON string is a Python string, too
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, fmt.Sprintf("assert %s == json.loads(%s), %s", name, raw, name))
		given[name] = json.RawMessage(value)
	}
	path := writeNotebook(t, "", cell{"a = 0", "parameters"}, cell{"import json\n" + strings.Join(parts, "\n") + "\nprint('same')"})
	if r := execute(newFixture(t, nil), path, map[string]any{"parameters": given}); !r.OK || r.Cells[1].Output != "same" {
		t.Errorf("%+v", r.Failure)
	}
}

// A cell that asks a person is told of the argument that answers in its place, and a
// cell that deals with it itself is not.
func TestInputIsPointedToParameters(t *testing.T) {
	needKernel(t)
	h := newFixture(t, nil)
	for _, asks := range []string{"n = int(input('How many? '))", "import getpass\nkey = getpass.getpass()"} {
		result := h.call("validator.run_execution", `{"notebook_path":"`+writeNotebook(t, "", cell{asks})+`"}`, "")
		told := slices.ContainsFunc(result.Warnings, func(w contract.Warning) bool {
			return w.Code == "input_unanswered" && strings.Contains(w.Message, "In [1] (cell_index 0)")
		})
		if !told || !strings.Contains(result.Summary, "argument parameters") {
			t.Errorf("%q: %s %v", asks, result.Summary, result.Warnings)
		}
	}
	result := h.call("validator.run_execution", `{"notebook_path":"`+writeNotebook(t, "", cell{"try: n = input()\nexcept Exception: n = 3"})+`"}`, "")
	if len(result.Warnings) > 0 || strings.Contains(result.Summary, "parameters") {
		t.Errorf("%s %v", result.Summary, result.Warnings)
	}
}
