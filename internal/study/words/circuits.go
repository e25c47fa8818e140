package words

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/quantity"
)

// Circuits: a netlist as it is given, or one of the small networks that words can say.

var (
	elementName = regexp.MustCompile(`^[RCLV](?:\d{1,2}|in|out|s|f|fb|g|i|L|load)?$`)
	netlistCard = regexp.MustCompile(`(?im)^\s*(?:\.end\b|[rclvi]\w*\s+\S+\s+\S+\s+\S)`)
	circuitFile = []string{".cir", ".net", ".sp", ".spice"}
)

// part of a network: what it is and how large.
type device struct {
	kind  byte // R, C, L or V
	name  string
	value float64
	low   bool // to ground
	load  bool
	node  *node
}

func (r *reader) isCircuit() bool {
	for _, n := range r.list {
		switch {
		case n.kind == "netlist" && netlistCard.MatchString(n.val.(string)):
			return true
		case n.kind == "file" && slices.ContainsFunc(circuitFile, func(e string) bool { return strings.HasSuffix(strings.ToLower(n.text), e) }):
			return true
		}
	}
	if n := r.has("c.divider", "c.lowpass", "c.highpass", "c.bandpass", "c.kind", "c.R", "c.C", "c.L", "c.circuit", "c.unknown", "c.led", "c.opamp", "c.inverting", "c.noninverting", "c.rectifier", "c.halfwave", "c.bridge", "c.pwm"); n != nil {
		return len(section(r.before, "parts")) == 0
	}
	if r.has("c.source") != nil && len(r.amountsGiven(quantity.Voltage)) > 0 {
		return len(section(r.before, "parts")) == 0
	}
	return len(section(r.before, "circuits")) > 0 && len(section(r.before, "parts")) == 0
}

func (r *reader) circuit() {
	for _, n := range r.list {
		if (n.kind == "word" || n.is("s.extra")) && elementName.MatchString(n.text) {
			n.kind = "element"
		}
		if n.kind == "place" && strings.EqualFold(n.text, "point") || n.kind == "element" && n.text[0] == 'V' {
			n.use() // -3 dB point; Vout
		}
		if n.is("c") && !slices.ContainsFunc(explicit, n.is) || n.is("max") || n.is("min") || n.is("an.static") || n.is("change") || n.is("instead") || n.is("only") || n.is("n") || n.is("also") || n.is("all") || n.is("flowverb") || n.is("again") {
			n.use()
		}
	}
	for i, n := range r.list {
		if a := n.amount(); a != nil && len(a.units) == 0 && i+1 < len(r.list) && strings.EqualFold(r.list[i+1].text, "db") {
			n.use() // -3 dB
		}
	}
	devices := r.devices()
	switch {
	case r.netlist(devices):
	case len(section(r.before, "circuits")) > 0 && len(devices) == 0 && r.askedOfCircuit():
		return
	case len(section(r.before, "circuits")) > 0:
		r.changeCircuit(devices)
		return
	case r.parallelSources(devices):
		return
	case r.stage(devices):
		return
	case r.has("c.unknown") != nil:
		r.ask("netlist", r.say("A circuit with %s cannot be drawn from words here. Give its netlist in a fenced block, or a divider or a low-, high- or band-pass with its values.", "Eine Schaltung mit %s lässt sich hier nicht aus Worten zeichnen. Gib ihre Netzliste in einem Block mit ``` an, oder einen Spannungsteiler, Tief-, Hoch- oder Bandpass mit Werten.", r.has("c.unknown").text), "RC low-pass, 1 kOhm, 1 uF")
		return
	default:
		if r.network(devices); len(r.members("analyses")) > 0 {
			return // of a square wave
		}
	}
	r.circuitAnalysis(devices)
}

// netlist takes one that is given as it is, or as a file.
func (r *reader) netlist(devices []device) bool {
	for _, n := range r.list {
		if n.kind == "netlist" {
			n.use()
			r.set("circuits", r.unique("circuits", "circuit"), map[string]any{"netlist": strings.TrimRight(n.val.(string), "\n")})
			return true
		}
		if n.kind == "file" && !isPart(n.text) {
			n.use()
			circuit := map[string]any{"file": n.val}
			if values := r.valuesOf(devices); len(values) > 0 {
				circuit["values"] = values
			}
			r.set("circuits", nameOf(stemOf(n.text)), circuit)
			return true
		}
	}
	return false
}

// devices are the values that the sentence gives, each of the kind that its unit or the word
// beside it says.
func (r *reader) devices() []device {
	var out []device
	for i, n := range r.list {
		a := n.amount()
		if a == nil || n.kind != "amount" {
			continue
		}
		d := device{node: n}
		if d.kind, d.value = kindOfDevice(a); d.kind == 0 && len(a.units) > 0 {
			continue // a frequency beside the supply
		}
		for _, j := range []int{i - 1, i + 1, i - 2, i + 2} {
			if j < 0 || j >= len(r.list) {
				continue
			}
			near := r.list[j]
			letter := deviceWord(near)
			if letter == 0 || between(r.list, i, j) {
				continue
			}
			if d.kind == 0 || d.kind == letter {
				if d.kind == 0 && a.slip == "" && letter != 'R' && letter != 'V' {
					break // a farad or a henry is hardly meant
				}
				d.kind = letter
				if near.kind == "element" && d.name == "" {
					d.name = near.text
					near.use()
				}
				break
			}
		}
		if d.kind == 0 && a.slip != "" {
			switch a.slip[0] {
			case 'k', 'K', 'M', 'R':
				d.kind = 'R'
			case 'n', 'p', 'u':
				d.kind = 'C'
			}
		}
		if d.kind != 0 {
			d.low = r.isLow(i)
			d.load = r.isLoad(i)
			out = append(out, d)
		}
	}
	return out
}

// between says whether a comma or "and" stands between two pieces.
func between(list []*node, i, j int) bool {
	for k := min(i, j) + 1; k < max(i, j); k++ {
		if list[k].kind == "comma" || list[k].kind == "stop" || list[k].is("and") || list[k].kind == "amount" {
			return true
		}
	}
	return false
}

func deviceWord(n *node) byte {
	switch {
	case n.kind == "element":
		return n.text[0]
	case n.is("c.R"):
		return 'R'
	case n.is("c.C"):
		return 'C'
	case n.is("c.L"):
		return 'L'
	case n.is("c.source"):
		return 'V'
	}
	return 0
}

func kindOfDevice(a *amount) (byte, float64) {
	for kind, k := range map[byte]quantity.Kind{'R': quantity.Resistance, 'C': quantity.Capacitance, 'L': quantity.Inductance, 'V': quantity.Voltage} {
		if a.is(k) {
			return kind, a.si(k)
		}
	}
	v, _ := a.number.Float64()
	if a.slip != "" {
		letters := strings.TrimRight(a.slip, "0123456789")
		if digits := a.slip[len(letters):]; digits != "" {
			v, _ = strconv.ParseFloat(decimal(a.number)+"."+digits, 64)
		}
		v *= map[string]float64{"k": 1e3, "K": 1e3, "M": 1e6, "meg": 1e6, "Meg": 1e6, "MEG": 1e6, "u": 1e-6, "µ": 1e-6, "n": 1e-9, "p": 1e-12, "G": 1e9, "R": 1}[letters]
	}
	return 0, quantity.Significant(v)
}

// isLow says whether "below" or "to ground" stands behind a value.
func (r *reader) isLow(i int) bool {
	for _, n := range r.list[i+1 : min(i+4, len(r.list))] {
		switch {
		case n.kind == "amount" || n.kind == "comma" || n.is("and") && n.kind == "and":
			return false
		case n.is("c.below"), n.kind == "place" && strings.Contains(strings.ToLower(n.text), "bottom"), n.kind == "place" && strings.Contains(strings.ToLower(n.text), "unten"):
			n.use()
			return true
		case n.kind == "place":
			n.use()
		}
	}
	return false
}

func (r *reader) isLoad(i int) bool {
	for _, n := range r.list[max(0, i-3):min(i+3, len(r.list))] {
		if (n.is("c.loaded") || n.is("force")) && !between(r.list, i, slices.Index(r.list, n)) {
			n.use()
			return true
		}
	}
	return false
}

// network draws a divider or a filter.
func (r *reader) network(devices []device) {
	of := func(kind byte) []device {
		var out []device
		for _, d := range devices {
			if d.kind == kind && !d.load {
				out = append(out, d)
			}
		}
		return out
	}
	rs, cs, ls, vs := of('R'), of('C'), of('L'), of('V')
	lack := func(what, example string) {
		r.ask("value", r.say("The circuit lacks %s.", "Der Schaltung fehlt: %s.", what), example)
	}
	filter := r.has("c.lowpass", "c.highpass", "c.bandpass", "c.kind")
	switch {
	case filter != nil, len(rs) == 1 && len(cs) == 1 && len(ls) == 0:
		r.filter(rs, cs, ls, vs, lack)
	case r.has("c.divider") != nil || len(rs) == 2 && r.has("c.parallel") == nil:
		if len(rs) != 2 {
			lack(r.say("two resistances", "zwei Widerstände"), "10 kOhm, 20 kOhm")
			return
		}
		if len(vs) != 1 {
			lack(r.say("its supply voltage", "die Versorgungsspannung"), "12 V")
			return
		}
		r.divider(rs, vs[0], devices)
	default:
		r.ask("netlist", r.say("Which circuit is it? Give a netlist in a fenced block, or a divider or a low-, high- or band-pass with its values.", "Welche Schaltung ist es? Gib eine Netzliste in einem Block mit ``` an, oder einen Spannungsteiler, Tief-, Hoch- oder Bandpass mit Werten."), "RC low-pass, 1 kOhm, 1 uF")
	}
}

func (r *reader) draw(title string, lines ...string) {
	netlist := title + "\n" + strings.Join(lines, "\n") + "\n.end"
	r.set("circuits", r.unique("circuits", "circuit"), map[string]any{"netlist": netlist})
}

func (r *reader) divider(rs []device, v device, devices []device) {
	top, bottom := rs[0], rs[1]
	if top.low && !bottom.low {
		top, bottom = bottom, top
	} else if !bottom.low {
		r.assume("The first resistance is on top, the second one goes to ground.", "Der erste Widerstand liegt oben, der zweite gegen Masse.")
	}
	lines := []string{"V1 in 0 " + number(v.value), "R1 in out " + number(top.value), "R2 out 0 " + number(bottom.value)}
	for _, d := range devices {
		if d.load && d.kind == 'R' {
			lines = append(lines, "R3 out 0 "+number(d.value))
			d.node.use()
		}
	}
	useAll(append(rs, v))
	r.draw("Voltage divider", lines...)
}

func useAll(list []device) {
	for _, d := range list {
		d.node.use()
	}
}

// number writes a value for a netlist.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func (r *reader) filter(rs, cs, ls, vs []device, lack func(what, example string)) {
	kind := "rc"
	switch n := r.has("c.kind"); {
	case n != nil:
		kind = n.tail("c.kind")
	case len(cs) > 0 && len(ls) > 0:
		kind = "rlc"
	case len(ls) > 0:
		kind = "rl"
	}
	pass := "low"
	switch {
	case r.has("c.highpass") != nil:
		pass = "high"
	case r.has("c.bandpass") != nil:
		pass = "band"
	case r.has("c.lowpass") == nil:
		r.assume("The output is taken across the capacitor.", "Der Ausgang liegt am Kondensator.")
	}
	need := map[string][3]int{"rc": {1, 1, 0}, "rl": {1, 0, 1}, "rlc": {1, 1, 1}, "lc": {0, 1, 1}}[kind]
	switch {
	case len(rs) != need[0]:
		lack(r.say("its resistance", "der Widerstand"), "R = 1 kOhm")
	case len(cs) != need[1]:
		lack(r.say("its capacitance", "die Kapazität"), "C = 1 uF")
	case len(ls) != need[2]:
		lack(r.say("its inductance", "die Induktivität"), "L = 10 mH")
	case pass == "band" && kind != "rlc":
		lack(r.say("a resistance, a capacitance and an inductance", "Widerstand, Kapazität und Induktivität"), "RLC band-pass, 50 Ohm, 1 uF, 10 mH")
	default:
		useAll(append(append(append([]device{}, rs...), cs...), ls...))
		r.drawFilter(kind, pass, rs, cs, ls, vs)
	}
}

// drawFilter writes the netlist: what passes lies in series, what is left goes to ground.
func (r *reader) drawFilter(kind, pass string, rs, cs, ls, vs []device) {
	value := func(list []device) string {
		if len(list) == 0 {
			return ""
		}
		return number(list[0].value)
	}
	R, C, L := value(rs), value(cs), value(ls)
	source := "V1 in 0 DC 0 AC 1 PULSE(0 1 0 1n 1n 1 2)"
	if len(vs) == 1 {
		v, sweep := number(vs[0].value), number(vs[0].value)
		if r.gainAsked() || r.cornerAsked() || r.has("c.op") != nil {
			sweep = "1" // of which the output is the gain
		}
		source = "V1 in 0 DC 0 AC " + sweep + " PULSE(0 " + v + " 0 1n 1n 1 2)"
		vs[0].node.use()
		if r.direct() {
			source = "V1 in 0 DC " + v
		}
		if n := r.has("c.rms"); n != nil && r.has("c.step") == nil {
			n.use()
			r.assume("The sweep is of the rms values that belong to %g V.", "Durchfahren werden die Effektivwerte zu %g V.", vs[0].value)
		}
	}
	lines := map[string][]string{
		"rc low": {"R1 in out " + R, "C1 out 0 " + C}, "rc high": {"C1 in out " + C, "R1 out 0 " + R},
		"rl low": {"L1 in out " + L, "R1 out 0 " + R}, "rl high": {"R1 in out " + R, "L1 out 0 " + L},
		"rlc low": {"R1 in a " + R, "L1 a out " + L, "C1 out 0 " + C}, "rlc high": {"R1 in a " + R, "C1 a out " + C, "L1 out 0 " + L},
		"rlc band": {"L1 in a " + L, "C1 a out " + C, "R1 out 0 " + R},
		"lc low":   {"L1 in out " + L, "C1 out 0 " + C}, "lc high": {"C1 in out " + C, "L1 out 0 " + L},
	}[kind+" "+pass]
	title := strings.ToUpper(kind) + " " + pass + "-pass"
	if r.square(title, vs, append(append(append([]device{}, rs...), cs...), ls...), lines) {
		return
	}
	r.draw(title, append([]string{source}, lines...)...)
}

// corner is about the frequency at which a network bends, and its time constant.
func corner(devices []device) (hertz, seconds float64) {
	v := map[byte]float64{}
	for _, d := range devices {
		if v[d.kind] == 0 {
			v[d.kind] = d.value
		}
	}
	switch {
	case v['L'] > 0 && v['C'] > 0:
		hertz = 1 / (2 * math.Pi * math.Sqrt(v['L']*v['C']))
	case v['R'] > 0 && v['C'] > 0:
		hertz = 1 / (2 * math.Pi * v['R'] * v['C'])
	case v['R'] > 0 && v['L'] > 0:
		hertz = v['R'] / (2 * math.Pi * v['L'])
	default:
		return 0, 0
	}
	return hertz, 1 / (2 * math.Pi * hertz)
}

// circuitAnalysis chooses what is computed of the circuit.
func (r *reader) circuitAnalysis(devices []device) {
	if len(section(r.doc, "circuits")) == 0 {
		return
	}
	var hertz, seconds []*node
	for _, n := range r.list {
		if a := n.amount(); a != nil && n.kind == "amount" {
			if a.is(quantity.Frequency) && strings.HasSuffix(a.written, "Hz") {
				hertz = append(hertz, n)
			} else if a.is(quantity.Time) {
				seconds = append(seconds, n)
			}
		}
	}
	for _, kind := range []string{"an.transient", "q", "where", "sweep", "freq", "until", "frequency", "source", "wall", "inlet", "outlet", "moment", "duration", "an.harmonic", "speed", "damping", "s.by", "s.on", "from", "wish"} {
		for _, n := range r.all(kind) {
			n.use()
		}
	}
	options, ok := r.circuitOptions(devices, hertz, seconds)
	if !ok {
		return
	}
	r.perDecade(options)
	if r.riseTime(options) {
		r.set("analyses", "circuit", map[string]any{"type": "circuit", "options": options})
		r.set("questions", "rise time", map[string]any{"analysis": "circuit", "quantity": "/measurements/rise"})
		return
	}
	if list := r.all("probe"); len(list) > 0 {
		var probes []any
		for _, n := range list {
			n.use()
			probes = append(probes, n.val)
		}
		options["probes"] = probes
	} else if options["analysis"] != nil && !r.given() {
		options["probes"] = []any{"v(out)"}
		if r.has("c.current") != nil {
			options["probes"] = []any{"v(out)", "i(V1)"}
		}
	}
	r.measured(devices, hertz, options)
	value := map[string]any{"type": "circuit"}
	if len(options) > 0 {
		value["options"] = options
	}
	r.set("analyses", "circuit", value)
}

func fmtRound(v float64) float64 {
	out, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 2, 64), 64)
	if err != nil {
		return v
	}
	return out
}

// circuitOptions are a transient, a sweep or the operating point, by what the sentence says.
func (r *reader) circuitOptions(devices []device, hertz, seconds []*node) (options map[string]any, ok bool) {
	bend, constant := corner(devices)
	options = map[string]any{}
	switch {
	case r.has("c.step", "an.transient", "duration") != nil || len(seconds) > 0 && len(hertz) == 0:
		end := quantity.Significant(float64(fmtRound(8 * constant)))
		if len(seconds) > 0 {
			seconds[0].use()
			end = seconds[0].amount().si(quantity.Time)
		} else if constant == 0 {
			r.ask("time", r.say("For how long is the circuit to be followed?", "Wie lange soll die Schaltung verfolgt werden?"), "10 ms")
			return nil, false
		} else {
			r.assume("The circuit is followed for %s s, 8 time constants.", "Die Schaltung wird %s s verfolgt, 8 Zeitkonstanten.", number(end))
		}
		options = map[string]any{"analysis": "tran", "options": map[string]any{"tran": map[string]any{"tstop": end}}}
	case r.has("c.op") != nil && len(hertz) == 0 && r.has("c.ac") == nil, r.direct():
		options = map[string]any{"analysis": "op"}
	case len(hertz) > 0 || bend > 0 || r.has("c.ac") != nil:
		var low, high float64
		if len(hertz) >= 2 {
			hertz[0].use()
			hertz[1].use()
			low, high = hertz[0].amount().si(quantity.Frequency), hertz[1].amount().si(quantity.Frequency)
		} else if len(hertz) == 1 && bend > 0 {
			hertz[0].use()
			at := hertz[0].amount().si(quantity.Frequency)
			low, high = math.Pow(10, math.Floor(math.Log10(min(bend, at)))-2), math.Pow(10, math.Ceil(math.Log10(max(bend, at)))+2)
			r.assume("It is swept from %s to %s.", "Durchfahren wird von %s bis %s.", quantity.Frequency.Format(low), quantity.Frequency.Format(high))
		} else if bend == 0 {
			r.ask("frequency", r.say("Over which frequencies is the circuit to be looked at?", "Über welche Frequenzen soll die Schaltung betrachtet werden?"), r.say("from 10 Hz to 1 MHz", "von 10 Hz bis 1 MHz"))
			return nil, false
		} else {
			low, high = math.Pow(10, math.Floor(math.Log10(bend))-2), math.Pow(10, math.Ceil(math.Log10(bend))+2)
			r.assume("It is swept from %s to %s.", "Durchfahren wird von %s bis %s.", quantity.Frequency.Format(low), quantity.Frequency.Format(high))
		}
		options = map[string]any{"analysis": "ac", "options": map[string]any{"ac": map[string]any{"fstart": quantity.Significant(low), "fstop": quantity.Significant(high), "points": 20}}}
	case r.ownAnalysis():
	default:
		options = map[string]any{"analysis": "op"}
	}
	return options, true
}
