// Package tools lists every tool of the program, explicitly.
package tools

import (
	"slices"

	"atelier/internal/contract"
	"atelier/internal/engine"
	"atelier/internal/llm"
	"atelier/internal/study"
	"atelier/internal/tools/basics"
	"atelier/internal/tools/cad"
	"atelier/internal/tools/circuit"
	"atelier/internal/tools/claim"
	"atelier/internal/tools/mesh"
	"atelier/internal/tools/mlx"
	"atelier/internal/tools/notebook"
	"atelier/internal/tools/render"
	"atelier/internal/tools/solve"
	"atelier/internal/tools/statistics"
	studytools "atelier/internal/tools/study"
	"atelier/internal/tools/toolbox"
	"atelier/internal/tools/transcript"
	"atelier/internal/tools/web"
	"atelier/internal/tools/web/search"
)

// Parts is what the tools need of the program that serves them. The zero value
// is enough to read the contracts.
type Parts struct {
	Host engine.Host
	// Notebooks keeps those under construction; nil keeps them in memory.
	Notebooks notebook.Store
	// Hub is where the cards of language models are read from.
	Hub notebook.Hub
	// Models loads and unloads language models.
	Models mlx.Servers
	// Pages reads pages of the web.
	Pages web.Pages
	// Search answers search.web.
	Search *search.Searcher
	// Jobs are the finished jobs.
	Jobs claim.Jobs
	// Studies keeps studies and runs them.
	Studies *study.Service
	// Program is what tools and files are looked for in.
	Program toolbox.Program
	// Editor goes over cleaned transcripts; nil for none.
	Editor *llm.Client
}

// All lists every tool.
func All(p Parts) []contract.Tool {
	return slices.Concat(
		cad.Tools(p.Host),
		circuit.Tools(p.Host),
		claim.Tools(p.Jobs),
		mesh.Tools(p.Host),
		mlx.Tools(p.Models),
		notebook.Tools(p.Notebooks, p.Host, p.Hub),
		render.Tools(p.Host),
		solve.Tools(p.Host),
		statistics.Tools(),
		studytools.Tools(p.Studies),
		toolbox.Tools(p.Program),
		transcript.Tools(p.Editor),
		basics.Tools(),
		web.Tools(p.Pages, p.Search),
	)
}

// Standard is what clients are shown that ask for no tools: those of the study, and those that
// lead to all others.
var Standard = contract.Selection{Families: []string{"study", toolbox.Family}}

// Guide says how the tools that clients are shown lead to all others.
const Guide = "What is asked of a part is a study: study_change makes or changes it (in words, or by a JSON Patch) and shows it, " +
	"study_run runs it, study_ask looks a figure up. Where few tools are listed, find_tool finds any other and call_tool calls it."
