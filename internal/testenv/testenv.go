// Package testenv tells tests where things lie, and lets them skip in one way
// only: by a skip that turns into a failure where ATELIER_STRICT=1, as in the
// checks that decide whether a change lands.
package testenv

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Root is the repository's folder: the nearest one above that has a go.mod.
func Root() string {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		above := filepath.Dir(dir)
		if above == dir {
			panic("testenv: there is no go.mod above the working directory; run tests inside the repository")
		}
		dir = above
	}
}

// Path is an absolute path inside the repository.
func Path(elem ...string) string { return filepath.Join(append([]string{Root()}, elem...)...) }

// Engines is the folder of the native engines: ATELIER_ENGINES, or .engines in
// the repository.
func Engines() string { return fromEnv("ATELIER_ENGINES", ".engines") }

// Bracket is the STEP part that the examples share.
func Bracket() string { return Path("examples", "bracket", "bracket.step") }

// Corpus is a path in the reference data of the repository.
func Corpus(elem ...string) string {
	return Path(append([]string{"test", "corpus"}, elem...)...)
}

// Shared is a path in the folder of reference data that may not be copied into
// the repository (ATELIER_SHARED, or shared beside the repository). Where it is
// missing the test is skipped.
func Shared(t testing.TB, elem ...string) string {
	t.Helper()
	path := sharedPath(elem...)
	found, err := filepath.Glob(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		Skip(t, SharedData, "%s is not here; ATELIER_SHARED names the folder of reference data that may not be copied", path)
	}
	return found[0]
}

func sharedPath(elem ...string) string {
	folder := fromEnv("ATELIER_SHARED", filepath.Join("..", "shared"))
	return filepath.Join(append([]string{folder}, elem...)...)
}

// fromEnv is the folder that a variable names, or else one of the repository; a
// relative one is meant from the repository, not from the package under test.
func fromEnv(variable, otherwise string) string {
	dir := os.Getenv(variable)
	if dir == "" {
		dir = otherwise
	}
	if !filepath.IsAbs(dir) {
		dir = Path(dir)
	}
	return dir
}

// NeedEngines skips the test where one of the engines is not installed.
func NeedEngines(t testing.TB, host interface{ Check(name string) error }, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := host.Check(name); err != nil {
			Skip(t, Engine, "the engine %s is missing; make engines installs it: %v", name, err)
		}
	}
}

// What a test may miss.
const (
	SharedData = "shared-data" // the folder of Shared
	Engine     = "engine"
	Optional   = "optional" // an engine that is installed only by its name
	Postgres   = "postgres" // a server, named by ATELIER_TEST_POSTGRES
	S3         = "s3"       // a bucket, named by ATELIER_TEST_S3
	Chromium   = "chromium"
	Program    = "program" // another program of the system
	System     = "system"  // something that this operating system or kernel has not
	Ports      = "ports"   // free ones, of a fixed range
	Time       = "time"    // asked for by go test -short
	NoRace     = "no-race" // a build without the race detector
)

// Skip skips the test for what is missing. Where ATELIER_STRICT=1 it fails
// instead, unless exceptions.txt lists the test with that very lack: what was not
// checked must not look as if it had been.
func Skip(t testing.TB, missing, reason string, args ...any) {
	t.Helper()
	why := fmt.Sprintf(reason, args...)
	if os.Getenv("ATELIER_STRICT") != "1" {
		t.Skip(why)
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := filepath.Rel(Root(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if listed, ok := exception(filepath.ToSlash(pkg), t.Name(), missing); ok {
		t.Skipf("%s (listed: %s)", why, listed)
	}
	t.Fatalf("skipped for want of %s, which internal/testenv/exceptions.txt does not allow here: %s", missing, why)
}

//go:embed exceptions.txt
var exceptions string

type exempt struct{ pkg, test, missing, why string }

// exempted reads exceptions.txt; its head says what a line holds.
func exempted() []exempt {
	var all []exempt
	for line := range strings.Lines(exceptions) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Fields(line)
		if len(f) < 4 {
			panic("internal/testenv/exceptions.txt: a line needs a package, a test, what is missing and why: " + line)
		}
		all = append(all, exempt{f[0], f[1], f[2], strings.Join(f[3:], " ")})
	}
	return all
}

// exception is the reason for which a test, or the test that it is part of, may
// be skipped.
func exception(pkg, test, missing string) (string, bool) {
	for _, e := range exempted() {
		if e.pkg == pkg && e.missing == missing && (e.test == "*" || e.test == test || strings.HasPrefix(test, e.test+"/")) {
			return e.why, true
		}
	}
	return "", false
}
