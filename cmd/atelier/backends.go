package main

import (
	"context"
	"maps"
	"path/filepath"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/doctor"
	"atelier/internal/llm"
	"atelier/internal/protocol/admin"
	"atelier/internal/protocol/openai"
	"atelier/internal/tools/mlx/modelserver"
)

// backendFlags say how language models are served that mlx.load loads.
type backendFlags struct {
	Backend        []string `help:"Adds or replaces a backend that serves models (built in: mlx, vllm, llamacpp): name=command with {model}, {host} and {port}." env:"ATELIER_BACKEND" sep:"none" placeholder:"NAME=COMMAND"`
	MLX            string   `name:"mlx" help:"Program of the backend mlx. Default: mlx_lm.server of the engines' folder, else of the PATH." env:"ATELIER_MLX" placeholder:"PATH"`
	Models         []string `help:"Additional folder from which models may be loaded." env:"ATELIER_MODELS" type:"path" sep:":"`
	HFHome         string   `name:"hf-home" help:"Folder of Hugging Face's cache. Default: ~/.cache/huggingface." env:"HF_HOME" type:"path"`
	ModelDownloads bool     `help:"Let model servers download models." env:"ATELIER_MODEL_DOWNLOADS"`
	BackendHost    string   `help:"Address that model servers listen on." env:"ATELIER_BACKEND_HOST" default:"127.0.0.1"`
	BackendAddress string   `help:"Name or address by which other machines reach the model servers of this one. Default: --backend-host." env:"ATELIER_BACKEND_ADDRESS"`
	KeepBackends   bool     `help:"Leave loaded models running when the program stops; the next start takes them over." env:"ATELIER_KEEP_BACKENDS"`
}

// waiting are the queues whose jobs wait most of their time, with jobs at once: loads of
// models, and studies for the calls that they make. A slow one must not hold others up.
var waiting = map[string]int{"mlx": 8, "study": 8}

// withWaiting lets several jobs wait at once.
func withWaiting(queues map[string]int) map[string]int {
	queues = maps.Clone(queues)
	if queues == nil {
		queues = map[string]int{}
	}
	for name, atOnce := range waiting {
		if queues[name] == 0 {
			queues[name] = atOnce
		}
	}
	return queues
}

func newBackends(s storage) (*modelserver.Manager, error) {
	backends, err := modelserver.ParseBackends(s.Backend)
	if err != nil {
		return nil, err
	}
	if s.MLX != "" {
		backend := backends[modelserver.DefaultBackend]
		if strings.ContainsRune(s.MLX, filepath.Separator) {
			if s.MLX, err = filepath.Abs(s.MLX); err != nil {
				return nil, err
			}
		}
		backend.Argv = append([]string{s.MLX}, backend.Argv[1:]...)
		backends[modelserver.DefaultBackend] = backend
	}
	logs, err := filepath.Abs(filepath.Join(s.Data, "backends"))
	if err != nil {
		return nil, err
	}
	return modelserver.New(modelserver.Options{
		Backends: backends, Engines: s.Engines, Folders: append(append([]string{}, s.Models...), s.Root...), Cache: s.HFHome, Downloads: s.ModelDownloads,
		Logs: logs, Host: s.BackendHost, Address: s.BackendAddress, Keep: s.KeepBackends, Log: logger(s.LogLevel),
	}), nil
}

// finder says where a loaded model is.
type finder func(ctx context.Context, id string) (llm.Place, error)

// backendClient calls a loaded model, wherever it is at the time of each call.
func backendClient(find finder, id string) (*llm.Client, error) {
	id = modelserver.PresentID(id)
	return llm.New(llm.Options{Model: id, Find: func(ctx context.Context) (llm.Place, error) {
		return find(ctx, id)
	}})
}

// loadedModels shows the loaded models to the OpenAI-style routes.
type loadedModels struct{ backends *modelserver.Manager }

func (l loadedModels) List(ctx context.Context) ([]openai.LoadedModel, error) {
	servers, err := l.backends.Servers(ctx)
	if err != nil {
		return nil, err
	}
	var list []openai.LoadedModel
	for _, r := range servers {
		if r.State == modelserver.Ready {
			list = append(list, openai.LoadedModel{ID: r.ID(), Root: r.Model, Owner: r.Backend, Since: r.Since})
		}
	}
	return list, nil
}

// Status shows them to the operator, whatever their state.
func (l loadedModels) Status(ctx context.Context) ([]admin.LoadedModel, error) {
	servers, err := l.backends.Servers(ctx)
	if err != nil {
		return nil, err
	}
	list := []admin.LoadedModel{}
	for _, r := range servers {
		list = append(list, admin.LoadedModel{
			ID: r.ID(), Model: r.Model, Backend: r.Backend, Host: r.Host, URL: r.URL, State: string(r.State), Restarts: r.Restarts, Fault: r.Fault,
		})
	}
	return list, nil
}

// programs says which backends this machine has.
func programs(backends *modelserver.Manager) []doctor.Backend {
	var list []doctor.Backend
	for _, p := range backends.Programs() {
		backend := doctor.Backend{Name: p.Backend, Installed: p.Err == nil, Path: p.Path}
		if p.Err != nil {
			backend.Hint = contract.AsError(p.Err).Hint
		}
		list = append(list, backend)
	}
	return list
}

func (l loadedModels) Client(ctx context.Context, id string) (*llm.Client, error) {
	if !modelserver.NamesServer(id) {
		return nil, nil
	}
	_, err := l.backends.Find(ctx, id)
	if err != nil && contract.AsError(err).Code != contract.CodeModelUnavailable { // which it may not be any more by its turn
		return nil, err
	}
	return backendClient(l.backends.Find, id)
}
