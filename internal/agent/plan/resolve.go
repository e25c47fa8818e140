package plan

import (
	"fmt"
	"math"
	"slices"

	"atelier/internal/contract"
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

// site is a resolved place: its selector, and what is known of it.
type site struct {
	selector Selector
	place    string    // for a person
	normal   []float64 // outward, where the face is flat; else nil
	area     float64   // m^2; 0 where it is not known
}

// resolver turns places into sites and gathers what it had to assume.
type resolver struct {
	g       *Geometry
	plan    *Plan
	dx      float64 // spacing of the volume mesh in the file's unit; 0 when not known
	assumed []string
	places  []string // of the boundary conditions made so far
}

func (r *resolver) assume(format string, args ...any) {
	if s := fmt.Sprintf(format, args...); !slices.Contains(r.assumed, s) {
		r.assumed = append(r.assumed, s)
	}
}

func (r *resolver) sites(places []Place) ([]site, error) {
	var out []site
	for _, p := range places {
		more, err := r.site(p)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

func (r *resolver) site(p Place) ([]site, error) {
	square := r.g.Metres() * r.g.Metres()
	switch p.Kind {
	case "plane":
		return []site{r.plane(p.Name)}, nil
	case "end":
		name := string("xyz"[r.g.longest()]) + "_" + p.Name[len("longest_"):]
		r.assume("The longest axis of the part is %s, so that %s is %s.", name[:1], planeNames[p.Name], name)
		return []site{r.plane(name)}, nil
	case "face":
		f, ok := r.g.faceNamed(p.Name)
		if !ok {
			return nil, r.missing(p)
		}
		return []site{{Selector{Face: []string{f.Name}}, "face " + f.Name, f.Normal, f.Area * square}}, nil
	case "attribute":
		f, ok := r.g.face(p.ID)
		if !ok && len(r.g.Faces) > 0 {
			return nil, r.missing(p)
		}
		return []site{{Selector{Attribute: []int{p.ID}}, fmt.Sprintf("face %d", p.ID), f.Normal, f.Area * square}}, nil
	case "hole", "holes":
		return r.holes(p)
	case "coordinate":
		return []site{r.coordinate(p)}, nil
	case "rest":
		return r.rest(p.Not)
	case "all":
		pad := r.g.Diagonal()
		box := &Box{Min: make([]float64, 3), Max: make([]float64, 3)}
		for i := range 3 {
			box.Min[i], box.Max[i] = r.g.Min[i]-pad, r.g.Max[i]+pad
		}
		return []site{{Selector{Where: &Where{Box: box}}, "all faces", nil, 0}}, nil
	}
	return nil, r.missing(p)
}

// plane is the CAD faces that lie in an extreme plane. Without CAD faces it is
// selected by place: the mesh follows the surface to a part of its spacing only,
// so that the tolerance is half of that, and the faces must look the right way.
func (r *resolver) plane(name string) site {
	m := r.g.Metres()
	s := site{place: planeNames[name], normal: normals[name], area: r.g.planeArea(name) * m * m}
	if ids := r.g.facesIn(name); len(ids) > 0 {
		s.selector.Attribute, s.area = ids, 0
		for _, id := range ids {
			f, _ := r.g.face(id)
			s.area += f.Area * m * m
		}
		return s
	}
	s.selector.Where = &Where{Plane: name}
	if r.dx > 0 {
		s.selector.Where = &Where{Plane: name, Tolerance: max(r.g.tolerance(), r.dx/2), Normal: normals[name], ToleranceDeg: 45}
	}
	return s
}

// coordinate is the extreme plane at that height, else a thin box there.
func (r *resolver) coordinate(p Place) site {
	value := p.Value
	switch {
	case !p.Unitless:
		value /= r.g.Metres()
	case r.g.perUnit > 0:
		value *= r.g.perUnit
	}
	axis := int(p.Name[0] - 'x')
	for _, name := range []string{p.Name + "_min", p.Name + "_max"} {
		if math.Abs(r.g.extreme(name)-value) < r.g.tolerance() {
			return r.plane(name)
		}
	}
	pad := r.g.Diagonal()
	box := &Box{Min: make([]float64, 3), Max: make([]float64, 3)}
	for i := range 3 {
		box.Min[i], box.Max[i] = r.g.Min[i]-pad, r.g.Max[i]+pad
	}
	box.Min[axis], box.Max[axis] = value-r.g.tolerance(), value+r.g.tolerance()
	return site{Selector{Where: &Where{Box: box}}, "the plane " + p.String(), nil, 0}
}

// rest lists the faces that no other condition names, or all but the given ones.
func (r *resolver) rest(not []Place) ([]site, error) {
	taken := map[int]bool{}
	for _, p := range not {
		for _, id := range r.ids(p) {
			taken[id] = true
		}
	}
	for _, c := range r.plan.Conditions {
		if not != nil {
			break
		}
		for _, p := range c.Places {
			if p.Kind == "rest" {
				continue
			}
			for _, id := range r.ids(p) {
				taken[id] = true
			}
		}
	}
	var ids []int
	area := 0.0
	m := r.g.Metres()
	for _, f := range r.g.Faces {
		if !taken[f.ID] {
			ids, area = append(ids, f.ID), area+f.Area*m*m
		}
	}
	if len(ids) == 0 {
		return nil, contract.Errorf(contract.CodeSelectionEmpty, "the part has no further faces that could be told apart").
			WithHint("Name the planes, such as z_max, or import a STEP file, whose faces are known.")
	}
	return []site{{Selector{Attribute: ids}, "all other faces", nil, area}}, nil
}

// ids are the CAD faces of a place, as far as they are known.
func (r *resolver) ids(p Place) []int {
	sites, err := r.site(p)
	if err != nil {
		return nil
	}
	var ids []int
	for _, s := range sites {
		ids = append(ids, s.selector.Attribute...)
		for _, name := range s.selector.Face {
			if f, ok := r.g.faceNamed(name); ok {
				ids = append(ids, f.ID)
			}
		}
		if w := s.selector.Where; w != nil && w.Plane != "" {
			ids = append(ids, r.g.facesIn(w.Plane)...)
		}
	}
	return ids
}
