package toolbox_test

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/tools"
	"atelier/internal/tools/toolbox"
)

type found struct {
	Tools []struct {
		Tool string `json:"tool"`
	} `json:"tools"`
	Tool   string          `json:"tool"`
	At     string          `json:"at"`
	Schema json.RawMessage `json:"schema"`
	Folded bool            `json:"folded"`
}

func finder(t *testing.T) (*contract.Registry, func(input map[string]any) (found, error)) {
	t.Helper()
	all := tools.All(tools.Parts{})
	for i := range all {
		all[i].Available = nil // there is no machine behind them
	}
	registry, err := contract.NewRegistry(all)
	if err != nil {
		t.Fatal(err)
	}
	find := toolbox.Tools(toolbox.Program{Tools: func() *contract.Registry { return registry }})[0]
	return registry, func(input map[string]any) (out found, err error) {
		t.Helper()
		raw, _ := json.Marshal(input)
		if faults := find.Contract.ValidateInput(raw); len(faults) > 0 {
			t.Fatalf("%s: %v", raw, faults)
		}
		result, err := find.Run(context.Background(), &contract.Call{}, raw)
		if err != nil {
			return out, err
		}
		if faults := find.Contract.ValidateOutput(result.OutputJSON()); len(faults) > 0 {
			t.Fatalf("%s: %v", raw, faults)
		}
		return out, json.Unmarshal(result.OutputJSON(), &out)
	}
}

// What an engineer, an analyst or a teacher would type, and the tool that they mean, by the
// titles of the documents of docs/tools; it must be among the first three.
func TestToolsAreFoundByWhatTheyDo(t *testing.T) {
	_, find := finder(t)
	for query, want := range map[string]string{
		"mesh a STEP file with tetrahedra":              "volume_mesh_cad",
		"repair a triangle surface with holes":          "mesh_repair_pmp",
		"import a CAD model":                            "cad_import_truck",
		"natural frequencies of a structure":            "fea_solve",
		"stress and displacement by finite elements":    "fea_solve",
		"steady temperature of a part, heat conduction": "heat_solve",
		"simulate a circuit with SPICE":                 "circuits_simulate",
		"laminar flow in a channel, Navier-Stokes":      "cfd_solve",
		"picture of a result, VTK rendering":            "render_pack_vtk",
		"is there a difference between groups? t test":  "t_test_tool",
		"linear regression":                             "statistical_regression_tool",
		"read a page of the web":                        "web_fetch",
		"search the web":                                "search_web",
		"clean the transcript of a talk":                "transcript_clean",
		"low pass filter":                               "circuits_simulate",
		"how hot does the chip get":                     "heat_solve",
		"forecast":                                      "timeseries_tool",
		"average and standard deviation of a column":    "summary_stats_tool",
		"pressure drop in a pipe":                       "cfd_solve",
		"will the column buckle":                        "fea_solve",
		"subtitles of a lecture":                        "transcript_clean",
		"show me the stl file":                          "render_pack_vtk",
		"load a language model":                         "mlx_load",
		"run a notebook":                                "validator_run_execution",
	} {
		out, err := find(map[string]any{"query": query})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, m := range out.Tools {
			names = append(names, m.Tool)
		}
		if i := slices.Index(names, want); i < 0 || i > 2 {
			t.Errorf("%q finds %v, not %s", query, names, want)
		}
	}
	if out, err := find(map[string]any{"query": "xyzzy"}); err != nil || len(out.Tools) != 0 || out.Tool != "" {
		t.Errorf("%v %+v", err, out)
	}
}

// However large a schema is, a piece of it fits a small window, and every property of every
// tool can be reached through the places that are folded.
func TestEverySchemaCanBeUnfolded(t *testing.T) {
	registry, find := finder(t)
	pieces, largest := 0, 0
	for _, tool := range registry.All() {
		missing := map[string]bool{}
		var whole any
		if err := json.Unmarshal(tool.Contract.InputSchema, &whole); err != nil {
			t.Fatal(err)
		}
		properties(whole, "", missing)
		open, seen := []string{""}, map[string]bool{}
		for len(open) > 0 {
			at := open[0]
			open = open[1:]
			if seen[at] {
				continue
			}
			seen[at] = true
			input := map[string]any{"tool": tool.Contract.Alias()}
			if at != "" {
				input["at"] = at
			}
			out, err := find(input)
			if err != nil {
				t.Fatalf("%s at %q: %v", tool.Contract.Name, at, err)
			}
			pieces++
			largest = max(largest, len(out.Schema))
			var part any
			if err := json.Unmarshal(out.Schema, &part); err != nil {
				t.Fatal(err)
			}
			shown := map[string]bool{}
			properties(part, at, shown)
			for p := range shown {
				delete(missing, p)
			}
			before := len(open)
			open = append(open, foldedIn(part)...)
			if out.Folded != (len(open) > before) {
				t.Errorf("%s at %q: folded is %v", tool.Contract.Name, at, out.Folded)
			}
		}
		for p := range missing {
			t.Errorf("%s: %s cannot be reached", tool.Contract.Name, p)
		}
	}
	t.Logf("%d pieces, the largest of %d bytes", pieces, largest)
	if largest > 8000 { // some 2,000 tokens, a quarter of the smallest window
		t.Errorf("a piece of %d bytes", largest)
	}
}

// foldedIn are the places that a shown schema has folded.
func foldedIn(v any) (places []string) {
	switch node := v.(type) {
	case map[string]any:
		if at, ok := node["folded"].(string); ok {
			return []string{at}
		}
		for _, child := range node {
			places = append(places, foldedIn(child)...)
		}
	case []any:
		for _, child := range node {
			places = append(places, foldedIn(child)...)
		}
	}
	return places
}

// properties collects the JSON pointers of the properties of a schema.
func properties(v any, at string, into map[string]bool) {
	switch node := v.(type) {
	case map[string]any:
		for key, child := range node {
			if named, ok := child.(map[string]any); ok && (key == "properties" || key == "$defs") {
				for name, one := range named {
					p := at + "/" + key + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
					into[p] = true
					properties(one, p, into)
				}
				continue
			}
			if key != "default" && key != "const" && key != "examples" && key != "enum" {
				properties(child, at+"/"+key, into)
			}
		}
	case []any:
		for i, child := range node {
			properties(child, at+"/"+strconv.Itoa(i), into)
		}
	}
}

func TestAPlaceThatIsNotThere(t *testing.T) {
	_, find := finder(t)
	_, err := find(map[string]any{"tool": "fea_solve", "at": "/properties/nothing"})
	if e := contract.AsError(err); err == nil || e.Field != "/at" || e.Hint == "" {
		t.Errorf("%v", err)
	}
	if _, err := find(map[string]any{"tool": "fea_solv"}); err == nil || !strings.Contains(contract.AsError(err).Hint, "fea.solve") {
		t.Errorf("%v", err)
	}
}
