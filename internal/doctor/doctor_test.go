package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/engine"
	"atelier/internal/testenv"
)

func TestMain(m *testing.M) {
	engine.SandboxMain()
	os.Exit(m.Run())
}

func hostAt(t *testing.T, root string) *engine.LocalHost {
	t.Helper()
	host, err := engine.NewHost(engine.Options{Root: root, Work: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { host.Close() })
	return host
}

// An engine that is missing has a hint and breaks nothing; one that is there and
// does not start is broken.
func TestMissingAndBroken(t *testing.T) {
	root := t.TempDir()
	driver := filepath.Join(root, "truck", "bin", "truck-driver")
	if err := os.MkdirAll(filepath.Dir(driver), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(driver, []byte("#!/bin/sh\nkill -9 $$\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	r := Examine(context.Background(), Options{Host: hostAt(t, root), Data: t.TempDir(), Version: "test"})
	found := map[string]Engine{}
	for _, e := range r.Engines {
		found[e.Name] = e
	}
	if e := found["mfem"]; e.Installed || !strings.Contains(e.Hint, "make engines") || e.Fault != "" {
		t.Errorf("mfem: %+v", e)
	}
	if e := found["truck"]; !e.Installed || e.Fault == "" || r.OK {
		t.Errorf("truck: %+v, ok %v", e, r.OK)
	}
	var text bytes.Buffer
	if err := r.WriteText(&text); err != nil || !strings.Contains(text.String(), "! truck") {
		t.Errorf("%v\n%s", err, text.String())
	}
	if raw, err := json.Marshal(r); err != nil || !strings.Contains(string(raw), `"landlock_abi"`) {
		t.Errorf("%v %s", err, raw)
	}
}

func TestFolderThatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if f := examineFolder(filepath.Join(file, "data")); f.Writable || f.Fault == "" {
		t.Errorf("%+v", f)
	}
	if f := examineFolder(t.TempDir()); !f.Writable || f.FreeBytes <= 0 {
		t.Errorf("%+v", f)
	}
}

// The engines of this machine pass their golden cases.
func TestSelftest(t *testing.T) {
	host := hostAt(t, testenv.Engines())
	testenv.NeedEngines(t, host, "ngspice")
	got := selftest(context.Background(), host, "ngspice")
	if got.Status != "passed" || len(got.Cases) != 2 {
		t.Errorf("%+v", got)
	}
}
