// Package basics holds the two stable tools of api/spec/execute.md.
package basics

import "atelier/internal/contract"

// Tools lists the family.
func Tools() []contract.Tool { return []contract.Tool{echoJSON, writeTextArtifact} }
