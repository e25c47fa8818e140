package runner

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/store"
)

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPathsStayInsideTheRoots(t *testing.T) {
	base := t.TempDir()
	root, secret := filepath.Join(base, "root"), write(t, filepath.Join(base, "secret.txt"), "s")
	good := write(t, filepath.Join(root, "a", "part.step"), "x")
	write(t, filepath.Join(root, "empty.step"), "")
	for link, to := range map[string]string{"out": secret, "dir": base, "in": good, "loop": filepath.Join(root, "loop")} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	files := Resolver{Roots: []string{root}}.For(t.TempDir(), "")
	for ref, want := range map[string]string{
		good: "", "a/part.step": "", "./a/../a/part.step": "", "in": "",
		secret: contract.CodeFileOutsideRoots, "../secret.txt": contract.CodeFileOutsideRoots,
		"out": contract.CodeFileOutsideRoots, "dir/secret.txt": contract.CodeFileOutsideRoots,
		"/etc/passwd": contract.CodeFileOutsideRoots, "/nowhere/at/all": contract.CodeFileOutsideRoots,
		"a/../../secret.txt": contract.CodeFileOutsideRoots,
		"none.step":          contract.CodeFileNotFound, "loop": contract.CodeFileNotFound, "": contract.CodeFileNotFound, "a\x00b": contract.CodeFileNotFound,
		"a": contract.CodeFileUnreadable, "empty.step": contract.CodeFileEmpty,
		"session:mesh/x": contract.CodeFileNotFound, "http://example.com/x.step": contract.CodeFileNotFound,
	} {
		path, err := files.Path(context.Background(), ref)
		switch {
		case want == "" && (err != nil || path != good):
			t.Errorf("%q: %q %v", ref, path, err)
		case want != "" && (err == nil || contract.AsError(err).Code != want):
			t.Errorf("%q: got %v, want %s", ref, err, want)
		case want == contract.CodeFileOutsideRoots && strings.Contains(err.Error(), base) && !strings.Contains(ref, base):
			t.Errorf("%q: the error tells where the folder is: %v", ref, err)
		}
	}
}

// A call of a file that no engine can use does not wait for one.
func TestFilesAreLookedAtBeforeTheQueue(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{"good.txt": "curve", "empty.txt": "", "other.txt": "surface"} {
		write(t, filepath.Join(root, name), text)
	}
	text := strings.NewReplacer(
		`"input_schema":{"type":"object","additionalProperties":false,"properties":{"n":{"type":"integer"}}}`,
		`"input_schema":{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string"},"b":{"type":"string"}}}`,
		`"engine":"atelier"`, `"engine":"busy"`,
	).Replace(file)
	tool := contract.Bind([]byte(text), func(context.Context, *contract.Call, struct{}) (*contract.Result, error) { return nil, nil })
	curves := func(ref, path string) error {
		if text, err := os.ReadFile(path); err != nil || string(text) != "curve" {
			return contract.Errorf(contract.CodeFileUnreadable, "%s holds no curve", ref)
		}
		return nil
	}
	tool.Glances = map[string]contract.Glance{"/a": curves, "/b": nil}
	tools, err := contract.NewRegistry([]contract.Tool{tool})
	if err != nil {
		t.Fatal(err)
	}
	x := NewExecutor(tools, Resolver{Roots: []string{root}})
	for input, queue := range map[string]string{
		`{"a":"good.txt"}`: "busy", `{"a":"good.txt","b":"other.txt"}`: "busy", `{}`: "busy",
		`{"a":"other.txt"}`: "", `{"a":"good.txt","b":"empty.txt"}`: "", `{"a":"none.txt"}`: "", `{"b":"/etc/hosts"}`: "",
	} {
		route, err := x.Route(t.Context(), &job.Request{Tool: tool.Contract.Name, Input: json.RawMessage(input)})
		if err != nil || route.Queue != queue {
			t.Errorf("%s waits in queue %q, expected %q; %v", input, route.Queue, queue, err)
		}
	}
}

// A relative path is looked for in every root, and the first file of that name is taken.
func TestRelativePathsInSeveralRoots(t *testing.T) {
	base := t.TempDir()
	roots := []string{filepath.Join(base, "parts"), filepath.Join(base, "models")}
	first := write(t, filepath.Join(roots[0], "both.step"), "1")
	write(t, filepath.Join(roots[1], "both.step"), "2")
	second := write(t, filepath.Join(roots[1], "deep", "second.step"), "3")
	write(t, filepath.Join(roots[0], "empty.step"), "")
	write(t, filepath.Join(roots[1], "empty.step"), "4")
	if err := os.Symlink(write(t, filepath.Join(base, "secret.txt"), "s"), filepath.Join(roots[0], "out")); err != nil {
		t.Fatal(err)
	}
	inside := write(t, filepath.Join(roots[1], "out"), "5")
	files := Resolver{Roots: roots}.For(t.TempDir(), "")
	for ref, want := range map[string]string{"both.step": first, "deep/second.step": second, "./deep/../deep/second.step": second, "out": inside} {
		if path, err := files.Path(context.Background(), ref); err != nil || path != want {
			t.Errorf("%q: %q %v", ref, path, err)
		}
	}
	for ref, want := range map[string]string{"none.step": contract.CodeFileNotFound, "../secret.txt": contract.CodeFileOutsideRoots, "empty.step": contract.CodeFileEmpty} {
		_, err := files.Path(context.Background(), ref)
		if err == nil || contract.AsError(err).Code != want || strings.Contains(err.Error(), base) {
			t.Errorf("%q: %v", ref, err)
		}
		if want == contract.CodeFileNotFound && !strings.Contains(err.Error(), "parts, models") {
			t.Errorf("%q does not say where it was looked for: %v", ref, err)
		}
	}
}

// A collection that refers to its files by relative names must find them beside
// it, whatever store they come from.
func TestAnArtifactComesWithItsSeries(t *testing.T) {
	ctx := context.Background()
	data := t.TempDir()
	db, err := store.Open(ctx, filepath.Join(data, "t.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	blobs, err := store.OpenBlobs(ctx, db, "file://"+data, store.BlobOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer blobs.Close()
	var list []store.Artifact
	for name, head := range map[string]string{"solution/s.pvd": "", "solution/c0/p.vtu": "solution/s.pvd", "other.txt": ""} {
		b, err := blobs.Put(ctx, strings.NewReader(name))
		if err != nil {
			t.Fatal(err)
		}
		a := b.Artifact(name)
		a.JobID, a.Head = "job_x", head
		list = append(list, a)
	}
	if err := db.Write(ctx, func(tx store.Tx) error { return db.InsertArtifacts(ctx, tx, "job_x", list) }); err != nil {
		t.Fatal(err)
	}
	upload, err := blobs.SaveFile(ctx, "dir/part.step", "model/step", strings.NewReader("STEP"))
	if err != nil {
		t.Fatal(err)
	}
	src := struct {
		*store.DB
		local
	}{db, local{blobs}}
	files := Resolver{Roots: []string{data}, Source: src}.For(t.TempDir(), "")
	path, err := files.Path(ctx, "http://127.0.0.1:1/v1/jobs/job_x/artifacts/solution/s.pvd")
	if err != nil {
		t.Fatal(err)
	}
	for rel, want := range map[string]string{"s.pvd": "solution/s.pvd", "c0/p.vtu": "solution/c0/p.vtu"} {
		if raw, err := os.ReadFile(filepath.Join(filepath.Dir(path), rel)); err != nil || string(raw) != want {
			t.Errorf("%s: %q %v", rel, raw, err)
		}
	}
	if beside, err := files.Beside(ctx, path, "c0/p.vtu"); err != nil || filepath.Base(beside) != "p.vtu" {
		t.Errorf("%q %v", beside, err)
	}
	for _, name := range []string{"../../../x", "c0/none.vtu", `c0\p.vtu`, "/etc/passwd"} {
		if _, err := files.Beside(ctx, path, name); err == nil {
			t.Errorf("%s was found beside an artifact", name)
		}
	}
	if path, err = files.Path(ctx, "file:"+upload.ID); err != nil || filepath.Base(path) != "part.step" {
		t.Errorf("%q %v", path, err)
	}
	for _, ref := range []string{"file:nope", "/v1/jobs/job_x/artifacts/nope", "/v1/jobs/job_y/artifacts/other.txt"} {
		if _, err := files.Path(ctx, ref); err == nil || contract.AsError(err).Code != contract.CodeFileNotFound {
			t.Errorf("%s: %v", ref, err)
		}
	}
}

type local struct{ blobs *store.Blobs }

func (l local) LocalPath(ctx context.Context, sha string) (string, error) {
	return l.blobs.LocalPath(ctx, sha)
}
