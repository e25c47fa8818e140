package shape

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/geometry"
	"atelier/internal/quantity"
)

// Features of a part that people name and that no face is called by: the horizontal leg of a
// bracket, its rib, the fins of a heat sink, the short edges of a plate, the shoulder of a
// shaft. Each is what the geometry decides; where it does not, the candidates are told.

// Features that a place may be.
var Features = []string{"horizontal_leg", "upright", "rib", "fins", "short_edges", "long_edges", "edges", "shoulder"}

// clearly is how many times larger than the next one a face must be to be the one that is
// meant.
const clearly = 1.3

// broad is the least share of its box that the broad face of a leg fills; the side of an L
// fills less.
const broad = 0.6

// measuredFace is a CAD face with its box.
type measuredFace struct {
	Face
	low, high geometry.Vec3
}

// measuredFaces are the faces of the part with their boxes.
func (g *Geometry) measuredFaces() []measuredFace {
	index := map[int]int{}
	var out []measuredFace
	for _, f := range g.Faces {
		index[f.ID] = len(out)
		out = append(out, measuredFace{f, geometry.Vec3{math.Inf(1), math.Inf(1), math.Inf(1)}, geometry.Vec3{math.Inf(-1), math.Inf(-1), math.Inf(-1)}})
	}
	for i, t := range g.surface.Triangles {
		if g.surface.FaceID == nil {
			break
		}
		at, ok := index[int(g.surface.FaceID[i])]
		if !ok {
			continue
		}
		for _, v := range t {
			for k, x := range g.surface.Vertices[v] {
				out[at].low[k], out[at].high[k] = min(out[at].low[k], x), max(out[at].high[k], x)
			}
		}
	}
	return out
}

// flat says whether a face is plane and looks along an axis, to which side (0 for no axis).
func (f measuredFace) flat() (axis, sign int) {
	if f.Kind != "plane" || len(f.Normal) != 3 {
		return 0, 0
	}
	for i, n := range f.Normal {
		if math.Abs(n) > 0.999 {
			return i, int(math.Copysign(1, n))
		}
	}
	return 0, 0
}

// feature finds the faces of one.
func (r *Resolver) feature(p Place) ([]Site, error) {
	if len(r.Geometry.Faces) == 0 {
		return nil, contract.Errorf(contract.CodeSelectionEmpty, "%s cannot be found: the part has no CAD faces", p.Phrase()).
			WithHint("Give a CAD file, or name a plane such as z_max.")
	}
	faces := r.Geometry.measuredFaces()
	var found []measuredFace
	var err error
	switch p.Name {
	case "horizontal_leg":
		found, err = r.leg(p, faces, cmp.Or(p.Near, "z_max"))
	case "upright":
		if p.Near == "" {
			return nil, r.unclear(p, r.looking(faces, func(axis, _ int) bool { return axis != 2 }), "which of its sides is not said")
		}
		found, err = r.leg(p, faces, p.Near)
	case "rib":
		found, err = r.rib(p, faces)
	case "fins":
		found, err = r.fins(p, faces)
	case "short_edges", "long_edges", "edges":
		found, err = r.edges(p)
	case "shoulder":
		found, err = r.shoulder(p, faces)
	default:
		return nil, r.missing(p)
	}
	if err != nil {
		return nil, err
	}
	return []Site{r.siteOf(p, found)}, nil
}

// siteOf the faces of a feature, which it notes.
func (r *Resolver) siteOf(p Place, found []measuredFace) Site {
	square := r.Geometry.Metres() * r.Geometry.Metres()
	site := Site{Place: p.Phrase(), Normal: found[0].Normal}
	for _, f := range found {
		site.Selector.Attribute = append(site.Selector.Attribute, f.ID)
		site.Area += f.Area * square
		if !slices.Equal(site.Normal, f.Normal) {
			site.Normal = nil
		}
	}
	var names []string
	for _, f := range found[:min(len(found), 12)] {
		names = append(names, r.describe(f))
	}
	more := ""
	if len(found) > 12 {
		more = fmt.Sprintf(" and %d more", len(found)-12)
	}
	r.Assume("%s%s: %s%s.", strings.ToUpper(site.Place[:1]), site.Place[1:], strings.Join(names, ", "), more)
	return site
}

// describe a face by its number, name, size and place.
func (r *Resolver) describe(f measuredFace) string {
	m := r.Geometry.Metres()
	var sizes, places []string
	for i := range 3 {
		if d := f.high[i] - f.low[i]; d > r.Geometry.Tolerance() {
			sizes = append(sizes, quantity.Length.Format(quantity.Significant(d*m)))
		} else {
			at := "0"
			if v := f.Centroid[i]; math.Abs(v) > 1e-6*r.Geometry.Diagonal() {
				at = quantity.Length.Format(quantity.Significant(v * m))
			}
			places = append(places, string("xyz"[i])+" = "+at)
		}
	}
	name := fmt.Sprintf("face %d", f.ID)
	if f.Name != "" {
		name += " " + f.Name
	}
	return name + " (" + strings.Join(append([]string{strings.Join(sizes, " x ")}, places...), ", ") + ")"
}

// unclear refuses a feature that the geometry does not decide, and tells the candidates.
func (r *Resolver) unclear(p Place, candidates []measuredFace, why string) error {
	e := contract.Errorf(contract.CodeSelectionEmpty, "%s of this part is not clear: %s", p.Phrase(), why)
	slices.SortFunc(candidates, func(a, b measuredFace) int { return cmp.Compare(b.Area, a.Area) })
	var names []string
	for _, f := range candidates[:min(len(candidates), 10)] {
		names = append(names, r.describe(f))
	}
	if len(names) == 0 {
		return e.WithHint("Name a plane such as z_max, or a face by its number.")
	}
	return e.WithHint("Name one by its number: %s.", strings.Join(names, ", "))
}

// looking are the plane faces that look along an axis for which a condition holds.
func (r *Resolver) looking(faces []measuredFace, at func(axis, sign int) bool) []measuredFace {
	var out []measuredFace
	for _, f := range faces {
		if axis, sign := f.flat(); sign != 0 && at(axis, sign) {
			out = append(out, f)
		}
	}
	return out
}

// leg is the broad face of a leg on one side: among the faces that look there, those at the
// height at which together they are clearly the largest. The end of the other leg looks the
// same way and is as narrow as that leg is thick.
func (r *Resolver) leg(p Place, faces []measuredFace, plane string) ([]measuredFace, error) {
	want, side := axisOf(plane), 1
	if strings.HasSuffix(plane, "min") {
		side = -1
	}
	all := r.looking(faces, func(axis, sign int) bool { return axis == want && sign == side })
	if len(all) == 0 {
		return nil, r.unclear(p, nil, "no plane face looks that way")
	}
	type level struct {
		at    float64
		area  float64
		faces []measuredFace
	}
	var levels []*level
	for _, f := range all {
		i := slices.IndexFunc(levels, func(l *level) bool { return math.Abs(l.at-f.Centroid[want]) < r.Geometry.Tolerance() })
		if i < 0 {
			levels, i = append(levels, &level{at: f.Centroid[want]}), len(levels)
		}
		levels[i].area += f.Area
		levels[i].faces = append(levels[i].faces, f)
	}
	slices.SortFunc(levels, func(a, b *level) int { return cmp.Compare(b.area, a.area) })
	if len(levels) > 1 && levels[0].area < clearly*levels[1].area {
		return nil, r.unclear(p, all, fmt.Sprintf("%d faces look that way, of about the same size", len(all)))
	}
	for _, f := range levels[0].faces {
		box := 1.0
		for i := range 3 {
			if i != want {
				box *= f.high[i] - f.low[i]
			}
		}
		if f.Area < broad*box {
			return nil, r.unclear(p, r.looking(faces, func(axis, _ int) bool { return (axis == 2) == (want == 2) }), "what looks that way is the side of both legs")
		}
	}
	return levels[0].faces, nil
}

// rib is the sloping face of one: plane and along no axis, of which there is one.
func (r *Resolver) rib(p Place, faces []measuredFace) ([]measuredFace, error) {
	var sloping []measuredFace
	for _, f := range faces {
		if _, sign := f.flat(); f.Kind == "plane" && len(f.Normal) == 3 && sign == 0 {
			sloping = append(sloping, f)
		}
	}
	switch len(sloping) {
	case 0:
		return nil, r.unclear(p, r.looking(faces, func(int, int) bool { return true }), "no face slopes as the edge of a rib does")
	case 1:
		return sloping, nil
	}
	return nil, r.unclear(p, sloping, fmt.Sprintf("%d faces slope as the edge of a rib does", len(sloping)))
}

// fins are four or more parallel plane faces of one size that look both ways, the outer ones
// of the same height, and the tips.
func (r *Resolver) fins(p Place, faces []measuredFace) ([]measuredFace, error) {
	var best []measuredFace
	total := 0.0
	for _, f := range faces {
		axis, sign := f.flat()
		if sign == 0 {
			continue
		}
		like := r.looking(faces, func(a, _ int) bool { return a == axis })
		like = slices.DeleteFunc(like, func(o measuredFace) bool { return math.Abs(o.Area-f.Area) > 0.02*f.Area })
		ways := map[int]bool{}
		area := 0.0
		for _, o := range like {
			_, s := o.flat()
			ways[s] = true
			area += o.Area
		}
		if len(like) >= 4 && len(ways) == 2 && area > total*(1+1e-9) {
			best, total = like, area
		}
	}
	if best == nil {
		return nil, r.unclear(p, r.looking(faces, func(int, int) bool { return true }), "no four parallel faces are of one size")
	}
	across, _ := best[0].flat()
	taken := map[int]bool{}
	for _, f := range best {
		taken[f.ID] = true
	}
	tolerance := r.Geometry.Tolerance()
	tip, height := r.finTips(faces, best, across)
	for _, f := range faces { // the outer faces, which may reach down to the base
		axis, sign := f.flat()
		if sign == 0 || taken[f.ID] {
			continue
		}
		outer := axis == across && f.Area > best[0].Area && f.Area < 2*best[0].Area && height >= 0 && (math.Abs(f.high[height]-tip) < tolerance || math.Abs(f.low[height]-tip) < tolerance)
		end := height >= 0 && axis == height && math.Abs(f.Centroid[height]-tip) < tolerance
		if outer || end {
			best = append(best, f)
			taken[f.ID] = true
		}
	}
	return best, nil
}

// finTips are the level of the tips of fins and the axis along which they stand: the extreme
// plane with as many equal faces as there are fins; -1 for none.
func (r *Resolver) finTips(faces, sides []measuredFace, across int) (level float64, height int) {
	for axis := range 3 {
		for _, sign := range []int{-1, 1} {
			at := sides[0].high[axis]
			if sign < 0 {
				at = sides[0].low[axis]
			}
			tips := r.looking(faces, func(a, s int) bool { return a == axis && s == sign })
			tips = slices.DeleteFunc(tips, func(f measuredFace) bool { return math.Abs(f.Centroid[axis]-at) > r.Geometry.Tolerance() })
			if axis != across && len(tips) >= max(2, len(sides)/2) {
				return at, axis
			}
		}
	}
	return 0, -1
}

// edges of a plate are its narrow faces: all four, the two at the ends of the longest axis
// (the short ones) or the other two.
func (r *Resolver) edges(p Place) ([]measuredFace, error) {
	size := r.Geometry.Max.Sub(r.Geometry.Min)
	axes := []int{0, 1, 2}
	slices.SortFunc(axes, func(a, b int) int { return cmp.Compare(size[b], size[a]) })
	longest, middle, thin := axes[0], axes[1], axes[2]
	if size[thin] > size[middle]/2 {
		return nil, r.unclear(p, nil, "the part is no plate")
	}
	if p.Name != "edges" && size[longest] < 1.02*size[middle] {
		return nil, r.unclear(p, nil, "the plate is as long as it is wide")
	}
	want := map[string][]int{"short_edges": {longest}, "long_edges": {middle}, "edges": {longest, middle}}[p.Name]
	var out []measuredFace
	all := r.Geometry.measuredFaces()
	for _, axis := range want {
		for _, side := range []string{"_min", "_max"} {
			ids := r.Geometry.FacesIn(string("xyz"[axis]) + side)
			if len(ids) == 0 {
				return nil, r.unclear(p, nil, fmt.Sprintf("no flat face bounds the plate at %c%s", "xyz"[axis], side))
			}
			for _, f := range all {
				if slices.Contains(ids, f.ID) {
					out = append(out, f)
				}
			}
		}
	}
	return out, nil
}

// shoulder of a shaft is the flat face across its axis between two diameters, with the fillet
// there: one that is not an end.
func (r *Resolver) shoulder(p Place, faces []measuredFace) ([]measuredFace, error) {
	axis, round := -1, 0.0
	for _, f := range faces {
		if f.Kind == "cylinder" && !f.Concave && len(f.Axis) == 3 && f.Area > round {
			for i, a := range f.Axis {
				if math.Abs(a) > 0.999 {
					axis, round = i, f.Area
				}
			}
		}
	}
	if axis < 0 {
		return nil, r.unclear(p, nil, "no outer cylinder lies along an axis")
	}
	widest := 0.0
	for _, f := range faces {
		if f.Kind == "cylinder" && !f.Concave && len(f.Axis) == 3 && math.Abs(f.Axis[axis]) > 0.999 {
			widest = max(widest, 2*f.Radius)
		}
	}
	for i, extent := range r.Geometry.Max.Sub(r.Geometry.Min) {
		if i != axis && math.Abs(extent-widest) > 0.02*widest {
			return nil, r.unclear(p, nil, "the part is not round about an axis")
		}
	}
	tolerance := r.Geometry.Tolerance()
	steps := r.looking(faces, func(a, _ int) bool { return a == axis })
	steps = slices.DeleteFunc(steps, func(f measuredFace) bool {
		return f.Centroid[axis] < r.Geometry.Min[axis]+tolerance || f.Centroid[axis] > r.Geometry.Max[axis]-tolerance
	})
	var fillets []measuredFace
	for _, f := range faces {
		if f.Kind == "torus" {
			fillets = append(fillets, f)
		}
	}
	levels := map[int]bool{}
	for _, f := range steps {
		levels[int(math.Round(f.Centroid[axis]/tolerance))] = true
	}
	switch {
	case len(levels) > 1 || len(levels) == 0 && len(fillets) > 1:
		return nil, r.unclear(p, append(steps, fillets...), "the shaft has several")
	case len(steps) == 0 && len(fillets) == 0:
		return nil, r.unclear(p, nil, "no face across its axis lies between the ends")
	}
	if len(steps) > 0 {
		fillets = slices.DeleteFunc(fillets, func(f measuredFace) bool { // of another edge
			return f.low[axis] > steps[0].Centroid[axis]+tolerance || f.high[axis] < steps[0].Centroid[axis]-tolerance
		})
	}
	return append(steps, fillets...), nil
}
