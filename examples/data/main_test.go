package main

import (
	"os"
	"testing"

	"atelier/internal/testenv"
)

// What lies here is what the program makes.
func TestFilesAreAsMade(t *testing.T) {
	made := files()
	entries, err := os.ReadDir(testenv.Path("examples", "data"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range made {
		got, err := os.ReadFile(testenv.Path("examples", "data", name))
		if err != nil || string(got) != want {
			t.Errorf("%s is not what go run ./examples/data makes: %v", name, err)
		}
	}
	if sources := 4; len(entries) != len(made)+sources {
		t.Errorf("%d files, the program makes %d beside its %d sources", len(entries), len(made), sources)
	}
}
