// Package mesh holds the tools that work on surfaces and make volume meshes.
package mesh

import (
	"atelier/internal/contract"
	"atelier/internal/engine"
)

// Tools lists the family. Its kernels are part of the program, so no engine is
// asked of the host.
func Tools(_ engine.Host) []contract.Tool {
	repair := meshRepair
	repair.Quick = true
	return []contract.Tool{repair, volumeMesh}
}
