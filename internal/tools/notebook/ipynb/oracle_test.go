package ipynb

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"atelier/internal/testenv"
)

// oracle is the folder of notebooks with the figures that the original's own
// code gave for them.
func oracle(t *testing.T) string {
	t.Helper()
	return testenv.Shared(t, "notebook", "oracle")
}

type expectation struct {
	Quality      *json.RawMessage `json:"quality"`
	QualityError string           `json:"qualityError"`
	Detected     []Issue          `json:"colabIssuesDetected"`
	Colab        *struct {
		IsCompatible bool    `json:"isCompatible"`
		Issues       []Issue `json:"issues"`
		HasFixed     bool    `json:"hasFixed"`
	} `json:"colab"`
	ColabError string `json:"colabError"`
}

// each runs a test on every notebook of the oracle.
func each(t *testing.T, test func(t *testing.T, content []byte, want expectation)) {
	dir := oracle(t)
	count := 0
	for _, sub := range []string{".", "synthetic"} {
		raw, err := os.ReadFile(filepath.Join(dir, sub, "expected.json"))
		if err != nil {
			t.Fatal(err)
		}
		var all map[string]expectation
		if err := json.Unmarshal(raw, &all); err != nil {
			t.Fatal(err)
		}
		for name, want := range all {
			content, err := os.ReadFile(filepath.Join(dir, sub, name))
			if err != nil {
				t.Fatal(err)
			}
			count++
			t.Run(filepath.Join(sub, name), func(t *testing.T) { test(t, content, want) })
		}
	}
	if count < 50 {
		t.Errorf("only %d notebooks", count)
	}
}

// Every figure is that of the original's own code.
func TestOriginalFigures(t *testing.T) {
	each(t, func(t *testing.T, content []byte, want expectation) {
		nb, err := Read(content)
		if want.QualityError != "" {
			if err == nil {
				t.Fatal("read, though the original cannot read it")
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(Quality(nb))
		if err != nil {
			t.Fatal(err)
		}
		var have, should map[string]any
		if json.Unmarshal(got, &have) != nil || json.Unmarshal(*want.Quality, &should) != nil || !reflect.DeepEqual(have, should) {
			t.Errorf("quality\n got %s\nwant %s", got, *want.Quality)
		}
		colab := OriginalColabCheck(nb)
		if want.ColabError != "" {
			if colab.Error == "" {
				t.Error("a verdict, where the original fails")
			}
			return
		}
		if !reflect.DeepEqual(colab.Detected, want.Detected) || colab.IsCompatible != want.Colab.IsCompatible ||
			!reflect.DeepEqual(colab.Issues, want.Colab.Issues) || colab.HasFixed != want.Colab.HasFixed {
			t.Errorf("colab\n got %+v\nwant %+v detected %+v", colab, *want.Colab, want.Detected)
		}
	})
}

// Every notebook with something critical becomes compatible, for the original's
// patterns as for ours; what was Python stays Python, and what the fix did not
// touch stays as it was.
func TestColabFixOfTheOracle(t *testing.T) {
	flawed := 0
	each(t, func(t *testing.T, content []byte, want expectation) {
		if want.Colab == nil || !anyCritical(want.Detected) {
			return
		}
		flawed++
		nb, err := Read(content)
		if err != nil {
			t.Fatal(err)
		}
		before, _ := Read(content)
		v, err := CheckColab(nb)
		if err != nil {
			t.Fatal(err)
		}
		if v.Notebook == nil {
			t.Fatalf("nothing was changed; issues %+v", v.Issues)
		}
		raw, err := v.Notebook.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		after, err := Read(raw)
		if err != nil {
			t.Fatal(err)
		}
		if original := OriginalColabCheck(after); !v.IsCompatible || !original.IsCompatible || original.HasFixed {
			t.Errorf("still incompatible: ours %+v, the original's %+v", v.Issues, original.Issues)
		}
		again, err := CheckColab(after)
		if err != nil || again.Notebook != nil {
			t.Errorf("the fixed notebook is changed again: %+v, %v", again.Fixed, err)
		}
		for i := range before.Cells {
			_, was := ParseCell(before.Cells[i].Source)
			_, is := ParseCell(after.Cells[i].Source)
			if before.Cells[i].Type == "code" && was == nil && is != nil {
				t.Errorf("cell %d was Python and is not any more: %v\n%s", i, is, after.Cells[i].Source)
			}
		}
	})
	t.Logf("%d notebooks with something critical", flawed)
}
