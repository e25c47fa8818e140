package job

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A quick call's folder serves the next call only when nothing was done to it,
// however little.
func TestQuickFolders(t *testing.T) {
	f, err := openFolders(t.TempDir(), "p")
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	quick := &Job{}
	use := func(touch func(dir string)) (before, after string) {
		t.Helper()
		q, err := f.make(quick)
		if err != nil {
			t.Fatal(err)
		}
		before = q.dir
		if touch != nil {
			touch(q.dir)
		}
		f.remove(quick, q)
		next, err := f.make(quick)
		if err != nil {
			t.Fatal(err)
		}
		if left, err := os.ReadDir(next.dir); err != nil || len(left) > 0 {
			t.Fatalf("the next call gets %v %v", left, err)
		}
		if info, err := os.Stat(next.dir); err != nil || info.Mode() != os.ModeDir|0o700 {
			t.Fatalf("the next call gets %v %v", info, err)
		}
		f.remove(quick, next)
		return before, next.dir
	}
	touches := map[string]func(string){
		"a file":      func(dir string) { os.WriteFile(filepath.Join(dir, "x"), nil, 0o600) },
		"a folder":    func(dir string) { os.Mkdir(filepath.Join(dir, "x"), 0o700) },
		"a link":      func(dir string) { os.Symlink("/", filepath.Join(dir, "x")) },
		"its mode":    func(dir string) { os.Chmod(dir, 0o500) },
		"its own end": func(dir string) { os.Remove(dir) },
	}
	for name, touch := range touches {
		if before, after := use(touch); before == after {
			t.Errorf("%s was not noticed", name)
		}
	}
	if before, after := use(nil); before != after {
		t.Error("an untouched folder does not serve again")
	}
}

// After it has been left alone for a while a folder is known by its times alone,
// and even a file that comes and goes makes it be read again.
func TestQuickFolderKnownByItsTimes(t *testing.T) {
	f, err := openFolders(t.TempDir(), "p")
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	quick := &Job{}
	q, err := f.make(quick)
	if err != nil {
		t.Fatal(err)
	}
	if !q.untouched() || q.open != nil {
		t.Fatal("a young folder is taken at its times")
	}
	time.Sleep(clockGrain + 100*time.Millisecond)
	if !q.untouched() || q.open == nil {
		t.Fatal("an old folder is not kept open")
	}
	known := q.mtime
	path := filepath.Join(q.dir, "x")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if !q.untouched() {
		t.Fatal("an empty folder is thrown away")
	}
	if q.open != nil || known != q.mtime {
		t.Fatal("it was not read again")
	}
	f.remove(quick, q)
}
