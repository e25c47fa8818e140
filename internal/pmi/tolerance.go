package pmi

import (
	"cmp"
	"slices"
	"strings"

	"atelier/internal/part21"
)

// toleranceTypes are the geometric characteristics of ISO 10303-242 by their keywords, with
// their names in ASME Y14.5.
var toleranceTypes = map[string]string{
	"ANGULARITY_TOLERANCE": "angularity", "CIRCULAR_RUNOUT_TOLERANCE": "circular runout", "COAXIALITY_TOLERANCE": "coaxiality",
	"CONCENTRICITY_TOLERANCE": "concentricity", "CYLINDRICITY_TOLERANCE": "cylindricity", "FLATNESS_TOLERANCE": "flatness",
	"LINE_PROFILE_TOLERANCE": "profile of a line", "PARALLELISM_TOLERANCE": "parallelism",
	"PERPENDICULARITY_TOLERANCE": "perpendicularity", "POSITION_TOLERANCE": "position", "ROUNDNESS_TOLERANCE": "circularity",
	"STRAIGHTNESS_TOLERANCE": "straightness", "SURFACE_PROFILE_TOLERANCE": "profile of a surface",
	"SYMMETRY_TOLERANCE": "symmetry", "TOTAL_RUNOUT_TOLERANCE": "total runout",
}

// negative stands behind what can only be positive.
const negative = "(negative in the file)"

func toleranceType(keyword string) string { return toleranceTypes[keyword] }

// modifiers are the letters that stand in circles on a drawing.
var modifiers = map[string]string{
	"MAXIMUM_MATERIAL_REQUIREMENT": "(M)", "MAXIMUM_MATERIAL_CONDITION": "(M)",
	"LEAST_MATERIAL_REQUIREMENT": "(L)", "LEAST_MATERIAL_CONDITION": "(L)",
	"REGARDLESS_OF_FEATURE_SIZE": "", "FREE_STATE": "(F)", "TANGENT_PLANE": "(T)", "STATISTICAL_TOLERANCE": "(ST)",
	"UNEQUALLY_DISPOSED": "(U)", "TRANSLATION": "translation", "BASIC": "basic",
}

// modifier is its letter, or its own words where a drawing has none.
func modifier(name string) string {
	if letter, ok := modifiers[name]; ok {
		return letter
	}
	return strings.ToLower(strings.ReplaceAll(name, "_", " "))
}

// tolerance says a feature control frame from left to right: characteristic, zone, value,
// modifiers, datums.
func (r *Reader) tolerance(id int) Annotation {
	i := r.byID[id]
	a := Annotation{Instance: id, Kind: KindTolerance, Type: "geometric tolerance"}
	var head part21.Record
	var datums []part21.Value
	for _, rec := range i.Records {
		if name := toleranceType(rec.Keyword); name != "" {
			a.Type = name
		}
		switch {
		case rec.Keyword == "GEOMETRIC_TOLERANCE", len(rec.Parameters) >= 4 && toleranceType(rec.Keyword) != "":
			head = rec
			datums = append(datums, rec.At(4).List...)
		case rec.Keyword == "GEOMETRIC_TOLERANCE_WITH_DATUM_REFERENCE":
			datums = append(datums, rec.At(0).List...)
		}
	}
	a.Faces = r.faces(head.At(3).ID)
	words := []string{a.Type}
	if m, ok := r.measure(head.At(2).ID); ok {
		a.Value, a.Unit = &m.value, m.unit
		words = append(words, r.zone(id)+m.text())
	} else {
		words = append(words, "without a value")
	}
	if a.Value != nil && *a.Value < 0 {
		words = append(words, negative)
	}
	words = append(words, r.qualifiers(id, i)...)
	var named []reference
	for _, of := range datums {
		named = append(named, r.references(of.ID)...)
	}
	slices.SortStableFunc(named, func(a, b reference) int { return cmp.Compare(a.precedence, b.precedence) })
	var shown []string
	for _, d := range named {
		a.Datums, shown = append(a.Datums, d.letter), append(shown, d.letter+d.modifiers)
	}
	if len(shown) > 0 {
		words = append(words, "to "+strings.Join(shown, ", "))
	}
	a.Text = strings.Join(append(words, r.segments[id]...), " ")
	return a
}

// zoneOf is the record of the zone of a tolerance.
func (r *Reader) zoneOf(tolerance int) part21.Record {
	for _, rec := range r.byID[r.zonesOf[tolerance]].Records {
		if strings.HasSuffix(rec.Keyword, "TOLERANCE_ZONE") && len(rec.Parameters) >= 6 {
			return rec
		}
	}
	return part21.Record{}
}

// zone is the sign before the value: a diameter, or of a sphere.
func (r *Reader) zone(tolerance int) string {
	zone := r.zoneOf(tolerance)
	form, _ := r.byID[zone.At(5).ID].Record("TOLERANCE_ZONE_FORM")
	switch name := strings.ToLower(form.At(0).String()); {
	case strings.Contains(name, "spherical"):
		return "S⌀"
	case strings.Contains(name, "cylindrical"):
		return "⌀"
	}
	return ""
}

// qualifiers are what stands behind the value.
func (r *Reader) qualifiers(id int, i part21.Instance) []string {
	var out []string
	add := func(before string, measure int) {
		if m, ok := r.measure(measure); ok {
			out = append(out, before+m.text())
		}
	}
	per := ""
	for _, rec := range i.Records {
		switch rec.Keyword {
		case "GEOMETRIC_TOLERANCE_WITH_MODIFIERS":
			for _, m := range rec.At(0).List {
				if text := modifier(m.Text); text != "" {
					out = append(out, text)
				}
			}
		case "MODIFIED_GEOMETRIC_TOLERANCE":
			if text := modifier(rec.At(0).Text); text != "" {
				out = append(out, text)
			}
		case "UNEQUALLY_DISPOSED_GEOMETRIC_TOLERANCE":
			add("(U) ", rec.At(0).ID)
		case "GEOMETRIC_TOLERANCE_WITH_MAXIMUM_TOLERANCE":
			add("max ", rec.At(0).ID)
		case "GEOMETRIC_TOLERANCE_WITH_DEFINED_UNIT":
			if m, ok := r.measure(rec.At(0).ID); ok {
				per = m.text()
			}
		}
	}
	if length, ok := r.projections[r.zonesOf[id]]; ok {
		add("(P) ", length)
	}
	zone := r.zoneOf(id)
	switch {
	case zone.Keyword == "ORIENTED_TOLERANCE_ZONE":
		out = append(out, "in a zone that lies "+modifier(zone.At(len(zone.Parameters)-1).Text))
	case zone.Keyword == "NON_UNIFORM_TOLERANCE_ZONE":
		out = append(out, "in a zone that is not uniform")
	case r.untold[r.zonesOf[id]] != "":
		out = append(out, r.untold[r.zonesOf[id]])
	}
	if per == "" {
		return out
	}
	if area, ok := i.Record("GEOMETRIC_TOLERANCE_WITH_DEFINED_AREA_UNIT"); ok {
		other := per // a square's second length is its first
		if m, ok := r.measure(area.At(1).ID); ok {
			other = m.text()
		}
		switch area.At(0).Text {
		case "CIRCULAR":
			per = "⌀" + per
		case "CYLINDRICAL", "SPHERICAL":
			per += " (" + strings.ToLower(area.At(0).Text) + ")"
		default:
			per += " × " + other
		}
	}
	return append(out, "per "+per)
}

// reference is a datum as a frame names it.
type reference struct {
	letter, modifiers string
	precedence        float64
}

// references are the datums of a datum system, or of a reference of an older schema.
func (r *Reader) references(id int) []reference {
	i := r.byID[id]
	if system, ok := i.Record("DATUM_SYSTEM"); ok {
		var out []reference
		for _, compartment := range system.At(4).List {
			out = append(out, r.compartment(compartment.ID))
		}
		return out
	}
	// AP203 and AP214: precedence, datum, and a modifier of the subtype.
	for _, keyword := range []string{"DATUM_REFERENCE", "REFERENCED_MODIFIED_DATUM"} {
		old, ok := i.Record(keyword)
		if !ok || len(old.Parameters) < 2 {
			continue
		}
		out := r.compartment(old.At(1).ID)
		out.precedence = old.At(0).Number
		if changed, ok := i.Record("REFERENCED_MODIFIED_DATUM"); ok && len(changed.Parameters) > 0 {
			out.modifiers += modifier(changed.Parameters[len(changed.Parameters)-1].Text)
		}
		return []reference{out}
	}
	return []reference{r.compartment(id)}
}

// mostCommon is how many features of one common datum are named.
const mostCommon = 20

// compartment is one datum of a frame, or several that act as one: A-B.
func (r *Reader) compartment(id int) reference {
	i := r.byID[id]
	for _, keyword := range []string{"DATUM", "COMMON_DATUM"} {
		if datum, ok := i.Record(keyword); ok {
			return reference{letter: cmp.Or(datum.At(4).String(), "?")}
		}
	}
	rec, ok := i.Record("DATUM_REFERENCE_COMPARTMENT")
	if !ok {
		rec, ok = i.Record("DATUM_REFERENCE_ELEMENT")
	}
	if !ok || len(rec.Parameters) < 5 {
		return reference{letter: "?"}
	}
	out := reference{modifiers: r.datumModifiers(rec.At(5).List)}
	base := part21.Record{Parameters: rec.Parameters[4:5]}.References() // one, or a COMMON_DATUM_LIST
	var letters []string
	for _, element := range base[:min(len(base), mostCommon)] {
		letters = append(letters, r.element(element))
	}
	out.letter = cmp.Or(strings.Join(letters, "-"), "?")
	return out
}

// letter is that of a datum.
func (r *Reader) letter(id int) string {
	for _, keyword := range []string{"DATUM", "COMMON_DATUM"} {
		if datum, ok := r.byID[id].Record(keyword); ok {
			return cmp.Or(datum.At(4).String(), "?")
		}
	}
	return "?"
}

// element is the letter of one feature of a common datum, with its modifiers.
func (r *Reader) element(id int) string {
	rec, ok := r.byID[id].Record("DATUM_REFERENCE_ELEMENT")
	if !ok {
		return r.letter(id)
	}
	return r.letter(rec.At(4).ID) + r.datumModifiers(rec.At(5).List)
}

// datumModifiers are the letters and words behind a datum.
func (r *Reader) datumModifiers(list []part21.Value) string {
	var out string
	for _, m := range list {
		name, value := m.Text, ""
		if m.Kind == part21.Typed && len(m.List) == 1 {
			name = m.List[0].Text
		}
		if valued, ok := r.byID[m.ID].Record("DATUM_REFERENCE_MODIFIER_WITH_VALUE"); ok && m.Kind == part21.Reference {
			name = valued.At(0).Text
			if v, ok := r.measure(valued.At(1).ID); ok {
				value = " " + v.text()
			}
		}
		switch text := modifier(name) + value; {
		case strings.HasPrefix(text, "(") && value == "", text == "":
			out += text
		default:
			out += " [" + text + "]"
		}
	}
	return out
}

// datum says which faces a letter stands for, and the targets that it is made of.
func (r *Reader) datum(id int) Annotation {
	letter := r.letter(id)
	a := Annotation{Instance: id, Kind: KindDatum, Type: KindDatum, Text: "datum " + letter, Datums: []string{letter}, Faces: r.faces(id)}
	var targets []string
	for _, to := range r.aspectsOf[id] {
		if target, ok := r.target(to.aspect); ok {
			targets = append(targets, strings.TrimSpace(letter+target.At(4).String()+" "+target.At(1).String()))
		}
	}
	if len(targets) > 0 {
		slices.Sort(targets)
		a.Text += " from targets " + strings.Join(slices.Compact(targets), ", ")
	}
	return a
}

// target is the record of a datum target.
func (r *Reader) target(id int) (part21.Record, bool) {
	i := r.byID[id]
	if target, ok := i.Record("PLACED_DATUM_TARGET_FEATURE"); ok && len(target.Parameters) == 5 {
		return target, true
	}
	target, ok := i.Record("DATUM_TARGET")
	return target, ok && len(target.Parameters) == 5
}
