package shape

import (
	"fmt"
	"strconv"
	"strings"

	"atelier/internal/quantity"
)

// Place is where a condition acts.
type Place struct {
	// Kind: plane (Name x_min …), end (Name longest_min, longest_max), face (Name),
	// attribute (ID), hole (one), holes (all), coordinate (Name x, y or z; Value),
	// feature (Name of Features, Near the side), rest (every face without a condition), all.
	Kind  string  `json:"kind"`
	Name  string  `json:"name,omitempty"`
	ID    int     `json:"id,omitempty"`
	Value float64 `json:"value,omitempty"` // of a coordinate, in m
	Near  string  `json:"near,omitempty"`  // of a hole: the plane it is nearest to
	Many  string  `json:"many,omitempty"`  // of holes: bolt for the most numerous of one size; small, large
	Count int     `json:"count,omitempty"` // of holes: how many were said; 0 for none
	// Diameter of holes, in m; 0 for any.
	Diameter float64 `json:"diameter,omitempty"`
	Not      []Place `json:"not,omitempty"` // of rest: all faces but these, whatever else has conditions
	// Unitless marks a coordinate that was said without a unit: in the file's unit.
	Unitless bool   `json:"unitless,omitempty"`
	Text     string `json:"text,omitempty"` // as said
}

// String is the canonical name of a place.
func (p Place) String() string {
	switch p.Kind {
	case "plane", "end":
		return p.Name
	case "face":
		return "face:" + p.Name
	case "attribute":
		return "attribute:" + strconv.Itoa(p.ID)
	case "coordinate":
		return p.Name + "=" + strconv.FormatFloat(p.Value, 'g', -1, 64)
	}
	return p.Kind
}

// Normals are the outward normals of the extreme planes.
var Normals = map[string][]float64{
	"x_min": {-1, 0, 0}, "x_max": {1, 0, 0}, "y_min": {0, -1, 0}, "y_max": {0, 1, 0}, "z_min": {0, 0, -1}, "z_max": {0, 0, 1},
}

// Along is the scalar product of two directions.
func Along(a, b []float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// Spaced is a name in lower case, its words apart by single spaces.
func Spaced(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r == '-' || r == ' ' || r == '.' }), " ")
}

// List joins names for a person.
func List(names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// PlaneNames are those of the extreme planes and of the ends of the longest axis.
var PlaneNames = map[string]string{"x_min": "the left (x_min)", "x_max": "the right (x_max)", "y_min": "the front (y_min)",
	"y_max": "the back (y_max)", "z_min": "the bottom (z_min)", "z_max": "the top (z_max)",
	"longest_min": "the lower end of the longest axis", "longest_max": "the upper end of the longest axis"}

// Phrase is the place in words.
func (p Place) Phrase() string {
	switch p.Kind {
	case "plane", "end":
		return PlaneNames[p.Name]
	case "face":
		return "face " + p.Name
	case "attribute":
		return fmt.Sprintf("face %d", p.ID)
	case "hole", "holes":
		if p.Diameter > 0 {
			return "the " + p.Kind + " of " + quantity.Length.Format(p.Diameter)
		}
		return "the " + p.Kind
	case "coordinate":
		return "the plane " + p.String()
	case "feature":
		name := "the " + strings.ReplaceAll(p.Name, "_", " ")
		if p.Near != "" {
			return PlaneNames[p.Near][:strings.Index(PlaneNames[p.Near], " (")] + " of " + name
		}
		return name
	case "rest":
		return "all other faces"
	case "all":
		return "all faces"
	}
	return p.String()
}
