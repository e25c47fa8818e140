// Package web holds the tools that read the web.
package web

import (
	"atelier/contract"
)

// Tools lists the family. Without its parts only the contracts can be read.
func Tools(pages Pages) []contract.Tool {
	return []contract.Tool{
		fetchTool(pages),
	}
}
