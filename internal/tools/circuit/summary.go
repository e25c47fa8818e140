package circuit

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/evidence"
)

const (
	quotedPoints   = 4 // figures of an operating point in the summary
	quotedSeries   = 2
	quotedReadings = 4
)

// quote marks the figures that the summary says: those that were asked for, and
// then what is not zero.
func (o *simulateOutput) quote(asked []probe) {
	points, sweeps := 0, 0
	told := map[string]bool{}
	for i := range o.signals {
		s := &o.signals[i]
		switch {
		case s.beside != "":
			s.quoted = told[s.beside]
		case s.single && points < quotedPoints && s.worthQuoting(asked):
			s.quoted, told[s.at] = true, true
			points++
		case !s.single && sweeps < quotedSeries:
			s.quoted = true
			sweeps++
		}
	}
}

// worthQuoting says whether a figure of an operating point tells something without
// being asked for: it is not zero, and of a node or device of the netlist.
func (s *signal) worthQuoting(asked []probe) bool {
	if s.words != "" {
		return !s.twin
	}
	if strings.HasPrefix(s.at, "/values/") && (s.name == "transfer_function" || strings.HasSuffix(s.name, "input_impedance") || strings.HasPrefix(s.name, "output_impedance")) {
		return true // what a tf was asked for, even where it is 0
	}
	if s.total() != "" {
		return true
	}
	return slices.ContainsFunc(asked, func(p probe) bool { return p.name == s.name }) || s.final != 0 && !strings.ContainsAny(s.name, "#@_")
}

// summarize says the answer in a sentence: the figures that are quoted, and no
// other ones.
func summarize(o *simulateOutput, figures []evidence.Figure) string {
	var parts []string
	for _, a := range o.Analyses {
		parts = append(parts, fmt.Sprintf("%s: %d points", a.Plot, a.Points))
	}
	text := strings.Join(parts, "; ") + "."
	if o.points > 1 {
		text += fmt.Sprintf(" Of %d operating points the values are those of the last, %s; the series have all.", o.points, o.lastPoint)
	}
	byPointer := map[string]evidence.Figure{}
	for _, f := range figures {
		byPointer[f.Pointer] = f
	}
	var values []string
	sweeps := ""
	for i := range o.signals {
		s := &o.signals[i]
		switch {
		case !s.quoted || s.beside != "":
			continue
		case s.words != "":
			values = append(values, s.words)
			continue
		case s.single:
			values = append(values, strings.TrimSuffix(fmt.Sprintf("%s = %s %s", s.name, format5(s.final), s.unit), " 1"))
			continue
		}
		extremes := fmt.Sprintf("from %s to %s", format5(s.min), format5(s.max))
		if s.wraps {
			extremes = "within -180 to 180"
		}
		sweeps += fmt.Sprintf(" %s %s %s", s.name, extremes, s.unit)
		if byPointer[s.at+"/final"].Quoted {
			sweeps += fmt.Sprintf(", at the end %s", format5(s.final))
		}
		sweeps += "."
	}
	if len(values) > 0 {
		text += " " + strings.Join(values, ", ") + "."
	}
	var read []string
	for _, r := range o.readings {
		if r.value != nil && byPointer[r.at].Quoted {
			read = append(read, strings.TrimSuffix(fmt.Sprintf("%s = %s %s", r.name, format5(*r.value), r.unit), " 1"))
		}
	}
	if len(read) > 0 {
		sweeps += " Measured: " + strings.Join(read, ", ") + "."
	}
	for i := range o.readings {
		if why := o.readings[i].unmet(); why != "" {
			sweeps += " " + why
		}
	}
	return text + sweeps
}

// measurements reads what the meas commands printed; one that failed is null.
func measurements(s *script, stdout string) map[string]*float64 {
	var found map[string]*float64
	for _, c := range s.commands {
		name, ok := measured(c)
		if !ok {
			continue
		}
		if found == nil {
			found = map[string]*float64{}
		}
		found[name] = nil
		m := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + `\s*=\s*([-+0-9.eE]+)`).FindStringSubmatch(stdout)
		if m != nil {
			if v, err := strconv.ParseFloat(m[1], 64); err == nil {
				found[name] = &v
			}
		}
	}
	return found
}

// measured is the name of a meas command.
func measured(c command) (string, bool) {
	f := strings.Fields(strings.ToLower(c.text))
	if len(f) < 3 || (f[0] != "meas" && f[0] != "measure") {
		return "", false
	}
	return f[2], true
}

// reading is what a meas command found.
type reading struct {
	key, name, at, unit string
	analysis            string // tran
	command             string
	value               *float64 // nil where it found nothing
	scale               float64  // the size of the quantity that it was taken of
	span                float64  // of a level or an angle, in place of its size
	word                string   // max, find, when
	part                bool     // of a part of the sweep
	of                  *signal  // the quantity over its sweep, where that is known
	over                *plot    // the sweep, where that is known
	window              window   // its part that is measured
	index               int      // of its command
	wraps               bool     // it looks at a phase that wraps
}

func (r *reading) number() float64 {
	if r.value == nil {
		return math.NaN()
	}
	return *r.value
}

// readings are the measurements with what they are of. A name that is measured
// twice stands once.
func readings(s *script, values map[string]*float64, out *outcome) []reading {
	var all []reading
	degrees := false // the simulator measures phases in radians, unless it is told otherwise
	for i, c := range s.commands {
		if f := strings.Fields(strings.ToLower(equals.ReplaceAllString(c.text, "="))); len(f) > 1 && f[0] == "set" && strings.HasPrefix(f[1], "units=") {
			degrees = strings.HasPrefix(f[1], "units=deg")
		}
		key, ok := measured(c)
		if !ok || slices.ContainsFunc(all, func(r reading) bool { return r.key == key }) {
			continue
		}
		f := strings.Fields(strings.ToLower(c.text))
		r := reading{key: key, name: "meas " + key, at: pointer("measurements", key), analysis: f[1], command: c.text, value: values[key], unit: "1"}
		if r.analysis == "sp" {
			r.analysis = "ac"
		}
		if len(f) > 3 {
			r.word = f[3]
		}
		r.part = partOfSweep.MatchString(c.text)
		r.index, r.window, r.over = i, windowOf(c.text), s.measuredPlot(i, r.analysis, out)
		r.of = s.measuredSignal(r.operands(), r.analysis, out)
		switch r.word {
		case "when", "trig", "min_at", "max_at":
			r.unit = s.measuredScale(r.analysis, out)
		case "integ", "integral", "deriv", "derivative":
			var size float64
			r.unit, size = s.measuredVector(r.operands(), r.analysis, out)
			switch by := s.measuredScale(r.analysis, out); {
			case r.unit == "1" || by == "1":
				r.unit = "1"
			case r.word[0] == 'd':
				r.unit += "/" + by
			default:
				r.unit, r.scale = r.unit+"*"+by, size*r.length()
			}
		case "find", "max", "min", "pp", "avg", "rms":
			r.unit, r.scale = s.measuredVector(r.operands(), r.analysis, out)
			if r.unit == "deg" && !degrees {
				r.unit, r.scale = "rad", 1
			}
			r.span = map[string]float64{"dB": decibel.span(), "deg": phase.span(), "rad": 1}[r.unit]
		}
		if r.value == nil {
			r.value = s.onlyPoint(&r, out)
			values[key] = r.value
		}
		if _, nothing := r.outside(); nothing && r.value != nil {
			r.value, values[key] = nil, nil // the simulator says 0
		}
		all = append(all, r)
	}
	return all
}

// measuredVector is the unit and the size of the first of the vectors in the plot
// of an analysis.
func (s *script) measuredVector(names []string, analysis string, out *outcome) (string, float64) {
	for i, c := range s.analyses() {
		if c.analysis != analysis || len(names) == 0 || len(out.plots[i]) == 0 {
			continue
		}
		p, ok := parseProbe(names[0])
		if !ok {
			break
		}
		if v, ok := p.of(out.plots[i][0]); ok {
			one := signal{probe: p, stats: statsOf(out.plots[i][0], v)}
			return unit(v.kind, v.name), one.peak()
		}
	}
	return "1", 0
}

// measuredScale is the unit of the scale of an analysis: s, Hz, or that of what a
// dc sweep changes.
func (s *script) measuredScale(analysis string, out *outcome) string {
	for i, c := range s.analyses() {
		if c.analysis == analysis && len(out.plots[i]) > 0 && len(out.plots[i][0].vectors) > 0 {
			v := out.plots[i][0].vectors[0]
			return unit(v.kind, v.name)
		}
	}
	return "1"
}
