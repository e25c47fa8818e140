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

// laneFlags say how language models are served that mlx.load loads.
type laneFlags struct {
	Lane           []string `help:"Way to serve a model beside mlx, vllm and llamacpp, or in place of one: name=command with {model}, {host} and {port}." env:"ATELIER_LANE" sep:"none" placeholder:"NAME=COMMAND"`
	MLX            string   `name:"mlx" help:"Program of the lane mlx. Default: mlx_lm.server of the engines' folder, else of the PATH." env:"ATELIER_MLX" placeholder:"PATH"`
	Models         []string `help:"Further folder in which models may lie." env:"ATELIER_MODELS" type:"path" sep:":"`
	HFHome         string   `name:"hf-home" help:"Folder of Hugging Face's cache. Default: ~/.cache/huggingface." env:"HF_HOME" type:"path"`
	ModelDownloads bool     `help:"Let model servers download models." env:"ATELIER_MODEL_DOWNLOADS"`
	LaneHost       string   `help:"Address that model servers listen on." env:"ATELIER_LANE_HOST" default:"127.0.0.1"`
	LaneAddress    string   `help:"Name or address by which other machines reach the model servers of this one. Default: --lane-host." env:"ATELIER_LANE_ADDRESS"`
	KeepLanes      bool     `help:"Leave loaded models running when the program is stopped, for the next start to take over." env:"ATELIER_KEEP_LANES"`
}

// Loads and unloads wait most of their time; a slow one must not hold others up.
const (
	lanesQueue  = "mlx"
	loadsAtOnce = 8
)

// withLanes lets several models be loaded at once.
func withLanes(queues map[string]int) map[string]int {
	queues = maps.Clone(queues)
	if queues == nil {
		queues = map[string]int{}
	}
	if queues[lanesQueue] == 0 {
		queues[lanesQueue] = loadsAtOnce
	}
	return queues
}

func newLanes(s storage) (*modelserver.Manager, error) {
	lanes, err := modelserver.ParseLanes(s.Lane)
	if err != nil {
		return nil, err
	}
	if s.MLX != "" {
		lane := lanes[modelserver.DefaultLane]
		if strings.ContainsRune(s.MLX, filepath.Separator) {
			if s.MLX, err = filepath.Abs(s.MLX); err != nil {
				return nil, err
			}
		}
		lane.Argv = append([]string{s.MLX}, lane.Argv[1:]...)
		lanes[modelserver.DefaultLane] = lane
	}
	logs, err := filepath.Abs(filepath.Join(s.Data, "lanes"))
	if err != nil {
		return nil, err
	}
	return modelserver.New(modelserver.Options{
		Lanes: lanes, Engines: s.Engines, Folders: append(append([]string{}, s.Models...), s.Root...), Cache: s.HFHome, Downloads: s.ModelDownloads,
		Logs: logs, Host: s.LaneHost, Address: s.LaneAddress, Keep: s.KeepLanes, Log: logger(s.LogLevel),
	}), nil
}

// finder says where a loaded model is.
type finder func(ctx context.Context, id string) (llm.Place, error)

// laneClient calls a loaded model, wherever it is at the time of each call.
func laneClient(find finder, id string) (*llm.Client, error) {
	return llm.New(llm.Options{Model: id, Find: func(ctx context.Context) (llm.Place, error) {
		return find(ctx, id)
	}})
}

// loadedModels shows the loaded models to the OpenAI-style routes.
type loadedModels struct{ lanes *modelserver.Manager }

func (l loadedModels) List(ctx context.Context) ([]openai.LoadedModel, error) {
	servers, err := l.lanes.Servers(ctx)
	if err != nil {
		return nil, err
	}
	var list []openai.LoadedModel
	for _, r := range servers {
		if r.State == modelserver.Ready {
			list = append(list, openai.LoadedModel{ID: r.ID(), Root: r.Model, Owner: r.Lane, Since: r.Since})
		}
	}
	return list, nil
}

// Status shows them to the operator, whatever their state.
func (l loadedModels) Status(ctx context.Context) ([]admin.LoadedModel, error) {
	servers, err := l.lanes.Servers(ctx)
	if err != nil {
		return nil, err
	}
	list := []admin.LoadedModel{}
	for _, r := range servers {
		list = append(list, admin.LoadedModel{
			ID: r.ID(), Model: r.Model, Lane: r.Lane, Host: r.Host, URL: r.URL, State: string(r.State), Restarts: r.Restarts, Fault: r.Fault,
		})
	}
	return list, nil
}

// programs says which lanes this machine has.
func programs(lanes *modelserver.Manager) []doctor.Lane {
	var list []doctor.Lane
	for _, p := range lanes.Programs() {
		lane := doctor.Lane{Name: p.Lane, Installed: p.Err == nil, Path: p.Path}
		if p.Err != nil {
			lane.Hint = contract.AsError(p.Err).Hint
		}
		list = append(list, lane)
	}
	return list
}

func (l loadedModels) Client(ctx context.Context, id string) (*llm.Client, error) {
	if !strings.HasPrefix(id, modelserver.Prefix) {
		return nil, nil
	}
	_, err := l.lanes.Find(ctx, id)
	if err != nil && contract.AsError(err).Code != contract.CodeModelUnavailable { // which it may not be any more by its turn
		return nil, err
	}
	return laneClient(l.lanes.Find, id)
}
