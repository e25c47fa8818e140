// Package render holds the tool that draws meshes and fields: pictures, depth
// and normal images with the cameras that made them. The VTK engine draws; this
// package checks the call, reads surfaces, gathers the files of a series, and
// says what the picture shows.
package render

import (
	"atelier/internal/contract"
	"atelier/internal/engine"
)

// Tools lists the family. A nil host is enough to read the contracts.
func Tools(host engine.Host) []contract.Tool {
	return []contract.Tool{renderPack(host)}
}
