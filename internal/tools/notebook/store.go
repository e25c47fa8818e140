package notebook

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"

	"atelier/internal/contract"
	"atelier/internal/engine"
	"atelier/internal/tools/notebook/ipynb"
)

// Store keeps notebooks under construction as versioned JSON documents.
type Store interface {
	// Load returns a document and its version; version 0 and no error when there
	// is none.
	Load(ctx context.Context, id string) (body json.RawMessage, version int64, err error)
	// Save replaces the version that was loaded and returns when that is durable.
	// The error is ErrChanged when another call has replaced it since.
	Save(ctx context.Context, id string, version int64, body json.RawMessage) error
	// Folder is where finished notebooks lie, as files that file arguments may name.
	Folder() string
}

// ErrChanged is Save's answer when the document is not the one that was loaded.
var ErrChanged = errors.New("the document has changed")

// family is the tools' common part.
type family struct {
	store Store
	host  engine.Host // runs notebooks
	hub   Hub
	mu    sync.Mutex
	busy  map[string]*turn // calls of one notebook in this process take turns
}

type turn struct {
	sync.Mutex
	waiting int
}

func (f *family) enter(key string) (leave func()) {
	f.mu.Lock()
	t := f.busy[key]
	if t == nil {
		t = &turn{}
		f.busy[key] = t
	}
	t.waiting++
	f.mu.Unlock()
	t.Lock()
	return func() {
		t.Unlock()
		f.mu.Lock()
		if t.waiting--; t.waiting == 0 {
			delete(f.busy, key)
		}
		f.mu.Unlock()
	}
}

// owner is whom a call without notebook_id belongs to.
type owner struct {
	Session string `json:"session_id"`
	Caller  string `json:"caller"`
}

func ownerOf(call *contract.Call) owner {
	var o owner
	_ = json.Unmarshal(call.Context, &o) // a context of another kind names nobody
	return o
}

func (o owner) key() string {
	kind, who := "caller", o.Caller
	if o.Session != "" {
		kind, who = "session", o.Session
	}
	sum := sha256.Sum256([]byte(who))
	return "current-" + kind + "-" + hex.EncodeToString(sum[:16])
}

// ownPrefix begins the ids that are made here. They cannot be guessed, so that
// whoever knows one may use it; other names belong to the session, if any.
const ownPrefix = "nb-"

func newID() string { return ownPrefix + strings.ToLower(rand.Text()[:20]) }

// current is what the pointer of an owner holds.
type current struct {
	ID string `json:"id"`
}

func readCurrent(raw json.RawMessage) (c current, err error) {
	if len(raw) > 0 {
		err = json.Unmarshal(raw, &c)
	}
	return c, err
}

// place finds the notebook of a call: its id, and the key that it is kept under.
func (f *family) place(ctx context.Context, call *contract.Call, named string) (id, key string, err error) {
	o := ownerOf(call)
	if named != "" {
		return named, keyOf(named, o), nil
	}
	pointer := o.key()
	for range attempts {
		raw, version, err := f.store.Load(ctx, pointer)
		if err != nil {
			return "", "", err
		}
		if version > 0 {
			c, err := readCurrent(raw)
			if err != nil {
				return "", "", err
			}
			used, err := f.usedUp(ctx, call, o, c.ID)
			if err != nil || !used {
				return c.ID, keyOf(c.ID, o), err
			}
		}
		err = f.point(ctx, pointer, version, newID())
		if err != nil && !errors.Is(err, ErrChanged) {
			return "", "", err
		}
	}
	return "", "", changed(pointer)
}

// usedUp says whether a call without any name begins another notebook, since the
// caller's last one is finished. In a session that takes a notebook.begin, as a
// call after finalize is more likely a mistake there.
func (f *family) usedUp(ctx context.Context, call *contract.Call, o owner, id string) (bool, error) {
	if o.Session != "" || !slices.Contains(beginners, call.Tool) {
		return false, nil
	}
	raw, _, err := f.store.Load(ctx, keyOf(id, o))
	if err != nil {
		return false, err
	}
	d, err := read(raw, id)
	return err == nil && d.Final != nil, err
}

// beginners are the calls that a new notebook may begin with.
var beginners = []string{"notebook.add_dependency", "notebook.emit_markdown_step"}

func (f *family) point(ctx context.Context, pointer string, version int64, id string) error {
	raw, err := json.Marshal(current{id})
	if err != nil {
		return err
	}
	return f.store.Save(ctx, pointer, version, raw)
}

// begin makes another notebook the current one of the call's owner.
func (f *family) begin(ctx context.Context, call *contract.Call, id string) error {
	pointer := ownerOf(call).key()
	for range attempts {
		_, version, err := f.store.Load(ctx, pointer)
		if err == nil {
			err = f.point(ctx, pointer, version, id)
		}
		if !errors.Is(err, ErrChanged) {
			return err
		}
	}
	return changed(id)
}

func keyOf(id string, o owner) string {
	if o.Session == "" || strings.HasPrefix(id, ownPrefix) {
		return id
	}
	sum := sha256.Sum256([]byte(o.Session))
	return "in-" + hex.EncodeToString(sum[:16]) + "-" + id
}

// attempts is how often a change is tried when other processes change the same
// notebook.
const attempts = 16

func changed(id string) error {
	return contract.Errorf(contract.CodeConflict, "notebook %s is being changed by too many calls at once", id).
		WithHint("Send the call again, and the calls of one notebook one after the other.")
}

// escalateAfter is how many errors in a row api/spec/notebooks.md lets pass.
const escalateAfter = 2

// change makes one call's change, all of it or nothing. edit may run again.
func (f *family) change(ctx context.Context, call *contract.Call, named string, edit func(d *ipynb.Document, key string) error) (string, error) {
	id, key, err := f.place(ctx, call, named)
	if err != nil {
		return "", err
	}
	return f.changeAt(ctx, call, id, key, edit)
}

// changeAt is change for a notebook that has been found.
func (f *family) changeAt(ctx context.Context, call *contract.Call, id, key string, edit func(d *ipynb.Document, key string) error) (string, error) {
	defer f.enter(key)()
	for range attempts {
		err := f.attempt(ctx, call, id, key, edit)
		if !errors.Is(err, ErrChanged) {
			return id, err
		}
	}
	return id, changed(id)
}

func (f *family) attempt(ctx context.Context, call *contract.Call, id, key string, edit func(d *ipynb.Document, key string) error) error {
	raw, version, err := f.store.Load(ctx, key)
	if err != nil {
		return err
	}
	d, err := read(raw, id)
	if err != nil {
		return err
	}
	failed := edit(d, key)
	if failed != nil { // only the count of failures is kept
		if d, err = read(raw, id); err != nil {
			return err
		}
	}
	noted := note(d, call.Tool, failed)
	body, err := d.Encode()
	if err != nil {
		return err
	}
	if err := f.store.Save(ctx, key, version, body); err != nil {
		return err
	}
	return noted
}

func read(raw json.RawMessage, id string) (*ipynb.Document, error) {
	if len(raw) == 0 {
		return &ipynb.Document{ID: id}, nil
	}
	return ipynb.Decode(raw)
}

// note counts failures in a row; from the second on the error asks to escalate.
func note(d *ipynb.Document, tool string, failed error) error {
	if failed == nil {
		delete(d.Failures, tool)
		return nil
	}
	if d.Failures == nil {
		d.Failures = map[string]int{}
	}
	d.Failures[tool]++
	if n := d.Failures[tool]; n >= escalateAfter {
		return contract.AsError(failed).With("escalate", true).With("failures", n)
	}
	return failed
}

var idPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

// refused counts a call whose input does not validate as a failure of its tool.
func (f *family) refused(ctx context.Context, call *contract.Call, input json.RawMessage, faults []*contract.Error) {
	var in which
	_ = json.Unmarshal(input, &in) // another kind of input names no notebook
	if !idPattern.MatchString(in.NotebookID) {
		in.NotebookID = ""
	}
	for _, fault := range faults {
		if fault.Field == "/version" && fault.Hint == "" {
			fault.Hint = "Give one exact version: numbers with dots, and at most a suffix after a hyphen, such as 2.4.0 or 2.4.0-rc1. Ranges, latest, 2.4.0rc1 and 2.1.0+cu118 are not accepted."
		}
	}
	// The answer is faults[0] itself, with its details, or that the failure could
	// not be counted, which changes nothing for the caller.
	_, _ = f.change(ctx, call, in.NotebookID, func(*ipynb.Document, string) error { return faults[0] })
}

// readers are the tools that change no notebook; their failures count, too.
var readers = []string{"notebook.fetch_model_card", "validator.run_quality", "validator.run_colab", "validator.run_execution"}

// counted counts the failures of a tool that does not go through change.
func (f *family) counted(run toolRun) toolRun {
	return func(ctx context.Context, call *contract.Call, input json.RawMessage) (*contract.Result, error) {
		result, err := run(ctx, call, input)
		var failed *contract.Error
		switch {
		case err != nil:
			failed = contract.AsError(err)
			err = failed
		case result.Status == contract.StatusError:
			failed = result.Errors[0]
		}
		if failed != nil && failed.Code == contract.CodeCancelled {
			return result, err
		}
		keep := context.WithoutCancel(ctx)
		var in which
		_ = json.Unmarshal(input, &in) // it has been validated
		if failed == nil && !f.failedBefore(keep, call, in.NotebookID) {
			return result, nil
		}
		// The failure keeps its own words when it cannot be counted.
		_, _ = f.change(keep, call, in.NotebookID, func(*ipynb.Document, string) error {
			if failed == nil {
				return nil
			}
			return failed
		})
		return result, err
	}
}

type toolRun = func(ctx context.Context, call *contract.Call, input json.RawMessage) (*contract.Result, error)

// failedBefore says whether the tool's last call on the notebook failed.
func (f *family) failedBefore(ctx context.Context, call *contract.Call, named string) bool {
	o := ownerOf(call)
	if named == "" {
		raw, version, err := f.store.Load(ctx, o.key())
		if err != nil || version == 0 {
			return false
		}
		c, err := readCurrent(raw)
		if err != nil {
			return false
		}
		named = c.ID
	}
	raw, version, err := f.store.Load(ctx, keyOf(named, o))
	if err != nil || version == 0 {
		return false
	}
	d, err := read(raw, named)
	return err == nil && d.Failures[call.Tool] > 0
}

// Memory is a Store that forgets when the program ends.
type Memory struct {
	Dir string

	mu        sync.Mutex
	documents map[string]memoryDocument
}

type memoryDocument struct {
	body    json.RawMessage
	version int64
}

// Load implements Store.
func (m *Memory) Load(_ context.Context, id string) (json.RawMessage, int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d := m.documents[id]
	return d.body, d.version, nil
}

// Save implements Store.
func (m *Memory) Save(_ context.Context, id string, version int64, body json.RawMessage) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.documents[id].version != version {
		return ErrChanged
	}
	if m.documents == nil {
		m.documents = map[string]memoryDocument{}
	}
	m.documents[id] = memoryDocument{body, version + 1}
	return nil
}

// Folder implements Store.
func (m *Memory) Folder() string { return m.Dir }
