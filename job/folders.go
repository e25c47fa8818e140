package job

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// folders makes the jobs' folders, <root>/<process>/<job id>. Each process locks
// its own; those of processes that are dead, and so hold no lock, are removed.
type folders struct {
	root string
	lock *os.File
}

func openFolders(workDir, process string) (*folders, error) {
	if workDir == "" {
		return nil, errors.New("Options.WorkDir is not set")
	}
	workDir, err := filepath.Abs(workDir)
	if err != nil {
		return nil, err
	}
	f := &folders{root: filepath.Join(workDir, process)}
	if err := os.MkdirAll(f.root, 0o700); err != nil {
		return nil, err
	}
	if f.lock, err = tryLock(f.root + ".lock"); err != nil {
		return nil, err
	}
	return f, removeDead(workDir)
}

func tryLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func removeDead(workDir string) error {
	locks, err := filepath.Glob(filepath.Join(workDir, "*.lock"))
	if err != nil {
		return err
	}
	for _, path := range locks {
		f, err := tryLock(path)
		if err != nil {
			continue // its process lives
		}
		err = errors.Join(removeAll(strings.TrimSuffix(path, ".lock")), os.Remove(path), f.Close())
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *folders) make(j *Job) (string, error) {
	dir := filepath.Join(f.root, j.ID)
	if j.Attempt > 1 {
		dir += fmt.Sprintf(".%d", j.Attempt) // an earlier attempt may still be ending here
	}
	return dir, os.Mkdir(dir, 0o700)
}

func (f *folders) remove(dir string) { removeAll(dir) }

// removeAll also removes folders that a tool has made read-only.
func removeAll(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}

func (f *folders) close() error {
	return errors.Join(removeAll(f.root), os.Remove(f.root+".lock"), f.lock.Close())
}
