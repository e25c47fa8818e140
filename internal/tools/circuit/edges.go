package circuit

import (
	"fmt"
	"slices"
	"strings"

	"atelier/internal/contract"
)

const (
	edgeShare   = 1000 // of the largest step that an edge without a length takes
	breakParts  = 5    // that a segment shorter than a step is divided into
	breakMost   = 400  // times at which the second run has to stop
	expTimes    = 5    // time constants after which an EXP has ended
	breakPrefix = "atelier_breakpoints"
)

// waveform is the numbers of a source's PULSE, PWL or EXP; ok is false where it has
// none, or one that is not plain.
func (e *element) waveform(form string) (numbers []float64, ok bool) {
	at := slices.Index(e.tokens, form)
	if strings.IndexByte("vi", e.kind()) < 0 || at <= len(e.nodes) {
		return nil, false
	}
	for i := at + 1; i < len(e.tokens); i++ {
		v, number := e.numberAt(i)
		if !number {
			break
		}
		numbers = append(numbers, v)
	}
	return numbers, true
}

// edgeless names the sources whose PULSE has a rise or fall time of 0, for which
// the simulator takes the step of the transient.
func (n *netlist) edgeless() []string {
	var names []string
	for i := range n.elements {
		e := &n.elements[i]
		w, ok := e.waveform("pulse")
		if !ok || len(w) > 4 && w[3] > 0 && w[4] > 0 {
			continue
		}
		plain := 1 + slices.Index(e.tokens, "pulse") + len(w)
		if plain < len(e.tokens) && plain < slices.Index(e.tokens, "pulse")+6 {
			continue // an expression may stand for the time
		}
		names = append(names, strings.ToUpper(e.name))
	}
	return names
}

// warnOfEdges tells that the step of a transient is an edge of its sources.
func (r *request) warnOfEdges() {
	names := r.net.edgeless()
	for _, c := range r.script.analyses() {
		step, ok := at(strings.Fields(c.text), 1)
		if c.analysis != "tran" || !ok || len(names) == 0 {
			continue
		}
		r.net.warnings = append(r.net.warnings, contract.Warning{Code: "edge_without_length", Message: fmt.Sprintf(
			"The PULSE of %s has a rise or fall time of 0, for which the simulator takes the step of the transient, %s s. Give both times.", strings.Join(names, ", "), format5(step))})
		return
	}
}

// breakpoints are a source and a resistor apart from the circuit, whose corners
// make the simulator stop within every segment of a waveform that is shorter than
// a step. There it takes a tenth of the segment as its step, whatever the
// tolerances are, so that without them both runs make the same error.
func (n *netlist) breakpoints(tran string) []string {
	f := strings.Fields(tran)
	stop, _ := at(f, 2)
	longest, ok := longestStep(f)
	if !ok || longest <= 0 {
		return nil
	}
	var times []float64
	for i := range n.elements {
		corners := n.elements[i].corners(stop)
		for k := 1; k < len(corners) && len(times) < breakMost; k++ {
			from, length := corners[k-1], corners[k]-corners[k-1]
			if length <= 0 || length >= longest || corners[k] > stop {
				continue
			}
			for part := range breakParts + 1 {
				times = append(times, from+length*float64(part)/breakParts)
			}
		}
	}
	slices.Sort(times)
	times = slices.Compact(times)
	if len(times) == 0 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "V%s %s 0 PWL(", breakPrefix, breakPrefix)
	last := -1.0
	for i, t := range times {
		if t <= last*(1+1e-15) && i > 0 {
			continue // the simulator wants them to rise
		}
		last = t
		fmt.Fprintf(&b, "%s 0 ", spice(t))
	}
	fmt.Fprintf(&b, "%s 0)", spice(2*stop))
	return []string{b.String(), fmt.Sprintf("R%s %s 0 1", breakPrefix, breakPrefix)}
}

// corners are the times at which a source's waveform bends.
func (e *element) corners(stop float64) []float64 {
	if w, ok := e.waveform("pwl"); ok {
		var times []float64
		for i := 0; i+1 < len(w); i += 2 {
			times = append(times, w[i])
		}
		return times
	}
	if w, ok := e.waveform("exp"); ok && len(w) >= 6 {
		times := []float64{w[2], w[2] + w[3], w[2] + expTimes*w[3], w[4], w[4] + w[5], w[4] + expTimes*w[5]}
		slices.Sort(times)
		return times
	}
	w, ok := e.waveform("pulse")
	if !ok || len(w) < 5 {
		return nil
	}
	width, period := stop, stop
	if len(w) > 5 && w[5] > 0 {
		width = w[5]
	}
	if len(w) > 6 && w[6] > 0 {
		period = w[6]
	}
	var times []float64
	for t := w[2]; t < stop && len(times) < breakMost; t += period {
		times = append(times, t, t+w[3], t+w[3]+width, t+w[3]+width+w[4])
	}
	return times
}
