package answer

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"atelier/internal/agent/plan"
	"atelier/internal/quantity"
)

// simulated is what is told of a simulation.
type simulated struct {
	OperatingPoint map[string]float64  `json:"operating_point"`
	Measurements   map[string]*float64 `json:"measurements"`
	Quantities     []struct {
		Figure string `json:"figure"`
		Unit   string `json:"unit"`
		Trust  string `json:"trust"`
	} `json:"quantities"`
}

// unmeasured are the figures that were to be measured and that the simulation does
// not reach.
func unmeasured(p *plan.Plan, raw json.RawMessage) (said []string) {
	var out simulated
	if p.Network == nil || json.Unmarshal(raw, &out) != nil {
		return nil
	}
	for _, m := range p.Network.Measures {
		if out.Measurements[m.Name] == nil {
			said = append(said, m.Said)
		}
	}
	return said
}

// figure writes a measured value in its unit, and that it is suspect where it is.
func (s *simulated) figure(name string) string {
	value := s.Measurements[name]
	if value == nil {
		return ""
	}
	text := quantity.Number(*value)
	for _, q := range s.Quantities {
		if q.Figure != "/measurements/"+name {
			continue
		}
		switch q.Unit {
		case "s":
			text = quantity.Time.Format(*value)
		case "Hz":
			text = quantity.Frequency.Format(*value)
		case "rad":
			text = quantity.Number(*value*180/math.Pi) + "°"
		}
		if q.Trust == "suspect" {
			text += " (suspect)"
		}
	}
	return text
}

// circuit tells what was asked for and measured, the operating point, and what came
// out of the sweep.
func circuit(p *plan.Plan, raw json.RawMessage, summary string) []string {
	var out simulated
	var lines []string
	if err := json.Unmarshal(raw, &out); err == nil {
		if p.Network != nil {
			for _, m := range p.Network.Measures {
				if text := out.figure(m.Name); text != "" {
					lines = append(lines, fmt.Sprintf("%s: %s.", m.Said, text))
				}
			}
		}
		for _, node := range slices.Sorted(maps.Keys(out.OperatingPoint)) {
			lines = append(lines, fmt.Sprintf("%s is %s.", node, quantity.Number(out.OperatingPoint[node])))
		}
	}
	if summary != "" {
		lines = append(lines, summary)
	}
	return lines
}
