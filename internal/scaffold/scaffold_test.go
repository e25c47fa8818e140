package scaffold

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

var root = testenv.Root()

// What is written compiles at once and passes its own test and those that all
// tools share. The go command sees the files in place by its -overlay, so that the
// project stays as it is; vet cannot work in a folder that is only there.
func TestANewToolPassesAllTestsAtOnce(t *testing.T) {
	for _, name := range []string{"statistics.scaffold_probe", "scaffoldprobe.scale"} { // in a family, and in a new one
		t.Run(name, func(t *testing.T) {
			files, err := Files(root, name)
			if err != nil {
				t.Fatal(err)
			}
			if len(files) > 5 {
				t.Errorf("a new tool touches %d files", len(files))
			}
			overlay := map[string]map[string]string{"Replace": {}}
			dir := t.TempDir()
			for path, text := range files {
				real, err := filepath.Abs(filepath.Join(root, path))
				if err != nil {
					t.Fatal(err)
				}
				copied := filepath.Join(dir, strings.ReplaceAll(path, string(filepath.Separator), "_"))
				if err := os.WriteFile(copied, text, 0o600); err != nil {
					t.Fatal(err)
				}
				overlay["Replace"][real] = copied
			}
			raw, err := json.Marshal(overlay)
			if err != nil {
				t.Fatal(err)
			}
			described := filepath.Join(dir, "overlay.json")
			if err := os.WriteFile(described, raw, 0o600); err != nil {
				t.Fatal(err)
			}
			// A new family's folder is not there to be run in, so that its test is
			// compiled first.
			binary := filepath.Join(dir, "own.test")
			pass(t, root, "go", "test", "-c", "-vet=off", "-overlay", described, "-o", binary, "./internal/tools/"+strings.Split(name, ".")[0])
			pass(t, dir, binary, "-test.v", "-test.run", "^(TestScale|TestScaffoldProbe)$")
			out := pass(t, root, "go", "test", "-v", "-vet=off", "-overlay", described, "./internal/tools")
			if !strings.Contains(out, "/"+name) {
				t.Errorf("the shared tests did not meet %s", name)
			}
		})
	}
}

func pass(t *testing.T, dir string, command ...string) string {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "no tests to run") {
		t.Fatalf("%v: %v\n%s", command, err, out)
	}
	return string(out)
}

func TestWhatCannotBeMadeIsRefused(t *testing.T) {
	for name, want := range map[string]string{
		"smooth": "family.name", "Mesh.smooth": "family.name", "mesh.sub.smooth": "family.name", "mesh.smooth-it": "family.name",
		"basics.echo_json": "exists already",
	} {
		if _, err := Files(root, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	if _, err := Files(t.TempDir(), "mesh.smooth"); err == nil || !strings.Contains(err.Error(), "go.mod") {
		t.Errorf("outside the project: %v", err)
	}
}

func TestEveryFamilyCanTakeATool(t *testing.T) {
	families, err := filepath.Glob(filepath.Join(root, "internal", "tools", "*", "tools.go"))
	if err != nil || len(families) < 10 {
		t.Fatalf("%d families, %v", len(families), err)
	}
	for _, path := range families {
		family := filepath.Base(filepath.Dir(path))
		files, err := Files(root, family+".scaffold_probe")
		if err != nil {
			t.Errorf("%s: %v", family, err)
			continue
		}
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		after := string(files[filepath.Join("internal", "tools", family, "tools.go")])
		if strings.Count(after, "scaffoldProbeTool") != 1 || len(after) > len(before)+40 {
			t.Errorf("%s: the list became\n%s", family, after)
		}
	}
}
