package answer

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"atelier/internal/quantity"
)

// circuit tells the operating point, or what came out of the sweep.
func circuit(raw json.RawMessage, summary string) []string {
	var out struct {
		OperatingPoint map[string]float64 `json:"operating_point"`
	}
	var lines []string
	if err := json.Unmarshal(raw, &out); err == nil {
		for _, node := range slices.Sorted(maps.Keys(out.OperatingPoint)) {
			lines = append(lines, fmt.Sprintf("%s is %s.", node, quantity.Number(out.OperatingPoint[node])))
		}
	}
	if summary != "" {
		lines = append(lines, summary)
	}
	return lines
}
