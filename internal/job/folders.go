package job

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// folders makes the jobs' folders, <root>/<process>/<job id>. Each process locks
// its own; those of processes that are dead, and so hold no lock, are removed.
//
// Making a folder is the dearest part of a quick call (a quarter of a
// millisecond of ext4's time), and most quick tools write no file. So theirs
// are numbered instead, and one that was left untouched serves the next call.
type folders struct {
	root string
	lock *os.File

	mu    sync.Mutex
	empty []quickFolder
	made  int
}

// quickFolder is an empty folder, open where it has been left alone for a while,
// and when it was last changed: whoever adds, removes or renames an entry, or
// changes its mode, changes these times.
type quickFolder struct {
	dir          string
	open         *os.File
	mtime, ctime unix.Timespec
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

func (f *folders) make(j *Job) (quickFolder, error) {
	if j.Queue == "" {
		return f.makeQuick()
	}
	dir := filepath.Join(f.root, j.ID)
	if j.Attempt > 1 {
		dir += fmt.Sprintf(".%d", j.Attempt) // an earlier attempt may still be ending here
	}
	return quickFolder{dir: dir}, os.Mkdir(dir, 0o700)
}

func (f *folders) makeQuick() (quickFolder, error) {
	f.mu.Lock()
	if n := len(f.empty); n > 0 {
		q := f.empty[n-1]
		f.empty = f.empty[:n-1]
		f.mu.Unlock()
		return q, nil
	}
	f.made++
	q := quickFolder{dir: filepath.Join(f.root, fmt.Sprintf("quick_%d", f.made))}
	f.mu.Unlock()
	return q, os.Mkdir(q.dir, 0o700)
}

func (f *folders) remove(j *Job, q quickFolder) {
	if j.Queue != "" || !q.untouched() {
		q.close()
		removeAll(q.dir)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.empty = append(f.empty, q)
}

// clockGrain is the coarsest step in which a file system of a work folder keeps
// its times (ext4 and xfs: a tick of the kernel's clock, 10 ms at most). Two
// changes within one step leave the same time behind.
const clockGrain = 2 * time.Second

// untouched says whether the folder is as empty as it was handed out. One look
// at its times tells that of a folder that had been left alone for a while
// before; a younger one is read.
func (q *quickFolder) untouched() bool {
	var now unix.Stat_t
	if q.open != nil && unix.Fstat(int(q.open.Fd()), &now) == nil && q.mtime == now.Mtim && q.ctime == now.Ctim {
		return true
	}
	q.close()
	d, err := os.Open(q.dir)
	if err != nil {
		return false
	}
	q.open = d
	if unix.Fstat(int(d.Fd()), &now) != nil || now.Mode&(unix.S_IFMT|0o7777) != unix.S_IFDIR|0o700 {
		return false
	}
	if _, err = d.Readdirnames(1); err != io.EOF {
		return false
	}
	if time.Since(time.Unix(now.Ctim.Unix())) > clockGrain {
		q.mtime, q.ctime = now.Mtim, now.Ctim
	} else {
		q.close()
	}
	return true
}

func (q *quickFolder) close() {
	if q.open != nil {
		q.open.Close()
		q.open = nil
	}
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
	for i := range f.empty {
		f.empty[i].close()
	}
	return errors.Join(removeAll(f.root), os.Remove(f.root+".lock"), f.lock.Close())
}
