// Package pmi reads the product and manufacturing information of a STEP file: datums,
// geometric tolerances, dimensions and notes, as words that an engineer would write
// (ISO 10303-242, "semantic" representation; terms of ASME Y14.5 and ISO 1101). What a file
// has only as drawn lines has no words and is counted.
package pmi

import (
	"slices"
	"strings"

	"atelier/internal/part21"
)

// Kinds of annotations.
const (
	KindDatum     = "datum"
	KindTolerance = "tolerance"
	KindDimension = "dimension"
	KindNote      = "note"
)

// Annotation is one statement of the file about the part.
type Annotation struct {
	Instance int      `json:"-"` // of the file
	Kind     string   `json:"kind"`
	Type     string   `json:"type"` // of a tolerance: flatness, position, ...; of a dimension: diameter, ...
	Text     string   `json:"text"`
	Value    *float64 `json:"value,omitempty"` // in Unit
	Lower    *float64 `json:"lower,omitempty"` // smallest size that a dimension allows
	Upper    *float64 `json:"upper,omitempty"`
	Unit     string   `json:"unit,omitempty"`
	Datums   []string `json:"datums,omitempty"` // letters, in the order of precedence
	Faces    []int    `json:"faces"`            // instances of faces in the file
}

// mostInstances bounds the memory that a file can ask for; real parts have some thousand.
const mostInstances = 300_000

// Reader collects the instances that annotations are made of.
type Reader struct {
	byID map[int]part21.Instance
	// Ids in the order of the file.
	datums, tolerances, dimensions, properties, literals []int
	aspectsOf                                            map[int][]relation // of an aspect, those that it is related to
	facesOf                                              map[int][]int      // of an aspect
	zonesOf                                              map[int]int        // of a tolerance
	projections                                          map[int]int        // length to which a zone is projected
	segments                                             map[int][]string   // what a tolerance is in a composite frame
	untold                                               map[int]string     // what the definition of a zone adds, without its figures
	valuesOf                                             map[int]int        // representation of a dimension
	boundsOf                                             map[int][]int      // ranges of a dimension
	described                                            map[int]int        // representation of a property
	callouts                                             []int              // annotations as they are drawn
	standsFor                                            map[int]int        // what a callout is of
	Overflow                                             bool               // some annotations were left out
}

type relation struct {
	aspect  int
	forward bool // from the relating to the related
}

// NewReader makes an empty reader.
func NewReader() *Reader {
	return &Reader{byID: map[int]part21.Instance{}, aspectsOf: map[int][]relation{}, facesOf: map[int][]int{}, zonesOf: map[int]int{}, segments: map[int][]string{}, untold: map[int]string{}, projections: map[int]int{},
		valuesOf: map[int]int{}, boundsOf: map[int][]int{}, described: map[int]int{}, standsFor: map[int]int{}}
}

// Wanted says that Add has a use for instances with a keyword.
func Wanted(keyword string) bool {
	return toleranceType(keyword) != "" || dimension(keyword) || measure(keyword) || aspect(keyword) || others[keyword]
}

var others = map[string]bool{
	"GEOMETRIC_TOLERANCE": true, "TOLERANCE_ZONE": true, "ORIENTED_TOLERANCE_ZONE": true, "NON_UNIFORM_TOLERANCE_ZONE": true, "PROJECTED_ZONE_DEFINITION": true, "RUNOUT_ZONE_DEFINITION": true, "NON_UNIFORM_ZONE_DEFINITION": true, "GEOMETRIC_TOLERANCE_RELATIONSHIP": true,
	"COMPOUND_REPRESENTATION_ITEM": true, "TOLERANCE_ZONE_FORM": true,
	"DATUM": true, "COMMON_DATUM": true, "DATUM_SYSTEM": true, "DATUM_REFERENCE": true, "REFERENCED_MODIFIED_DATUM": true, "DATUM_REFERENCE_COMPARTMENT": true,
	"DATUM_REFERENCE_ELEMENT": true, "DATUM_REFERENCE_MODIFIER_WITH_VALUE": true,
	"DIMENSIONAL_CHARACTERISTIC_REPRESENTATION": true, "SHAPE_DIMENSION_REPRESENTATION": true,
	"PLUS_MINUS_TOLERANCE": true, "TOLERANCE_VALUE": true, "LIMITS_AND_FITS": true,
	"VALUE_FORMAT_TYPE_QUALIFIER": true, "TYPE_QUALIFIER": true, "DESCRIPTIVE_REPRESENTATION_ITEM": true,
	"SHAPE_ASPECT_RELATIONSHIP": true, "SHAPE_ASPECT_DERIVING_RELATIONSHIP": true, "FEATURE_COMPONENT_RELATIONSHIP": true, "FEATURE_FOR_DATUM_TARGET_RELATIONSHIP": true,
	"GEOMETRIC_ITEM_SPECIFIC_USAGE": true, "ITEM_IDENTIFIED_REPRESENTATION_USAGE": true,
	"PROPERTY_DEFINITION": true, "PROPERTY_DEFINITION_REPRESENTATION": true, "REPRESENTATION": true,
	"DRAUGHTING_CALLOUT": true, "DRAUGHTING_MODEL_ITEM_ASSOCIATION": true, "DRAUGHTING_MODEL_ITEM_ASSOCIATION_WITH_PLACEHOLDER": true,
	"TEXT_LITERAL": true, "LENGTH_UNIT": true, "PLANE_ANGLE_UNIT": true,
}

func dimension(keyword string) bool {
	return (strings.HasPrefix(keyword, "DIMENSIONAL_SIZE") || strings.HasPrefix(keyword, "ANGULAR_SIZE") ||
		strings.HasSuffix(keyword, "DIMENSIONAL_LOCATION") || strings.HasPrefix(keyword, "DIMENSIONAL_LOCATION") || keyword == "ANGULAR_LOCATION")
}

func measure(keyword string) bool {
	return strings.HasSuffix(keyword, "MEASURE_WITH_UNIT") || keyword == "MEASURE_REPRESENTATION_ITEM"
}

func aspect(keyword string) bool {
	return strings.HasSuffix(keyword, "SHAPE_ASPECT") || keyword == "DATUM_FEATURE" || keyword == "DATUM_TARGET" ||
		keyword == "PLACED_DATUM_TARGET_FEATURE" || keyword == "CENTRE_OF_SYMMETRY"
}

// Add takes an instance; of one with other keywords nothing is kept.
func (r *Reader) Add(i part21.Instance) {
	if len(r.byID) >= mostInstances {
		r.Overflow = true
		return
	}
	r.byID[i.ID] = i
	for _, rec := range i.Records {
		r.file(i.ID, rec)
	}
	if slices.ContainsFunc(i.Records, func(rec part21.Record) bool {
		return rec.Keyword == "GEOMETRIC_TOLERANCE" || toleranceType(rec.Keyword) != "" && len(rec.Parameters) >= 4
	}) {
		r.tolerances = append(r.tolerances, i.ID)
	}
	if slices.ContainsFunc(i.Records, func(rec part21.Record) bool { return dimension(rec.Keyword) }) {
		r.dimensions = append(r.dimensions, i.ID)
	}
}

// file puts what leads from one instance to another where it is looked for.
func (r *Reader) file(id int, rec part21.Record) {
	switch rec.Keyword {
	case "DATUM", "COMMON_DATUM":
		r.datums = append(r.datums, id)
	case "SHAPE_ASPECT_RELATIONSHIP", "SHAPE_ASPECT_DERIVING_RELATIONSHIP", "FEATURE_COMPONENT_RELATIONSHIP", "FEATURE_FOR_DATUM_TARGET_RELATIONSHIP":
		from, to := rec.At(2).ID, rec.At(3).ID
		r.aspectsOf[from] = append(r.aspectsOf[from], relation{to, true})
		r.aspectsOf[to] = append(r.aspectsOf[to], relation{from, false})
	case "GEOMETRIC_ITEM_SPECIFIC_USAGE", "ITEM_IDENTIFIED_REPRESENTATION_USAGE":
		of := rec.At(2).ID
		r.facesOf[of] = append(r.facesOf[of], part21.Record{Parameters: rec.Parameters[min(4, len(rec.Parameters)):]}.References()...)
	case "TOLERANCE_ZONE", "ORIENTED_TOLERANCE_ZONE", "NON_UNIFORM_TOLERANCE_ZONE":
		for _, tolerance := range rec.At(4).List {
			r.zonesOf[tolerance.ID] = id
		}
	case "GEOMETRIC_TOLERANCE_RELATIONSHIP":
		if name := strings.ToLower(rec.At(0).String()); strings.Contains(name, "composite") || strings.Contains(name, "precedence") {
			r.segments[rec.At(2).ID] = append(r.segments[rec.At(2).ID], "with a lower segment")
			r.segments[rec.At(3).ID] = append(r.segments[rec.At(3).ID], "as the lower segment of a composite frame")
		}
	case "RUNOUT_ZONE_DEFINITION":
		r.untold[rec.At(0).ID] = "at an angle that only the file has"
	case "NON_UNIFORM_ZONE_DEFINITION":
		r.untold[rec.At(0).ID] = "in a zone that is not uniform"
	case "PROJECTED_ZONE_DEFINITION":
		r.projections[rec.At(0).ID] = rec.At(3).ID
	case "DIMENSIONAL_CHARACTERISTIC_REPRESENTATION":
		r.valuesOf[rec.At(0).ID] = rec.At(1).ID
	case "PLUS_MINUS_TOLERANCE":
		r.boundsOf[rec.At(1).ID] = append(r.boundsOf[rec.At(1).ID], rec.At(0).ID)
	case "PROPERTY_DEFINITION":
		if rec.At(0).String() == "semantic text" {
			r.properties = append(r.properties, id)
		}
	case "PROPERTY_DEFINITION_REPRESENTATION":
		r.described[rec.At(0).ID] = rec.At(1).ID
	case "TEXT_LITERAL":
		r.literals = append(r.literals, id)
	case "DRAUGHTING_CALLOUT":
		r.callouts = append(r.callouts, id)
	case "DRAUGHTING_MODEL_ITEM_ASSOCIATION", "DRAUGHTING_MODEL_ITEM_ASSOCIATION_WITH_PLACEHOLDER":
		r.standsFor[rec.At(4).ID] = rec.At(2).ID
	}
}

// Annotations are what the file says, datums first, then dimensions, tolerances and notes.
func (r *Reader) Annotations() []Annotation {
	var out []Annotation
	for _, id := range r.datums {
		if a := r.datum(id); !slices.ContainsFunc(out, func(b Annotation) bool { return b.Text == a.Text && slices.Equal(a.Faces, b.Faces) }) {
			out = append(out, a)
		}
	}
	for _, id := range r.dimensions {
		out = append(out, r.dimension(id))
	}
	for _, id := range r.tolerances {
		out = append(out, r.tolerance(id))
	}
	return append(out, r.notes()...)
}

// Drawn counts the annotations that the file holds as lines and triangles only.
func (r *Reader) Drawn() int {
	n := 0
	for _, id := range r.callouts {
		of, ok := r.standsFor[id]
		if !ok || !r.told(of) {
			n++
		}
	}
	return n
}

// told says that an annotation is of this instance.
func (r *Reader) told(id int) bool {
	if slices.Contains(r.dimensions, id) || slices.Contains(r.tolerances, id) {
		return true
	}
	if i := r.byID[id]; i.Has("DATUM") || i.Has("DATUM_FEATURE") {
		return true
	}
	return slices.ContainsFunc(r.properties, func(p int) bool {
		definition, _ := r.byID[p].Record("PROPERTY_DEFINITION")
		return definition.At(2).ID == id
	})
}

func (r *Reader) notes() []Annotation {
	var out []Annotation
	for _, id := range r.properties {
		definition, _ := r.byID[id].Record("PROPERTY_DEFINITION")
		representation, _ := r.byID[r.described[id]].Record("REPRESENTATION")
		for _, item := range representation.At(1).List {
			text, ok := r.byID[item.ID].Record("DESCRIPTIVE_REPRESENTATION_ITEM")
			if said := strings.TrimSpace(text.At(1).String()); ok && said != "" {
				out = append(out, Annotation{Instance: id, Kind: KindNote, Type: KindNote, Text: said, Faces: r.faces(definition.At(2).ID)})
			}
		}
	}
	for _, id := range r.literals {
		text, _ := r.byID[id].Record("TEXT_LITERAL")
		if said := strings.TrimSpace(text.At(1).String()); said != "" {
			out = append(out, Annotation{Instance: id, Kind: KindNote, Type: KindNote, Text: said})
		}
	}
	return out
}

// faces are those of an aspect and of the aspects that it consists of, or of the aspects of
// a dimension.
func (r *Reader) faces(id int) []int {
	var out []int
	seen, open := map[int]bool{}, []int{id}
	for len(open) > 0 {
		at := open[0]
		open = open[1:]
		if seen[at] {
			continue
		}
		seen[at] = true
		out = append(out, r.facesOf[at]...)
		open = append(open, r.toleranced(at)...)
		_, isTarget := r.target(at)
		against := isTarget || r.byID[at].Has("DATUM") // the features of a datum and its targets relate to it
		for _, to := range r.aspectsOf[at] {
			if to.forward != against {
				open = append(open, to.aspect)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// toleranced are the aspects that a dimension is of.
func (r *Reader) toleranced(id int) []int {
	for _, rec := range r.byID[id].Records {
		switch {
		case !dimension(rec.Keyword):
		case strings.Contains(rec.Keyword, "SIZE") && len(rec.Parameters) > 0:
			return []int{rec.At(0).ID}
		case len(rec.Parameters) >= 4:
			return []int{rec.At(2).ID, rec.At(3).ID}
		}
		if rec.Keyword == "SHAPE_ASPECT_RELATIONSHIP" { // of a complex instance
			return []int{rec.At(2).ID, rec.At(3).ID}
		}
	}
	return nil
}
