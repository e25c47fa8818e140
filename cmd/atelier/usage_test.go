package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"atelier/internal/doctor"
)

// What a person gets wrong on the command line is told with its place and a remedy.
func TestFaultsOfTheCommandLine(t *testing.T) {
	dir := t.TempDir()
	blocked := filepath.Join(dir, "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	config := func(text string) error {
		name := filepath.Join(dir, "config.json")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		parser, err := kong.New(&cli{}, kong.Configuration(configuration(io.Discard)), kong.Vars(variables()))
		if err != nil {
			t.Fatal(err)
		}
		_, err = parser.Parse([]string{"--config", name, "serve"})
		return err
	}
	input := func(text string) error { _, err := readInput(text); return err }
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"good configuration":    {config(`{"addr": "127.0.0.1:0", "keep-jobs": "10h", "log_level": "warn"}`), ""},
		"comma too many":        {config("{\"addr\": \"127.0.0.1:0\",\n}"), "(line 2, column 1). Take the comma before the } away."},
		"misspelt key":          {config(`{"adr": "127.0.0.1:0"}`), `did you mean "addr"?`},
		"no key":                {config(`{"frequency": 3}`), "keys are the flags"},
		"input file not there":  {input("@" + dir + "/none.json"), "holds the input as JSON"},
		"data folder not a one": {(&storage{Data: filepath.Join(blocked, "data")}).fill(), "choose another with --data"},
		"root not there":        {(&storage{Data: dir, Root: []string{dir + "/none"}}).fill(), "is not a folder"},
		"part not there":        {(&runCmd{Words: []string{"part.step", "steel"}}).Run(), "no file part.step"},
		"no port":               {checkAddress("8080", ""), "such as 127.0.0.1:8080"},
	} {
		if (c.err == nil) != (c.want == "") || c.err != nil && !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, c.err, c.want)
		}
	}
	if word := (&runCmd{Words: []string{blocked, "steel", "as in part.step"}}).missing(); word != "" {
		t.Errorf("%q is no missing file", word)
	}
}

// A data folder that cannot be used is what the doctor is asked about.
func TestTheDoctorExaminesABrokenDataFolder(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := storage{Data: filepath.Join(blocked, "data"), Engines: t.TempDir()}
	if err := s.complete(); err != nil {
		t.Fatal(err)
	}
	host, err := newHost(s, t.TempDir(), cold)
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	report := doctor.Examine(t.Context(), doctor.Options{Host: host, Data: s.Data})
	var text strings.Builder
	if err := report.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if report.OK || !strings.Contains(text.String(), "! Data folder "+s.Data+" cannot be written") || !strings.Contains(text.String(), "Engines, in "+s.Engines) {
		t.Errorf("%s", text.String())
	}
}
