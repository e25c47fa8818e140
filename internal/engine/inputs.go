package engine

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// inputs are the files given to one job, as they stand in its folder.
type inputs struct {
	dir   string
	files []string // what was placed, relative
	dirs  []string // folders made for them, outermost first
	real  []string // the files themselves, which the engine must be able to read
}

// place makes the job's input files appear below dir: as symbolic links, or as
// copies where the engine was confined before the job was known.
func place(dir string, wanted map[string]string, copied bool) (*inputs, error) {
	in := &inputs{dir: dir}
	for name, source := range wanted {
		if err := in.add(name, source, copied); err != nil {
			in.remove()
			return nil, fmt.Errorf("input %s: %w", name, err)
		}
	}
	return in, nil
}

func (in *inputs) add(name, source string, copied bool) error {
	if !fs.ValidPath(name) || name == "." || strings.Contains(name, `\`) {
		return fmt.Errorf("%q is not a relative path inside the job's folder", name)
	}
	real, err := filepath.EvalSymlinks(source)
	if err != nil {
		return err
	}
	info, err := os.Stat(real)
	if err != nil {
		return err
	}
	target := filepath.Join(in.dir, filepath.FromSlash(name))
	if there, err := os.Stat(target); err == nil {
		if os.SameFile(there, info) {
			return nil // the tool wrote it there itself
		}
		return fs.ErrExist
	}
	if err := in.mkdirs(path.Dir(name)); err != nil {
		return err
	}
	in.files = append(in.files, name)
	if copied {
		return copyFile(real, target)
	}
	in.real = append(in.real, real)
	return os.Symlink(real, target)
}

func (in *inputs) mkdirs(dir string) error {
	if dir == "." {
		return nil
	}
	if err := in.mkdirs(path.Dir(dir)); err != nil {
		return err
	}
	err := os.Mkdir(filepath.Join(in.dir, filepath.FromSlash(dir)), 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		in.dirs = append(in.dirs, dir)
	}
	return err
}

// remove takes away what place put there; a folder stays when the engine wrote
// into it. It works through os.Root, since the engine may have changed the tree.
func (in *inputs) remove() {
	root, err := os.OpenRoot(in.dir)
	if err != nil {
		return
	}
	defer root.Close()
	for _, name := range in.files {
		_ = root.Remove(name)
	}
	for i := len(in.dirs) - 1; i >= 0; i-- {
		_ = root.Remove(in.dirs[i])
	}
}

func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err := io.Copy(target, source); err != nil {
		target.Close()
		return err
	}
	return target.Close()
}
