package study

import (
	"encoding/json"
	"maps"
	"slices"

	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/jsonvalue"
	"atelier/internal/store"
)

// Service keeps studies and runs them. Its fields are set when the program has opened
// what they stand for, before the first call.
type Service struct {
	DB    *store.DB
	Jobs  job.API
	Tools *contract.Registry
	// Build of the program: results of another one are not taken for those of this.
	Build string
}

// keys of a section, in order.
func keys[T any](section map[string]T) []string { return slices.Sorted(maps.Keys(section)) }

func escape(name string) string { return jsonvalue.Escape(name) }

// encode is for values of this package, which always encode.
func encode(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}
