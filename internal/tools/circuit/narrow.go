package circuit

import (
	"fmt"
	"math"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// narrowSources names the sources with a pulse that begins and ends within a step. They
// make the simulator stop at their corners, but nothing that comes later does.
func (n *netlist) narrowSources(stop, longest float64) (names []string, shortest float64) {
	shortest = math.Inf(1)
	for i := range n.elements {
		e := &n.elements[i]
		corners, least := e.corners(stop), math.Inf(1)
		width := 3 // a pulse has four corners, a peak of other waveforms three
		if _, isPulse := e.waveform("pulse"); !isPulse {
			width = 2
		}
		for k := 0; k+width < len(corners); k++ {
			if length := corners[k+width] - corners[k]; length > 0 && corners[k+width] <= stop {
				least = math.Min(least, length)
			}
		}
		if least < longest {
			names, shortest = append(names, strings.ToUpper(e.name)), math.Min(shortest, least)
		}
	}
	return names, shortest
}

// delays names the devices that give a waveform back later.
func (n *netlist) delays() []string {
	var names []string
	for i := range n.elements {
		if e := &n.elements[i]; strings.IndexByte("toy", e.kind()) >= 0 {
			names = append(names, strings.ToUpper(e.name))
		}
	}
	return names[:min(len(names), 10)]
}

// narrowPulses tells of pulses that are shorter than a step, and doubts what comes
// out of lines then: the pulse arrives between two points and is not seen.
func (j *judgement) narrowPulses() {
	for _, c := range j.script.analyses() {
		f := strings.Fields(c.text)
		longest, ok := longestStep(f)
		stop, _ := at(f, 2)
		if c.analysis != "tran" || !ok {
			continue
		}
		names, shortest := j.net.narrowSources(stop, longest)
		if len(names) == 0 {
			continue
		}
		sentence := fmt.Sprintf("A pulse of %s lasts %s s, and the largest step is %s s: behind the source it may lie between two points. Set max_step to %s s or less.",
			strings.Join(names, ", "), format5(shortest), format5(longest), format5(shortest/2))
		j.warnings = append(j.warnings, contract.Warning{Code: "pulse_within_a_step", Message: sentence})
		if lines := j.net.delays(); len(lines) > 0 {
			j.Check(evidence.Holds("pulse_resolved", evidence.Model, "", false, fmt.Sprintf("%s It passes %s, which give it back later, where nothing makes the simulator stop.", sentence, strings.Join(lines, ", "))))
		}
		return
	}
}
