package engine

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// waitingRoom is the folder that holds the folders of a host's waiting
// processes. A lock on it says that its host lives, so that another host can
// tell what a killed one left and remove it.
type waitingRoom struct {
	path string
	lock *os.File
}

const (
	roomPattern = "warm-*"
	roomLock    = "lock"
)

// waitingRoom makes the host's room when the first process is to wait, and
// removes those of hosts that are gone.
func (h *LocalHost) waitingRoom() (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.room != nil {
		return h.room.path, nil
	}
	if err := os.MkdirAll(h.work, 0o700); err != nil {
		return "", err
	}
	sweepRooms(h.work)
	path, err := os.MkdirTemp(h.work, roomPattern)
	if err != nil {
		return "", err
	}
	lock, err := os.Create(filepath.Join(path, roomLock))
	if err == nil {
		err = unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(path))
	}
	h.room = &waitingRoom{path, lock}
	return path, nil
}

// sweepRooms removes the rooms whose lock nobody holds. One without a lock file
// is being made at this moment and stays.
func sweepRooms(work string) {
	rooms, _ := filepath.Glob(filepath.Join(work, roomPattern))
	for _, room := range rooms {
		lock, err := os.Open(filepath.Join(room, roomLock))
		if err != nil {
			continue
		}
		if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			_ = os.RemoveAll(room)
		}
		lock.Close()
	}
}

func (r *waitingRoom) remove() error {
	if r == nil {
		return nil
	}
	err := os.RemoveAll(r.path)
	return errors.Join(err, r.lock.Close())
}
