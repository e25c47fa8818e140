package plan

import (
	"regexp"
	"slices"
	"strings"

	"atelier/internal/quantity"
)

// politeWords, and those that say that something is wanted or what is talked
// about, mean nothing for a plan.
var politeWords = set(`hello dear thanks kindly pleased would could please could regards cheers sorry okay perhaps maybe about roughly approximately
	really actually simply exactly about determine determined simulate simulation simulated analysis analyses perform performed report reported
	result results resulting render rendered cool cools drop drops figure figures value values number total estimate evaluate obtain wonder interested believe suppose assume assumed
	assuming given consider considering problem task request design designed object component assembly product geometry solid structure
	thing attached uploaded upload drawing import imported export linear volume across along around against inside outside onto towards toward
	whose itself every other another same both several various certain entire here there again still also only just away least most
	what where when which while whether because since until unless however therefore although though being having doing going getting
	looking repeat repeated needs need needed wants wanted like likely should must shall cannot doesn't don't won't isn't it's i'd i'm we'd let's i've we're you're
	happens happen expect expected tell give given show shown display displayed visualise visualize picture pictures image images plotted
	colour color coloured colored illustrate compute computed calculate calculated find found help helps able know model modelled made makes
	takes taken takes carries sitting placed located lies lying side sides area areas surface surfaces face faces part parts body size sizes
	mesh meshed elements element grid resolution tetrahedra tetrahedral cells level step steps time times second seconds minute minutes hour hours
	modulus young's youngs poisson poisson's ratio yield strength density conductivity viscosity dynamic specific capacity coefficient heat
	within accuracy accurate precision tolerance error errors percent per cent better diameter radius thickness thick width height length long deep
	unit units millimetres millimeters metres meters inches drawn file stl step obj response bode plot corner cutoff cut-off frequency frequencies
	gain output input voltage voltages current currents source node nodes signal drive driven drives section single ohm ohms farad henry series
	connected between value transient sweep spice netlist divider filter resistor resistance capacitor capacitance resistors low-pass high-pass
	normal normals depth maps map buffers repair repaired repairing without magnitude maximum minimum highest lowest largest smallest average mean
	strong weak enough under over below above upon per via gets become becomes stays remain remains kept keep applied apply exerted exerts acting
	cold warm hot hotter warmer hottest warmest flows flow flowing runs running pumped laminar moves moving steady-state state final initial start
	equal distributed evenly uniform uniformly total together combined works work`)

// articles stand before the name of what is talked about.
var articles = set(`a an the my this that our your its these those of`)

// changing are words that make another problem of a request. Where no step has
// taken them they are asked about, since what is computed would be of the problem
// without them.
var changing = set(`without not no nor neither never none nothing except excluding instead unless or either removed remove removing missing omitted absent
	swap swapped exchanged interchanged reverse reversed inverted replaced replacing twice double doubled doubling half halved halving triple tripled
	increased decreased raised reduced broken blown defective faulty`)

// changingPhrases are such words together.
var changingPhrases = regexp.MustCompile(`\blarge (?:deformations?|displacements?|strains?|rotations?|deflections?)\b|\bonly (?:for|after|until|while)\b`)

// idioms hold such a word and change nothing.
var idioms = regexp.MustCompile(`\bno[:,]|\bnot in question\b|\bno (?:matter|hurry|idea)\b|\b(?:do|does)(?:n't| not) (?:matter|know)\b|\bwhether or not\b|\bnot (?:sure|only)\b|\b(?:raised|increased|reduced|decreased) to\b`)

// partNames are shapes whose names hold a word that would change another request.
var partNames = regexp.MustCompile(`\b(?:half|quarter)[- ](?:tubes?|pipes?|rings?|cylinders?|shells?|arch(?:es)?|discs?|disks?|spheres?|shafts?|moons?|round)\b` +
	`|\b(?:(?:shallow|deep|flat|steep|low|tied|round) )?(?:arch(?:es)?|domes?|vaults?)\b`)

// changingCircuits are those that make another circuit.
var changingCircuits = set(`short shorted shorts shorting shunted bridged open opened across over series parallel charged precharged discharged discharging discharges uncharged initial initially current
	noise another additional extra third fourth fifth higher first second other ladder cascade cascaded cascading stage stages order pole poles active opamp op-amp amplifier buffer
	buffered band bandpass band-pass bandstop notch twin butterworth chebyshev bessel sallen square triangle triangular sawtooth ramp pulse pulses pulsed pwm
	burst rectified diode led zener transistor mosfet relay switch transformer thermistor ntc ldr lamp motor potentiometer coupled floating grounded ground gnd
	isolated disconnected load loaded only both each two three four five six seven eight nine ten several sum difference ratio before between above below
	upper lower top bottom stacked step steps transient ac low-pass high-pass lowpass highpass rc rl lc rlc internal negative positive plus minus
	add added adding input inputs down unequal off polarity opposite around turned wrong same followed repeated chain chained dead leaky changed wire wired
	delayed switched quarter tenth tenths hundredth thousandth twofold threefold fourfold fivefold tenfold hundredfold decade decades octave octaves
	symmetric symmetrical bipolar dual split`)

// changingDecks are those that make another circuit of a netlist.
var changingDecks = set(`short shorted shorts shorting bridged open opened charged precharged discharged uncharged initial initially parallel disconnected off delayed`)

// leftOver records the numbers, materials and words of a request that no step of
// the plan uses: what is said and not used is to be named, and asked about where
// it would change the problem.
func (r *reader) leftOver() {
	if len(r.plan.Questions) > 0 {
		return // nothing runs before they are answered
	}
	changed := append(r.leftNumbers(), r.leftWords()...)
	if len(changed) > 0 {
		r.plan.ask(-1, "words", "I do not know what \""+strings.Join(changed, "\", \"")+"\" changes, and would answer another question without it. Say the whole request in other words"+
			map[bool]string{true: ", or give the circuit as a SPICE netlist in a fenced block.", false: "."}[r.plan.Physics == Circuit],
			map[bool]string{true: "divider with R1 = 1 kOhm and R2 = 2 kOhm at 10 V, R2 shorted", false: "steel, fixed at the bottom, 500 N downwards on the top"}[r.plan.Physics == Circuit])
	}
}

// leftNumbers tells the numbers and materials that are not used; those that would
// change a circuit come back.
func (r *reader) leftNumbers() (changed []string) {
	p := r.plan
	for i := range r.items {
		it := &r.items[i]
		said := strings.TrimSpace(r.cased[it.start:it.end])
		switch {
		case r.isUsed(it.start, it.end):
		case it.class == classMaterial && p.Physics != Circuit && p.Material != nil && it.material.Fits(*p.Material):
		case it.class == classMaterial && it.material.Fluid && p.Physics == Heat && slices.ContainsFunc(p.Conditions, func(c Condition) bool { return c.Kind == Convection }):
			// what cools or warms by the coefficient that is given
		case it.class == classMaterial && (r.replaced(it.start) || it.material.Fluid && p.Physics == Heat && r.turnAt(it.start) < len(r.turns)):
		case it.class == classMaterial && notMaterial.MatchString(r.text[max(0, it.start-20):it.start]):
		case it.class == classMaterial:
			r.leave(it.start, said, &changed)
		case it.class != classQuantity && it.class != classVector || it.err != nil:
		case p.Physics == Circuit && p.Network.Elements != nil && (electrical(it) || it.bare() && (voltsOf.MatchString(r.text[it.end:]) || decibelBehind.MatchString(r.text[it.end:]))):
			changed = append(changed, said)
		case p.Physics == Circuit:
			p.leave(said)
		case slices.ContainsFunc(foreignKinds[p.Physics], it.is):
			r.leave(it.start, said, &changed)
		case !it.used || it.described:
			before, after := r.around(it, 25, 12)
			if it.bare() && (counted.MatchString(after) || it.numbers[0].IsInt() && strings.HasSuffix(strings.TrimSpace(before), "case")) || r.repeated(it) {
				continue
			}
			r.leave(it.start, said, &changed)
		}
	}
	return changed
}

var voltsOf = regexp.MustCompile(`^ ?v_?[a-z]+\b`) // Vpp, Vrms

// electrical says whether a quantity is one that a circuit is made of.
func electrical(it *item) bool {
	return slices.ContainsFunc([]quantity.Kind{quantity.Resistance, quantity.Capacitance, quantity.Inductance, quantity.Voltage, quantity.Current,
		quantity.Frequency, quantity.Time}, it.is)
}

// leftWords tells the words that are not used; those that would change the problem
// come back.
func (r *reader) leftWords() (changed []string) {
	r.useAll(idioms)
	r.useAll(partNames)
	for _, m := range changingPhrases.FindAllStringIndex(r.text, -1) {
		if !r.isUsed(m[0], m[1]) {
			changed = append(changed, r.cased[m[0]:m[1]])
		}
	}
	for i := range r.items {
		if it := &r.items[i]; it.class == classQuantity || it.class == classVector {
			r.use(it.start, it.end) // told as a number
		}
	}
	subjects := map[string]bool{}
	for _, m := range wordsOfText.FindAllStringIndex(r.cased, -1) {
		said := r.cased[m[0]:m[1]]
		word := asciiLower(said)
		switch {
		case r.isUsed(m[0], m[1]) || m[0] > 0 && strings.ContainsRune("_.-/", rune(r.cased[m[0]-1])) && r.plan.Physics != Circuit: // of a name
		case r.changes(word, m[0], m[1]):
			changed = append(changed, said)
		case r.means(word, said, m[0], m[1]) || subjects[word] || subjects[strings.TrimSuffix(word, "s")]:
		case len(subjects) < mostSubjects && r.subjectAt(m[0], m[1]):
			subjects[word] = true
		default:
			r.leave(m[0], said, &changed)
		}
	}
	return changed
}

// changes says whether a word, or a part of one with hyphens, makes another problem.
func (r *reader) changes(word string, start, end int) bool {
	if r.plan.Physics != Circuit {
		return changing[word] && r.free(start, end)
	}
	return slices.ContainsFunc(append(strings.Split(word, "-"), word), func(w string) bool {
		return changing[w] || r.plan.Network.Elements == nil && changingDecks[w] || r.plan.Network.Elements != nil && (changingCircuits[w] || partReference.MatchString(w) || r.foreign(w))
	})
}

var partWord = regexp.MustCompile(`^(?:(resistor)|(capacitor)|(inductor|coil))s?$`)

// foreign says whether a word names a kind of part that the circuit does not have.
func (r *reader) foreign(word string) bool {
	m := partWord.FindStringSubmatch(word)
	if m == nil {
		return false
	}
	for name := range r.plan.Network.Elements {
		if m[strings.IndexByte("RCL", name[0])+1] != "" {
			return false
		}
	}
	return true
}

// partReference is a name of a circuit's part.
var partReference = regexp.MustCompile(`^[rclv]\d?$`)

// means says whether a word means nothing for the plan, or is taken elsewhere.
func (r *reader) means(word, said string, start, end int) bool {
	if r.plan.Physics == Circuit {
		return circuitWords[word] || circuitWords[strings.TrimSuffix(word, "s")]
	}
	if !r.free(start, end) {
		return r.taken(start, end)
	}
	return len(word) < 4 || plain(word) || isUnit(said) ||
		slices.ContainsFunc(r.fixes, func(f string) bool { return strings.HasSuffix(f, " "+word) })
}

// circuitWords mean nothing in a request for a circuit, or name what every circuit
// has.
var circuitWords = set(`a an the of with and for from in into to is are was were be being at by on as it its it's this that these those which there then here but if when while
	i me my we us our you your please kindly thanks thank hello hi dear could would can will shall should may do does did what what's how much many big large high long
	compute computed calculate calculated find give show tell determine simulate simulation analyse analyze analysis plot run want wants need needs like know get have has having had
	use uses using used given let assume take made make makes consisting comprising containing connected consider see reads read goes go falls fall drop drops
	circuit network netlist spice filter section source supply battery output voltage volt volts value values result response
	node nodes part parts element elements component components ohm ohms passive simple ideal single signal system exactly just also now so some any
	drive driven drives fed feeds feed applied apply powered ok well itself all its their they through sits vin vout end start figure where resistor capacitor inductor coil`)

// mostSubjects are the names of things that are talked about: "the shelf of my
// bookcase". More of them are told.
const mostSubjects = 2

// subjectAt says whether a word is the name of a thing: behind an article or its
// material, and no word of how it is.
func (r *reader) subjectAt(start, end int) bool {
	after := strings.TrimLeft(r.text[end:], " ")
	if strings.HasPrefix(after, ":") {
		return true // "heat sink: copper, …"
	}
	if sayingHow.MatchString(r.text[start:end]) {
		return false // "an anisotropic plate"
	}
	for i := range r.items {
		if it := &r.items[i]; it.class == classMaterial && it.end == start-1 {
			return true // "steel shaft"
		}
	}
	before := strings.Fields(r.text[:start])
	for len(before) > 0 && !articles[before[len(before)-1]] && plain(before[len(before)-1]) {
		before = before[:len(before)-1]
	}
	k := len(before) - 1 // what stands with the thing is no name of it
	return k >= 0 && articles[before[k]] && (k == 0 || before[k-1] != "with" && before[k-1] != "and" && before[k-1] != "without")
}

// sayingHow is how words end that say how something is.
var sayingHow = regexp.MustCompile(`(?:ic|al|ar|ed|ing|ous|ive|able|less)$`)

// plain says whether a word is one of those that mean nothing, or are read
// elsewhere, in one of its forms.
func plain(word string) bool {
	for _, w := range []string{word, strings.TrimSuffix(word, "s"), strings.TrimSuffix(word, "'s"), strings.TrimSuffix(word, "ed"), strings.TrimSuffix(word, "ing"), strings.TrimSuffix(word, "d"), strings.TrimSuffix(word, "ly")} {
		if plainWords[w] && !shapedWords[w] || politeWords[w] || w != "" && inVocabulary(w) {
			return true
		}
	}
	return slices.Contains(keyWords, word)
}

// shapedWords are no typing errors and say what is done to the part.
var shapedWords = set(`cut fill turn short flat lift`)

// repeated says that the same quantity was used elsewhere in the request.
func (r *reader) repeated(it *item) bool {
	for i := range r.items {
		o := &r.items[i]
		if o != it && o.used && !o.described && o.class == it.class && len(o.numbers) == len(it.numbers) && len(it.numbers) > 0 && o.numbers[0].Cmp(it.numbers[0]) == 0 &&
			o.bare() == it.bare() && (it.bare() || o.units[0].Dim == it.units[0].Dim) {
			return true
		}
	}
	return false
}

// leave notes what is not used. In a message that changes a request it is asked about:
// the old figures would else come as those of the change.
func (r *reader) leave(at int, said string, changed *[]string) {
	if r.plan.Physics != Circuit && at >= r.latest && r.changing(at) {
		*changed = append(*changed, said)
		return
	}
	r.plan.leave(said)
}

// leave notes what is not used, once.
func (p *Plan) leave(said string) {
	if said != "" && !slices.Contains(p.Unused, said) && !slices.ContainsFunc(p.Unread, func(u string) bool { return strings.Contains(u, said) }) {
		p.Unused = append(p.Unused, said)
	}
}
