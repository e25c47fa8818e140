package main

import (
	"path/filepath"
	"testing"
)

// The example calls of api/spec/agent.md, whose vectors hold the dialect to its
// form, are held to their numbers here; those of the solvers in tools/solve.
func TestNumbersOfTheExampleCalls(t *testing.T) {
	s := start(t, nil)
	numbers := map[string]func(t *testing.T, r reply){
		"circuits.simulate": func(t *testing.T, r reply) { // Ohm: 1 V over 1 kΩ, drawn from the source
			if i := r.at("tool_results", 0, "result", "operating_point", "i(v1)"); i != -1e-3 {
				t.Errorf("i(v1) = %v, want -1 mA", i)
			}
		},
		"cad_import_truck": func(t *testing.T, r reply) { // the bracket's closed form is in examples/bracket
			if v := number(r.at("tool_results", 0, "result", "exact_volume")); v < 54692.5 || v > 54692.6 {
				t.Errorf("volume %v mm3", v)
			}
		},
	}
	for _, v := range readVectors(t, filepath.Join(vectorFolder, "agent", "examples.json")).Vectors {
		check, ours := numbers[v.Name]
		if !ours {
			continue
		}
		delete(numbers, v.Name)
		t.Run(v.Name, func(t *testing.T) {
			run := v.begin(t, s, "numbers of "+v.Name)
			got := run.perform(v.Steps[0])
			body, _ := got.value.(map[string]any)
			check(t, reply{status: got.status, raw: got.raw, body: body})
		})
	}
	if len(numbers) > 0 {
		t.Errorf("no vector is one of %v", numbers)
	}
}
