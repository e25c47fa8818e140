// Package circuit simulates electric circuits with ngspice.
package circuit

import (
	"atelier/internal/contract"
	"atelier/internal/engine"
)

const engineName = "ngspice"

// Tools lists the family.
func Tools(host engine.Host) []contract.Tool {
	return []contract.Tool{simulateTool(host), vectorsTool(host)}
}
