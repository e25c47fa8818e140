package circuit

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"atelier/internal/evidence"
)

const (
	denseDecade = 250  // points of a decade in which extremes are looked for
	denseMost   = 4000 // … and of the whole sweep
	noiseMost   = 60   // windows of a noise spectrum
	otherGrid   = 16.2 // times finer, and no multiple of half the step
	narrowGrid  = 9973 // points of a sweep over what may be narrow, at least
)

// closer are the analyses in which the second run looks for extremes between the
// points: windows of a sweep of frequencies, and another grid over a dc sweep,
// which a window could begin on another branch of the circuit.
func (sec *second) closer(n *netlist, c command, plots []*plot, index int, signals []signal, took time.Duration) []string {
	p := plots[len(plots)-1]
	if p.points() < 2 {
		return nil
	}
	f := strings.Fields(c.text)
	before, most := "", 0
	switch c.analysis {
	case "ac":
		before, most = "ac", zoomMost
	case "noise":
		for i, word := range f {
			if slices.Contains([]string{"dec", "oct", "lin"}, strings.ToLower(word)) {
				before, most = strings.Join(f[:i], " "), noiseMost
			}
		}
	case "dc":
		finer := otherGrid
		if n.narrow() != "" {
			finer = math.Max(finer, narrowGrid/float64(p.points()-1))
		}
		if step, ok := at(f, 4); ok && len(f) == 5 && !n.linear() && float64(p.points())*finer < sweepMost && took < slow {
			f[4] = spice(step / finer)
			return []string{strings.Join(f, " ")}
		}
	}
	if most == 0 {
		return nil
	}
	if took > slow { // at most four times the points of the sweep
		most = min(most, 4*p.points()/zoomPoints)
	}
	found := wholeRange(before, p, took)
	if text := n.alongLines(before, p); text != "" && took*linePoints/time.Duration(max(p.points(), 1)) < 100*quick {
		found = append(found, text)
	}
	for _, w := range windows(n, sec.natural, p, index, signals, most) {
		found = append(found, fmt.Sprintf("%s lin %d %s %s", before, zoomPoints, spice(w[0]), spice(w[1])))
	}
	return found
}

// wholeRange is a finer grid over all of a sweep, for notches and peaks that are
// neither near an extreme of the first run nor those of one inductor with one
// capacitor.
func wholeRange(before string, p *plot, took time.Duration) []string {
	x := p.vectors[0].re
	from, to := bounds(x)
	if from <= 0 || to <= from || took > slow {
		return nil
	}
	return []string{fineGrid(before, math.Min(math.Max(denseDecade*math.Log10(to/from), 5*float64(len(x))), denseMost), from, to)}
}

// windows are the ranges of frequency that a sweep is looked at more closely in:
// between the neighbours of every extreme that is shown, around the poles, and around
// the resonance of every inductor with every capacitor.
func windows(n *netlist, natural []complex128, p *plot, analysis int, signals []signal, most int) [][2]float64 {
	x := p.vectors[0].re
	if len(x) < 2 {
		return nil
	}
	var all [][2]float64
	add := func(from, to float64) {
		w := [2]float64{math.Max(from, x[0]), math.Min(to, x[len(x)-1])}
		if w[1] > w[0] && len(all) < most && !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	for i := range signals {
		if s := &signals[i]; s.analysis == analysis && !s.single {
			for _, k := range []int{s.maxIndex, s.minIndex} {
				add(x[max(k-1, 0)], x[min(k+1, len(x)-1)])
			}
		}
	}
	for _, s := range natural {
		f, half := math.Abs(imag(s))/2/math.Pi, math.Abs(real(s))/2/math.Pi
		for _, width := range []float64{2 * half, 20 * half} {
			add(f-width, f+width)
		}
	}
	for _, f := range n.resonances() {
		for _, width := range []float64{3e-2, 1e-3, 3e-5} {
			add(f*(1-width), f*(1+width))
		}
	}
	return all
}

// resonances are 1/(2 pi sqrt(L C)) of the inductors and capacitors of the netlist.
func (n *netlist) resonances() []float64 {
	var l, c, found []float64
	for i := range n.elements {
		e := &n.elements[i]
		v, ok := e.value()
		if !ok || v <= 0 {
			continue
		}
		switch e.kind() {
		case 'l':
			l = append(l, v)
		case 'c':
			c = append(c, v)
		}
	}
	for i := range n.elements { // what is left of a winding when the other is shorted
		e := &n.elements[i]
		if e.kind() != 'k' || len(e.tokens) < 4 {
			continue
		}
		if k, ok := e.numberAt(len(e.tokens) - 1); ok && math.Abs(k) < 1 {
			for _, name := range e.tokens[1 : len(e.tokens)-1] {
				if w := n.device(name); w != nil {
					if v, ok := w.value(); ok && v > 0 {
						l = append(l, v*(1-k*k))
					}
				}
			}
		}
	}
	for _, l := range l {
		for _, c := range c {
			if f := 1 / (2 * math.Pi * math.Sqrt(l*c)); len(found) < resonances && !slices.Contains(found, f) {
				found = append(found, f)
			}
		}
	}
	return found
}

var (
	narrowCall = regexp.MustCompile(`(?i)\b(?:exp|u|u2|uramp|sgn|buf|inv|if|ternary_fcn|table|pwl|floor|ceil|nint|limit|sin|cos|tan)\s*[({]|[?<>]|tanh?\b.*tanh?\b|==|(?:/|\^|\*\*)\s*[^\d\s.]`)
	ofVoltage  = regexp.MustCompile(`(?i)\b[vi]\s*\(`)
)

// narrow names what may do something within an interval of voltage or current that
// is shorter than any step: a switch, or an expression that is more than a
// polynomial or a smooth saturation. "" where there is nothing of that kind.
func (n *netlist) narrow() string {
	for i := range n.elements {
		e := &n.elements[i]
		switch {
		case e.kind() == 'w', e.kind() == 's' && !n.clocked(e):
			return fmt.Sprintf("%s, a switch", strings.ToUpper(e.name))
		case strings.IndexByte("begvirlc", e.kind()) >= 0 && len(e.tokens) > 2:
			if rest := afterNodes(e); ofVoltage.MatchString(rest) && narrowCall.MatchString(rest) {
				return fmt.Sprintf("%s, an expression of voltages or currents", strings.ToUpper(e.name))
			}
		}
	}
	for _, c := range n.cards {
		if firstWord(c.text) == ".func" && narrowCall.MatchString(c.text) {
			return fmt.Sprintf("line %d, a function that may be narrow", c.number)
		}
	}
	return ""
}

// afterNodes is a device's text behind its nodes, as it was written.
func afterNodes(e *element) string {
	f := strings.Fields(e.text)
	return strings.Join(f[min(1+len(e.nodes), len(f)):], " ")
}

// clocked says whether a switch is driven by a PULSE of one source, at whose
// corners the simulator stops.
func (n *netlist) clocked(e *element) bool {
	for i := range n.elements {
		v := &n.elements[i]
		if v.kind() != 'v' || v.sub != e.sub || len(e.nodes) < 4 {
			continue
		}
		control := e.nodes[2:4]
		if w, ok := v.waveform("pulse"); ok && len(w) > 4 && w[3] > 0 && w[4] > 0 && slices.Contains(control, v.nodes[0]) && slices.Contains(control, v.nodes[1]) {
			return true
		}
	}
	return false
}

// spread names what has resonances that are not known from an inductor and a
// capacitor of the netlist: a line, a code model, a value that is not a number.
func (n *netlist) spread() string {
	for i := range n.elements {
		if what := n.spreads(&n.elements[i]); what != "" {
			return what
		}
	}
	return ""
}

// spreads is what spread says of one element.
func (n *netlist) spreads(e *element) string {
	_, plain := e.value()
	switch {
	case strings.IndexByte("touyapn", e.kind()) >= 0:
		return fmt.Sprintf("%s, a line or a model of its own", strings.ToUpper(e.name))
	case e.kind() == 'k' && !n.polesKnown:
		return fmt.Sprintf("%s, a coupling whose resonances the simulator did not find", strings.ToUpper(e.name))
	case strings.IndexByte("lc", e.kind()) >= 0 && !plain:
		return fmt.Sprintf("%s, whose value is not a plain number", strings.ToUpper(e.name))
	case strings.IndexByte("eg", e.kind()) >= 0 && strings.Contains(strings.ToLower(e.text), "laplace"):
		return fmt.Sprintf("%s, a transfer function", strings.ToUpper(e.name))
	}
	return ""
}

// hides names what may lie between the points of an analysis without either run
// seeing it, and what it may hide: everything, or the extremes alone.
func (n *netlist) hides(analysis string) (what string, everything bool) {
	switch analysis {
	case "tran":
		if what = n.unseen(); what == "" {
			what = n.narrow()
		}
		return what, true
	case "dc":
		return n.narrow(), false
	case "ac", "noise":
		return n.spread(), false
	}
	return "", false
}

// noteHidden says once for each kind of analysis what may be missed.
func (j *judgement) noteHidden() {
	noted := map[string]bool{}
	for _, c := range j.script.analyses() {
		what, everything := j.net.hides(c.analysis)
		if what == "" || noted[c.analysis] || !everything && c.analysis != "dc" && j.net.onlyLines() {
			continue // what lines hide has checks of its own
		}
		noted[c.analysis] = true
		if everything {
			j.Note("What is shorter than a time step of %s may be missed in both runs, so no figure of the transient is verified.", what)
			continue
		}
		j.Note("What lies between the points of the %s analysis because of %s may be missed in both runs, so none of its extremes is verified.", c.analysis, what)
	}
}

// kinds are those of the checks of a signal: for its last value, and its extremes.
// Two runs that can both miss something agree on a wrong figure.
func (j *judgement) kinds(s *signal, c command) (last, extremes evidence.Kind) {
	what, everything := j.net.hides(c.analysis)
	last, extremes = evidence.Refinement, evidence.Refinement
	if what != "" {
		extremes = evidence.Residual
	}
	if what != "" && everything || c.analysis == "tran" && j.second.steps(s.analysis) < finerSteps {
		return evidence.Residual, evidence.Residual
	}
	return last, extremes
}
