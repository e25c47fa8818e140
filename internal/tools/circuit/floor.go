package circuit

import (
	"math"
	"slices"
	"strings"
)

const (
	solvedDigits  = 1e-9  // relative, that sparse elimination keeps where a gain of 1e6 cancels
	roundedDigits = 1e-15 // of the largest quantity of the circuit, that differences of it lose
	printedDigits = 5e-7  // relative: meas prints seven digits
	smallShare    = 1e-6  // of the largest voltage or current: what is less counts as zero
)

// floor is the least error bar of a figure of a signal: what rounding leaves, and
// the absolute tolerances by which the iterations of the second run end.
func (j *judgement) floor(s *signal, value float64) float64 {
	if span := s.probe.form.span(); span > 0 {
		return solvedDigits * math.Max(span, math.Abs(value))
	}
	rounding := math.Max(solvedDigits*math.Abs(value), roundedDigits*j.largest(s))
	if s.unit == "A" {
		rounding += j.roundedAt(s)
	}
	c := j.script.analyses()[s.analysis]
	if c.analysis != "tran" && (j.net.linear() || !slices.Contains([]string{"op", "dc"}, c.analysis)) {
		return rounding // solved in one step
	}
	name, usual := "vntol", 1e-6
	if s.unit == "A" {
		name, usual = "abstol", 1e-12
	}
	return rounding + math.Min(j.script.option(j.net, name, usual), usual)/10
}

// roundedAt is what the last digits of voltages are in a current: those of the
// resistors that share a node with the device.
func (j *judgement) roundedAt(s *signal) float64 {
	name, _ := strings.CutPrefix(s.probe.name, "i(")
	e := j.net.device(strings.TrimSuffix(name, ")"))
	if e == nil {
		return 0
	}
	volts := j.largest(&signal{analysis: s.analysis, part: s.part, unit: "V"})
	most := 0.0
	for i := range j.net.elements {
		r := &j.net.elements[i]
		if slices.ContainsFunc(r.nodes, func(node string) bool { return !isGround(node) && slices.Contains(e.nodes, node) }) {
			most = math.Max(most, r.roundedCurrent(func(string) float64 { return volts }))
		}
	}
	return most
}

// largest is the largest quantity of a signal's kind in its plot.
func (j *judgement) largest(s *signal) float64 {
	if s.analysis >= len(j.out.plots) || s.part >= len(j.out.plots[s.analysis]) {
		return 0
	}
	key := sized{s.analysis, s.part, s.unit}
	if found, ok := j.sizes[key]; ok {
		return found
	}
	largest := s.peak()
	for _, v := range j.out.plots[s.analysis][s.part].vectors {
		if unit(v.kind, v.name) != s.unit {
			continue
		}
		for i := range v.re {
			largest = math.Max(largest, math.Abs(v.magnitude(i)))
		}
	}
	j.sizes[key] = largest
	return largest
}

// sized names the quantities of a plot that have one unit.
type sized struct {
	analysis, part int
	unit           string
}
