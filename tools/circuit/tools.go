// Package circuit simulates electric circuits with ngspice.
package circuit

import (
	"atelier/contract"
	"atelier/engine"
)

const engineName = "ngspice"

// Tools lists the family.
func Tools(host engine.Host) []contract.Tool {
	return []contract.Tool{simulateTool(host), vectorsTool(host)}
}
