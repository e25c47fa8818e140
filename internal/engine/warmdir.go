package engine

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// warmDir is the folder that holds the folders of a host's waiting
// processes. A lock on it says that its host lives, so that another host can
// tell what a killed one left and remove it.
type warmDir struct {
	path string
	lock *os.File
}

const (
	warmPattern = "warm-*"
	warmLock    = "lock"
)

// makeWarmDir makes the host's folder when the first process is to wait, and
// removes those of hosts that are gone.
func (h *LocalHost) makeWarmDir() (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.warmDir != nil {
		return h.warmDir.path, nil
	}
	if err := os.MkdirAll(h.work, 0o700); err != nil {
		return "", err
	}
	sweepWarmDirs(h.work)
	path, err := os.MkdirTemp(h.work, warmPattern)
	if err != nil {
		return "", err
	}
	lock, err := os.Create(filepath.Join(path, warmLock))
	if err == nil {
		err = unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(path))
	}
	h.warmDir = &warmDir{path, lock}
	return path, nil
}

// sweepWarmDirs removes the folders whose lock nobody holds. One without a lock file
// is being made at this moment and stays.
func sweepWarmDirs(work string) {
	dirs, _ := filepath.Glob(filepath.Join(work, warmPattern))
	for _, dir := range dirs {
		lock, err := os.Open(filepath.Join(dir, warmLock))
		if err != nil {
			continue
		}
		if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			_ = os.RemoveAll(dir)
		}
		lock.Close()
	}
}

func (r *warmDir) remove() error {
	if r == nil {
		return nil
	}
	err := os.RemoveAll(r.path)
	return errors.Join(err, r.lock.Close())
}
