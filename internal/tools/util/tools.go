// Package util holds the two stable tools of document 000.
package util

import "atelier/internal/contract"

// Tools lists the family.
func Tools() []contract.Tool { return []contract.Tool{echoJSON, writeTextArtifact} }
