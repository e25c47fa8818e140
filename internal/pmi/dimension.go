package pmi

import (
	"cmp"
	"math"
	"regexp"
	"strconv"
	"strings"

	"atelier/internal/part21"
)

// dimension says a size or a distance with what it may be: "diameter 20 mm +0.05/-0.1".
func (r *Reader) dimension(id int) Annotation {
	i := r.byID[id]
	a := Annotation{Instance: id, Kind: KindDimension, Type: dimensionType(i), Faces: r.faces(id)}
	representation, _ := r.byID[r.valuesOf[id]].Record("SHAPE_DIMENSION_REPRESENTATION")
	var nominal, lower, upper *measured
	var notes []string
	for _, item := range representation.At(1).List {
		if told := r.notesOf(item.ID); len(told) > 0 {
			notes = append(notes, told...)
			continue
		}
		m, ok := r.measure(item.ID)
		if !ok {
			continue
		}
		switch name := strings.ToLower(m.name); {
		case strings.Contains(name, "upper"):
			upper = &m
		case strings.Contains(name, "lower"):
			lower = &m
		case nominal == nil:
			nominal = &m
		}
	}
	words := []string{a.Type}
	if nominal != nil {
		a.Value, a.Unit = &nominal.value, nominal.unit
		words = append(words, nominal.text())
		if nominal.qualifier != "" {
			words = append(words, nominal.qualifier)
		}
		words = append(words, r.deviations(id, *nominal, &a)...)
	}
	if limits := a.limits(nominal, lower, upper); limits != "" {
		words = append(words, limits)
	}
	if nominal != nil && nominal.value < 0 {
		words = append(words, negative)
	}
	if len(words) == 1 {
		words = append(words, "without a value")
	}
	a.Text = strings.Join(append(words, notes...), " ")
	if a.Lower != nil && a.Upper != nil && *a.Lower > *a.Upper {
		a.Lower, a.Upper = nil, nil
		a.Text += " (the file has the lower limit above the upper one)"
	}
	return a
}

// limits are sizes that the file gives as such.
func (a *Annotation) limits(nominal, lower, upper *measured) string {
	text := ""
	switch {
	case lower != nil && upper != nil && lower.unit == upper.unit:
		text = lower.digits() + " to " + upper.text()
	case lower != nil && upper != nil:
		text = lower.text() + " to " + upper.text()
	case upper != nil:
		text = "at most " + upper.text()
	case lower != nil:
		text = "at least " + lower.text()
	default:
		return ""
	}
	for _, limit := range []*measured{lower, upper} {
		if limit != nil && a.Unit == "" {
			a.Unit = limit.unit
		}
	}
	if lower != nil && lower.in(a.Unit) {
		a.Lower = &lower.value
	}
	if upper != nil && upper.in(a.Unit) {
		a.Upper = &upper.value
	}
	if nominal == nil {
		return text
	}
	return "(" + text + ")"
}

// deviations say how far a size may be off the nominal one.
func (r *Reader) deviations(id int, nominal measured, a *Annotation) []string {
	var out []string
	for _, spread := range r.boundsOf[id] {
		bounds := r.byID[spread]
		if fit, ok := bounds.Record("LIMITS_AND_FITS"); ok {
			out = append(out, fit.At(0).String()+fit.At(2).String())
			continue
		}
		tolerance, _ := bounds.Record("TOLERANCE_VALUE")
		low, lowOK := r.measure(tolerance.At(0).ID)
		high, highOK := r.measure(tolerance.At(1).ID)
		if !lowOK || !highOK {
			out = append(out, "with a tolerance that the file does not give")
			continue
		}
		shown := func(m measured) string { return m.digits() }
		if low.unit != nominal.unit || high.unit != nominal.unit { // told in their own unit
			shown = func(m measured) string { return m.text() }
		}
		same := low.unit == high.unit
		if same && math.Abs(low.value+high.value) <= 1e-9*math.Abs(high.value) && high.value > 0 {
			out = append(out, "±"+shown(high))
		} else {
			out = append(out, signed(high, shown)+"/"+signed(low, shown))
		}
		if lower, upper := low, high; len(r.boundsOf[id]) == 1 && lower.in(nominal.unit) && upper.in(nominal.unit) {
			lower.value, upper.value = rounded(nominal.value+lower.value), rounded(nominal.value+upper.value)
			a.Lower, a.Upper = &lower.value, &upper.value
		}
	}
	if len(out) > 1 {
		return []string{strings.Join(out, " and "), "(the file gives more than one tolerance)"}
	}
	return out
}

// rounded leaves out what a sum of decimal fractions adds behind the twelfth digit.
func rounded(value float64) float64 {
	out, err := strconv.ParseFloat(strconv.FormatFloat(value, 'g', 12, 64), 64)
	if err != nil {
		return value
	}
	return out
}

func signed(m measured, shown func(measured) string) string {
	if m.value > 0 {
		return "+" + shown(m)
	}
	return shown(m)
}

// notesOf are the words that stand beside a size: one, or several together.
func (r *Reader) notesOf(id int) []string {
	if text, ok := r.byID[id].Record("DESCRIPTIVE_REPRESENTATION_ITEM"); ok {
		return []string{dimensionNote(text.At(1).String())}
	}
	var out []string
	if several, ok := r.byID[id].Record("COMPOUND_REPRESENTATION_ITEM"); ok {
		for _, item := range several.References() {
			if text, ok := r.byID[item].Record("DESCRIPTIVE_REPRESENTATION_ITEM"); ok {
				out = append(out, dimensionNote(text.At(1).String()))
			}
		}
	}
	return out
}

// dimensionNote is a note of ISO 10303-242 in the words of a drawing.
func dimensionNote(text string) string {
	switch text {
	case "theoretical":
		return "basic"
	case "auxiliary":
		return "reference"
	}
	return text
}

func dimensionType(i part21.Instance) string {
	for _, rec := range i.Records {
		if strings.HasPrefix(rec.Keyword, "ANGULAR_") {
			return "angle"
		}
	}
	for _, rec := range i.Records {
		if dimension(rec.Keyword) {
			at := 0
			if strings.Contains(rec.Keyword, "SIZE") {
				at = 1
			}
			if name := strings.TrimSpace(rec.At(at).String()); name != "" {
				return strings.TrimPrefix(name, "linear ")
			}
		}
	}
	return "distance"
}

// measured is a number of the file with its unit; angles are in degrees.
type measured struct {
	value     float64
	unit      string
	size      float64 // of the unit in metres, or of a degree; 0 where it is not known
	name      string  // what it is of its dimension: "nominal value", "upper limit"
	qualifier string  // "maximum" or "minimum" where the number is a limit and no nominal size
	decimals  int     // that a drawing shows, -1 where the file does not say
}

// in converts the measure to a unit, and says whether it can be.
func (m *measured) in(unit string) bool {
	if m.unit == unit {
		return true
	}
	for _, s := range symbols {
		if s.symbol == unit && m.size > 0 && m.unit != "deg" {
			m.value, m.unit, m.size, m.decimals = m.value*m.size/s.metres, unit, s.metres, -1
			return true
		}
	}
	return false
}

// text has the digits that a drawing shows, and the unit.
func (m measured) text() string {
	if m.unit == "deg" {
		return m.digits() + "°"
	}
	return strings.TrimSpace(m.digits() + " " + m.unit)
}

// digits leaves out the noise that exporters add behind the seventh.
func (m measured) digits() string {
	if m.decimals >= 0 {
		if text := strconv.FormatFloat(m.value, 'f', m.decimals, 64); near(text, m.value) {
			return text
		}
	}
	return strconv.FormatFloat(m.value+0, 'g', 7, 64) // -0 + 0 is 0
}

// near says that a text has not lost what the number says.
func near(text string, value float64) bool {
	shown, err := strconv.ParseFloat(text, 64)
	return err == nil && math.Abs(shown-value) <= 1e-6*math.Abs(value)
}

var shownDecimals = regexp.MustCompile(`^NR2\s+\d+\.(\d+)$`)

// measure reads a measure with its unit, simple or complex.
func (r *Reader) measure(id int) (measured, bool) {
	m := measured{decimals: -1}
	found, unit := false, 0
	for _, rec := range r.byID[id].Records {
		first := 0
		switch {
		case rec.Keyword == "MEASURE_REPRESENTATION_ITEM" && len(rec.Parameters) == 3:
			m.name, first = rec.At(0).String(), 1
		case strings.HasSuffix(rec.Keyword, "MEASURE_WITH_UNIT") && len(rec.Parameters) == 2:
		case rec.Keyword == "REPRESENTATION_ITEM":
			m.name = rec.At(0).String()
			continue
		case rec.Keyword == "QUALIFIED_REPRESENTATION_ITEM":
			m.decimals, m.qualifier = r.decimals(rec.At(0).List), r.qualifier(rec.At(0).List)
			continue
		default:
			continue
		}
		value, ok := rec.At(first).Real()
		if ok && !found {
			m.value, unit, found = value, rec.At(first+1).ID, true
		}
	}
	if !found || math.IsNaN(m.value) || math.IsInf(m.value, 0) {
		return m, false
	}
	symbol, factor := r.unit(unit)
	m.unit, m.value = symbol, m.value*factor
	m.size, _ = r.size(unit, 0)
	return m, true
}

// decimals are those of a qualifier such as 'NR2 1.3' (ISO 13584-42: digits before and
// after the point).
func (r *Reader) decimals(qualifiers []part21.Value) int {
	for _, q := range qualifiers {
		format, _ := r.byID[q.ID].Record("VALUE_FORMAT_TYPE_QUALIFIER")
		if found := shownDecimals.FindStringSubmatch(format.At(0).String()); found != nil {
			n, err := strconv.Atoi(found[1])
			if err == nil && n <= 12 {
				return n
			}
		}
	}
	return -1
}

// qualifier is "maximum", "minimum" or another word of a type qualifier.
func (r *Reader) qualifier(qualifiers []part21.Value) string {
	for _, q := range qualifiers {
		if kind, ok := r.byID[q.ID].Record("TYPE_QUALIFIER"); ok {
			return kind.At(0).String()
		}
	}
	return ""
}

// symbols of lengths, by their size in metres.
var symbols = []struct {
	metres float64
	symbol string
}{{1, "m"}, {1e-3, "mm"}, {1e-2, "cm"}, {1e-6, "um"}, {0.0254, "in"}, {0.3048, "ft"}, {1e3, "km"}}

// unit is the symbol of a unit, and what its numbers are multiplied by: radians and grads
// become degrees. The size decides, not the name, which is free text.
func (r *Reader) unit(id int) (symbol string, factor float64) {
	i := r.byID[id]
	size, ok := r.size(id, 0)
	if !ok {
		conversion, _ := i.Record("CONVERSION_BASED_UNIT")
		return strings.ToLower(conversion.At(0).String()), 1
	}
	if i.Has("PLANE_ANGLE_UNIT") {
		if degree := math.Pi / 180; math.Abs(size/degree-1) < 1e-6 {
			return "deg", 1
		}
		return "deg", size * 180 / math.Pi
	}
	for _, s := range symbols {
		if math.Abs(size/s.metres-1) < 1e-6 {
			return s.symbol, 1
		}
	}
	conversion, _ := i.Record("CONVERSION_BASED_UNIT")
	return cmp.Or(strings.ToLower(conversion.At(0).String()), "× "+strconv.FormatFloat(size, 'g', 6, 64)+" m"), 1
}

var prefixes = map[string]float64{"": 1, "KILO": 1e3, "CENTI": 1e-2, "MILLI": 1e-3, "MICRO": 1e-6, "NANO": 1e-9, "DECI": 0.1}

// size is that of a unit of length or angle, in metres or radians.
func (r *Reader) size(id, depth int) (float64, bool) {
	i := r.byID[id]
	if !i.Has("LENGTH_UNIT") && !i.Has("PLANE_ANGLE_UNIT") || depth > 4 {
		return 0, false
	}
	if si, ok := i.Record("SI_UNIT"); ok {
		size, known := prefixes[si.At(0).Text]
		return size, known
	}
	conversion, ok := i.Record("CONVERSION_BASED_UNIT")
	if !ok {
		return 0, false
	}
	for _, rec := range r.byID[conversion.At(1).ID].Records {
		if !strings.HasSuffix(rec.Keyword, "MEASURE_WITH_UNIT") || len(rec.Parameters) != 2 {
			continue
		}
		value, ok := rec.At(0).Real()
		base, known := r.size(rec.At(1).ID, depth+1)
		return value * base, ok && known && value > 0
	}
	return 0, false
}
