package outside

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A program that the system could not start is told when the tools are loaded.
func TestProgramsThatCannotStart(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	for head, want := range map[string]string{
		"#!/bin/sh\n": "", "#! /usr/bin/env sh\n": "", string(binary[:300]): "",
		"#!/nope/python\nprint()": "the interpreter /nope/python, which is no program", "print()\n": "no #! line", "": "no #! line", "#!\n": "no #! line",
		"#!/bin/sh\r\nexit\r\n": "carriage return", "#!/tmp\n": "/tmp, which is no program",
	} {
		path := filepath.Join(t.TempDir(), "program")
		if err := os.WriteFile(path, []byte(head), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := startable(path); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %q", head, err, want)
		}
	}
}

// A file argument stands in the top level: deeper the program would get no file.
func TestFileArgumentsAreAtTheTop(t *testing.T) {
	for schema, want := range map[string]string{
		`{"properties":{"a":{"type":"string","format":"atelier-file"},"b":{"type":"string"}}}`:              "",
		`{"properties":{"a":{"properties":{"b":{"type":"string","format":"atelier-file"}}}}}`:               "/properties/a/properties/b has the format",
		`{"properties":{"a":{"items":{"type":"string","format":"atelier-file"}}}}`:                          "/properties/a/items",
		`{"properties":{"a":{"anyOf":[{"type":"number"},{"type":"string","format":"atelier-file"}]}}}`:      "/properties/a/anyOf/1",
		`{"properties":{"a":{"$ref":"#/$defs/f"}},"$defs":{"f":{"type":"string","format":"atelier-file"}}}`: "/$defs/f",
	} {
		if _, err := fileArguments([]byte(schema)); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", schema, err, want)
		}
	}
}
