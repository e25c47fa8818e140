package web

import (
	"context"
	_ "embed"
	"fmt"

	"atelier/internal/contract"
	"atelier/internal/tools/web/search"
)

//go:embed search_web.json
var searchContract []byte

type searchInput struct {
	Query      string `json:"query"`
	MaxResults int    `json:"max_results"`
}

type searchOutput struct {
	Results []search.Result `json:"results"`
}

// searchTool is search.web. The output has no place for where results came
// from; that stands in the metrics.
func searchTool(searcher *search.Searcher) contract.Tool {
	return contract.Bind(searchContract, func(ctx context.Context, _ *contract.Call, in searchInput) (*contract.Result, error) {
		found, err := searcher.Search(ctx, in.Query, in.MaxResults)
		if err != nil {
			return nil, err
		}
		return &contract.Result{
			Summary: fmt.Sprintf("%d results by %s.", len(found.Results), found.Backend),
			Output:  searchOutput{found.Results},
			Metrics: map[string]any{
				"backend": found.Backend, "results": len(found.Results), "requests": found.Requests,
				"received": found.Received, "duplicates_merged": found.Duplicates, "left_out": found.Filtered,
			},
			Warnings: found.Warnings,
		}, nil
	})
}
