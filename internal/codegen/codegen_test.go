package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

var root = testenv.Root()

func entries(t *testing.T) []entry {
	t.Helper()
	all, err := catalogue(filepath.Join(root, source))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestConstantsAreThoseOfTheCatalogue(t *testing.T) {
	for _, file := range targets {
		want, err := file.make(entries(t))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(root, file.path))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what %s gives (%v): run make generate", file.path, source, err)
		}
	}
}

// A code that is written as a string can be misspelt, and nobody learns of it
// before a user does. Tests may: what goes over the wire is their subject. Codes
// of one word ("timeout", "cancelled") are names of other things too.
func TestNoCodeStandsAsABareString(t *testing.T) {
	var codes []string
	for _, e := range entries(t) {
		if strings.Contains(e.Code, "_") {
			codes = append(codes, e.Code)
		}
	}
	bare := regexp.MustCompile(`["'` + "`" + `](` + strings.Join(codes, "|") + `)["'` + "`" + `]`)
	looked := 0
	for _, folder := range []string{"cmd", "internal", "engines", "workbench/src"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !isSource(path) {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			looked++
			for i, line := range strings.Split(string(text), "\n") {
				if code := bare.FindStringSubmatch(line); code != nil {
					t.Errorf("%s:%d has the code %s as a string: use its constant", path, i+1, code[1])
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if looked < 500 { // the project has more than that, of six languages
		t.Errorf("only %d source files were looked at", looked)
	}
}

func isSource(path string) bool {
	path = filepath.ToSlash(path)
	if slices.ContainsFunc(targets, func(made target) bool { return strings.HasSuffix(path, made.path) }) {
		return false
	}
	for _, part := range []string{"_test.", ".test.", "/testdata/", "/sessiontest/", "/jobtest/", "/node_modules/", "/target/"} {
		if strings.Contains(path, part) {
			return false
		}
	}
	return slices.Contains([]string{".go", ".cpp", ".hpp", ".cc", ".h", ".py", ".rs", ".ts", ".tsx"}, filepath.Ext(path))
}

func TestBadCataloguesAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		`[{"code":"Bad","http_status":400,"meaning":"M."}]`:                                                                   "must match",
		`[{"code":"a","http_status":200,"meaning":"M."}]`:                                                                     "http_status",
		`[{"code":"a","http_status":400,"meaning":"no sentence"}]`:                                                            "sentence",
		`[{"code":"file_empty","http_status":400,"meaning":"M."},{"code":"ERR_FILE_EMPTY","http_status":400,"meaning":"M."}]`: "FileEmpty",
		`[{"code":"a","status":400}]`:                                                                                         "unknown field",
	} {
		path := filepath.Join(t.TempDir(), "errors.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := catalogue(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
