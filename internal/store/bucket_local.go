package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// local keeps contents in a folder. gocloud's fileblob does not fsync, so this
// does it itself: file, rename, folder.
type local struct {
	root string
	// durable holds the folders whose entries in their parents this process has
	// made sure of.
	durable sync.Map
}

func openLocal(root string) (*local, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	l := &local{root: root}
	if err := os.MkdirAll(filepath.Join(root, "blobs"), 0o700); err != nil {
		return nil, err
	}
	return l, os.MkdirAll(l.spoolDir(), 0o700)
}

func (l *local) path(sha string) string { return filepath.Join(l.root, filepath.FromSlash(key(sha))) }

func (l *local) spoolDir() string { return filepath.Join(l.root, "spool") }

func (l *local) put(ctx context.Context, spooled, sha string) error {
	target := l.path(sha)
	dir := filepath.Dir(target)
	if got, err := hashFile(ctx, target); err == nil && got == sha {
		return syncFile(dir) // another may just have renamed it, and not synced yet
	}
	if err := syncFile(spooled); err != nil {
		return err
	}
	// Contents never change: no later writer may open one by mistake.
	if err := os.Chmod(spooled, 0o444); err != nil {
		return err
	}
	if err := l.makeDir(dir); err != nil {
		return err
	}
	// A second name is moved, so that the spooled file is still there should a
	// sweep have freed the content meanwhile and it has to be put again. A damaged
	// content is replaced in one step, under whoever reads it.
	second := spooled + "-second"
	defer os.Remove(second)
	if err := linkOrCopy(spooled, second); err != nil {
		return err
	}
	return errors.Join(os.Rename(second, target), syncFile(dir))
}

// linkOrCopy gives a file a second name or, where the file system has no links, a
// durable copy.
func linkOrCopy(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o444)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}

// makeDir makes blobs/ab/cd so that it survives a power cut: a folder's entry
// lives in its parent, and another process may have made it without having
// synced that yet.
func (l *local) makeDir(dir string) error {
	if dir == l.root {
		return nil
	}
	if _, done := l.durable.Load(dir); done {
		return nil
	}
	parent := filepath.Dir(dir)
	if err := l.makeDir(parent); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := syncFile(parent); err != nil {
		return err
	}
	l.durable.Store(dir, true)
	return nil
}

func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func (l *local) exists(_ context.Context, sha string) (bool, error) {
	_, err := os.Stat(l.path(sha))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func (l *local) remove(_ context.Context, sha string) error {
	err := os.Remove(l.path(sha))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (l *local) localPath(_ context.Context, sha string) (string, error) {
	_, err := os.Stat(l.path(sha))
	return l.path(sha), err
}

func (l *local) dropCopy(context.Context, string) bool { return false }

func (l *local) close() error { return nil }
