package session_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/session"
	"atelier/internal/session/sessiontest"
	"atelier/internal/store"
)

func wantCode(t *testing.T, err error, code string) *contract.Error {
	t.Helper()
	if err == nil || contract.ErrorsOf(err)[0].Code != code {
		t.Fatalf("the error is %v, want code %s", err, code)
	}
	return contract.ErrorsOf(err)[0]
}

// create makes a session of files, name and content in turn.
func create(t testing.TB, h *sessiontest.Process, files ...string) *session.Manifest {
	t.Helper()
	var uploads []session.Upload
	for i := 0; i+1 < len(files); i += 2 {
		up, err := h.Sessions.Put(t.Context(), files[i], strings.NewReader(files[i+1]))
		if err != nil {
			t.Fatal(err)
		}
		uploads = append(uploads, up)
	}
	m, err := h.Sessions.Create(t.Context(), uploads, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func get(t testing.TB, h *sessiontest.Process, id string) *session.Manifest {
	t.Helper()
	m, err := h.Sessions.Get(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func call(t testing.TB, h *sessiontest.Process, id, tool, input string) (*job.Job, error) {
	t.Helper()
	return h.Sessions.Jobs().Submit(t.Context(), job.Request{Tool: tool, Input: json.RawMessage(input), Context: session.Context(id)})
}

func sha(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// What a tool sees under session:… is what was uploaded, and its files join the
// session in the folder of its family, series and all.
func TestStepsOfASession(t *testing.T) {
	sessiontest.OnEach(t, func(t *testing.T, url, dir string) {
		h := sessiontest.Start(t, url, dir, nil)
		content := make([]byte, 3<<20)
		rand.Read(content)
		m := create(t, h, "part.stl", string(content))
		if m.Version != 1 || m.Status != session.Idle || m.Stage != session.StageCreated || !slices.Equal(m.Assets, []string{"input/part.stl"}) {
			t.Fatalf("new: %+v", m)
		}
		done, err := call(t, h, m.SessionID, "describe_file", `{"path":"session:input/part.stl"}`)
		if err != nil || done.State != job.Succeeded {
			t.Fatalf("%+v %v", done, err)
		}
		var out struct{ SHA256 string }
		if err := json.Unmarshal(done.Result.OutputJSON(), &out); err != nil || out.SHA256 != sha(content) {
			t.Fatalf("the tool saw %s %v, uploaded was %s", out.SHA256, err, sha(content))
		}
		// A queued tool that makes a series: an index and a part beside it.
		if done, err = call(t, h, m.SessionID, "count_slowly", `{"steps":3,"step_ms":1,"file":"a.pvd"}`); err != nil || done.State != job.Succeeded {
			t.Fatalf("%+v %v", done, err)
		}
		m = get(t, h, m.SessionID)
		if want := []string{"input/part.stl", "solve/a.pvd", "solve/a.pvd.part"}; !slices.Equal(m.Assets, want) || m.Stage != "solve" || m.Status != session.Idle {
			t.Fatalf("after the solve: %v %s %s", m.Assets, m.Stage, m.Status)
		}
		step := m.Steps[1]
		if step.ID != "step_2" || step.Status != session.StepSucceeded || step.JobID != done.ID || !slices.Equal(step.Outputs, []string{"solve/a.pvd", "solve/a.pvd.part"}) ||
			step.DurationMS == nil || *step.DurationMS < 3 || string(step.Input) != `{"steps":3,"step_ms":1,"file":"a.pvd"}` {
			t.Fatalf("step: %+v", step)
		}
		// The series is whole under a session reference: 3 bytes in its part.
		if done, err = call(t, h, m.SessionID, "describe_file", `{"path":"session:solve/a.pvd","part":"a.pvd.part"}`); err != nil || !strings.Contains(string(done.Result.OutputJSON()), `"part":3`) {
			t.Fatalf("%s %v", done.Result.OutputJSON(), err)
		}
		// The same again is not stored again; another result under the same name
		// goes into a folder of its own, so that the series keeps its names.
		for _, input := range []string{`{"steps":3,"file":"a.pvd"}`, `{"steps":4,"file":"a.pvd"}`} {
			if done, err = call(t, h, m.SessionID, "count_slowly", input); err != nil || done.State != job.Succeeded {
				t.Fatalf("%+v %v", done, err)
			}
		}
		m = get(t, h, m.SessionID)
		if want := []string{"input/part.stl", "solve/a.pvd", "solve/a.pvd.part", "solve/2/a.pvd", "solve/2/a.pvd.part"}; !slices.Equal(m.Assets, want) {
			t.Fatalf("repeated: %v", m.Assets)
		}
	})
}

func TestCallsThatAreRefused(t *testing.T) {
	sessiontest.OnEach(t, func(t *testing.T, url, dir string) {
		h := sessiontest.Start(t, url, dir, nil)
		m := create(t, h, "a.txt", "a")
		for _, id := range []string{"session_00000000-0000-4000-8000-000000000000", "../etc", "", m.SessionID + "x"} {
			_, err := call(t, h, id, "echo_json", `{"message":"x"}`)
			if e := wantCode(t, err, contract.CodeNotFound); e.Field != "/context/session_id" {
				t.Fatalf("%q: at %q", id, e.Field)
			}
		}
		_, err := call(t, h, m.SessionID, "no_such_tool", `{}`)
		wantCode(t, err, contract.CodeUnknownTool)
		// An input that does not validate is refused as ever, and the session says so.
		_, err = call(t, h, m.SessionID, "echo_json", `{"message":1}`)
		wantCode(t, err, contract.CodeInvalidRequest)
		done, err := call(t, h, m.SessionID, "count_slowly", `{"fail":true}`)
		if err != nil || done.State != job.Failed {
			t.Fatalf("%+v %v", done, err)
		}
		done, err = call(t, h, m.SessionID, "describe_file", `{"path":"session:geometry/a.txt"}`)
		if err != nil || done.Error == nil || done.Error.Code != contract.CodeFileNotFound || !strings.Contains(done.Error.Hint, "session:input/a.txt") {
			t.Fatalf("a file in the wrong folder: %+v %v", done.Error, err)
		}
		m = get(t, h, m.SessionID)
		codes := []string{}
		for _, s := range m.Steps {
			codes = append(codes, s.Status+" "+s.Error.Code)
		}
		if want := []string{"failed invalid_request", "failed solver_failed", "failed ERR_FILE_NOT_FOUND"}; !slices.Equal(codes, want) || m.Stage != session.StageCreated {
			t.Fatalf("%v %s", codes, m.Stage)
		}
		// Without a session the same reference teaches how to name one.
		done, err = h.Sessions.Jobs().Submit(t.Context(), job.Request{Tool: "describe_file", Input: json.RawMessage(`{"path":"session:input/a.txt"}`)})
		if err != nil || done.Error == nil || !strings.Contains(done.Error.Hint, "context.session_id") {
			t.Fatalf("%+v %v", done, err)
		}
	})
}

// Of two writers that read the same version one loses and is told.
func TestTwoWritersOfOneManifest(t *testing.T) {
	sessiontest.OnEach(t, func(t *testing.T, url, dir string) {
		h := sessiontest.Start(t, url, dir, nil)
		m := create(t, h)
		var wg sync.WaitGroup
		results := make([]error, 2)
		for i := range 2 {
			wg.Go(func() {
				_, results[i] = h.Sessions.Replace(context.Background(), m.SessionID, m.Version, json.RawMessage(fmt.Sprintf(`{"facts":{"writer":%d}}`, i)))
			})
		}
		wg.Wait()
		lost := results[0]
		if lost == nil {
			lost = results[1]
		}
		if (results[0] == nil) == (results[1] == nil) {
			t.Fatalf("%v %v", results[0], results[1])
		}
		wantCode(t, lost, contract.CodePreconditionFailed)
		// Inside users give the change as a closure: none of 40 is lost.
		for i := range 40 {
			wg.Go(func() {
				_, err := h.Sessions.Update(context.Background(), m.SessionID, 0, func(d *session.Draft) error {
					d.Messages = append(d.Messages, session.Message{Role: "tool", Content: fmt.Sprint(i)})
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		now := get(t, h, m.SessionID)
		seen := map[string]bool{}
		for _, msg := range now.Messages {
			seen[msg.Content] = true
		}
		if len(seen) != 40 || now.Version != m.Version+41 {
			t.Fatalf("%d messages at version %d", len(seen), now.Version)
		}
	})
}

func TestWhatAWriterMayChange(t *testing.T) {
	h := sessiontest.Start(t, t.TempDir()+"/a.db", t.TempDir(), nil)
	m := create(t, h, "a.txt", "a")
	whole, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	// What was read may be sent back whole, with changes to what is writable.
	var edit map[string]any
	if err := json.Unmarshal(whole, &edit); err != nil {
		t.Fatal(err)
	}
	edit["stage"], edit["planned_tool"], edit["facts"] = "planning", "mesh_repair_pmp", map[string]any{"material": "steel"}
	edit["messages"] = []any{map[string]any{"role": "assistant", "content": "hello"}}
	back, _ := json.Marshal(edit)
	now, err := h.Sessions.Replace(t.Context(), m.SessionID, m.Version, back)
	if err != nil || now.Stage != "planning" || now.PlannedTool != "mesh_repair_pmp" || string(now.Facts["material"]) != `"steel"` ||
		len(now.Messages) != 1 || now.Messages[0].CreatedAt == "" || now.Version != m.Version+1 {
		t.Fatalf("%+v %v", now, err)
	}
	for forged, field := range map[string]string{
		`{"session_id":"session_x"}`: "/session_id", `{"version":99}`: "/version", `{"created_at":"2020-01-01T00:00:00.000Z"}`: "/created_at",
		`{"status":"processing"}`: "/status", `{"assets":[]}`: "/assets", `{"asset_details":[]}`: "/asset_details",
		`{"steps":[{"id":"step_1"}]}`: "/steps", `{"directories":{}}`: "/directories", `{"colour":1}`: "/colour",
		`{"stage":null}`: "/stage", `{"stage":7}`: "/stage", `{"facts":[]}`: "/facts", `{"metadata":null}`: "/metadata",
		`{"messages":[{"role":"boss","content":""}]}`: "/messages", `{"messages":{}}`: "/messages",
	} {
		_, err := h.Sessions.Replace(t.Context(), m.SessionID, 0, json.RawMessage(forged))
		if e := wantCode(t, err, contract.CodeInvalidRequest); e.Field != field {
			t.Errorf("%s: at %q", forged, e.Field)
		}
	}
	var faults contract.Faults
	_, err = h.Sessions.Replace(t.Context(), m.SessionID, 0, json.RawMessage(`{"messages":1,"stage":1,"x":1}`))
	if !errors.As(err, &faults) || len(faults) != 3 {
		t.Fatalf("all faults at once: %v", err)
	}
	_, err = h.Sessions.Replace(t.Context(), m.SessionID, 0, json.RawMessage(`{"assets":[],"steps":1}`))
	if !errors.As(err, &faults) || len(faults) != 2 {
		t.Fatalf("all faults at once: %v", err)
	}
	_, err = h.Sessions.Replace(t.Context(), m.SessionID, 0, json.RawMessage(`{"facts":{"x":"`+strings.Repeat("y", 1<<20)+`"}}`))
	wantCode(t, err, contract.CodePayloadTooLarge)
	if after := get(t, h, m.SessionID); after.Version != now.Version {
		t.Fatalf("a refused change made version %d", after.Version)
	}
}

func TestHostileNames(t *testing.T) {
	h := sessiontest.Start(t, t.TempDir()+"/a.db", t.TempDir(), nil)
	long := strings.Repeat("ä", 400) + ".step"
	m := create(t, h,
		"../../etc/passwd", "1", "/etc/shadow", "2", `..\..\win.ini`, "3", `C:\Users\x\part.step`, "4", "..", "5", ".", "6", "", "7", "a\x00b.stl", "8",
		long, "9", "part.step", "10", "PART.STEP", "11", "a/b/", "12", "\xff\xfe.obj", "13", "manifest.json", "14", " \t\n ", "15", "x\u202Egpj.exe", "16")
	want := []string{"passwd", "shadow", "win.ini", "part.step", "upload.dat", "upload-2.dat", "upload-3.dat", "ab.stl",
		"", "part-2.step", "PART-3.STEP", "b", "_.obj", "manifest.json", "upload-4.dat", "xgpj.exe"}
	for i, asset := range m.AssetDetails {
		name := strings.TrimPrefix(asset.Path, "input/")
		if want[i] == "" {
			if len(name) > 200 || !strings.HasSuffix(name, "ä.step") {
				t.Errorf("the long name became %q", name)
			}
			continue
		}
		if name != want[i] {
			t.Errorf("file %d became %q, want %q", i, name, want[i])
		}
		// Each kept its own content, whatever it was called.
		if content := fmt.Sprint(i + 1); asset.SHA256 != sha([]byte(content)) {
			t.Errorf("%s has another file's content", asset.Path)
		}
	}
}

func TestDeletedContentsAreFreed(t *testing.T) {
	sessiontest.OnEach(t, func(t *testing.T, url, dir string) {
		h := sessiontest.Start(t, url, dir, nil)
		m := create(t, h, "a.txt", "only here", "b.txt", "also in a file")
		if _, err := h.Blobs.SaveFile(t.Context(), "b", "text/plain", strings.NewReader("also in a file")); err != nil {
			t.Fatal(err)
		}
		done, err := call(t, h, m.SessionID, "write_text_artifact", `{"text":"made by a tool"}`)
		if err != nil {
			t.Fatal(err)
		}
		sweep := func() {
			t.Helper()
			time.Sleep(60 * time.Millisecond) // the grace time of contents
			if _, err := h.Blobs.Sweep(context.Background(), store.Policy{}); err != nil {
				t.Fatal(err)
			}
		}
		exists := func(content string) bool {
			t.Helper()
			ok, err := h.Blobs.Exists(context.Background(), sha([]byte(content)))
			if err != nil {
				t.Fatal(err)
			}
			return ok
		}
		sweep()
		for _, c := range []string{"only here", "also in a file", "made by a tool"} {
			if !exists(c) {
				t.Fatalf("%q went while the session held it", c)
			}
		}
		// The job may go; the session keeps what it made, which is stored once.
		if err := h.Jobs.Delete(t.Context(), done.ID); err != nil {
			t.Fatal(err)
		}
		sweep()
		if !exists("made by a tool") {
			t.Fatal("an asset went with its job")
		}
		if err := h.Sessions.Delete(t.Context(), m.SessionID); err != nil {
			t.Fatal(err)
		}
		sweep()
		if exists("only here") || exists("made by a tool") || !exists("also in a file") {
			t.Fatal("after the delete the wrong contents stay")
		}
		_, err = h.Sessions.Get(t.Context(), m.SessionID)
		wantCode(t, err, contract.CodeNotFound)
		wantCode(t, h.Sessions.Delete(t.Context(), m.SessionID), contract.CodeNotFound)
	})
}

// Who has called a tool again with what it lacked, and got the same bytes, has the file
// of the second job: its trust is what counts from then on. The content is counted once.
func TestAFileIsOfTheNewestJobThatWroteIt(t *testing.T) {
	sessiontest.OnEach(t, func(t *testing.T, url, dir string) {
		h := sessiontest.Start(t, url, dir, nil)
		m := create(t, h)
		for _, input := range []string{`{"steps":3,"file":"a.pvd"}`, `{"steps":3,"step_ms":1,"file":"a.pvd"}`} {
			time.Sleep(2 * time.Millisecond) // ids sort by milliseconds
			done, err := call(t, h, m.SessionID, "count_slowly", input)
			if err != nil || done.State != job.Succeeded {
				t.Fatalf("%+v %v", done, err)
			}
			for _, path := range []string{"solve/a.pvd", "solve/a.pvd.part"} {
				if a, err := h.Sessions.Asset(t.Context(), m.SessionID, path); err != nil || a.JobID != done.ID {
					t.Errorf("%s is of %s, want %s: %v", path, a.JobID, done.ID, err)
				}
			}
		}
		if got := get(t, h, m.SessionID).Assets; len(got) != 2 {
			t.Errorf("the assets are %v", got)
		}
	})
}

// A content is shared between job and session, not copied.
func TestContentsAreStoredOnce(t *testing.T) {
	h := sessiontest.Start(t, t.TempDir()+"/a.db", t.TempDir(), nil)
	m := create(t, h)
	if _, err := call(t, h, m.SessionID, "write_text_artifact", `{"text":"abc"}`); err != nil {
		t.Fatal(err)
	}
	usage, err := h.Blobs.Usage(t.Context())
	if err != nil || usage.Blobs != 1 || usage.BlobBytes != 3 || usage.Sessions != 1 {
		t.Fatalf("%+v %v", usage, err)
	}
	a, err := h.Sessions.Asset(t.Context(), m.SessionID, "logs/note.txt")
	if err != nil {
		t.Fatal(err)
	}
	r, err := h.Sessions.Open(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(r); err != nil || b.String() != "abc" {
		t.Fatalf("%q %v", b.String(), err)
	}
}
