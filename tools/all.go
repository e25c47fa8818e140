// Package tools lists every tool of the program, explicitly.
package tools

import (
	"slices"

	"atelier/contract"
	"atelier/engine"
	"atelier/tools/cad"
	"atelier/tools/circuit"
	"atelier/tools/mesh"
	"atelier/tools/mlx"
	"atelier/tools/notebook"
	"atelier/tools/render"
	"atelier/tools/solve"
	"atelier/tools/statistics"
	"atelier/tools/util"
)

// Parts is what the tools need of the program that serves them. The zero value
// is enough to read the contracts.
type Parts struct {
	Host engine.Host
	// Notebooks keeps those under construction; nil keeps them in memory.
	Notebooks notebook.Shelf
	// Models loads and unloads language models.
	Models mlx.Servers
}

// All lists every tool.
func All(p Parts) []contract.Tool {
	return slices.Concat(
		cad.Tools(p.Host),
		circuit.Tools(p.Host),
		mesh.Tools(p.Host),
		mlx.Tools(p.Models),
		notebook.Tools(p.Notebooks, p.Host),
		render.Tools(p.Host),
		solve.Tools(p.Host),
		statistics.Tools(),
		util.Tools(),
	)
}
