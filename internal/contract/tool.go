package contract

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"

	"atelier/internal/evidence"
)

// Tool is a contract together with the code that honours it.
type Tool struct {
	Contract *Contract
	// Earlier are the contracts of earlier minors, newest first, for which the
	// present code answers too.
	Earlier []*Contract
	// Input is the struct that the input is decoded into; a shared test holds
	// its fields against the schema's properties.
	Input reflect.Type
	// Available is nil for a tool that always works, else it reports why this
	// machine cannot run it (an *Error with code missing_dependency and the
	// command that installs what is missing as its hint).
	Available func() error
	// Admits, when set, is asked about a call in the place of Available: nil where
	// this call can be answered, a fault of the call, or what the machine lacks for
	// it. The input has been validated.
	Admits func(input json.RawMessage) error
	// Quick says that most calls are done in seconds: they need not wait behind the
	// long calls of the same engine.
	Quick bool
	// Glances are the tool's file arguments by their JSON pointers. Each file is looked at
	// before the call waits for its turn: that it is there and has content, and what a
	// glance that is not nil refuses of it, as one of a wrong type. A call with such a file
	// does not wait; Run refuses it in the same words.
	Glances map[string]Glance
	// TakesCapture says that the tool works on the capture that an invocation of
	// api/spec/invocation.md selects.
	TakesCapture bool
	// NeedsCaller asks for the caller in the context of the call, as "caller".
	NeedsCaller bool
	// Refused, when set, hears of an input that does not validate, and may add to
	// the faults.
	Refused func(ctx context.Context, call *Call, input json.RawMessage, faults []*Error)
	// Forward, when set, says which call of another tool a call of this one is: it runs as
	// that tool's, under its contract, limits and evidence. The input has been validated.
	Forward func(input json.RawMessage) Forwarded
	// Run does the work. The input has been validated. A returned *Error is the
	// tool's failure; any other error is a fault of ours (internal_error).
	Run func(ctx context.Context, call *Call, input json.RawMessage) (*Result, error)
}

// Glance refuses a file at a short look; ref is what the caller names it.
type Glance func(ref, path string) error

// Bind makes a Tool of an embedded contract file and a typed handler. Files of
// earlier minors that keep answering may follow. It panics when a file cannot be
// read; NewRegistry refuses a contract with any other fault, so that a program
// with a broken contract does not start.
func Bind[In any](file []byte, run func(ctx context.Context, call *Call, in In) (*Result, error), earlier ...[]byte) Tool {
	c := embedded(file)
	var older []*Contract
	for _, file := range earlier {
		older = append(older, embedded(file))
	}
	newestFirst(older)
	var conditional []string
	if in, ok := any(new(In)).(Conditional); ok {
		conditional = in.Conditional()
	}
	return Tool{
		Contract: c,
		Earlier:  older,
		Input:    reflect.TypeFor[In](),
		Run: func(ctx context.Context, call *Call, input json.RawMessage) (*Result, error) {
			var in In
			if err := decodeInput(c.Name, c.WithDefaults(c.Normalise(input), conditional...), &in); err != nil {
				return nil, err
			}
			return run(ctx, call, in)
		},
	}
}

// contractsByHash are those of the program, by the hash of their files.
var contractsByHash sync.Map

// embedded reads a contract file of the program once, however many registries are
// made of it: a contract never changes after it was read.
func embedded(file []byte) *Contract {
	key := sha256.Sum256(file)
	if c, ok := contractsByHash.Load(key); ok {
		return c.(*Contract)
	}
	c, err := decode(file)
	if err != nil {
		panic(err)
	}
	first, _ := contractsByHash.LoadOrStore(key, c)
	return first.(*Contract)
}

// Check is nil for a tool whose contracts are without a fault and whose earlier
// minors the present one can answer for.
func (t *Tool) Check() error {
	if err := t.Contract.Check(); err != nil {
		return err
	}
	return checkEarlier(t.Contract, t.Earlier)
}

// CapturePrefix begins a reference to the columns of a stored capture; a tool
// makes it of the capture that its call came with.
const CapturePrefix = "capture:"

// Files turns a file argument of a call into a path that can be read. A
// reference is a path inside an allowed root, `file:<id>` of an upload, an
// artifact URL (`/v1/jobs/<id>/artifacts/<name>`), or `session:<path>`.
type Files interface {
	// Path returns an absolute path of a regular file, or an *Error
	// (ERR_FILE_NOT_FOUND, ERR_FILE_OUTSIDE_ROOTS, ...) that names the reference.
	Path(ctx context.Context, ref string) (string, error)
	// Beside returns the path of a file that the content of another one, path,
	// names relative to itself (the VTUs of a PVD). It lies in the folder of path
	// or below, and is as readable to the caller as path itself.
	Beside(ctx context.Context, path, name string) (string, error)
}

// Event is something that happens while a tool runs.
type Event struct {
	Type     string   `json:"type"`               // progress or log
	Fraction *float64 `json:"fraction,omitempty"` // 0 to 1 where it is known
	Level    string   `json:"level,omitempty"`    // of a log line: info, warn, error
	Message  string   `json:"message,omitempty"`
}

// Call is what a tool gets to know of the call that it serves.
type Call struct {
	Tool   string
	JobID  string
	Dir    string // absolute; the job's own folder, the only place a tool writes to
	Limits Limits // the effective limits
	Files  Files
	Report func(Event) // never nil once the runner has made the call
	// Context is what the protocol knows of the call beside its input, a JSON object
	// or nil: session_id, and an invocation's capture_selection.
	Context json.RawMessage
	// Doubted keeps what IfDoubted is given; nil where nobody judges the result.
	Doubted func(then func(doubts []string) error)
}

// IfDoubted has then called when something speaks against the result, as soon as it
// is judged: doubts are the checks that failed, and the inputs that a suspect job made.
// A tool that writes a page which is read alone says them in it: what then sets as the
// content of an artifact is what is kept.
func (c *Call) IfDoubted(then func(doubts []string) error) {
	if c.Doubted != nil {
		c.Doubted(then)
	}
}

// Progress reports how far the work is; a negative fraction means unknown.
func (c *Call) Progress(fraction float64, message string) {
	e := Event{Type: "progress", Message: message}
	if fraction >= 0 && fraction <= 1 {
		e.Fraction = &fraction
	}
	c.Report(e)
}

// Logf reports a log line.
func (c *Call) Logf(level, format string, args ...any) {
	c.Report(Event{Type: "log", Level: level, Message: fmt.Sprintf(format, args...)})
}

// Origin are the facts of origin of a file argument that File has resolved; nil
// where none are known.
func (c *Call) Origin(ctx context.Context, ref string) (*evidence.Origin, error) {
	known, ok := c.Files.(interface {
		Origin(ctx context.Context, ref string) (*evidence.Origin, error)
	})
	if !ok {
		return nil, nil
	}
	return known.Origin(ctx, ref)
}

// File resolves a file argument; pointer is the JSON pointer of that argument
// (`/mesh/path`) and becomes the field of the error.
func (c *Call) File(ctx context.Context, ref, pointer string) (string, error) {
	path, err := c.Files.Path(ctx, ref)
	if err != nil {
		return "", AsError(err).At(pointer)
	}
	return path, nil
}

// Guide resolves a file argument that says how a tool works, such as where it looks
// closer, and whose figures are in no figure of the result: it is recorded as an input,
// and what it is worth does not lower the trust of the result.
func (c *Call) Guide(ctx context.Context, ref, pointer string) (string, error) {
	files, ok := c.Files.(interface {
		Guide(ctx context.Context, ref string) (string, error)
	})
	if !ok {
		return c.File(ctx, ref, pointer)
	}
	path, err := files.Guide(ctx, ref)
	if err != nil {
		return "", AsError(err).At(pointer)
	}
	return path, nil
}
