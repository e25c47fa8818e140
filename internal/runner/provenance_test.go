package runner

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/store"
)

type contents struct {
	*store.DB
	blobs *store.Blobs
}

func (c contents) LocalPath(ctx context.Context, sha string) (string, error) {
	return c.blobs.LocalPath(ctx, sha)
}

func openContents(t *testing.T) contents {
	t.Helper()
	dir := t.TempDir()
	db, err := store.Open(t.Context(), filepath.Join(dir, "t.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	blobs, err := store.OpenBlobs(t.Context(), db, "file://"+dir, store.BlobOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { blobs.Close() })
	return contents{db, blobs}
}

// made records a finished job whose artifact part.obj has the given content and
// whose evidence rests on one check.
func (c contents) made(t *testing.T, content string, passed bool) (ref, sha string) {
	t.Helper()
	e, err := evidence.Judge(evidence.Statement{Checks: []evidence.Check{
		evidence.Holds("closed", evidence.Exact, "", passed, "The surface is closed."),
	}})
	if err != nil {
		t.Fatal(err)
	}
	blob, err := c.blobs.Put(t.Context(), strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	volume := 2.0
	j := &store.Job{ID: store.NewJobID(), Tool: "cad_import_truck", State: store.Succeeded, Created: store.Now(), Finished: store.Now(),
		Result: &contract.Result{Status: contract.StatusOK, Evidence: e, Artifacts: []contract.Artifact{
			{Name: "part.obj", Bytes: blob.Bytes, SHA256: blob.SHA256, Origin: &evidence.Origin{Source: "part.step", Exact: true, LengthUnit: "mm", Volume: &volume}},
		}}}
	err = c.Write(t.Context(), func(tx store.Tx) error {
		if _, err := c.InsertJob(t.Context(), tx, j, 0); err != nil {
			return err
		}
		files := []store.Artifact{blob.Artifact("part.obj")}
		if err := c.InsertArtifacts(t.Context(), tx, j.ID, files); err != nil {
			return err
		}
		return c.InsertMakers(t.Context(), tx, j, files)
	})
	if err != nil {
		t.Fatal(err)
	}
	return contract.ArtifactURL(j.ID, "part.obj"), blob.SHA256
}

// measure runs a tool that verifies its own figure from the file at ref.
func (c contents) measure(t *testing.T, ref, root string) *contract.Result {
	t.Helper()
	tool := contract.Bind([]byte(measured), func(ctx context.Context, call *contract.Call, _ input) (*contract.Result, error) {
		path, err := call.File(ctx, ref, "/n")
		if err != nil {
			return nil, err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		origin, err := call.Origin(ctx, ref)
		if err != nil {
			return nil, err
		}
		size := float64(len(raw))
		if origin != nil {
			size = *origin.Volume
		}
		s := &evidence.Statement{}
		s.Check(evidence.Within("again", evidence.Independent, "/size/x", 0, 0.1, "m", "A second way gives the size."))
		s.Figure(evidence.Of("x", "/size/x", size, "m", "counted").PlusMinus(0, "bound").Quote())
		return &contract.Result{Output: sized{2, map[string]any{"x": size}}, Statement: s}, nil
	})
	dir := t.TempDir()
	return New()(t.Context(), &Request{Tool: &tool, Input: json.RawMessage(`{"n":1}`), JobID: "job_1", Dir: dir,
		Limits: contract.DefaultLimits(), Files: Resolver{Roots: []string{root}, Source: c}.For(dir, "")})
}

// However a file reaches a tool, as an artifact, or downloaded and handed in by
// path, the result knows what made it, is not above it, and knows its origin.
func TestTrustAndOriginTravelWithTheContent(t *testing.T) {
	c := openContents(t)
	root := t.TempDir()
	for _, sound := range []bool{true, false} {
		content := "v 0 0 0\n# sound"
		want := evidence.Converged
		if !sound {
			content, want = "v 0 0 0\n# doubtful", evidence.Suspect
		}
		ref, sha := c.made(t, content, sound)
		again := write(t, filepath.Join(root, "again.obj"), content)
		for _, ref := range []string{ref, again} {
			got := c.measure(t, ref, root)
			if got.Status != contract.StatusOK {
				t.Fatalf("%s: %v", ref, got.Errors)
			}
			in := got.Evidence.Inputs()
			if got.Evidence.Trust() != want || len(in) != 1 || in[0].SHA256 != sha || in[0].Tool != "cad_import_truck" || in[0].Trust != want {
				t.Errorf("%s: %s from %+v, want %s", ref, got.Evidence.Trust(), in, want)
			}
			if x := got.Evidence.Quantities()[0]; *x.Value != 2 || !strings.Contains(strings.Join(x.Reasons(), " "), "cad_import_truck") {
				t.Errorf("%s: the origin or the reason is lost: %v, %v", ref, *x.Value, x.Reasons())
			}
		}
	}
	own := write(t, filepath.Join(root, "own.obj"), "v 1 1 1\n")
	if got := c.measure(t, own, root); got.Evidence.Trust() != evidence.Verified || got.Evidence.Inputs()[0].JobID != "" {
		t.Errorf("the caller's own file: %s, %+v", got.Evidence.Trust(), got.Evidence.Inputs())
	}
}

// A stored file with a flipped bit is no input.
func TestADamagedInputIsAnError(t *testing.T) {
	c := openContents(t)
	ref, sha := c.made(t, "v 0 0 0\nv 1 0 0\n", true)
	path, err := c.LocalPath(t.Context(), sha)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	raw[3] ^= 1
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	got := c.measure(t, ref, t.TempDir())
	if got.Status != contract.StatusError || got.Errors[0].Code != contract.CodeContentDamaged || got.Errors[0].Hint == "" {
		t.Errorf("%s %v", got.Status, got.Errors)
	}
}
