package testenv

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// lack is set for the process in which TestALackIsSkipped is run on its own.
const lack = "ATELIER_TESTENV_LACK"

func TestALackIsSkipped(t *testing.T) {
	if missing := os.Getenv(lack); missing != "" {
		Skip(t, missing, "it is not here")
	}
}

// In the strict mode a skip is a failure, unless the list allows that very one.
func TestOnlyListedSkipsAreAllowed(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		pkg, strict, missing, want string
	}{
		{"internal/testenv", "0", Engine, "--- SKIP"},
		{"internal/testenv", "1", Engine, "--- FAIL"},
		{"internal/testenv", "1", Postgres, "--- FAIL"},
		{"internal/store", "1", Postgres, "--- SKIP"}, // any test of the package
		{"internal/store", "1", Engine, "--- FAIL"},   // but for this lack only
		{"internal/store", "1", "", "--- PASS"},
	} {
		cmd := exec.Command(program, "-test.run", "^TestALackIsSkipped$", "-test.v")
		cmd.Dir = Path(filepath.FromSlash(c.pkg))
		cmd.Env = append(os.Environ(), "ATELIER_STRICT="+c.strict, lack+"="+c.missing)
		out, err := cmd.CombinedOutput()
		if !strings.Contains(string(out), c.want) || (err != nil) != (c.want == "--- FAIL") {
			t.Errorf("%+v: %v\n%s", c, err, out)
		}
	}
}

// Every exception is of a package and a test that exist.
func TestExceptionsAreOfTests(t *testing.T) {
	for _, e := range exempted() {
		files, err := filepath.Glob(Path(filepath.FromSlash(e.pkg), "*_test.go"))
		if err != nil || len(files) == 0 {
			t.Errorf("%s has no tests: %v", e.pkg, err)
		}
		found := e.test == "*"
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name, _, _ := strings.Cut(e.test, "/")
			found = found || strings.Contains(string(text), "\nfunc "+name+"(t *testing.T)")
		}
		if !found {
			t.Errorf("%s has no %s", e.pkg, e.test)
		}
	}
}

// by are the ways past this package.
var by = regexp.MustCompile(`\b(t|b|tb|f)\.(Skip|Skipf|SkipNow)\(|Getenv\("ATELIER_(SHARED|ENGINES)"\)|"\.\.", "\.\."`)

// No test skips, or looks for the data, past this package.
func TestNoOtherSkips(t *testing.T) {
	seen := 0
	for _, top := range []string{"cmd", "internal", "test"} {
		err := filepath.WalkDir(Path(top), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || filepath.Dir(path) == Path("internal", "testenv") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil || !strings.Contains(string(text), `"testing"`) {
				return err
			}
			seen++
			if found := by.Find(text); found != nil {
				t.Errorf("%s: %s; use testenv", path, found)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 100 {
		t.Errorf("only %d files were looked at", seen)
	}
}
