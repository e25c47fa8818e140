// Package tools lists every tool of the program, explicitly.
package tools

import (
	"slices"

	"atelier/contract"
	"atelier/engine"
	"atelier/tools/cad"
	"atelier/tools/circuit"
	"atelier/tools/mesh"
	"atelier/tools/render"
	"atelier/tools/solve"
	"atelier/tools/util"
)

// All lists every tool. A nil host is enough to read the contracts.
func All(host engine.Host) []contract.Tool {
	return slices.Concat(
		cad.Tools(host),
		circuit.Tools(host),
		mesh.Tools(host),
		render.Tools(host),
		solve.Tools(host),
		util.Tools(),
	)
}
