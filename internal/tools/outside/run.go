package outside

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/engine"
	"atelier/internal/jsonvalue"
)

// request is the line that a program reads.
type request struct {
	Tool    string                     `json:"tool"`
	Version string                     `json:"version"`
	Input   map[string]json.RawMessage `json:"input"`
}

// runOn is what a call of the tool does: the files that the input names are laid
// into the sandbox, the program runs, and its answer becomes a result.
func (t *Tool) runOn(host engine.Host) func(context.Context, *contract.Call, map[string]json.RawMessage) (*contract.Result, error) {
	return func(ctx context.Context, call *contract.Call, input map[string]json.RawMessage) (*contract.Result, error) {
		files := map[string]string{}
		for _, name := range t.files {
			var ref string
			if raw, given := input[name]; !given || json.Unmarshal(raw, &ref) != nil {
				continue
			}
			path, err := call.File(ctx, ref, "/"+name)
			if err != nil {
				return nil, err
			}
			inside := "in/" + name + filepath.Ext(path)
			files[inside] = path
			input[name], _ = json.Marshal(inside) // a string can always be encoded
		}
		c := t.contract
		reply, err := host.Run(ctx, call, engine.Job{Engine: c.Engine, Request: request{c.Name, c.Version, input}, Inputs: files})
		if err != nil {
			return nil, t.failure(err)
		}
		result, err := t.result(reply, input)
		if err != nil {
			return nil, err
		}
		if err := contents(call.Dir, reply.Artifacts); err != nil {
			return nil, t.fault(reply, err)
		}
		return result, nil
	}
}

// failed is an error as a program may write it.
type failed struct {
	Type    string                     `json:"type"`
	Code    string                     `json:"code"`
	Message string                     `json:"message"`
	Hint    string                     `json:"hint"`
	Field   string                     `json:"field"`
	Details map[string]json.RawMessage `json:"details"`
}

// failure holds an error that the program has answered to what a program may say of
// its own work; one that the host has found stays as it is.
func (t *Tool) failure(err error) error {
	var said *engine.Said
	if !errors.As(err, &said) {
		return err
	}
	fault := func(text string, args ...any) error {
		e := t.fault(&engine.Reply{}, fmt.Errorf(text, args...)).(*contract.Error)
		e.Log = contract.AsError(err).Log
		return e
	}
	switch why := contract.Unfit(said.Line, reflect.TypeFor[failed](), jsonvalue.Rules{}); {
	case why != "":
		return fault("sent an error that does not fit the protocol: %s", why)
	case silent(said.Line):
		return fault("failed with the code %q and without a message (/message): one sentence that says what was wrong", said.Code)
	case contract.OfServer(said.Code):
		return fault("failed (%s) with the code %q (/code), which is about the request or the server and not about the tool's work: %s", said.Message, said.Code, usable(t.contract))
	}
	if at := contract.AsError(err).Field; !t.takes(at) {
		return fault("failed (%s) at the field %q (/field), which is no argument: write a JSON pointer into the input, such as /%s, or leave it out", said.Message, at, strings.Join(t.arguments()[:min(1, len(t.arguments()))], ""))
	}
	return err
}

// silent says that an error has no message.
func silent(line json.RawMessage) bool {
	var e failed
	return json.Unmarshal(line, &e) == nil && strings.TrimSpace(e.Message) == ""
}

// takes says whether a JSON pointer begins at an argument of the tool.
func (t *Tool) takes(field string) bool {
	if field == "" {
		return true
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(field, "/"), "/")
	return field[0] == '/' && slices.Contains(t.arguments(), jsonvalue.Unescape(name))
}

// arguments are the names of the input's properties, in order.
func (t *Tool) arguments() []string {
	var top struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal(t.contract.InputSchema, &top) // Check has read it
	return slices.Sorted(maps.Keys(top.Properties))
}

// usable says which codes a program may answer with.
func usable(c *contract.Contract) string {
	var listed []string
	for _, e := range c.Errors {
		if e.Code != contract.CodeInvalidRequest {
			listed = append(listed, e.Code)
		}
	}
	own := ""
	if len(listed) > 0 {
		own = "one that its contract lists (" + strings.Join(listed, ", ") + "), "
	}
	return "it may use " + contract.CodeInvalidInput + " with the argument as field, " + own + "or " + contract.CodeSolverFailed
}
