package job

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// folders makes the jobs' folders, <root>/<process>/<job id>. Each process locks
// its own; those of processes that are dead, and so hold no lock, are removed.
//
// Making a folder is the dearest part of a quick call (a quarter of a
// millisecond of ext4's time), and most quick tools write no file. So theirs
// are numbered instead, and one that was left empty serves the next call.
type folders struct {
	root string
	lock *os.File

	mu    sync.Mutex
	empty []string
	made  int
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
	if j.Queue == "" {
		return f.makeQuick()
	}
	dir := filepath.Join(f.root, j.ID)
	if j.Attempt > 1 {
		dir += fmt.Sprintf(".%d", j.Attempt) // an earlier attempt may still be ending here
	}
	return dir, os.Mkdir(dir, 0o700)
}

func (f *folders) makeQuick() (string, error) {
	f.mu.Lock()
	if n := len(f.empty); n > 0 {
		dir := f.empty[n-1]
		f.empty = f.empty[:n-1]
		f.mu.Unlock()
		return dir, nil
	}
	f.made++
	dir := filepath.Join(f.root, fmt.Sprintf("quick_%d", f.made))
	f.mu.Unlock()
	return dir, os.Mkdir(dir, 0o700)
}

func (f *folders) remove(j *Job, dir string) {
	if j.Queue != "" || !untouched(dir) {
		removeAll(dir)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.empty = append(f.empty, dir)
}

func untouched(dir string) bool {
	d, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer d.Close()
	info, err := d.Stat()
	if err != nil || info.Mode() != os.ModeDir|0o700 {
		return false
	}
	_, err = d.Readdirnames(1)
	return err == io.EOF
}

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
