// Package tools lists every tool of the program, explicitly.
package tools

import (
	"slices"

	"atelier/contract"
	"atelier/engine"
	"atelier/tools/cad"
	"atelier/tools/circuit"
	"atelier/tools/mesh"
	"atelier/tools/notebook"
	"atelier/tools/render"
	"atelier/tools/solve"
	"atelier/tools/statistics"
	"atelier/tools/util"
)

// All lists every tool. A nil host is enough to read the contracts. The shelf is
// where notebooks under construction are kept; without one they are in memory.
func All(host engine.Host, shelf ...notebook.Shelf) []contract.Tool {
	var notebooks notebook.Shelf
	if len(shelf) > 0 {
		notebooks = shelf[0]
	}
	return slices.Concat(
		cad.Tools(host),
		circuit.Tools(host),
		mesh.Tools(host),
		notebook.Tools(notebooks),
		render.Tools(host),
		solve.Tools(host),
		statistics.Tools(),
		util.Tools(),
	)
}
