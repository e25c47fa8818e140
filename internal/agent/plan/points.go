package plan

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/quantity"
)

var (
	// listed stands between frequencies at each of which a value is asked for.
	listed     = regexp.MustCompile(`^(?: ?, ?| ?,? ?(?:and|&|as well as|plus) )(?:also )?(?:at )?$`)
	rangeStart = regexp.MustCompile(`\b(?:from|between|range(?: of)?|sweep(?:ing)?)\s*$`)
	rangeWords = regexp.MustCompile(`\bsweeps?\b|\bfrequency response\b|\bbode\b|\bspectrum\b|\bplots?\b`)

	crossing = regexp.MustCompile(`\b(?:(?:at |for )?(?:which|what)(?: is the)? |the )?frequency(?: (?:is|does|do|has|will|where|when|at which|for which|that gives|for|with|of))*` +
		`(?: (?:a|the|its))?(?: voltage)? (?:gain|output|magnitude|amplification|transfer function|level)` +
		`(?: (?:is|be|equals?|equal to|of|reach(?:es|ed)?|fallen|dropped|falls?|drops?|goes|down|becomes?|has|to|at|exactly|about)| ?=)*` +
		` ?(-|minus )?(\d+(?:\.\d+)?)( ?(?:db|decibels?))?\b`)
	decibelBehind = regexp.MustCompile(`^ ?(?:db|decibels?)\b`)
)

// isList says whether frequencies are those at which values are asked for, and no ends
// of a sweep.
func (r *reader) isList(f []amount) bool {
	if len(f) < 2 || rangeWords.MatchString(r.text) || rangeStart.MatchString(r.text[:f[0].start]) {
		return false
	}
	for i := 1; i < len(f); i++ {
		if !listed.MatchString(r.text[f[i-1].end:f[i].start]) {
			return false
		}
	}
	return true
}

// points measures what is asked for at each of several frequencies.
func (r *reader) points(n *Network, f []amount) {
	least := slices.MinFunc(f, func(a, b amount) int { return cmp.Compare(a.value, b.value) })
	most := slices.MaxFunc(f, func(a, b amount) int { return cmp.Compare(a.value, b.value) })
	n.Start, n.Stop = least.value/10, most.value*10
	r.plan.assume("The sweep reaches a decade beyond %s and %s, and is read at every frequency that is asked for.", quantity.Frequency.Format(least.value), quantity.Frequency.Format(most.value))
	probes := n.Probes
	if len(probes) == 0 {
		probes = []string{"v(out)"}
	}
	for _, h := range f {
		r.use(h.start, h.end)
		at := r.cased[h.start:h.end]
		for _, probe := range probes {
			m := probeText.FindStringSubmatch(probe)
			name, of := "magnitude", "vm("+m[2]+")"
			switch strings.ToLower(m[1]) {
			case "vdb":
				name, of = "decibels", "vdb("+m[2]+")"
			case "vp":
				name, of = "phase", "vp("+m[2]+")"
			case "i":
				of = "mag(i(" + m[2] + "))"
			}
			name = strings.ToLower(nameParts.ReplaceAllString(fmt.Sprintf("%s_%s_at_%g_hz", name, m[2], h.value), "_"))
			n.Measures = append(n.Measures, Measure{Name: name, Command: fmt.Sprintf("meas ac %s FIND %s AT=%.12g", name, of, h.value), Said: probe + " at " + at})
		}
	}
}

var nameParts = regexp.MustCompile(`[^A-Za-z0-9]+`)

// crossings reads the gains whose frequencies are asked for.
func (s *schematic) crossings() {
	for _, m := range crossing.FindAllStringSubmatchIndex(s.text, -1) {
		level, err := strconv.ParseFloat(s.text[m[4]:m[5]], 64)
		if err != nil {
			continue
		}
		if m[2] >= 0 {
			level = -level
		}
		if m[6] >= 0 {
			level = math.Pow(10, level/20)
		}
		s.asked = append(s.asked, asked{kind: "crossing", start: m[0], end: m[1], level: level})
	}
}

// measuredCrossing measures at which frequency the gain of a circuit of first order
// has a value.
func (s *schematic) measuredCrossing(n *Network, w asked) *Measure {
	share := w.level / s.divided() // of the gain in the passband
	if n.Analysis != "ac" || len(s.hertz) > 0 || share <= 0 || share >= 1 {
		return nil
	}
	corner := 1 / (2 * math.Pi * s.tau())
	off := math.Sqrt(1/(share*share) - 1) // from the corner, by |H| of first order
	edge := "FALL"
	at := corner * off
	if !s.lowers() {
		edge, at = "RISE", corner/off
	}
	from, to := min(at, corner)/100, max(at, corner)*100
	if n.Stop > 0 { // of another gain
		from, to = min(from, n.Start), max(to, n.Stop)
	}
	n.Start, n.Stop = from, to
	s.plan.assume("The sweep reaches from %s to %s.", quantity.Frequency.Format(n.Start), quantity.Frequency.Format(n.Stop))
	name := nameParts.ReplaceAllString(fmt.Sprintf("frequency_of_%g", w.level), "_")
	return &Measure{Name: name, Command: fmt.Sprintf("meas ac %s WHEN vm(out)=%.12g %s=1", name, s.amplitude*w.level, edge)}
}

var (
	cornerAsked = regexp.MustCompile(`(?:\bthe )?(?:\b(?:cut-?off|corner)(?: frequency)?|(?:- ?)?\b3[- ]?db[- ](?:frequency|point))\b`)
	placedAt    = regexp.MustCompile(`\b(?:at|in|near|around|above|below|beyond|of|from|to|by|with|its|a)(?: the)? $`)
)

// corners reads the wish for the corner frequency itself. As the place of another figure
// it is none.
func (s *schematic) corners() {
	m := cornerAsked.FindStringIndex(s.text)
	if m == nil || len(s.asked)+len(s.hertz) > 0 || placedAt.MatchString(s.text[:m[0]]) || gainWord.MatchString(s.text) || phaseWord.MatchString(s.text) {
		return
	}
	s.asked = append(s.asked, asked{kind: "corner", start: m[0], end: m[1]})
}

// measuredCorner measures the corner frequency. The sweep ends a little beyond it, so
// that the output at its end is that at the corner.
func (s *schematic) measuredCorner(n *Network) *Measure {
	if n.Analysis != "ac" || len(n.Probes) > 0 {
		return nil
	}
	level := s.amplitude * s.divided()
	corner := 1 / (2 * math.Pi * s.tau())
	n.Stop = corner * (1 + 1e-4)
	n.Start = n.Stop / 100
	s.plan.assume("The sweep ends at the corner frequency, %s, where the output is 1/√2 of its value in the passband, %s.", quantity.Frequency.Format(corner), quantity.Voltage.Format(level))
	edge := map[bool]string{true: "FALL", false: "RISE"}[s.lowers()]
	return &Measure{Name: "corner_frequency", Command: fmt.Sprintf("meas ac corner_frequency WHEN vm(out)=%.12g %s=1", level*math.Sqrt2/2, edge)}
}

var (
	swingBehind = regexp.MustCompile(`^[ -]?(?:peak[- ]?to[- ]?peak|pk[- ]?(?:to[- ]?)?pk|p-?p)\b`)
	swingBefore = regexp.MustCompile(`\b(?:peak[- ]?to[- ]?peak|v_?p-?p)(?: (?:voltage|amplitude|input|swing|value))*(?: ?(?:of|is|=|:))* ?$`)
	swingUnit   = regexp.MustCompile(`^ ?([mk]?)v_?\(?p(?:k)?-?p(?:k)?\)?(?:[^a-z0-9]|$)`)
)

// swing reads a number of volts between the peaks, 12 Vpp.
func (s *schematic) swing(it *item) bool {
	m := swingUnit.FindStringSubmatchIndex(s.text[it.end:])
	if m == nil {
		return false
	}
	v, _ := it.numbers[0].Float64()
	v *= map[string]float64{"": 1, "m": 1e-3, "k": 1e3}[s.text[it.end+m[2]:it.end+m[3]]]
	end := it.end + len(strings.TrimRight(s.text[it.end:it.end+m[1]], " ,;.:?!)"))
	s.checked(it, quantity.Voltage, v, "value", func() { s.volts = append(s.volts, amount{value: v, start: it.start, end: end, swing: true}) })
	return true
}

// amplitudeOf is the amplitude of a source whose voltage may be said from peak to peak.
func (s *schematic) amplitudeOf(v amount) float64 {
	if !v.swing && s.behind(v.end, swingBehind) == nil && s.before(v.start, swingBefore) == nil {
		return v.value
	}
	s.swings = true
	s.plan.assume("%s from peak to peak is an amplitude of %s, and the voltages that are told are amplitudes.", quantity.Voltage.Format(v.value), quantity.Voltage.Format(v.value/2))
	return v.value / 2
}
