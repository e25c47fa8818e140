package shape

import (
	"fmt"
	"math"
	"slices"

	"atelier/internal/contract"
	"atelier/internal/quantity"
)

// Selector is where a boundary condition acts, as the solvers take it.
type Selector struct {
	Attribute []int    `json:"attribute,omitempty"`
	Face      []string `json:"face,omitempty"`
	Where     *Where   `json:"where,omitempty"`
}

// Where selects faces by place.
type Where struct {
	Plane        string    `json:"plane,omitempty"`
	Tolerance    float64   `json:"tolerance,omitempty"` // in the mesh's unit
	Normal       []float64 `json:"normal,omitempty"`
	ToleranceDeg float64   `json:"tolerance_deg,omitempty"`
	Box          *Box      `json:"box,omitempty"`
}

// Box selects the faces whose centre lies in it.
type Box struct {
	Min []float64 `json:"min"`
	Max []float64 `json:"max"`
}

// Site is a resolved place: its selector, and what is known of it.
type Site struct {
	Selector Selector
	Place    string    // for a person
	Normal   []float64 // outward, where the face is flat; else nil
	Area     float64   // m^2; 0 where it is not known
}

// Resolver turns places into sites and gathers what it had to assume.
type Resolver struct {
	Geometry *Geometry
	Spacing  float64  // of the volume mesh in the file's unit; 0 when not known
	Taken    []Place  // of all conditions: the rest is what they leave
	Assumed  []string // sentences
}

// Assume notes a sentence once.
func (r *Resolver) Assume(format string, args ...any) {
	if s := fmt.Sprintf(format, args...); !slices.Contains(r.Assumed, s) {
		r.Assumed = append(r.Assumed, s)
	}
}

// Sites of some places; a place that the part does not have is an error that tells
// what it has.
func (r *Resolver) Sites(places []Place) ([]Site, error) {
	var out []Site
	for _, p := range places {
		more, err := r.site(p)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

func (r *Resolver) site(p Place) ([]Site, error) {
	square := r.Geometry.Metres() * r.Geometry.Metres()
	switch p.Kind {
	case "plane":
		return []Site{r.plane(p.Name)}, nil
	case "end":
		if r.Geometry.Diagonal() == 0 {
			return nil, contract.Errorf(contract.CodeSelectionEmpty, "the part is a volume mesh, whose longest axis is not known before it is solved").
				WithHint("Name a plane such as x_max.")
		}
		name := string("xyz"[r.Geometry.Longest()]) + "_" + p.Name[len("longest_"):]
		r.Assume("The longest axis of the part is %s, so that %s is %s.", name[:1], PlaneNames[p.Name], name)
		return []Site{r.plane(name)}, nil
	case "face":
		f, ok := r.Geometry.FaceNamed(p.Name)
		if !ok {
			return nil, r.missing(p)
		}
		return []Site{{Selector{Face: []string{f.Name}}, "face " + f.Name, f.Normal, f.Area * square}}, nil
	case "attribute":
		f, ok := r.Geometry.Face(p.ID)
		if !ok && len(r.Geometry.Faces) > 0 {
			return nil, r.missing(p)
		}
		return []Site{{Selector{Attribute: []int{p.ID}}, fmt.Sprintf("face %d", p.ID), f.Normal, f.Area * square}}, nil
	case "hole", "holes":
		return r.holes(p)
	case "coordinate":
		return r.coordinate(p)
	case "feature":
		return r.feature(p)
	case "rest":
		return r.rest(p.Not)
	case "all":
		pad := r.Geometry.Diagonal()
		box := &Box{Min: make([]float64, 3), Max: make([]float64, 3)}
		for i := range 3 {
			box.Min[i], box.Max[i] = r.Geometry.Min[i]-pad, r.Geometry.Max[i]+pad
		}
		return []Site{{Selector{Where: &Where{Box: box}}, "all faces", nil, 0}}, nil
	}
	return nil, r.missing(p)
}

// plane is the CAD faces that lie in an extreme plane. Without CAD faces it is
// selected by place: the mesh follows the surface to a part of its spacing only,
// so that the tolerance is half of that, and the faces must look the right way.
func (r *Resolver) plane(name string) Site {
	m := r.Geometry.Metres()
	s := Site{Place: PlaneNames[name], Normal: Normals[name], Area: r.Geometry.PlaneArea(name) * m * m}
	if ids := r.Geometry.FacesIn(name); len(ids) > 0 {
		s.Selector.Attribute, s.Area = ids, 0
		for _, id := range ids {
			f, _ := r.Geometry.Face(id)
			s.Area += f.Area * m * m
		}
		return s
	}
	s.Selector.Where = &Where{Plane: name}
	if r.Spacing > 0 {
		s.Selector.Where = &Where{Plane: name, Tolerance: max(r.Geometry.Tolerance(), r.Spacing/2), Normal: Normals[name], ToleranceDeg: 45}
	}
	return s
}

// coordinate is the extreme plane at that height, else the plane CAD faces there; a surface
// without CAD faces has a thin box.
func (r *Resolver) coordinate(p Place) ([]Site, error) {
	if len(r.Geometry.surface.Vertices) == 0 {
		return nil, contract.Errorf(contract.CodeSelectionEmpty, "the part is a volume mesh, of which only its own faces are known: %s cannot be found in it", p).
			WithHint("Name the face by its number, or take a plane such as z_max.")
	}
	value := p.Value
	switch {
	case !p.Unitless:
		value /= r.Geometry.Metres()
	case r.Geometry.perUnit > 0:
		value *= r.Geometry.perUnit
	}
	axis := int(p.Name[0] - 'x')
	for _, name := range []string{p.Name + "_min", p.Name + "_max"} {
		if math.Abs(r.Geometry.Extreme(name)-value) < r.Geometry.Tolerance() {
			return []Site{r.plane(name)}, nil
		}
	}
	if len(r.Geometry.Faces) > 0 {
		return r.facesAt(p, axis, value)
	}
	pad := r.Geometry.Diagonal()
	box := &Box{Min: make([]float64, 3), Max: make([]float64, 3)}
	for i := range 3 {
		box.Min[i], box.Max[i] = r.Geometry.Min[i]-pad, r.Geometry.Max[i]+pad
	}
	box.Min[axis], box.Max[axis] = value-r.Geometry.Tolerance(), value+r.Geometry.Tolerance()
	return []Site{{Selector{Where: &Where{Box: box}}, "the plane " + p.String(), nil, 0}}, nil
}

// facesAt are the plane CAD faces across an axis that lie at a height.
func (r *Resolver) facesAt(p Place, axis int, value float64) ([]Site, error) {
	square := r.Geometry.Metres() * r.Geometry.Metres()
	site := Site{Place: "the plane " + p.String()}
	var heights []string
	for _, f := range r.Geometry.Faces {
		if f.Kind != "plane" || len(f.Normal) != 3 || math.Abs(f.Normal[axis]) < 0.999 {
			continue
		}
		if math.Abs(f.Centroid[axis]-value) < r.Geometry.Tolerance() {
			site.Selector.Attribute = append(site.Selector.Attribute, f.ID)
			site.Area += f.Area * square
		} else if at := quantity.Length.Format(f.Centroid[axis] * r.Geometry.Metres()); !slices.Contains(heights, at) {
			heights = append(heights, at)
		}
	}
	if len(site.Selector.Attribute) > 0 {
		return []Site{site}, nil
	}
	e := contract.Errorf(contract.CodeSelectionEmpty, "no plane face of the part lies at %s", p)
	if len(heights) == 0 {
		return nil, e.WithHint("Name a face by its number or name.")
	}
	return nil, e.WithHint("Plane faces across %s lie at %s.", p.Name, List(heights))
}

// rest lists the faces that no other condition names, or all but the given ones.
func (r *Resolver) rest(not []Place) ([]Site, error) {
	if len(r.Geometry.surface.Vertices) == 0 {
		return nil, contract.Errorf(contract.CodeSelectionEmpty, "the part is a volume mesh, whose faces are not known before it is solved: what is left of them cannot be told").
			WithHint("Name the faces by their numbers, or planes such as z_max.")
	}
	taken := map[int]bool{}
	for _, p := range not {
		sites, err := r.site(p)
		if err != nil {
			return nil, err
		}
		ids := r.ids(p)
		if len(ids) == 0 {
			return nil, contract.Errorf(contract.CodeSelectionEmpty, "%s cannot be left out: it is no face of the CAD model", sites[0].Place).
				WithHint("Name faces by their numbers or names, or the planes of the part's box.")
		}
		for _, id := range ids {
			taken[id] = true
		}
	}
	for _, p := range r.Taken {
		if not != nil || p.Kind == "rest" {
			continue
		}
		for _, id := range r.ids(p) {
			taken[id] = true
		}
	}
	var ids []int
	area := 0.0
	m := r.Geometry.Metres()
	for _, f := range r.Geometry.Faces {
		if !taken[f.ID] {
			ids, area = append(ids, f.ID), area+f.Area*m*m
		}
	}
	if len(ids) == 0 {
		return nil, contract.Errorf(contract.CodeSelectionEmpty, "the part has no further faces that could be told apart").
			WithHint("Name the planes, such as z_max, or import a STEP file, whose faces are known.")
	}
	return []Site{{Selector{Attribute: ids}, "all other faces", nil, area}}, nil
}

// ids are the CAD faces of a place, as far as they are known.
func (r *Resolver) ids(p Place) []int {
	sites, err := r.site(p)
	if err != nil {
		return nil
	}
	var ids []int
	for _, s := range sites {
		ids = append(ids, s.Selector.Attribute...)
		for _, name := range s.Selector.Face {
			if f, ok := r.Geometry.FaceNamed(name); ok {
				ids = append(ids, f.ID)
			}
		}
		if w := s.Selector.Where; w != nil && w.Plane != "" {
			ids = append(ids, r.Geometry.FacesIn(w.Plane)...)
		}
	}
	return ids
}
