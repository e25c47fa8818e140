// Package mlx holds the tools that load language models on ports of this
// installation and unload them. The servers are the work of package modelserver.
package mlx

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"

	"atelier/internal/contract"
	"atelier/internal/tools/mlx/modelserver"
)

// Servers loads and unloads; *modelserver.Manager does.
type Servers interface {
	Load(ctx context.Context, backend, model string, port int) (*modelserver.Loaded, error)
	Unload(ctx context.Context, port int) (modelserver.Record, error)
	// Check is nil where a model can be loaded, else missing_dependency.
	Check() error
	// CheckLoad is nil where this backend can load a model, CheckUnload where a port
	// can be unloaded.
	CheckLoad(backend string) error
	CheckUnload() error
}

//go:embed load.json
var loadContract []byte

//go:embed load.1.0.json
var loadContract10 []byte

//go:embed unload.json
var unloadContract []byte

// Tools lists the family. Without servers only the contracts can be read.
func Tools(servers Servers) []contract.Tool {
	load := contract.Bind(loadContract, func(ctx context.Context, call *contract.Call, in loadInput) (*contract.Result, error) {
		return runLoad(ctx, servers, call, in)
	}, loadContract10)
	unload := contract.Bind(unloadContract, func(ctx context.Context, call *contract.Call, in unloadInput) (*contract.Result, error) {
		return runUnload(ctx, servers, in)
	})
	if servers != nil {
		load.Available, unload.Available = servers.Check, servers.Check
		load.Admits = func(input json.RawMessage) error {
			var in loadInput
			_ = json.Unmarshal(input, &in) // it has been validated; a port of 8100.0 changes nothing
			backend, err := in.backend()
			if err != nil {
				return err
			}
			return in.placed(servers.CheckLoad(backend))
		}
		unload.Admits = func(json.RawMessage) error { return servers.CheckUnload() }
	}
	return []contract.Tool{load, unload}
}

type loadInput struct {
	Model   string `json:"model"`
	Port    int    `json:"port"`
	Backend string `json:"backend"`
	Lane    string `json:"lane"` // the name of Backend before 1.1
}

type loadOutput struct {
	OK      bool   `json:"ok"`
	Message string `json:"message"`
	Port    int    `json:"port"`
	Model   string `json:"model"`
}

// backend is what the caller named by the present or the former argument.
func (in loadInput) backend() (string, error) {
	if in.Lane != "" && in.Backend != "" && in.Backend != in.Lane {
		return "", contract.Errorf(contract.CodeInvalidInput, "backend is %q, and lane, its former name, is %q", in.Backend, in.Lane).
			At("/lane").WithHint("Give backend only.")
	}
	return cmp.Or(in.Lane, in.Backend), nil
}

// placed puts a fault of the backend where the caller named it.
func (in loadInput) placed(err error) error {
	if found := (*contract.Error)(nil); in.Backend == "" && in.Lane != "" && errors.As(err, &found) && found.Field == "/backend" {
		return found.At("/lane")
	}
	return err
}

// Conditional implements contract.Conditional: the former name stands for it.
func (loadInput) Conditional() []string { return []string{"/backend"} }

func runLoad(ctx context.Context, servers Servers, call *contract.Call, in loadInput) (*contract.Result, error) {
	call.Progress(-1, fmt.Sprintf("starting a server of %s on port %d", in.Model, in.Port))
	backend, err := in.backend()
	if err != nil {
		return nil, err
	}
	loaded, err := servers.Load(ctx, backend, in.Model, in.Port)
	if err != nil {
		return nil, in.placed(err)
	}
	message := fmt.Sprintf("%s answers at %s on %s; its model id is %s.", in.Model, loaded.URL, loaded.Host, loaded.ID())
	if loaded.Already {
		message = fmt.Sprintf("Already loaded: %s", message)
	}
	return &contract.Result{
		Summary: fmt.Sprintf("Port %d serves %s as %s.", in.Port, in.Model, loaded.ID()),
		Output:  loadOutput{true, message, in.Port, in.Model},
		Metrics: map[string]any{"load_s": loaded.Took.Seconds(), "already_loaded": loaded.Already, "restarts": loaded.Restarts},
	}, nil
}

type unloadInput struct {
	Port int `json:"port"`
}

type unloadOutput struct {
	OK      bool   `json:"ok"`
	Message string `json:"message"`
	Port    int    `json:"port"`
}

func runUnload(ctx context.Context, servers Servers, in unloadInput) (*contract.Result, error) {
	was, err := servers.Unload(ctx, in.Port)
	if err != nil {
		return nil, err
	}
	message := fmt.Sprintf("%s is unloaded; port %d is free.", was.Model, in.Port)
	switch {
	case was.Model == "":
		message = fmt.Sprintf("The load on port %d was ended; the port is free.", in.Port)
	case was.State == modelserver.Failed:
		message = fmt.Sprintf("%s had failed before (%s); it is forgotten, port %d is free.", was.Model, was.Fault, in.Port)
	}
	return &contract.Result{Summary: message, Output: unloadOutput{true, message, in.Port}}, nil
}
