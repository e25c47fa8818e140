// Package web holds the tools that read the web.
package web

import (
	"atelier/internal/contract"
	"atelier/internal/tools/web/search"
)

// Tools lists the family. Without its parts only the contracts can be read.
func Tools(pages Pages, searcher *search.Searcher) []contract.Tool {
	return []contract.Tool{
		fetchTool(pages),
		searchTool(searcher),
	}
}
