package circuit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"atelier/internal/contract"
)

// Netlists of LTspice and PSpice hold forms that this simulator takes for something
// else without a word. They are read as their authors meant them, or refused with the
// form that is taken here.

var (
	limitCall = regexp.MustCompile(`(?i)\blimit\s*\(`)
	grouped   = regexp.MustCompile(`(?i)^(?:[-+]?\d+(?:_\d+)+[a-z]*|0x[0-9a-f]+)$`) // 10_000, 0x10
	ofIdeal   = regexp.MustCompile(`(?i)\b(ron|roff|vfwd|vrev|rrev|ilimit|revilimit|epsilon|revepsilon)\s*=`)
	multiple  = map[string]string{"res": "r", "cap": "c", "ind": "l"} // models of PSpice
)

// ignored are cards of other programs that change no figure.
var ignored = []string{".backanno"}

// checkDialect refuses what a card means elsewhere.
func (n *netlist) checkDialect(c card) *contract.Error {
	if !n.functions["limit"] {
		for _, at := range limitCall.FindAllStringIndex(c.text, -1) {
			x, low, high, ok := threeOf(c.text[at[1]:])
			if ok {
				return invalid(c.number, c.text, "limit(x, low, high) is of LTspice and PSpice; the simulator's own limit is a random number").
					WithHint("Write max(min(%s,%s),%s), or define .func limit(x,a,b) {max(min(x,b),a)}.", x, high, low)
			}
		}
	}
	return nil
}

// threeOf are the arguments of a function that has three.
func threeOf(text string) (a, b, c string, ok bool) {
	inside, c := argumentsOf(text) // which parts at the last comma of its depth
	a, b = argumentsOf(inside + ")")
	return strings.TrimSpace(a), strings.TrimSpace(b), strings.TrimSpace(c), b != "" && c != ""
}

// checkElementDialect refuses what a device's card means elsewhere.
func (n *netlist) checkElementDialect(e *element) *contract.Error {
	_, rest := e.split()
	for _, word := range wordsOf(rest) {
		value := word[strings.IndexByte(word, '=')+1:]
		if grouped.MatchString(value) && !n.models[strings.ToLower(value)] && e.kind() != 'x' {
			return invalid(e.number, e.text, "the simulator reads %q up to its first letter or underscore and drops the rest", value).
				WithHint("Write the number with digits alone, such as 10000 or 10k.")
		}
	}
	switch e.kind() {
	case 'q', 'm', 'j':
		for _, node := range e.tokens[1:] {
			if strings.HasPrefix(node, "[") {
				return invalid(e.number, e.text, "a substrate in brackets is of LTspice and PSpice; the simulator would take %s for a node or a model", node).
					WithHint("Write its node without brackets behind the other nodes: Q1 collector base emitter substrate model.")
			}
		}
	case 'v', 'i':
		return checkWaveform(e)
	}
	return nil
}

const sineMost = 6 // numbers of a sine

// checkWaveform refuses numbers of a waveform that the simulator would drop, and times
// that it would not add.
func checkWaveform(e *element) *contract.Error {
	for _, form := range []string{"sin", "sine"} {
		if w, ok := e.waveform(form); ok && len(w) > sineMost {
			return invalid(e.number, e.text, "a sine takes offset, amplitude, frequency, delay, damping and phase; the simulator drops a seventh number, such as LTspice's number of cycles").
				WithHint("Leave it out, or end the sine by a product: B1 out 0 V=v(in)*(time<%s ? 1 : 0).", spice(w[sineMost]/max(w[2], 1e-300)+w[3]))
		}
	}
	at := slices.Index(e.tokens, "pwl")
	for i := at + 1; at > len(e.nodes) && i < len(e.tokens); i += 2 {
		if strings.HasPrefix(e.tokens[i], "+") {
			return invalid(e.number, e.text, "the time %s with a sign is of LTspice, where it counts from the point before; the simulator takes it for a time from the start", e.tokens[i]).
				WithHint("Write every time of PWL from the start.")
		}
	}
	return nil
}

// checkIdealDiode refuses the parameters of LTspice's diode of straight lines.
func checkIdealDiode(c *card, f []string) *contract.Error {
	found := ofIdeal.FindStringSubmatch(c.text)
	if f[2] != "d" || found == nil {
		return nil
	}
	return invalid(c.number, c.text, "%s makes an ideal diode of straight lines in LTspice; the simulator's diode has no such parameter and would drop it", found[1]).
		WithHint("Write .model %s D(IS=1e-12 N=0.01 RS=…) for a diode of almost no voltage, with RS for Ron and BV for Vrev; put Vfwd as a voltage source in series.", f[1])
}

// checkMultiples refuses models of PSpice whose value multiplies that of their devices.
func (n *netlist) checkMultiples() *contract.Error {
	factors := map[string]card{}
	for _, c := range n.cards {
		f := tokens(c.text)
		if f[0] != ".model" || len(f) < 4 || multiple[f[2]] == "" {
			continue
		}
		for _, t := range f[3:] {
			if value, ok := strings.CutPrefix(t, multiple[f[2]]+"="); ok && value != "1" {
				factors[f[1]] = c
			}
		}
	}
	for i := range n.elements {
		e := &n.elements[i]
		words := e.tokens[min(1+len(e.nodes), len(e.tokens)):]
		given := slices.ContainsFunc(words, func(t string) bool { _, ok := parseNumber(t); return ok })
		for _, word := range words {
			if c, ok := factors[word]; ok && given {
				return invalid(c.number, c.text, "the value of this model multiplies those of its devices in PSpice; the simulator takes the value of %s alone", strings.ToUpper(e.name)).
					WithHint("Write the product as the value of each device, and leave it out of the model.")
			}
		}
	}
	return nil
}

// defines is the name of the function of a .func card.
func defines(text string) string {
	name, _, _ := strings.Cut(strings.TrimSpace(text[len(firstWord(text)):]), "(")
	return strings.ToLower(strings.TrimSpace(name))
}

const draw = 1 // the seed where the netlist has none

// seed makes random values the same in every run of an input.
func (n *netlist) seed() {
	seeded := func(c card) bool {
		return strings.HasPrefix(firstWord(c.text), ".opt") && slices.ContainsFunc(tokens(c.text), func(t string) bool { return strings.HasPrefix(t, "seed") })
	}
	if !n.random() || slices.ContainsFunc(n.cards, seeded) {
		return
	}
	n.seeded = fmt.Sprintf(".options seed=%d", draw)
	n.warn("random_values", fmt.Sprintf("The netlist has random values. The figures are those of one draw of them, the same in every run: write .options seed=N for another than %d.", draw))
}

// ownSteps is the share of a transient that its step is, where none is given.
const ownSteps = 1000

// ofLTspice are words of its transients.
var ofLTspice = []string{"startup", "steady", "nodiscard"}

// withStep reads the forms of LTspice, whose transients need no step: text is the same
// where it has one.
func withStep(text string) string {
	f := strings.Fields(text)
	first, ok1 := at(f, 1)
	stop, ok2 := at(f, 2)
	switch {
	case ok1 && first > 0 && (len(f) == 2 || len(f) == 3 && strings.EqualFold(f[2], "uic")):
		stop, f = first, slices.Insert(f, 1, "")
	case !ok1 || first != 0 || !ok2 || stop <= 0:
		return text
	}
	f[1] = spice(stop / ownSteps)
	return strings.Join(f, " ")
}

// giveStep does so in a card or command, and refuses what LTspice alone has.
func (n *netlist) giveStep(c *card) *contract.Error {
	for _, word := range strings.Fields(c.text) {
		if slices.Contains(ofLTspice, strings.ToLower(word)) {
			return invalid(c.number, c.text, "%s is of LTspice", word).
				WithHint("Leave it out; for startup, give the supplies a rise: PULSE(0 5 0 20u 1u 1 2).")
		}
	}
	if text := withStep(c.text); text != c.text {
		n.warn("step_given", fmt.Sprintf("%q gives no step: it is run as %q.", clip(c.text), clip(text)))
		c.text = text
	}
	return nil
}

// checkTransients gives the transients of a script their step.
func (r *request) checkTransients() *contract.Error {
	for i := range r.script.commands {
		c := &r.script.commands[i]
		if c.analysis != "tran" {
			continue
		}
		own := card{c.number, c.text}
		if fault := r.net.giveStep(&own); fault != nil {
			return fault.At(r.commandField())
		}
		c.text = own.text
	}
	return nil
}
