package shape

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/quantity"
)

// holes picks the holes that a place names: of one size, on one side, the most
// numerous of one size (bolt holes), else the largest, or all of them.
func (r *Resolver) holes(p Place) ([]Site, error) {
	if len(r.Geometry.Holes) == 0 {
		return nil, r.missing(p)
	}
	picked := r.ofSize(r.ofDiameter(slices.Clone(r.Geometry.Holes), p), p)
	if len(picked) == 0 {
		return nil, r.missing(p)
	}
	if p.Near != "" {
		var err error
		if picked, err = r.nearest(picked, p); err != nil {
			return nil, err
		}
	}
	switch {
	case p.Kind == "holes" && p.Count > 0 && p.Count != len(picked) && p.Many == "":
		picked = r.mostOfOneSize(picked)
	case p.Kind == "hole" && p.Near == "" && p.Many == "" && len(picked) > 1:
		picked = r.ofSize(picked, Place{Many: "large"})
		r.Assume("The part has %s; \"the hole\" is taken as the largest.", r.Geometry.Found())
	}
	if p.Kind == "hole" && p.Diameter > 0 && len(picked) > 1 {
		return nil, ambiguous(picked, "the part has %d holes of that diameter, where one is named")
	}
	if len(picked) == 0 || p.Kind == "holes" && p.Count > 0 && p.Count != len(picked) {
		return nil, r.missing(p)
	}
	var out []Site
	m := r.Geometry.Metres()
	for _, h := range picked {
		area := 0.0
		for _, id := range h.Faces {
			f, _ := r.Geometry.Face(id)
			area += f.Area * m * m
		}
		name := fmt.Sprintf("the hole at face %d", h.Faces[0])
		if f, _ := r.Geometry.Face(h.Faces[0]); f.Name != "" {
			name = "face " + f.Name
		}
		out = append(out, Site{Selector{Attribute: h.Faces}, name, nil, area})
	}
	return out, nil
}

// oneSize is how far, relative to them, the radii of holes of one size may differ.
const oneSize = 1e-3

// asDrawn is how far, relative to it, a diameter that is said may lie from that of the
// hole: one says 12.7 for half an inch, or the size of the bolt that goes through.
const asDrawn = 0.01

// ofDiameter keeps the holes of the diameter that is said, if one is.
func (r *Resolver) ofDiameter(holes []Hole, p Place) []Hole {
	if p.Diameter <= 0 {
		return holes
	}
	said := p.Diameter / r.Geometry.Metres()
	return slices.DeleteFunc(holes, func(h Hole) bool { return math.Abs(2*h.Radius-said) > asDrawn*said })
}

// ofSize keeps the smallest or largest holes, or the most numerous of one size.
func (r *Resolver) ofSize(holes []Hole, p Place) []Hole {
	byRadius := func(a, b Hole) int { return cmp.Compare(a.Radius, b.Radius) }
	if len(holes) == 0 {
		return nil
	}
	smallest, largest := slices.MinFunc(holes, byRadius).Radius, slices.MaxFunc(holes, byRadius).Radius
	switch p.Many {
	case "small":
		return slices.DeleteFunc(holes, func(h Hole) bool { return h.Radius > smallest*(1+oneSize) })
	case "large":
		return slices.DeleteFunc(holes, func(h Hole) bool { return h.Radius < largest*(1-oneSize) })
	case "bolt":
		return r.mostOfOneSize(holes)
	}
	return holes
}

// nearest keeps the one hole that is nearest to a plane, or, of several that are
// named, those on its side of the part.
func (r *Resolver) nearest(holes []Hole, p Place) ([]Hole, error) {
	axis, at := axisOf(p.Near), r.Geometry.Extreme(p.Near)
	apart := func(h Hole) float64 { return math.Abs(h.Centre[axis] - at) }
	if p.Kind == "holes" {
		half, tol := (r.Geometry.Max[axis]-r.Geometry.Min[axis])/2, r.Geometry.Tolerance()
		return slices.DeleteFunc(holes, func(h Hole) bool {
			if math.Abs(h.Axis[axis]) > 0.9 { // a hole through the part opens on both of its sides
				return apart(h) > half+tol
			}
			return apart(h) >= half-tol
		}), nil
	}
	slices.SortStableFunc(holes, func(a, b Hole) int { return cmp.Compare(apart(a), apart(b)) })
	tied := 0
	for _, h := range holes {
		if apart(h)-apart(holes[0]) < r.Geometry.Tolerance() {
			tied++
		}
	}
	if tied > 1 {
		return nil, ambiguous(holes[:tied], "%d holes of the part are equally near to "+PlaneNames[p.Near]+", where one is named")
	}
	return holes[:1], nil
}

// ambiguous is the fault of several holes where one is named.
func ambiguous(holes []Hole, sentence string) error {
	var faces []string
	for _, h := range holes {
		faces = append(faces, fmt.Sprintf("face %d", h.Faces[0]))
	}
	return contract.Errorf(contract.CodeSelectionEmpty, sentence, len(holes)).
		WithHint("Say \"the holes\" for all of them, or name one by its number: %s.", List(faces))
}

func (r *Resolver) mostOfOneSize(holes []Hole) []Hole {
	var best []Hole
	for _, h := range holes {
		var same []Hole
		for _, o := range holes {
			if math.Abs(o.Radius-h.Radius) < oneSize*h.Radius {
				same = append(same, o)
			}
		}
		if len(same) > len(best) {
			best = same
		}
	}
	r.Assume("The part has %s; the bolt holes are taken as the %d of one size.", r.Geometry.Found(), len(best))
	return best
}

// missing says what there is, so that the next message can name it.
func (r *Resolver) missing(p Place) error {
	var names, hollow []string
	for _, f := range r.Geometry.Faces {
		if f.Name != "" && len(names) < 20 {
			names = append(names, f.Name)
		}
		if f.Kind == "cylinder" && f.Concave && len(hollow) < 20 {
			hollow = append(hollow, fmt.Sprintf("face %d (%s diameter)", f.ID, quantity.Length.Format(2*f.Radius*r.Geometry.Metres())))
		}
	}
	if p.Kind == "attribute" && r.Geometry.joints[p.ID] {
		return contract.Errorf(contract.CodeSelectionEmpty, "face %d lies between two bodies that are joined, where no condition can act", p.ID).
			WithHint("Name an outer face, or a plane such as z_max.")
	}
	if strings.HasPrefix(p.Kind, "hole") && len(r.Geometry.Holes) == 0 && len(hollow) > 0 {
		return contract.Errorf(contract.CodeSelectionEmpty, "the part has no hole that is closed all round; the hollow cylinders among its %d CAD faces: %s", len(r.Geometry.Faces), List(hollow)).
			WithHint("Name them by their numbers, such as %q.", "on "+strings.SplitN(hollow[0], " (", 2)[0])
	}
	e := contract.Errorf(contract.CodeSelectionEmpty, "the part has no %s: it has %d CAD faces and %s", strings.TrimPrefix(p.said(), "the "), len(r.Geometry.Faces), r.Geometry.Found())
	if len(names) > 0 {
		return e.WithHint("Name one of its faces: %s; or a plane such as z_max.", List(names))
	}
	return e.WithHint("Name a plane such as z_max, or a face by its number.")
}

// said names a place that is missing, holes as they were said.
func (p Place) said() string {
	if !strings.HasPrefix(p.Kind, "hole") || p.Text == "" {
		return p.Phrase()
	}
	text := strings.TrimPrefix(p.Text, "each of ")
	for _, word := range []string{"all ", "both ", "each ", "every ", "of ", "the "} {
		text = strings.TrimPrefix(text, word)
	}
	if p.Near != "" {
		return text + " at " + PlaneNames[p.Near]
	}
	return text
}
