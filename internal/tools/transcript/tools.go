// Package transcript is the family that cleans transcripts of speech.
package transcript

import (
	"atelier/internal/contract"
	"atelier/internal/llm"
)

// Tools lists the family. editor is the language model that goes over what the
// rules have cleaned; nil for none.
func Tools(editor *llm.Client) []contract.Tool {
	return []contract.Tool{cleaner(editor)}
}
