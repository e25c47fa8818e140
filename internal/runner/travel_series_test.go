package runner

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/job"
	"atelier/internal/store"
)

const index = `<Collection><DataSet file="c0/p.vtu"/></Collection>`

// series runs a job that writes an index, which all such jobs write alike, and a part.
func (r *rig) series(passed bool, part string) (j *job.Job, url string) {
	r.t.Helper()
	j = r.submit("make", making{map[string][]string{"a.pvd": pieces(index), "c0/p.vtu": pieces(part)}, passed})
	return j, contract.ArtifactURL(j.ID, "a.pvd")
}

// What only says how a tool works, such as where it looks closer, is told with its maker
// and lowers no trust, and its parts neither; what is read for its content too does.
func TestGuidesLowerNoTrust(t *testing.T) {
	r := newRig(t)
	bad, badURL := r.series(false, "<VTU>bad</VTU>")
	_, goodURL := r.makes(true, table("good"))
	in := r.wants("guided", taking{Path: goodURL, Guide: badURL, Beside: []string{"c0/p.vtu"}}, evidence.Verified, bad)
	if len(in) != 3 {
		t.Fatalf("the inputs are %+v", in)
	}
	for _, guide := range in[1:] {
		if guide.JobID != bad.ID || guide.SHA256 == "" || guide.Trust != "" || guide.Reason != guided {
			t.Errorf("a guide is told as %+v", guide)
		}
	}
	r.wants("read and guided by", taking{Path: badURL, Guide: badURL}, evidence.Suspect, bad)
}

// A file that another one names is an input like any other: it is hashed, and
// whatever made it counts, not whatever made an index of the same bytes.
func TestFilesBesideAnIndexAreInputs(t *testing.T) {
	r := newRig(t)
	bad, badURL := r.series(false, "<VTU>bad</VTU>")
	time.Sleep(2 * time.Millisecond)
	good, goodURL := r.series(true, "<VTU>good</VTU>")
	index := r.put("run/a.pvd", index)
	for what, c := range map[string]struct {
		ref, part string
		trust     evidence.Trust
		behind    *job.Job
	}{
		"bad artifact": {badURL, "", evidence.Suspect, bad}, "good artifact": {goodURL, "", evidence.Verified, good},
		"bad part on a path": {index, "<VTU>bad</VTU>", evidence.Suspect, bad}, "good part on a path": {"run/a.pvd", "<VTU>good</VTU>", evidence.Verified, good},
		// The part is nobody's; of the index nobody can tell which of the two it is.
		"altered part": {index, "<VTU>worse</VTU>", evidence.Suspect, bad},
	} {
		if c.part != "" {
			r.put("run/c0/p.vtu", c.part)
		}
		in := r.wants(what, taking{Path: c.ref, Beside: []string{"c0/p.vtu"}}, c.trust, c.behind)
		if len(in) != 2 || in[0].Reference != c.ref || in[1].SHA256 == "" || in[1].SHA256 == in[0].SHA256 {
			t.Fatalf("%s: the inputs are %+v", what, in)
		}
		// The reference of the part leads to it again, for whoever asks later.
		again := Resolver{Roots: []string{r.root}, Source: r.contents}.For(t.TempDir(), "")
		path, err := again.Path(t.Context(), in[1].Reference)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if sum, err := store.HashFile(path); err != nil || sum != in[1].SHA256 {
			t.Errorf("%s: %s is %s, not %s: %v", what, in[1].Reference, sum, in[1].SHA256, err)
		}
	}
}

// An index behind a link names files beside the file that the link leads to.
func TestThePartsOfALinkedIndex(t *testing.T) {
	r := newRig(t)
	index := r.put("run/a.pvd", index)
	part := r.put("run/c0/p.vtu", "right")
	r.put("links/c0/p.vtu", "wrong")
	if err := os.Symlink(index, filepath.Join(r.root, "links", "a.pvd")); err != nil {
		t.Fatal(err)
	}
	in := r.wants("a link", taking{Path: "links/a.pvd", Beside: []string{"c0/p.vtu"}}, evidence.Verified, nil)
	if sum, err := store.HashFile(part); err != nil || len(in) != 2 || in[1].SHA256 != sum || in[1].Reference != realPath(part) {
		t.Errorf("%+v, %v", in, err)
	}
}

// What a job's result says of its files outlives the job: the suspicion, its
// reason, and the facts of origin.
func TestSuspicionOutlivesItsJob(t *testing.T) {
	r := newRig(t)
	bad, url := r.makes(false, table("bad"))
	captured := r.captureOf(url)
	before := r.wants("before", taking{Path: r.put("data.csv", table("bad"))}, evidence.Suspect, bad)
	if err := r.jobs.Delete(t.Context(), bad.ID); err != nil {
		t.Fatal(err)
	}
	for what, ref := range map[string]string{"path": "data.csv", "upload": r.upload(table("bad")), "capture": captured} {
		in := r.wants(what, taking{Path: ref}, evidence.Suspect, bad)
		if want := before[0].Reason + " The job " + bad.ID + " has been deleted since."; in[0].Reason != want {
			t.Errorf("%s: the reason is %q, want %q", what, in[0].Reason, want)
		}
	}
	old, _ := r.makes(false, table("old"))
	r.put("old.csv", table("old"))
	time.Sleep(5 * time.Millisecond)
	if swept, err := r.blobs.Sweep(t.Context(), store.Policy{JobAge: time.Millisecond}); err != nil || swept.Jobs == 0 {
		t.Fatalf("%+v %v", swept, err)
	}
	r.wants("after its time", taking{Path: "old.csv"}, evidence.Suspect, old)
	files := Resolver{Roots: []string{r.root}, Source: r.contents}.For(t.TempDir(), "").(*jobFiles)
	if _, err := files.Path(t.Context(), "old.csv"); err != nil {
		t.Fatal(err)
	}
	if origin, err := files.Origin(t.Context(), "old.csv"); err != nil || origin == nil || *origin.Volume != 2 {
		t.Errorf("the origin is %+v, %v", origin, err)
	}
}
