package outside

import (
	"context"
	"encoding/json"
	"path/filepath"

	"atelier/internal/contract"
	"atelier/internal/engine"
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
			return nil, err
		}
		return t.result(reply, input)
	}
}
