package circuit

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/internal/evidence"
)

// atRest are the analyses that say something of an operating point: where it is,
// or what small signals do about it. A transient of an unstable circuit is what it
// is, as long as it leaves its beginning.
var atRest = []string{"op", "dc", "ac", "noise", "tf", "sens"}

// stability states whether the operating point of every analysis that rests on one
// would be kept: whether the circuit, linearised about it, has no growing mode.
func (j *judgement) stability(p *prober) {
	if j.script.altered || !p.net.active() {
		return
	}
	analyses := j.script.analyses()
	told := map[string]string{} // by sentence: the last one
	for i, c := range analyses {
		if len(j.out.plots[i]) == 0 || !slices.Contains(atRest, c.analysis) && !(c.analysis == "tran" && j.out.plots[i][0].still()) {
			continue
		}
		key := ""
		if c.analysis == "dc" {
			key = c.text
		}
		sentence, seen := told[key]
		if !seen {
			sentence = j.restless(p, i, c)
			told[key] = sentence
		}
		switch sentence {
		case "":
		case undetermined:
			j.noteOnce(undetermined)
		default:
			j.distrust(i, len(analyses) == 1, sentence)
		}
	}
}

// stillness is the share of its size by which rounding moves a voltage at rest.
const stillness = 1e-9

// still says whether no voltage or current of a transient moves.
func (p *plot) still() bool {
	for _, v := range p.vectors[1:] {
		lo, hi := bounds(v.re)
		if hi-lo > stillness*math.Max(-lo, hi)+1e-15 {
			return false
		}
	}
	return p.points() > 1
}

const undetermined = "Whether the operating point is stable was not determined: the simulator finds no poles of this circuit."

func (j *judgement) noteOnce(sentence string) {
	if !slices.Contains(j.Notes, sentence) {
		j.Note("%s", sentence)
	}
}

// distrust fails the figures of an analysis, or the whole result.
func (j *judgement) distrust(analysis int, all bool, sentence string) {
	figures := []string{}
	for k := range j.signals {
		if s := &j.signals[k]; s.analysis == analysis {
			figures = append(figures, s.at)
		}
	}
	if all || len(figures) == 0 {
		figures = []string{""}
	}
	for _, figure := range figures {
		j.Check(evidence.Holds("stability", evidence.Model, figure, false, sentence))
	}
}

// restless says why the operating point of an analysis would not be kept; "" where
// it would. A sweep is looked at in five places.
func (j *judgement) restless(p *prober, index int, c command) string {
	plot := j.out.plots[index][0]
	f := tokens(c.text)
	swept := p.net.device(f[min(1, len(f)-1)])
	if c.analysis != "dc" || len(f) != 5 || p.net.linear() || swept == nil || strings.IndexByte("vi", swept.kind()) < 0 {
		return p.verdict("", 0, nil, "")
	}
	last, sentence := plot.points()-1, ""
	for k, at := range []int{0, last / 4, last / 2, 3 * last / 4, last} {
		value := plot.vectors[0].re[at]
		said := p.verdict(swept.name, value, restOf(plot, at), fmt.Sprintf(" with %s at %s", strings.ToUpper(swept.name), format5(value)))
		if said != "" && said != undetermined {
			return said
		}
		if k == 0 {
			sentence = said
		}
	}
	return sentence
}

// verdict looks for growing modes. A mode that grows without oscillation, whatever
// the bandwidth of the sources, is feedback that drives the circuit away: at
// direct current its determinant has the other sign. One that oscillates counts
// only where the netlist itself has the dynamics: ideal sources around ideal
// capacitors may seem to oscillate at frequencies that no amplifier reaches.
func (p *prober) verdict(swept string, value float64, at rest, where string) string {
	look := func(b bandwidth) (any, steady complex128, knownAny, knownSteady bool) {
		found, stands, ok := p.find(b, swept, value, at)
		if !ok {
			return 0, 0, false, false
		}
		if at == nil && !p.net.linear() {
			at = stands
		}
		any, knownAny = found.growing(false)
		steady, knownSteady = found.growing(true)
		return any, steady, knownAny, knownSteady
	}
	own, _, knownOwn, _ := look(written)
	fast, fastSteady, known, knownSteady := look(amplifiers)
	if known && fast == 0 {
		return ""
	}
	if fast != 0 && own != 0 {
		return unstable(own, where, "")
	}
	_, slow, _, knownSlow := look(sluggish)
	if slow != 0 && (fastSteady != 0 || !knownSteady) {
		return unstable(slow, where, ", whatever the bandwidth of its sources")
	}
	if known || knownOwn || knownSlow {
		return ""
	}
	if node, ohms := p.negative(swept, value, at); node != "" {
		return fmt.Sprintf("The operating point%s is unstable: to small signals node %s has a resistance of %s Ohm, so that any capacitance there makes a disturbance grow. A real circuit leaves it; these figures belong to a balance that it does not keep. Give .nodeset for another operating point, or show the start with a transient analysis.",
			where, node, format5(ohms))
	}
	return undetermined
}

func unstable(s complex128, where, how string) string {
	mode, time := "leaves it and latches", fmt.Sprintf("by a factor e every %s s", format5(1/real(s)))
	if how != "" {
		time = "by itself"
	}
	if math.Abs(imag(s)) > least*math.Abs(real(s)) {
		mode = fmt.Sprintf("oscillates at about %s Hz", format5(math.Abs(imag(s))/2/math.Pi))
	}
	return fmt.Sprintf("The operating point%s is unstable%s: linearised there, the circuit has a pole in the right half plane, so that a disturbance grows %s. A real circuit %s; these figures belong to a balance that it does not keep. Check the sign of the feedback, or show the start with a transient analysis.",
		where, how, time, mode)
}
