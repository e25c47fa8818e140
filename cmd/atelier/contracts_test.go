package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/testenv"
	"atelier/internal/tools"
)

// reference is the contracts of the last release tag, or the committed baseline
// while there is none, or where this is no git checkout.
func reference(t *testing.T) (string, []*contract.Contract) {
	t.Helper()
	source := testenv.Path("api", "baseline")
	if tag, err := git("describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"); err == nil {
		source = strings.TrimSpace(string(tag))
	}
	contracts, err := contractsOf(source)
	if err != nil {
		t.Fatal(err)
	}
	return source, contracts
}

// A breaking change without a major version, or an addition without a minor
// one, does not land.
func TestContractsKeepWhatTheyPromised(t *testing.T) {
	source, before := reference(t)
	if len(before) < 2 {
		t.Fatalf("%s holds %d contracts", source, len(before))
	}
	_, faults := contract.CompareAll(before, ownContracts())
	for _, fault := range faults {
		t.Errorf("against %s: %s", source, fault)
	}
}

// Of each major at least one earlier minor goes on answering.
func TestTheEarlierMinorStillAnswers(t *testing.T) {
	source, before := reference(t)
	registry, err := contract.NewRegistry(tools.All(tools.Parts{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, old := range before {
		tool, err := registry.Find(old.Name)
		if err != nil || tool.Contract.Major() != old.Major() {
			continue // gone by the policy, or broken by a major version
		}
		if _, err := tool.Version(old.Version); err != nil {
			t.Errorf("%s %s no longer answers: put the file it has in %s beside the new one and give it to contract.Bind (%v)", old.Name, old.Version, source, err)
		}
	}
}

func TestTheDiffCommandFindsABreakingChange(t *testing.T) {
	dir := t.TempDir()
	before, after := filepath.Join(dir, "before"), filepath.Join(dir, "after")
	for _, d := range []string{before, after} {
		if err := (&contractsExport{Dir: d}).Run(); err != nil {
			t.Fatal(err)
		}
	}
	if err := (&contractsDiff{Old: before}).Run(); err != nil {
		t.Fatalf("a program against its own contracts: %v", err)
	}
	echo := filepath.Join(after, "echo_json.json")
	text, err := os.ReadFile(echo)
	if err != nil {
		t.Fatal(err)
	}
	// api/spec/execute.md gives n a maximum of 64; 32 refuses what was valid
	broken := strings.Replace(string(text), `"maximum": 64`, `"maximum": 32`, 1)
	if broken == string(text) {
		t.Fatal("echo_json has no maximum of 64")
	}
	if err := os.WriteFile(echo, []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
	err = (&contractsDiff{Old: before, New: after}).Run()
	if err == nil || !strings.Contains(err.Error(), "/input_schema/properties/n/maximum") || !strings.Contains(err.Error(), "raise the version from 1.0.0 to 2.0.0") {
		t.Errorf("%v", err)
	}
	raised := strings.Replace(broken, `"version": "1.0.0"`, `"version": "2.0.0"`, 1)
	if err := os.WriteFile(echo, []byte(raised), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (&contractsDiff{Old: before, New: after}).Run(); err != nil {
		t.Errorf("with a major version: %v", err)
	}
	if err := (&contractsCheck{Path: []string{after}}).Run(); err != nil {
		t.Error(err)
	}
	for _, nothing := range []string{testenv.Path("Makefile"), "no-such-revision", "--help"} {
		if err := (&contractsDiff{Old: nothing}).Run(); err == nil {
			t.Errorf("%s was taken for contracts", nothing)
		}
	}
}
