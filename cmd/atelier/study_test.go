package main

import (
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

// bar writes a mesh of two bricks along x, in metres.
func bar(t *testing.T, folder string, length, width, height float64) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("MFEM mesh v1.0\n\ndimension\n3\n\nelements\n2\n1 5 0 1 2 3 4 5 6 7\n1 5 4 5 6 7 8 9 10 11\n\n" +
		"boundary\n10\n1 3 0 3 2 1\n2 3 8 9 10 11\n3 3 0 1 5 4\n3 3 4 5 9 8\n4 3 1 2 6 5\n4 3 5 6 10 9\n5 3 2 3 7 6\n5 3 6 7 11 10\n6 3 3 0 4 7\n6 3 7 4 8 11\n\nvertices\n12\n3\n")
	for i := range 3 {
		x := length * float64(i) / 2
		fmt.Fprintf(&b, "%.17g 0 0\n%.17g %.17g 0\n%.17g %.17g %.17g\n%.17g 0 %.17g\n", x, x, width, x, width, height, x, height)
	}
	path := filepath.Join(folder, "bar.mesh")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// study calls a tool of the family and returns its output.
func (s *server) study(tool string, input any) reply {
	s.t.Helper()
	raw, err := json.Marshal(input)
	if err != nil {
		s.t.Fatal(err)
	}
	r := s.execute("study_"+tool, string(raw))
	if r.at("status") != "ok" {
		s.t.Fatalf("study.%s %s: %s", tool, raw, r.raw)
	}
	return r
}

func (r reply) states() string {
	var out []string
	for _, one := range r.at("output", "steps").([]any) {
		step := one.(map[string]any)
		out = append(out, fmt.Sprintf("%s %s", step["name"], step["state"]))
	}
	return strings.Join(out, ", ")
}

func patch(op, path string, value any) []any {
	return []any{map[string]any{"op": op, "path": path, "value": value}}
}

// A pulled bar without Poisson's effect is uniform: u = F L / (E A), sigma = F / A on any
// mesh (Timoshenko, Strength of Materials I, art. 1). The study is changed ten times, by
// patches, by whole documents and by undo; only what has changed is run again.
func TestAStudyOfABarIsChangedAskedAndUndone(t *testing.T) {
	s := start(t, nil)
	if tool, err := s.app.tools.Find("fea.solve"); err != nil || tool.Available() != nil {
		testenv.Skip(t, testenv.Engine, "an engine is missing: make engines")
	}
	rng := testenv.Random(t)
	length, width, height := 0.1+rng.Float64(), 0.01+0.05*rng.Float64(), 0.01+0.05*rng.Float64()
	e, force := (50+200*rng.Float64())*1e9, 1e3+1e4*rng.Float64()
	area := width * height
	file := bar(t, s.root, length, width, height)
	document := map[string]any{
		"study": "1.0", "title": "A pulled bar",
		"parts":     map[string]any{"bar": map[string]any{"file": file, "length_unit": "m"}},
		"materials": map[string]any{"metal": map[string]any{"E": e, "nu": 0, "density": 7800, "yield": 9 * force / area}},
		"supports":  map[string]any{"wall": map[string]any{"type": "fixed", "on": "left"}},
		"loads":     map[string]any{"pull": map[string]any{"type": "load", "on": "right", "force": []float64{force, 0, 0}}},
		"analyses":  map[string]any{"static": map[string]any{"type": "static"}},
		"questions": map[string]any{"stretch": map[string]any{"quantity": "deflection"}},
		"requirements": map[string]any{
			"stiff": map[string]any{"quantity": "deflection", "at_most": 1.01 * force * length / (e * area)},
			"soft":  map[string]any{"quantity": "deflection", "at_least": 1.01 * force * length / (e * area)},
		},
	}
	made := s.study("change", map[string]any{"document": document})
	id := made.at("output", "study").(string)
	if open := made.at("output", "open").([]any); len(open) != 0 {
		t.Errorf("open: %v", open)
	}
	run := func(want string, factor float64) reply {
		t.Helper()
		r := s.study("run", map[string]any{"study": id})
		if got := r.states(); got != want {
			t.Errorf("the steps are %s, not %s", got, want)
		}
		got, exact := r.at("output", "answers", 0, "value").(float64), factor*force*length/(e*area)
		if math.Abs(got-exact) > 1e-6*exact || r.at("output", "answers", 0, "trust") == "suspect" {
			t.Errorf("stretch %g for %g: %v", got, exact, r.at("output", "answers", 0))
		}
		return r
	}
	r := run("static ran", 1)
	if soft, stiff := r.at("output", "requirements", 0), r.at("output", "requirements", 1); soft.(map[string]any)["verdict"] != "not_met" || stiff.(map[string]any)["verdict"] != "met" {
		t.Errorf("%v\n%v", soft, stiff)
	}
	// The stress by another tool of the same run.
	asked := s.study("ask", map[string]any{"study": id, "quantity": "/von_mises/max"})
	if got, exact := asked.at("output", "answer", "value").(float64), force/area; math.Abs(got-exact) > 1e-5*exact {
		t.Errorf("stress %g for %g", got, exact)
	}
	change := func(input map[string]any) reply {
		t.Helper()
		input["study"] = id
		return s.study("change", input)
	}
	change(map[string]any{"patch": patch("replace", "/loads/pull/force", []float64{2 * force, 0, 0})})
	run("static ran", 2)
	if c := s.study("compare", map[string]any{"study": id}); c.at("output", "mesh_only") != false || c.at("output", "figures", 0, "verdict") != "different" || math.Abs(c.at("output", "figures", 0, "change").(float64)-1) > 1e-6 {
		t.Errorf("%s", c.raw)
	}
	change(map[string]any{"patch": patch("replace", "/title", "The same bar")}) // no input of a call
	if stale := s.study("ask", map[string]any{"study": id, "quantity": "deflection"}); stale.at("output", "stale") != true {
		t.Errorf("%s", stale.raw)
	}
	run("static reused", 2)
	change(map[string]any{"patch": patch("replace", "/loads/pull/on", "x_max")}) // the same place
	run("static reused", 2)
	change(map[string]any{"patch": patch("add", "/loads/more", map[string]any{"type": "load", "on": "right", "force": []any{fmt.Sprintf("%.17g N", force), 0, 0}})})
	run("static ran", 3)
	document["title"] = "Written anew"
	change(map[string]any{"document": document})
	run("static reused", 1)
	change(map[string]any{"patch": patch("replace", "/materials/metal/E", e/2)})
	run("static ran", 2)
	change(map[string]any{"patch": patch("remove", "/requirements", nil)})
	change(map[string]any{"undo": 1})
	shown := change(map[string]any{"undo": 6, "show": true}) // the first
	delete(document, "title")
	first := shown.at("output", "document").(map[string]any)
	if first["title"] != "A pulled bar" {
		t.Errorf("%v", first)
	}
	run("static reused", 1)
	if r := s.execute("study_change", fmt.Sprintf(`{"study":%q,"undo":1}`, id)); !strings.Contains(string(r.raw), "nothing more to undo") {
		t.Errorf("%s", r.raw)
	}
	if r := change(map[string]any{"restore": 2}); r.at("output", "revision") != 11.0 {
		t.Errorf("%s", r.raw)
	}
	run("static reused", 2)
	// An undo takes the restore back.
	if again := change(map[string]any{"undo": 1, "show": true}).at("output", "document").(map[string]any); again["title"] != "A pulled bar" || again["loads"].(map[string]any)["pull"].(map[string]any)["force"].([]any)[0] != force {
		t.Errorf("%v", again)
	}
	// A file that changes under its name is another part, and the comparison says so.
	run("static reused", 1)
	bar(t, s.root, 2*length, width, height)
	if r := s.study("run", map[string]any{"study": id}); r.states() != "static ran" {
		t.Errorf("%s", r.raw)
	}
	if c := s.study("compare", map[string]any{"study": id}); !strings.Contains(fmt.Sprint(c.at("output", "inputs")), "content of "+file) {
		t.Errorf("%s", c.raw)
	}
}

// Faults lead to their place in the study, not in the call that was made of it.
func TestFaultsOfAStudyAreToldInTheStudy(t *testing.T) {
	s := start(t, nil)
	if tool, err := s.app.tools.Find("fea.solve"); err != nil || tool.Available() != nil {
		testenv.Skip(t, testenv.Engine, "an engine is missing: make engines")
	}
	file := bar(t, s.root, 0.2, 0.02, 0.02)
	for _, c := range []struct{ change, field, says string }{
		{`"loads":{"pull":{"type":"load","on":"right","force":[1,0]},"spin":{"type":"gravity","acceleration":"fast"}}`, "/loads/spin/acceleration", "fast"},
		{`"loads":{"pull":{"type":"lood","on":"right","force":[1,0,0]}}`, "/loads/pull/type", "lood"},
		{`"loads":{"pull":{"type":"load","on":"right","forse":[1,0,0]}}`, "/loads/pull/forse", "force"},
		{`"materials":{"metal":{"material":"steel S9999"}}`, "/materials/metal/material", "S9999"},
		{`"mesh":{"size":"2 kg"}`, "/document/mesh/size", "length"},
		{`"loads":{"pull":{"type":"load","force":[1,0,0]}}`, "/loads/pull/on", "place"},
		{`"questions":{"q":{"quantity":"max von Misses"}}`, "/questions/q/quantity", "max von Mises"},
		{`"questions":{"q":{"quantity":"deflection","analysis":"statik"}}`, "/document/questions/q/analysis", `Did you mean \"static\"`},
		{`"parts":{"bar":{"file":"nothing.mesh"}}`, "/parts/bar", "nothing.mesh"},
		{`"analyses":{"static":{"type":"static","options":{"order":7}}}`, "/analyses/static/options/order", "7"},
		{`"analyses":{"a":{"type":"tool","tool":"summary_stats_tool","options":{"x":{"$result":"b","pointer":"/y"}}}}`, "/analyses/a/options", `\"b\"`},
		{`"surprise":{}`, "/document/surprise", "surprise"},
		{`"loads":{"pull":{"type":"load","on":{"x":"0.1 m"},"force":[1,0,0]}}`, "/loads/pull/on", "volume mesh"},
		{`"loads":{"pull":{"type":"load","on":{"all_but":["left"]},"force":[1,0,0]}}`, "/loads/pull/on", "volume mesh"},
		{`"loads":{"a/b":{"type":"load","on":"right","force":[1,0,0]}}`, "/document/loads/a~1b", "letters"},
		{`"loads":{"pull":{"type":"load","on":{"all_but":"left"},"force":[1,0,0]}}`, "/document/loads/pull/on", "all_but"},
		{`"requirements":{"r":{"quantity":"max displacement","at_most":"yield"}},"materials":{"metal":{"E":2e11,"nu":0.3,"yield":"200 MPa"}}`, "/requirements/r/at_most", "is a stress"},
		{`"requirements":{"r":{"quantity":"max von Mises","at_most":"yield / 0"}},"materials":{"metal":{"E":2e11,"nu":0.3,"yield":"200 MPa"}}`, "/requirements/r/at_most", "no finite number"},
		{`"requirements":{"r":{"quantity":"max displacement","at_most":"1e400 mm"}}`, "/requirements/r/at_most", "1e400 mm"},
		{`"materials":{"metal":{"E":2e11,"nu":0.3,"on":{"body":2}}}`, "/document/materials/metal/on", "no figure of a material"},
		{`"materials":{"metal":{"E":2e11,"nu":0.3,"yeild":1e8}}`, "/document/materials/metal/yeild", `Did you mean \"yield\"`},
		{`"questions":{"q":{"quantity":"/energy"}},"analyses":{"static":{"type":"static"},"more":{"type":"static"}}`, "/questions/q/analysis", "more and static"},
	} {
		var document map[string]any
		base := fmt.Sprintf(`{"study":"1.0","parts":{"bar":{"file":%q,"length_unit":"m"}},"materials":{"metal":{"E":2e11,"nu":0.3}},
			"supports":{"wall":{"type":"fixed","on":"left"}},"loads":{"pull":{"type":"load","on":"right","force":[1,0,0]}},"analyses":{"static":{"type":"static"}}}`, file)
		for _, part := range []string{base, "{" + c.change + "}"} {
			if err := json.Unmarshal([]byte(part), &document); err != nil {
				t.Fatal(err)
			}
		}
		raw, _ := json.Marshal(map[string]any{"document": document})
		made := s.execute("study_change", string(raw))
		answer := made
		if made.at("status") == "ok" {
			answer = s.execute("study_run", fmt.Sprintf(`{"study":%q}`, made.at("output", "study")))
		}
		if code := fmt.Sprint(answer.at("metrics", "error_code")); code == "internal_error" {
			t.Errorf("%s: %s", c.change, answer.raw)
		}
		if text := string(answer.raw); !strings.Contains(text, c.field) || !strings.Contains(text, c.says) {
			t.Errorf("%s: it should name %s and %s:\n%s", c.change, c.field, c.says, text)
		}
	}
}

// The peak of a CAD part: places are found on its faces, the mesh is made once, and what a
// load changes needs only another solve.
func TestAStudyOfACADPartMeshesOnce(t *testing.T) {
	s := start(t, func(c *serveCmd) { c.Root = append(c.Root, filepath.Dir(testenv.Bracket())) })
	for _, name := range []string{"fea.solve", "volume_mesh_cad", "cad_import_truck", "render_pack_vtk"} {
		if tool, err := s.app.tools.Find(name); err != nil || tool.Available() != nil {
			testenv.Skip(t, testenv.Engine, "an engine is missing: make engines")
		}
	}
	made := s.study("change", map[string]any{"document": map[string]any{
		"study": "1.0", "parts": map[string]any{"bracket": map[string]any{"file": testenv.Bracket()}},
		"materials": map[string]any{"steel": map[string]any{"material": "steel S235"}},
		"supports":  map[string]any{"base": map[string]any{"type": "fixed", "on": "bottom"}},
		"loads":     map[string]any{"pull": map[string]any{"type": "load", "on": map[string]any{"hole": map[string]any{"size": "largest"}}, "force": []any{0, 0, "-0.5 kN"}}},
		"mesh":      map[string]any{"fineness": "coarse"},
		"analyses":  map[string]any{"static": map[string]any{"type": "static"}},
		"questions": map[string]any{"peak": map[string]any{"quantity": "max von Mises"}},
	}})
	id := made.at("output", "study")
	first := s.study("run", map[string]any{"study": id})
	if got := first.states(); got != "import bracket ran, mesh bracket ran, static ran" {
		t.Fatalf("%s", got)
	}
	// By number, by name and by diameter it is the same hole, of 16 mm, the bolt holes
	// are of 9 mm (examples/bracket).
	for _, on := range []any{"load_hole", "face 18", map[string]any{"hole": map[string]any{"diameter": "16 mm"}}} {
		s.study("change", map[string]any{"study": id, "patch": patch("replace", "/loads/pull/on", on)})
		if got := s.study("run", map[string]any{"study": id}).states(); !strings.HasPrefix(got, "import bracket reused, mesh bracket reused, static ") {
			t.Errorf("%v: %s", on, got)
		}
	}
	s.study("change", map[string]any{"study": id, "patch": patch("replace", "/loads/pull/force", []any{0, 0, "-1 kN"})})
	twice := s.study("run", map[string]any{"study": id})
	if got := twice.states(); got != "import bracket reused, mesh bracket reused, static ran" {
		t.Errorf("%s", got)
	}
	// Linear: twice the load is twice the stress on the same mesh.
	a, b := first.at("output", "answers", 0, "value").(float64), twice.at("output", "answers", 0, "value").(float64)
	if math.Abs(b-2*a) > 1e-5*b {
		t.Errorf("%g and %g", a, b)
	}
	report := s.study("report", map[string]any{"study": id})
	page := string(s.get(report.at("output", "artifact_url").(string)).raw)
	answer := template.HTMLEscapeString(twice.at("output", "answers", 0, "text").(string))
	for _, want := range []string{answer, "EN 10025-2", `src="data:image/png;base64,`, twice.at("output", "run").(string)} {
		if !strings.Contains(page, want) {
			t.Errorf("the report has no %s", want)
		}
	}
	if strings.Contains(page, "http") || strings.Contains(page, "<script") {
		t.Error("the report needs something from elsewhere")
	}
	// The base is 8 mm thick (examples/bracket): its upper face lies there, and no face at 5 mm.
	for height, face := range map[string]string{"8 mm": "12", "5 mm": ""} {
		s.study("change", map[string]any{"study": id, "patch": patch("replace", "/loads/pull/on", map[string]any{"z": height})})
		r := s.execute("study_run", fmt.Sprintf(`{"study":%q}`, id))
		if face == "" {
			if !strings.Contains(string(r.raw), "no plane face of the part lies at") || !strings.Contains(string(r.raw), "8 mm") {
				t.Errorf("%s: %s", height, r.raw)
			}
			continue
		}
		s.study("change", map[string]any{"study": id, "patch": patch("replace", "/loads/pull/on", "base_top")})
		if got := s.study("run", map[string]any{"study": id}); got.at("output", "answers", 0, "value") != r.at("output", "answers", 0, "value") {
			t.Errorf("%s is not the face %s: %s", height, face, got.raw)
		}
	}
	s.study("change", map[string]any{"study": id, "patch": patch("replace", "/loads/pull/on", map[string]any{"hole": map[string]any{"diameter": "7 mm"}})})
	if r := s.execute("study_run", fmt.Sprintf(`{"study":%q}`, id)); !strings.Contains(string(r.raw), "/loads/pull/on") || !strings.Contains(string(r.raw), "diameter") {
		t.Errorf("%s", r.raw)
	}
}

// A study is made and changed by sentences; what is not understood, missing or impossible
// stores nothing.
func TestAStudyIsSaidInWords(t *testing.T) {
	s := start(t, nil)
	rng := testenv.Random(t)
	newtons := 100 + rng.IntN(900)
	said := func(input map[string]any) reply {
		t.Helper()
		return s.study("change", input)
	}
	first := fmt.Sprintf("S235, clamped on the left, %d N in -z on the right face. Maximum stress?", newtons)
	if r := said(map[string]any{"words": first}); r.at("output", "study") != "" || len(r.at("output", "questions").([]any)) != 1 {
		t.Errorf("without a part: %s", r.raw)
	}
	made := said(map[string]any{"words": first, "files": []string{"bar.mesh"}})
	id := made.at("output", "study").(string)
	force := func(want string, input map[string]any, revision float64) {
		t.Helper()
		input["study"], input["show"] = id, true
		r := said(input)
		if got := r.at("output", "document", "loads", "force", "force", 2); got != want || r.at("output", "revision") != revision {
			t.Errorf("%v: %v at revision %v, not %s at %v\n%s", input["words"], got, r.at("output", "revision"), want, revision, r.raw)
		}
	}
	text := func(factor int) string { return fmt.Sprintf("-%d N", factor*newtons) }
	force(text(1), map[string]any{}, 1)
	force(text(3), map[string]any{"words": "three times the load"}, 2)
	force(text(3), map[string]any{"words": "half the force on the lug"}, 2) // asked
	force(text(3), map[string]any{"words": "half the fribble"}, 2)          // named
	force(text(3), map[string]any{"words": "double the load, nu 0.7"}, 2)   // refused
	force(text(6), map[string]any{"words": "double the load, fribble", "anyway": true}, 2+1)
	force(text(3), map[string]any{"words": "undo that"}, 4)
	if r := said(map[string]any{"study": id, "words": "double the load, fribble"}); !strings.Contains(string(r.raw), `"unused":["fribble"]`) {
		t.Errorf("%s", r.raw)
	}
	if r := s.execute("study_change", fmt.Sprintf(`{"study":%q,"words":"half the force","undo":1}`, id)); !strings.Contains(string(r.raw), "several") {
		t.Errorf("%s", r.raw)
	}
}
