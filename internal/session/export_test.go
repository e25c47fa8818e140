package session_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"atelier/internal/job"
	"atelier/internal/session/sessiontest"
)

// exported are the files of a session's archive, by their names.
func exported(t *testing.T, h *sessiontest.Process, id string) map[string]string {
	t.Helper()
	a, err := h.Sessions.Export(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := a.Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(content)
	}
	return files
}

// tetrahedron is an STL text of one; without the last face it is open.
func tetrahedron(faces int) string {
	corners := [][3]float64{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	text := "solid t\n"
	for _, f := range [][3]int{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}[:faces] {
		text += "facet normal 0 0 0\nouter loop\n"
		for _, c := range f {
			text += fmt.Sprintf("vertex %g %g %g\n", corners[c][0], corners[c][1], corners[c][2])
		}
		text += "endloop\nendfacet\n"
	}
	return text + "endsolid t\n"
}

// An archive is passed on: who reads its README or the record of a job sees which
// results are suspect, those of a tool that copies a suspect file too. Of a tetrahedron
// with one open face, 0.87/(1.5+0.87) of the repaired surface is made up, which the
// repair says; of a closed one nothing is.
func TestAnArchiveSaysWhichResultsAreSuspect(t *testing.T) {
	h := sessiontest.Start(t, t.TempDir()+"/a.db", t.TempDir(), nil)
	for faces, want := range map[int]int{3: 1, 4: 0} {
		m := create(t, h, "part.stl", tetrahedron(faces))
		for _, c := range [][2]string{{"mesh_repair_pmp", `{"input_path":"session:input/part.stl"}`}, {"describe_file", `{"path":"session:geometry/repaired_mesh.stl"}`}} {
			if j, err := call(t, h, m.SessionID, c[0], c[1]); err != nil || j.State != job.Succeeded {
				t.Fatalf("%s: %+v %v", c[0], j, err)
			}
		}
		files := exported(t, h, m.SessionID)
		_, steps, _ := strings.Cut(files["README.md"], "\n1. ")
		first, second, found := strings.Cut(steps, "\n2. ")
		if !found {
			t.Fatalf("the README is %s", files["README.md"])
		}
		for what, text := range map[string]string{"the repair": first, "its copy": second} {
			if n := strings.Count(text, "**Evidence: suspect.** "); n != want || strings.Count(text, "filled") < want {
				t.Errorf("%d faces: %s has the doubt %d times, want %d: %s", faces, what, n, want, text)
			}
		}
		for _, name := range []string{"jobs/001_mesh_repair_pmp.json", "jobs/002_describe_file.json"} {
			var record struct{ Summary string }
			if err := json.Unmarshal([]byte(files[name]), &record); err != nil || strings.Count(record.Summary, " Evidence: suspect. ") != want {
				t.Errorf("%d faces: the summary of %s is %q (%v)", faces, name, record.Summary, err)
			}
		}
	}
}
