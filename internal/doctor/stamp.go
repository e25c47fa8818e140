package doctor

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
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
// now. The file is read again when it is another one, so that a new stamp counts
// at once.
func Stamps(data string, host *engine.LocalHost) func(name string) (evidence.Selftest, bool) {
	var mu sync.Mutex
	var read fs.FileInfo
	var stamps map[string]stamp
	current := func() map[string]stamp {
		mu.Lock()
		defer mu.Unlock()
		info, err := os.Stat(filepath.Join(data, stampFile))
		if err != nil {
			return nil
		}
		if read == nil || !os.SameFile(read, info) || !read.ModTime().Equal(info.ModTime()) || read.Size() != info.Size() {
			if stamps, err = readStamps(data); err != nil {
				read = nil
				return nil
			}
			read = info
		}
		return stamps
	}
	return func(name string) (evidence.Selftest, bool) {
		program, err := host.Path(name)
		if err != nil { // a tool of this program, or an engine that is not there
			return evidence.Selftest{}, false
		}
		s, ok := current()[name]
		return s.Selftest, ok && s.holdsFor(program)
	}
}
