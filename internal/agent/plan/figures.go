package plan

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/quantity"
)

// Measure is a figure that is asked for and measured from what is simulated.
type Measure struct {
	Name    string `json:"name"`
	Command string `json:"command"` // of ngspice
	Said    string `json:"said"`
}

// asked is a figure that a request asks of a circuit.
type asked struct {
	kind       string // reach, rise, settle, bandwidth, crossing, corner
	start, end int
	percent    float64
	volts      *float64 // that are to be reached
	low, high  float64  // of a rise, in %
	level      float64  // of a gain whose frequency is asked for
	falling    bool     // by the verb
	rising     bool
	of         string // what a share is said to be of
}

const (
	number    = `(\d+(?:\.\d+)?)`
	percents  = ` ?(?:%|percent\b|per cent\b)`
	ofWhich   = `(?: of (?:its |the )?((?:final|end|steady(?:[- ]state)?|input|supply|source|initial|start(?:ing)?|full)(?: (?:value|voltage|level|charge))?))?`
	untilWhat = `(?:(?:it|the|output|voltage|capacitor|node|out|does|do|will|take|takes|until|till|before|for|to|has|need|needs|needed|required|taken|of|at|its|is|v\(out\)) )*`
)

var (
	reachText = regexp.MustCompile(`(?:(?:\bhow long|\b(?:after )?what time|\bwhen (?:does|do|will|has|is)|\b(?:the )?time) ` + untilWhat + `)?` +
		`\b(reach(?:es|ed|ing)?|attains?|hits?|ris(?:e|es|en|ing) to|charg(?:e|es|ed|ing)(?: up)? to|climbs? to|gets? to|fall(?:s|en|ing)? to|drop(?:s|ped|ping)? to|discharg(?:e|es|ed|ing) to|decay(?:s|ed|ing)? to|(?:is |are |gets? )?down to|(?:falls?|drops?|discharges?|decays?|is|gets?) below|time (?:to|until|till)|how long to)` +
		` (?:about |only )?` + number + `(?:` + percents + ofWhich + `| ?(m?)v(?:olts?)?\b)`)
	fallWords = regexp.MustCompile(`^(?:fall|drop|discharg|decay)|down|below`)
	riseWords = regexp.MustCompile(`^(?:ris|charg|climb)`)
	otherTime = regexp.MustCompile(`\b(?:rise|fall|settling|rising|falling)[- ]$`)
	asksTime  = regexp.MustCompile(`^(?:how long|after what|what time|when|the time|time)`)

	span10       = number + `(?: ?%| percent)? ?(?:%|-|–|/|to|and) ?` + number
	riseText     = regexp.MustCompile(`\b(?:the )?(rise|fall)[- ]time\b(?: ?(?:\(|from |of |between )*` + span10 + `(?:` + percents + `\)?|\)))?|\b` + span10 + `(?:` + percents + `)? ?(rise|fall)[- ]time\b`)
	settleText   = regexp.MustCompile(`\b(?:` + number + percents + ` (?:band )?settling time)\b|\b(?:the )?(?:settling time|time (?:needed |required |it takes )?(?:to|until it) settles?|how long (?:does it take )?(?:to|until it) settles?)\b(?:(?: (?:to|within|into|of|for)(?: an?)?(?: (?:band|error))?(?: of)?)? ?\(?(?:±|\+/-|\+-)? ?` + number + percents + `\)?(?: (?:band|of (?:its |the )?final value))?)?`)
	bandwidth    = regexp.MustCompile(`\b(?:the )?(?:-? ?3[- ]?db[- ])?bandwidth\b`)
	settledTo    = 2.0 // %, where nothing is said: as IEEE 181 and most textbooks of control take it
	decimalWords = strings.NewReplacer(".", "_")
)

// figures reads which figures are asked for, before the voltages among them are
// taken for those of a source.
func (s *schematic) figures() {
	prefixed := slices.ContainsFunc(reachText.FindAllString(s.text, -1), asksTime.MatchString)
	for _, m := range reachText.FindAllStringSubmatchIndex(s.text, -1) {
		if !asksTime.MatchString(s.text[m[0]:m[1]]) && (prefixed || !s.onTheWay(m[0], s.text[m[2]:m[3]])) {
			continue // "the output rises to 5 V"
		}
		if otherTime.MatchString(s.text[:m[0]]) {
			continue // "settling time to 1 %"
		}
		w := asked{kind: "reach", start: m[0], end: m[1], falling: fallWords.MatchString(s.text[m[2]:m[3]]), rising: riseWords.MatchString(s.text[m[2]:m[3]])}
		if m[6] >= 0 {
			w.of, _, _ = strings.Cut(s.text[m[6]:m[7]], " ")
		}
		value, err := strconv.ParseFloat(s.text[m[4]:m[5]], 64)
		if err != nil {
			continue
		}
		if w.percent = value; m[8] >= 0 {
			if m[9] > m[8] {
				value /= 1000
			}
			w.volts = &value
		}
		s.asked = append(s.asked, w)
	}
	group := func(m []int, i int, or float64) float64 {
		if m[2*i] < 0 {
			return or
		}
		v, err := strconv.ParseFloat(s.text[m[2*i]:m[2*i+1]], 64)
		if err != nil {
			return or
		}
		return v
	}
	for _, m := range riseText.FindAllStringSubmatchIndex(s.text, -1) {
		w := asked{kind: "rise", start: m[0], end: m[1], falling: strings.Contains(s.text[m[0]:m[1]], "fall"), low: group(m, 2, group(m, 4, 10)), high: group(m, 3, group(m, 5, 90))}
		w.low, w.high = min(w.low, w.high), max(w.low, w.high)
		s.asked = append(s.asked, w)
	}
	for _, m := range settleText.FindAllStringSubmatchIndex(s.text, -1) {
		s.asked = append(s.asked, asked{kind: "settle", start: m[0], end: m[1], percent: group(m, 1, group(m, 2, settledTo))})
	}
	for _, m := range bandwidth.FindAllStringIndex(s.text, -1) {
		s.asked = append(s.asked, asked{kind: "bandwidth", start: m[0], end: m[1]})
	}
	s.crossings()
	s.corners()
	s.keepVolts()
	s.ways()
}

// keepVolts takes the voltages of figures out of those that a source may have.
func (s *schematic) keepVolts() {
	var volts []amount
	for _, v := range s.volts {
		inside := false
		for _, w := range s.asked {
			inside = inside || v.start >= w.start && v.end <= w.end
		}
		if !inside {
			volts = append(volts, v)
		}
	}
	s.volts = volts
}

// ofFigure says whether a number belongs to what is said of a figure.
func (s *schematic) ofFigure(it *item) bool {
	for _, exp := range []*regexp.Regexp{riseText, reachText, settleText} {
		for _, m := range exp.FindAllStringIndex(s.text, -1) {
			if m[0] <= it.start && it.end <= m[1] {
				return true
			}
		}
	}
	return false
}

// timed says whether a figure of a transient is asked for.
func (s *schematic) timed() bool {
	for _, w := range s.asked {
		if w.kind != "bandwidth" && w.kind != "crossing" && w.kind != "corner" {
			return true
		}
	}
	return false
}

// measured makes measurements of what is asked for. What cannot be measured here
// stays unused, and is told.
func (s *schematic) measured(n *Network, tau float64) {
	if tau <= 0 || !s.sound() {
		return
	}
	for _, w := range s.asked {
		var m *Measure
		switch {
		case w.kind == "bandwidth":
			m = s.measuredBand(n)
		case w.kind == "crossing":
			m = s.measuredCrossing(n, w)
		case w.kind == "corner":
			m = s.measuredCorner(n)
		case n.Analysis == "tran":
			m = s.measuredTime(n, w, tau)
		}
		if m == nil {
			continue
		}
		m.Said = s.cased[w.start:w.end]
		s.use(w.start, w.end)
		n.Measures = append(n.Measures, *m)
	}
}

// lasts makes a transient that is no shorter than a share of the way takes.
func (s *schematic) lasts(share, tau float64) {
	s.needed = max(s.needed, -1.5*tau*math.Log(1-share))
}

// lowers says whether the circuit is a low-pass by how it is drawn.
func (s *schematic) lowers() bool { return s.lower.kind == 'c' || s.upper.kind == 'l' }

// divided is what the load leaves of the source's voltage in the passband.
func (s *schematic) divided() float64 {
	if s.load == nil || s.upper.kind != 'r' || s.load.kind != 'r' {
		return 1
	}
	return s.load.value / (s.upper.value + s.load.value)
}

// measuredBand measures where a low-pass has half of its power left.
func (s *schematic) measuredBand(n *Network) *Measure {
	if n.Analysis != "ac" || !s.lowers() || len(s.hertz) > 0 { // values at frequencies have sweeps that end there
		return nil
	}
	level := s.amplitude * s.divided()
	around := 1 / (2 * math.Pi * s.tau())
	n.Start, n.Stop = around/100, around*100
	s.plan.assume("The sweep reaches two decades to both sides of the corner frequency, %s.", quantity.Frequency.Format(around))
	s.plan.assume("The bandwidth reaches from 0 to where the output is 1/√2 of its value at low frequencies, %s.", quantity.Voltage.Format(level))
	return &Measure{Name: "bandwidth", Command: fmt.Sprintf("meas ac bandwidth WHEN vm(out)=%.12g FALL=1", level*math.Sqrt2/2)}
}

// measuredTime measures a time of a response that runs from one value to another,
// without turning back, as that of two parts does.
func (s *schematic) measuredTime(n *Network, w asked, tau float64) *Measure {
	from, to := 0.0, s.supply*s.divided()
	if !s.lowers() {
		from, to = to, 0
	}
	if s.charge != nil {
		from = *s.charge
	}
	edge := "RISE"
	if to < from {
		edge = "FALL"
	}
	share := func(percent float64) float64 { return from + (to-from)*percent/100 } // of the way
	until := func(name string, level float64) *Measure {
		return &Measure{Name: name, Command: fmt.Sprintf("meas tran %s TRIG AT=0 TARG v(out) VAL=%.12g %s=1", name, level, edge)}
	}
	switch w.kind {
	case "reach":
		level, name := 0.0, "time_to_"+decimalWords.Replace(strconv.FormatFloat(w.percent, 'g', -1, 64))
		switch {
		case w.volts != nil:
			level, name = *w.volts, "time_to_"+decimalWords.Replace(strconv.FormatFloat(*w.volts, 'g', -1, 64))+"_volts"
		case w.of == "input" || w.of == "supply" || w.of == "source":
			level, name = s.supply*w.percent/100, name+"_percent"
		case from == 0 && !w.falling && !strings.HasPrefix(w.of, "initial") && !strings.HasPrefix(w.of, "start"):
			level, name = share(w.percent), name+"_percent"
		case to == 0 && (w.falling && w.of != "final" && w.of != "end" && w.of != "steady" || strings.HasPrefix(w.of, "initial") || strings.HasPrefix(w.of, "start")):
			level, name = share(100-w.percent), name+"_percent"
		default:
			return nil
		}
		if (level-from)*(to-level) <= 0 || w.falling && to > from || w.rising && to < from {
			return nil // never on the way, or not on this one
		}
		s.lasts((level-from)/(to-from), tau)
		return until(name, level)
	case "rise":
		if w.falling != (to < from) || w.low <= 0 || w.high >= 100 || w.low >= w.high {
			return nil
		}
		s.lasts(w.high/100, tau)
		s.plan.assume("The %s time is counted between %g %% and %g %% of the way from %s to %s.", map[bool]string{true: "fall", false: "rise"}[w.falling], w.low, w.high, quantity.Voltage.Format(from), quantity.Voltage.Format(to))
		name := map[bool]string{true: "fall_time", false: "rise_time"}[w.falling]
		return &Measure{Name: name, Command: fmt.Sprintf("meas tran %s TRIG v(out) VAL=%.12g %s=1 TARG v(out) VAL=%.12g %s=1", name, share(w.low), edge, share(w.high), edge)}
	case "settle":
		if w.percent <= 0 || w.percent >= 100 {
			return nil
		}
		s.lasts(1-w.percent/100, tau)
		s.plan.assume("The output has settled when it is within %g %% of the way of its final value, %s.", w.percent, quantity.Voltage.Format(to))
		return until("settling_time", share(100-w.percent))
	}
	return nil
}
