package testenv

import (
	"encoding/json"
	"maps"
	"os"
	"testing"
)

// StepFile is the path of a real STEP file, of the repository's corpus or else of
// the folder of Shared; where it is in neither the test is skipped.
func StepFile(t testing.TB, name string) string {
	t.Helper()
	if path := Corpus("step", name); exists(path) {
		return path
	}
	return Shared(t, "data", "step", name)
}

// StepFacts are the exact figures of the STEP files at hand, by name: those of
// the corpus and, where the folder of Shared is there, of the others.
func StepFacts[T any](t testing.TB) map[string]T {
	t.Helper()
	facts := map[string]T{}
	for _, path := range []string{sharedPath("data", "step", "facts.json"), Corpus("step", "facts.json")} {
		raw, err := os.ReadFile(path)
		if os.IsNotExist(err) && path != Corpus("step", "facts.json") {
			continue
		}
		part := map[string]T{}
		if err == nil {
			err = json.Unmarshal(raw, &part)
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		maps.Copy(facts, part)
	}
	return facts
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
