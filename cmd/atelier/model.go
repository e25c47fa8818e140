package main

import (
	"time"

	"atelier/internal/agent"
	"atelier/internal/llm"
	"atelier/internal/tools/mlx/modelserver"
)

// modelFlags name the language model that chooses tools by itself; without one,
// callers force the tools that they want.
type modelFlags struct {
	ModelURL string `help:"Base URL of an OpenAI-compatible endpoint, e.g. http://127.0.0.1:8000/v1, or local:8100 for a model that mlx.load has loaded." env:"ATELIER_MODEL_URL"`
	Model    string `help:"Name of the model at that endpoint." env:"ATELIER_MODEL"`
	ModelKey string `help:"Bearer key of the endpoint." env:"ATELIER_MODEL_KEY"`

	ModelWindow int `help:"Tokens that the model reads at once; results and histories are shortened to fit." env:"ATELIER_MODEL_WINDOW" default:"8192"`

	MaxTurns     int           `help:"Largest number of model replies per answer; negative for no limit." env:"ATELIER_MAX_TURNS" default:"24"`
	MaxToolCalls int           `help:"Largest number of tool calls per answer; negative for no limit." env:"ATELIER_MAX_TOOL_CALLS" default:"64"`
	MaxTokens    int           `help:"Largest number of tokens, prompt and completion, per answer; 0 for no limit." env:"ATELIER_MAX_TOKENS" default:"0"`
	MaxTime      time.Duration `help:"Time limit of one answer, not counting waits for a person; negative for no limit." env:"ATELIER_MAX_TIME" default:"1h"`
}

// budget bounds what the agent may use for one answer.
func (f modelFlags) budget() agent.Budget {
	return agent.Budget{Turns: f.MaxTurns, Calls: f.MaxToolCalls, Tokens: f.MaxTokens, Wall: f.MaxTime}
}

// client is nil where no URL is given. find says where a loaded model is, which
// the URL may name by its id.
func (f modelFlags) client(find finder) (*llm.Client, error) {
	if f.ModelURL == "" {
		return nil, nil
	}
	if _, loaded := modelserver.ParseID(f.ModelURL); loaded {
		return backendClient(find, f.ModelURL)
	}
	return llm.New(llm.Options{URL: f.ModelURL, Model: f.Model, Key: f.ModelKey})
}
