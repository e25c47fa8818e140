// Package mesh holds the tools that work on surfaces and make volume meshes.
package mesh

import (
	"atelier/internal/contract"
	"atelier/internal/engine"
)

// Tools lists the family. Its kernels are part of the program, so no engine is
// asked of the host.
func Tools(_ engine.Host) []contract.Tool {
	repair, volume := meshRepair, volumeMesh
	repair.Quick = true
	repair.Glances = map[string]contract.Glance{"/input_path": nil}
	volume.Glances = repair.Glances
	return []contract.Tool{repair, volume}
}
