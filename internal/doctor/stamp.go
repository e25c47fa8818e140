package doctor

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"atelier/internal/engine"
	"atelier/internal/evidence"
)

// stampFile keeps the outcome of the last golden cases in the data folder.
const stampFile = "selftest.json"

// stamp is the outcome for one engine, and the program that it holds for.
type stamp struct {
	evidence.Selftest
	Program  string    `json:"program"`
	Bytes    int64     `json:"bytes"`
	Modified time.Time `json:"modified"`
}

func (s stamp) holdsFor(program string) bool {
	info, err := os.Stat(program)
	return err == nil && s.Program == program && s.Bytes == info.Size() && s.Modified.Equal(info.ModTime())
}

// Record writes down which engines passed or failed their golden cases; it keeps
// the stamps of those that were not tried.
func (r *Report) Record(data string) error {
	stamps, err := readStamps(data)
	if err != nil {
		return err
	}
	for _, e := range r.Engines {
		if e.Selftest == nil || e.Selftest.Status == "none" {
			continue
		}
		info, err := os.Stat(e.Path)
		if err != nil {
			return err
		}
		stamps[e.Name] = stamp{
			Selftest: evidence.Selftest{Engine: e.Name, Version: e.Version, Passed: e.Selftest.Status == "passed", At: time.Now().UTC().Format(time.RFC3339)},
			Program:  e.Path, Bytes: info.Size(), Modified: info.ModTime(),
		}
	}
	raw, err := json.MarshalIndent(stamps, "", "  ")
	if err != nil {
		return err
	}
	next := filepath.Join(data, stampFile+".new")
	if err := os.WriteFile(next, append(raw, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(next, filepath.Join(data, stampFile))
}

func readStamps(data string) (map[string]stamp, error) {
	stamps := map[string]stamp{}
	raw, err := os.ReadFile(filepath.Join(data, stampFile))
	if errors.Is(err, fs.ErrNotExist) {
		return stamps, nil
	}
	if err == nil && json.Unmarshal(raw, &stamps) != nil {
		return map[string]stamp{}, nil // half a file is as good as none: the cases can be run again
	}
	return stamps, err
}

// Stamps finds the stamp of an engine, as long as it is of the program that runs
// now. The file is read at every call, so that a new stamp counts at once.
func Stamps(data string, host *engine.LocalHost) func(name string) (evidence.Selftest, bool) {
	return func(name string) (evidence.Selftest, bool) {
		stamps, err := readStamps(data)
		if err != nil {
			return evidence.Selftest{}, false
		}
		program, err := host.Path(name)
		s, ok := stamps[name]
		return s.Selftest, ok && err == nil && s.holdsFor(program)
	}
}
