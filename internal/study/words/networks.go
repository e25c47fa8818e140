package words

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"atelier/internal/quantity"
)

// Networks with more in them than resistances, capacitances and inductances: a light-emitting
// diode, an ideal amplifier, rectifiers, a filter behind a square wave.

// explicit are concepts of circuits that count as read only where the netlist has them.
var explicit = []string{"c.pwm", "c.duty", "c.ripple", "c.settled", "c.rms", "c.forward", "c.power", "c.smoothing", "c.risetime", "c.perdecade", "c.feedback", "c.diode"}

func (r *reader) useEach(kinds ...string) {
	for _, k := range kinds {
		for _, n := range r.all(k) {
			n.use()
		}
	}
}

// stage draws a network of these; false for none.
func (r *reader) stage(devices []device) bool {
	switch {
	case r.has("c.led") != nil:
		r.led(devices)
	case r.has("c.opamp", "c.inverting", "c.noninverting") != nil:
		r.amplifier(devices)
	case r.has("c.rectifier", "c.halfwave", "c.bridge") != nil:
		r.rectifier(devices)
	default:
		return false
	}
	return true
}

// computed sets the analysis of a network that was drawn, and the figures that are asked.
func (r *reader) computed(options map[string]any, questions map[string]string) {
	r.set("analyses", "circuit", map[string]any{"type": "circuit", "options": options})
	for name, pointer := range questions {
		r.set("questions", name, map[string]any{"analysis": "circuit", "quantity": pointer})
	}
	for _, kind := range []string{"an.transient", "q", "where", "freq", "frequency", "source", "an.harmonic", "s.by", "s.on", "wish", "heatrate", "when", "if", "bridge"} {
		r.useEach(kind)
	}
}

// beside is the device whose value stands nearest to a concept, without a comma or another
// value between; nil for none.
func (r *reader) beside(devices []device, kind byte, concept string) *device {
	var found *device
	nearest := 4
	for i := range devices {
		d := &devices[i]
		if d.kind != kind {
			continue
		}
		at := slices.Index(r.list, d.node)
		for j, n := range r.list {
			if distance := max(at-j, j-at); n.is(concept) && distance < nearest && !between(r.list, at, j) {
				found, nearest = d, distance
			}
		}
	}
	return found
}

func ofKind(devices []device, kind byte, but ...*device) []device {
	var out []device
	for _, d := range devices {
		if d.kind == kind && !slices.ContainsFunc(but, func(b *device) bool { return b != nil && b.node == d.node }) {
			out = append(out, d)
		}
	}
	return out
}

// lack asks for what a network needs.
func (r *reader) lack(english, german, example string) {
	r.ask("value", r.say("The circuit lacks ", "Der Schaltung fehlt: ")+r.say(english, german)+".", example)
}

// led is a light-emitting diode with its resistor: a constant drop.
func (r *reader) led(devices []device) {
	drop := r.beside(devices, 'V', "c.forward")
	rs, vs := ofKind(devices, 'R'), ofKind(devices, 'V', drop)
	switch {
	case drop == nil:
		r.lack("the forward voltage of the LED", "die Flussspannung der LED", r.say("forward voltage 2 V", "Flussspannung 2 V"))
	case len(rs) != 1:
		r.lack("its series resistance", "der Vorwiderstand", "470 Ohm")
	case len(vs) != 1:
		r.lack("its supply voltage", "die Versorgungsspannung", "12 V")
	}
	if len(r.out.Questions) > 0 {
		return
	}
	number1 := 1
	for i, n := range r.list[:len(r.list)-1] {
		if count := countOf(n); (n.is("n") || n.kind == "amount" && len(n.amount().units) == 0) && count > 0 && r.list[i+1].is("c.led") {
			number1 = count
			n.use()
		}
	}
	if number1 > 1 && r.has("c.series") == nil {
		r.ask("netlist", r.say("Are the %d LEDs in series?", "Sind die %d LEDs in Reihe?", number1), r.say("in series", "in Reihe"))
		return
	}
	total := quantity.Significant(float64(number1) * drop.value)
	if vs[0].value <= total {
		r.refuse(r.say("The supply of %g V is not above the forward voltage of %g V: no current flows.", "Die Versorgung mit %g V liegt nicht über der Flussspannung von %g V: es fließt kein Strom.", vs[0].value, total))
		return
	}
	useAll([]device{*drop, rs[0], vs[0]})
	r.useEach("c.forward", "c.power", "c.diode", "c.settled")
	r.assume("The LED is a constant drop of %g V.", "Die LED ist ein konstanter Spannungsabfall von %g V.", total)
	r.draw("LED with series resistor", "V1 in 0 "+number(vs[0].value), "R1 in led "+number(rs[0].value), "Vled led 0 "+number(total))
	questions := map[string]string{"current": "/operating_point/i(vled)"}
	probes := []any{"i(Vled)"}
	if r.has("c.power") != nil {
		probes, questions["power"] = append(probes, "@R1[p]"), "/operating_point/@r1[p]"
	}
	r.computed(map[string]any{"analysis": "op", "probes": probes}, questions)
}

// idealGain of an amplifier: its error of the output is as many times smaller.
const idealGain = 1e8

// amplifier is an inverting or non-inverting stage with an ideal operational amplifier.
func (r *reader) amplifier(devices []device) {
	inverting, plain := r.has("c.inverting"), r.has("c.noninverting")
	if (inverting == nil) == (plain == nil) {
		r.ask("netlist", r.say("Which amplifier is it: an inverting or a non-inverting stage? Any other needs its netlist in a fenced block.", "Welcher Verstärker ist es: invertierend oder nicht invertierend? Jeder andere braucht seine Netzliste in einem Block mit ```."), r.say("inverting op amp, Rin = 1 kOhm, Rf = 10 kOhm", "invertierender Verstärker, Rin = 1 kOhm, Rf = 10 kOhm"))
		return
	}
	rs, vs := ofKind(devices, 'R'), ofKind(devices, 'V')
	if len(rs) != 2 {
		r.lack("two resistances, at the input and in the feedback", "zwei Widerstände, am Eingang und in der Rückkopplung", "Rin = 1 kOhm, Rf = 10 kOhm")
		return
	}
	if len(devices) > len(rs)+len(vs) {
		r.ask("netlist", r.say("A stage with more than two resistances needs its netlist in a fenced block.", "Eine Stufe mit mehr als zwei Widerständen braucht ihre Netzliste in einem Block mit ```."), "```\n...\n```")
		return
	}
	feedback := r.beside(devices, 'R', "c.feedback")
	for i := range rs {
		if slices.Contains([]string{"rf", "rfb", "r2"}, strings.ToLower(rs[i].name)) {
			feedback = &rs[i]
		}
	}
	if feedback == nil {
		r.ask("value", r.say("Which of the resistances is in the feedback?", "Welcher Widerstand liegt in der Rückkopplung?"), "Rin = 1 kOhm, Rf = 10 kOhm")
		return
	}
	input := ofKind(rs, 'R', feedback)[0]
	volts := 1.0
	switch len(vs) {
	case 0:
		r.assume("1 V is at the input, so that the output is the gain.", "Am Eingang liegt 1 V, so dass der Ausgang die Verstärkung ist.")
	case 1:
		volts = vs[0].value
		vs[0].node.use()
	default:
		r.ask("value", r.say("Which of the voltages is at the input? An ideal amplifier needs no supply.", "Welche Spannung liegt am Eingang? Ein idealer Verstärker braucht keine Versorgung."), r.say("50 mV at the input", "50 mV am Eingang"))
		return
	}
	useAll([]device{input, *feedback})
	r.useEach("c.feedback", "c.settled", "c.op")
	r.assume("The amplifier is ideal: a gain of %g, no limit of its output.", "Der Verstärker ist ideal: Verstärkung %g, keine Grenze am Ausgang.", idealGain)
	v, rin, rf, gain := number(volts), number(input.value), number(feedback.value), number(idealGain)
	if plain != nil {
		r.draw("Non-inverting amplifier", "V1 in 0 "+v, "E1 out 0 in n "+gain, "R1 n 0 "+rin, "R2 out n "+rf)
	} else {
		r.draw("Inverting amplifier", "V1 in 0 "+v, "R1 in n "+rin, "R2 n out "+rf, "E1 out 0 0 n "+gain)
	}
	r.computed(map[string]any{"analysis": "op", "probes": []any{"v(out)"}}, map[string]string{"output": "/operating_point/v(out)"})
}

var siliconName = regexp.MustCompile(`(?i)^1N400[1-7]$`)

// siliconDiode is a rectifier diode of 1 A: 0.66 V at 10 mA, 0.95 V at 1 A.
const siliconDiode = ".model DSI D(IS=1e-8 N=1.9 RS=0.04 CJO=30p)"

// rectifier is a half wave or a bridge with a capacitor and a load, and its ripple.
func (r *reader) rectifier(devices []device) {
	for _, n := range r.list {
		switch {
		case siliconName.MatchString(n.text):
			n.use()
			n.kind, n.val = "c.diode", nil
		case strings.HasPrefix(strings.ToUpper(n.text), "1N"):
			r.ask("netlist", r.say("The diode %s is not known here. Its model can be given in a netlist.", "Die Diode %s ist hier nicht bekannt. Ihr Modell lässt sich in einer Netzliste angeben.", n.text), "1N4001")
			return
		}
	}
	devices = slices.DeleteFunc(devices, func(d device) bool { return d.node.kind == "c.diode" })
	half, bridge := r.has("c.halfwave"), r.has("c.bridge")
	rs, cs, vs := ofKind(devices, 'R'), ofKind(devices, 'C'), ofKind(devices, 'V')
	hertz := r.amountsOf(quantity.Frequency)
	switch {
	case (half == nil) == (bridge == nil):
		r.ask("netlist", r.say("Which rectifier is it: a half wave or a bridge?", "Welcher Gleichrichter ist es: Einweg oder Brücke?"), r.say("half-wave rectifier", "Brückengleichrichter"))
	case len(vs) != 1:
		r.lack("its supply voltage", "die Versorgungsspannung", "12 V rms")
	case len(hertz) != 1:
		r.lack("the frequency of the supply", "die Frequenz der Versorgung", "50 Hz")
	case len(rs) != 1:
		r.lack("its load", "die Last", "680 Ohm")
	case len(cs) > 1:
		r.lack("one capacitance only", "nur eine Kapazität", "1000 uF")
	case r.has("c.rms", "max") == nil && !r.amplitudes():
		r.ask("value", r.say("Is %s the rms value or the amplitude?", "Ist %s der Effektivwert oder die Amplitude?", vs[0].node.text), r.say("12 V rms", "12 V effektiv"))
	}
	if len(r.out.Questions) > 0 {
		return
	}
	hertz[0].use()
	amplitude, f := vs[0].value, hertz[0].amount().si(quantity.Frequency)
	if r.has("c.rms") != nil {
		amplitude = quantity.Significant(amplitude * math.Sqrt2)
		r.assume("The supply is a sine of %g V, as its rms value says.", "Die Versorgung ist ein Sinus von %g V Amplitude, wie der Effektivwert sagt.", amplitude)
	}
	useAll(devices)
	r.useEach("c.rms", "c.ripple", "c.settled", "c.smoothing", "c.diode", "c.power", "q.amplitude", "max")
	r.assume("The diodes are of silicon, for 1 A: IS = 10 nA, N = 1.9, RS = 40 mOhm, CJO = 30 pF.", "Die Dioden sind aus Silizium, für 1 A: IS = 10 nA, N = 1,9, RS = 40 mOhm, CJO = 30 pF.")
	lines := []string{fmt.Sprintf("V1 in 0 SIN(0 %s %s)", number(amplitude), number(f)), "D1 in out DSI"}
	if bridge != nil {
		lines = []string{fmt.Sprintf("V1 a b SIN(0 %s %s)", number(amplitude), number(f)), "D1 a out DSI", "D2 b out DSI", "D3 0 a DSI", "D4 0 b DSI", "R9 b 0 1e+06"}
	}
	constant := 0.0
	if len(cs) == 1 {
		lines = append(lines, "C1 out 0 "+number(cs[0].value))
		constant = rs[0].value * cs[0].value
	}
	r.rippling("Rectifier", f, constant, append(lines, "R1 out 0 "+number(rs[0].value), siliconDiode))
}

// amplitudes says whether a voltage is said to be one, and marks the word.
func (r *reader) amplitudes() (said bool) {
	for _, n := range r.list {
		if w, ok := n.val.(wish); n.is("q.amplitude") || ok && w.quantity == "q.amplitude" {
			n.use()
			said = true
		}
	}
	return said
}

func (r *reader) amountsOf(k quantity.Kind) (out []*node) {
	for _, n := range r.list {
		if n.kind == "amount" && n.amount().is(k) && !n.used && n.amount().written != "rpm" {
			out = append(out, n)
		}
	}
	return out
}

// settledIn are the time constants after which a circuit counts as settled: what is left of
// its beginning is 6e-6.
const settledIn = 12

// rippling draws a circuit that is driven periodically and measures the last period when it
// has settled.
func (r *reader) rippling(title string, hertz, constant float64, lines []string) {
	periods := max(math.Ceil(settledIn*constant*hertz), 10) + 1
	end, from := quantity.Significant(periods/hertz), quantity.Significant((periods-1)/hertz)
	span := fmt.Sprintf(" v(out) from=%s to=%s", number(from), number(end))
	r.draw(title, append(lines, ".meas tran ripple pp"+span, ".meas tran mean avg"+span)...)
	r.assume("The last of %g periods is measured, %d time constants after the start.", "Gemessen wird die letzte von %g Perioden, %d Zeitkonstanten nach dem Beginn.", periods, settledIn)
	r.computed(map[string]any{"analysis": "tran", "options": map[string]any{"tran": map[string]any{"tstop": end, "max_step": quantity.Significant(1 / hertz / 200)}}, "probes": []any{"v(out)"}},
		map[string]string{"ripple": "/measurements/ripple", "mean": "/measurements/mean"})
}

// square puts a filter behind a square wave; false where none is said.
func (r *reader) square(title string, vs, devices []device, lines []string) bool {
	n := r.has("c.pwm")
	if n == nil {
		return false
	}
	hertz := r.amountsOf(quantity.Frequency)
	duty, low := r.dutyCycle()
	switch {
	case len(hertz) != 1:
		r.lack("the frequency of the square wave", "die Frequenz des Rechtecks", "1 kHz")
	case len(vs) == 0 || len(vs) > 2:
		r.lack("the voltage of the square wave", "die Spannung des Rechtecks", "5 V")
	case duty == 0:
		r.lack("the duty cycle", "das Tastverhältnis", r.say("duty cycle 50 %", "Tastverhältnis 50 %"))
	case duty <= 0 || duty >= 1:
		r.refuse(r.say("A duty cycle lies between 0 and 100 %.", "Ein Tastverhältnis liegt zwischen 0 und 100 %."))
	}
	if len(r.out.Questions) > 0 || r.out.Refusal != "" {
		return true
	}
	hertz[0].use()
	useAll(vs)
	high := vs[len(vs)-1].value
	if len(vs) == 2 {
		low = vs[0].value
	}
	r.useEach("c.pwm", "c.duty", "c.ripple", "c.settled", "c.smoothing")
	f := hertz[0].amount().si(quantity.Frequency)
	edge := quantity.Significant(1e-6 / f)
	source := fmt.Sprintf("V1 in 0 PULSE(%s %s 0 %s %s %s %s)", number(low), number(high), number(edge), number(edge), number(quantity.Significant(duty/f-edge)), number(quantity.Significant(1/f)))
	_, constant := corner(devices)
	r.rippling(title, f, constant, append([]string{source}, lines...))
	return true
}

// dutyCycle is the share of the period in which a square wave is high, and its low level where
// it is a bare number before the high one: 0/5 V.
func (r *reader) dutyCycle() (duty, low float64) {
	var said *node
	for i, n := range r.list {
		a := n.amount()
		if a == nil || n.kind != "amount" {
			continue
		}
		v, _ := a.number.Float64()
		for _, j := range []int{i - 2, i - 1, i + 1, i + 2} {
			if j >= 0 && j < len(r.list) && r.list[j].is("c.duty") && !between(r.list, i, j) && (a.written == "%" || len(a.units) == 0 && a.doubt == "" && a.slip == "") {
				if a.written == "%" {
					v /= 100
				} else if duty != 0 {
					continue // a share in percent stands there too
				}
				if said != nil {
					said.used = false
				}
				duty, said = v, n
				n.use()
			}
		}
		if i+1 < len(r.list) && len(a.units) == 0 && r.list[i+1].amount().is(quantity.Voltage) && slices.Contains([]string{"/", "-", "–", "to", "bis", "and", "und"}, strings.TrimSpace(r.text[n.end:r.list[i+1].start])) {
			low = v
			n.use()
		}
	}
	return duty, low
}

// parallelSources refuses ideal sources of two voltages on the same nodes.
func (r *reader) parallelSources(devices []device) bool {
	vs := ofKind(devices, 'V')
	if r.has("c.parallel") == nil || len(vs) < 2 || len(vs) != len(devices) {
		return false
	}
	useAll(vs)
	r.refuse(r.say("Ideal sources of %s and %s on the same two nodes have no solution: the current would be without limit. Put a resistance between them.", "Ideale Quellen mit %s und %s an denselben zwei Knoten haben keine Lösung: der Strom wäre unbegrenzt. Setze einen Widerstand dazwischen.", vs[0].node.text, vs[1].node.text))
	return true
}

// ownAnalysis says whether the netlist has a card of what is computed.
func (r *reader) ownAnalysis() bool {
	for _, m := range r.members("circuits") {
		if regexp.MustCompile(`(?im)^\s*\.(?:op|ac|dc|tran|tf|pz|noise|sens)\b`).MatchString(text(m.value["netlist"])) || m.value["file"] != nil {
			return true
		}
	}
	return false
}
