package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

// remade is an archive with its members changed.
func remade(t *testing.T, archive []byte, change func(name string, content []byte) (string, []byte)) string {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		name, content := change(f.Name, content)
		to, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = to.Write(content)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "bundle.zip")
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A bundle is all that another data folder needs to repeat a run; what was changed in it is
// found.
func TestABundleIsRepeated(t *testing.T) {
	s := start(t, nil)
	if tool, err := s.app.tools.Find("fea.solve"); err != nil || tool.Available() != nil {
		testenv.Skip(t, testenv.Engine, "an engine is missing: make engines")
	}
	rng := testenv.Random(t)
	file := bar(t, s.root, 0.1+rng.Float64(), 0.01+0.05*rng.Float64(), 0.01+0.05*rng.Float64())
	made := s.study("change", map[string]any{"document": map[string]any{
		"study": "1.0", "title": "bar.mesh",
		"parts":     map[string]any{"bar": map[string]any{"file": "bar.mesh", "length_unit": "m"}},
		"materials": map[string]any{"metal": map[string]any{"E": (50 + 200*rng.Float64()) * 1e9, "nu": 0.3}},
		"supports":  map[string]any{"wall": map[string]any{"type": "fixed", "on": "left"}},
		"loads":     map[string]any{"pull": map[string]any{"type": "load", "on": "right", "force": []float64{1e3 + 1e4*rng.Float64(), 0, 0}}},
		"analyses":  map[string]any{"static": map[string]any{"type": "static"}},
	}})
	id := made.at("output", "study")
	s.study("run", map[string]any{"study": id})
	report := s.study("report", map[string]any{"study": id})
	bundle := s.get(report.at("output", "bundle_url").(string)).raw
	same := func(name string, content []byte) (string, []byte) { return name, content }
	index := func(change func(b map[string]any)) func(string, []byte) (string, []byte) {
		return func(name string, content []byte) (string, []byte) {
			var b map[string]any
			if name != "bundle.json" {
				return name, content
			}
			if err := json.Unmarshal(content, &b); err != nil {
				t.Fatal(err)
			}
			change(b)
			content, _ = json.Marshal(b)
			return name, content
		}
	}
	first := func(b map[string]any) map[string]any { return b["figures"].([]any)[0].(map[string]any) }
	for _, c := range []struct {
		what   string
		change func(string, []byte) (string, []byte)
		status int
		says   string
	}{
		{"as it is", same, 0, "are repeated within their error bars"},
		{"another figure", index(func(b map[string]any) { first(b)["value"] = 1.5 * first(b)["value"].(float64) }), 1, "OTHER"},
		{"a figure that is not there", index(func(b map[string]any) { first(b)["figure"] = "/nothing" }), 1, "not in the run"},
		{"another file", func(name string, content []byte) (string, []byte) {
			if strings.HasPrefix(name, "files/") {
				content = append(content, '\n')
			}
			return name, content
		}, 1, "its hash is another"},
		{"a file outside", index(func(b map[string]any) { b["files"] = map[string]any{"files/../../evil": "sha256:0"} }), 1, "does not lie in files/"},
		{"another format", index(func(b map[string]any) { b["bundle"] = "9.0" }), 1, "no bundle of the format"},
		{"no index", func(name string, content []byte) (string, []byte) { return "x" + name, content }, 1, "no bundle"},
	} {
		cmd := exec.Command(binary(t), "rerun", "--log-level", "error", remade(t, bundle, c.change))
		out, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != c.status || !strings.Contains(string(out), c.says) || strings.Contains(string(out), "panic") {
			t.Errorf("%s: status %d: %s", c.what, got, out)
		}
	}
	// A figure of the bundle is one of the run, and the title that is like a file stays.
	if title := indexOf(t, bundle).at("document", "title"); title != "bar.mesh" {
		t.Errorf("the title is %v", title)
	}
	if err := os.WriteFile(file, append([]byte("#"), bundle...), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := s.study("report", map[string]any{"study": id}); r.at("output", "bundle") != "" || !strings.Contains(string(r.raw), "no_bundle") {
		t.Errorf("of a changed file: %s", r.raw)
	}
}

// indexOf is the index of a bundle.
func indexOf(t *testing.T, archive []byte) reply {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := r.Open("bundle.json")
	if err != nil {
		t.Fatal(err)
	}
	var out reply
	if err := json.NewDecoder(f).Decode(&out.body); err != nil {
		t.Fatal(err)
	}
	return out
}
