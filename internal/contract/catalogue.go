package contract

import (
	"slices"
	"sort"
)

// CatalogueEntry explains a code; all stand in api/errors.json, of which codes.go
// is made. HTTPStatus is that
// of the direct dialect unless a contract says otherwise.
type CatalogueEntry struct {
	Code       string `json:"code"`
	HTTPStatus int    `json:"http_status"`
	Retryable  bool   `json:"retryable"`
	Meaning    string `json:"meaning"`
}

func index(entries []CatalogueEntry) map[string]CatalogueEntry {
	m := make(map[string]CatalogueEntry, len(entries))
	for _, e := range entries {
		if _, twice := m[e.Code]; twice {
			panic("error catalogue: " + e.Code + " stands twice")
		}
		m[e.Code] = e
	}
	return m
}

// Known says whether the catalogue has the code.
func Known(code string) bool { _, ok := catalogue[code]; return ok }

// Lookup returns the entry of a code; that of internal_error for an unknown one.
func Lookup(code string) CatalogueEntry {
	if e, ok := catalogue[code]; ok {
		return e
	}
	return catalogue[CodeInternal]
}

// Catalogue lists all entries by code.
func Catalogue() []CatalogueEntry {
	all := make([]CatalogueEntry, 0, len(catalogue))
	for _, e := range catalogue {
		all = append(all, e)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Code < all[j].Code })
	return slices.Clip(all)
}
