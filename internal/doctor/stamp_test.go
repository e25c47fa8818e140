package doctor

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"atelier/internal/testenv"
)

// A stamp counts for the program that earned it, and for no other.
func TestStampsBelongToAProgram(t *testing.T) {
	host := hostAt(t, testenv.Engines())
	testenv.NeedEngines(t, host, "ngspice")
	program, err := host.Path("ngspice")
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	stamps := Stamps(data, host)
	if s, ok := stamps("ngspice"); ok {
		t.Errorf("a stamp without a test: %+v", s)
	}
	for _, status := range []string{"passed", "failed", "none"} {
		r := Report{Engines: []Engine{{Name: "ngspice", Version: "39", Path: program, Selftest: &Selftest{Status: status}}}}
		if err := r.Record(data); err != nil {
			t.Fatal(err)
		}
		// An engine without golden cases keeps what it had: here the failure before.
		if s, ok := stamps("ngspice"); !ok || s.Passed != (status == "passed") || s.Version != "39" {
			t.Errorf("%s: %v %+v", status, ok, s)
		}
	}
	if _, ok := stamps("mfem"); ok {
		t.Error("an engine has the stamp of another")
	}
	other := filepath.Join(t.TempDir(), "ngspice")
	if err := os.WriteFile(other, []byte("x"), 0o700); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(other)
	if err != nil {
		t.Fatal(err)
	}
	s := stamp{Program: other, Bytes: info.Size(), Modified: info.ModTime()}
	if !s.holdsFor(other) || s.holdsFor(program) {
		t.Error("a stamp holds for another program")
	}
	if err := os.Chtimes(other, time.Now(), info.ModTime().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if s.holdsFor(other) {
		t.Error("a stamp outlives the change of its program")
	}
}
