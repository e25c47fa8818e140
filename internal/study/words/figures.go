package words

import (
	"fmt"
	"slices"
	"strings"

	"atelier/internal/quantity"
)

// Figures of heat that are asked for beside the largest temperature, and those of a circuit
// that are measured in its netlist.

var pointWords = []string{"point", "points", "spot", "spots", "place", "location", "stelle", "punkt", "ort", "bereich"}

// extremePoint is the coldest or hottest point of a part: its temperature, and where it lies.
func extremePoint(m match) *node {
	least := false
	switch strings.ToLower(m.one("m").text) {
	case "coldest", "kälteste", "kältesten", "kältester", "kühlste", "kühlsten":
		least = true
	case "hottest", "heißeste", "heißesten", "heißester", "wärmste", "wärmsten":
	default:
		return nil
	}
	if p := m.one("p"); !slices.Contains(pointWords, strings.ToLower(p.text)) {
		return nil
	}
	n := phrase("wish", m.nodes, wish{quantity: "temp", least: least})
	n.also = []string{"where"}
	return n
}

// coldAsked says whether a frame of a temperature that is asked for is about the cold.
func coldAsked(f *frame) bool {
	return slices.ContainsFunc(f.heads, func(n *node) bool {
		return slices.Contains([]string{"cold", "cool", "kalt", "kühl"}, strings.ToLower(n.text))
	})
}

// extremes are the words for the largest and least that stand beside no figure: max and min
// temperature. A least value of nothing is asked about.
func (r *reader) extremes(list []wish) []wish {
	for i, n := range r.list {
		if n.kind != "max" && n.kind != "min" {
			continue
		}
		j := i + 1
		for j < len(r.list) && (r.list[j].is("and") || r.list[j].kind == "comma") {
			j++
		}
		if j < len(r.list) && j > i+1 {
			if w, ok := r.list[j].val.(wish); ok && w.quantity != "" {
				list = append(list, wish{quantity: w.quantity, least: n.kind == "min"})
				continue
			}
		}
		if n.kind == "max" || i+1 < len(r.list) && (r.list[i+1].is("modes") || r.list[i+1].is("n") || r.list[i+1].kind == "amount" || r.list[i+1].is("frequency") || r.list[i+1].is("mode")) {
			continue
		}
		if i > 0 && r.list[i-1].is("temp") {
			for k := range list {
				list[k].least = list[k].least || list[k].quantity == "temp"
			}
			continue
		}
		if len(list) > 0 {
			r.ask("quantity", r.say("Of which figure is the least value wanted (%q)? A least one is told of temperatures and safety factors.", "Von welcher Größe ist der kleinste Wert gesucht (%q)? Genannt wird er bei Temperatur und Sicherheit.", n.text), r.say("the lowest temperature", "die tiefste Temperatur"))
		}
	}
	return list
}

var heatAsked = wholeWords(`(?:how much|what|which) (?:heat|power|heat flow)(?: (?:that|does|is|it|gets|will|be|must|going|to|through|the|left|right|top|bottom|part|there))* (?:flows?|lost|loses?|leaves?|passes|pass|conducted|transferred|goes|dissipated|removed)|wie ?viel wärme(?: \p{L}+){0,4} (?:fließt|geht|verloren|abgegeben|strömt|übertragen|abgeführt)|wie ?viel wärme (?:fließt|strömt)`)

// heatWished adds the heat that flows, where a sentence asks how much.
func (r *reader) heatWished(list []wish) []wish {
	if !r.analysed("heat") || slices.ContainsFunc(list, func(w wish) bool { return w.quantity == "heatrate" }) {
		return list
	}
	text := strings.Join(strings.Fields(r.text), " ")
	switch {
	case heatAsked.MatchString(text):
		return append(list, wish{quantity: "heatrate"})
	case r.contains("how much heat") || r.contains("wie viel wärme") || r.contains("wieviel wärme"):
		r.ask("quantity", r.say("Which heat is meant: that which flows through a face?", "Welche Wärme ist gemeint: die durch eine Fläche strömt?"), r.say("how much heat flows?", "wie viel Wärme fließt?"))
	}
	return list
}

// temperatureThere asks about a temperature at a place: the largest and the least of the part
// are figures, one at a face is none.
func (r *reader) temperatureThere(f *frame) {
	if len(f.places) == 0 {
		return
	}
	f.use()
	r.ask("temperature", r.say("A temperature at %q is no figure: the highest and the lowest of the part are, with where they lie. Or is a temperature given there, and how high is it?", "Eine Temperatur bei %q ist keine Größe: genannt werden die höchste und die tiefste des Teils und wo sie liegen. Oder ist dort eine gegeben, und welche?", f.places[0].text), r.say("the highest temperature", "die höchste Temperatur"))
}

// direct says whether a circuit is fed by a direct voltage and nothing varies.
func (r *reader) direct() bool {
	if r.has("c.step", "an.transient", "duration", "c.ac", "c.pwm", "c.risetime", "c.rms", "sweep") != nil {
		return false
	}
	for _, n := range r.list {
		if a := n.amount(); a != nil && n.kind == "amount" && (a.is(quantity.Frequency) && strings.HasSuffix(a.written, "Hz") || a.is(quantity.Time)) {
			return false
		}
	}
	return r.has("c.op") != nil || directSource.MatchString(r.text)
}

var directSource = wholeWords(`battery|batteries|accumulator|constant voltage|direct voltage|batterie|batteriespannung|akku|konstante spannung|gleichstromquelle|vdc|v dc`)

// acSaid are the words of a sweep that stand in the sentence, in small letters.
func (r *reader) acSaid(words ...string) bool {
	return slices.ContainsFunc(r.all("c.ac"), func(n *node) bool {
		low := strings.ToLower(n.text)
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(low, w) })
	})
}

func (r *reader) cornerAsked() bool {
	return r.acSaid("cutoff", "cut-off", "cut off", "corner", "-3 db", "3 db", "grenzfrequenz", "eckfrequenz")
}

func (r *reader) gainAsked() bool {
	return r.acSaid("gain", "attenuation", "verstärkung") || r.has("damping") != nil || r.acSaid("db") && !r.cornerAsked()
}

// measured puts cards that measure what is asked of a sweep into the netlist that was drawn:
// the gain and the phase at one frequency, and the corner of a filter of first order.
func (r *reader) measured(devices []device, hertz []*node, options map[string]any) {
	gain, corner, phase := r.gainAsked(), r.cornerAsked(), r.acSaid("phase")
	m, _ := section(r.doc, "circuits")["circuit"].(map[string]any)
	netlist := text(m["netlist"])
	volts := len(hertz) == 1 && r.has("c.voltage") != nil && !gain
	if options["analysis"] != "ac" || r.given() || netlist == "" {
		return
	}
	var cards []string
	question := func(name, english, german, card string) {
		cards = append(cards, ".meas ac "+name+" "+card)
		r.set("questions", r.say(english, german), map[string]any{"analysis": "circuit", "quantity": "/measurements/" + name})
	}
	if len(hertz) == 1 {
		at := number(hertz[0].amount().si(quantity.Frequency))
		if gain {
			question("gain_db", "gain in dB", "gain in dB", "find vdb(out) at="+at)
		}
		if phase {
			question("phase_rad", "phase in rad", "phase in rad", "find vp(out) at="+at)
		}
		if volts {
			question("output_v", "output amplitude in V", "output amplitude in V", "find vm(out) at="+at)
		}
		if gain || phase || volts {
			r.assume("The values at %s are measured there.", "Die Werte bei %s werden dort gemessen.", hertz[0].text)
		} else {
			r.assume("No figure at %s was asked for that is measured: the gain, the phase and the output voltage are.", "Bei %s ist keine Größe gefragt, die gemessen wird: Verstärkung, Phase und Ausgangsspannung werden es.", hertz[0].text)
		}
	} else if gain || phase {
		r.assume("The gain and the phase are told as curves over the sweep; for figures say one frequency.", "Verstärkung und Phase stehen als Kurven im Ergebnis; für Zahlen nenne eine Frequenz.")
	}
	first := 0
	for _, d := range devices {
		if d.kind == 'C' || d.kind == 'L' {
			first++
		}
	}
	if corner && first == 1 {
		question("corner", "corner frequency", "corner frequency", fmt.Sprintf("when vdb(out)=%s", number(-3.0103)))
	} else if corner {
		r.assume("The corner frequency is not told as a figure: read it from the curve of the sweep.", "Die Grenzfrequenz wird nicht als Zahl genannt: sie ist an der Kurve abzulesen.")
	}
	if len(cards) > 0 {
		m["netlist"] = strings.TrimSuffix(netlist, "\n.end") + "\n" + strings.Join(cards, "\n") + "\n.end"
	}
}

// modalLoads tells that natural frequencies do not know the loads of the study.
func (r *reader) modalLoads() {
	if !r.fresh || len(section(r.doc, "loads")) == 0 || len(r.ofType("modal")) == 0 || len(r.ofType("modal")) < len(r.members("analyses")) || r.has("prestress") != nil {
		return
	}
	r.assume("Natural frequencies do not depend on the loads; they are kept for a static analysis.", "Eigenfrequenzen hängen nicht von den Lasten ab; sie bleiben für eine statische Analyse stehen.")
}
