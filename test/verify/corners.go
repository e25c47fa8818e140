package main

import (
	"fmt"
	"math"
	"slices"
)

// What an answer says of its largest stress.
const (
	unbounded = "likely"
	bounded   = "not_seen"
)

// cornerCases are parts of which theory says whether the stress has a bound: it has none
// at re-entrant corners and cracks, at the ends of clamps, and at the free edge between
// two materials.
func cornerCases() []testCase {
	const (
		williams = "Williams, J. Appl. Mech. 19 (1952) 526"
		bogy     = "Bogy, J. Appl. Mech. 38 (1971) 377"
		smooth   = "smooth surfaces, and supports that are planes of symmetry"
	)
	without := func(part func(*draw)) func(*draw) {
		return func(d *draw) {
			part(d)
			clear(d.want)
			d.verdict = bounded
		}
	}
	return []testCase{
		{"singular places", "re-entrant corner", williams, func(d *draw) { notch(d, false) }},
		{"singular places", "re-entrant edge of a solid", williams, func(d *draw) { notch(d, true) }},
		{"singular places", "crack", williams, crack},
		{"singular places", "end of a clamp on a straight side", williams, clampedPart},
		{"singular places", "clamped end", williams, clampedEnd},
		{"singular places", "free edge between two materials", bogy, twoMaterials},
		{"singular places", "tube, no corner", smooth, without(func(d *draw) { tube(d, d.yes(), true) })},
		{"singular places", "round hole, no corner", smooth, without(kirsch)},
		{"singular places", "elliptic hole, no corner", smooth, without(inglis)},
		{"singular places", "hole in a solid, no corner", smooth, without(solidHole)},
		{"singular places", "thick sphere, no corner", smooth, without(sphere)},
		{"singular places", "fillets of a rectangular tube, no corner", smooth, without(roundedTube)},
	}
}

// freed is the attribute of the sides that a cut leaves.
const freed = 9

// facets of a cell by its corners, outward.
var facets = map[int][][]int{
	triangle: {{0, 1}, {1, 2}, {2, 0}},
	quad:     {{0, 1}, {1, 2}, {2, 3}, {3, 0}},
	hex:      {{3, 2, 1, 0}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}, {4, 5, 6, 7}},
}

// cut takes away the cells whose middle, in parameters, is out.
func (m *mesh) cut(out func(middle [3]float64) bool) {
	m.cells = slices.DeleteFunc(m.cells, func(c cell) bool { return out(m.middle(c)) })
	key := func(v []int) string { v = slices.Clone(v); slices.Sort(v); return fmt.Sprint(v) }
	users := map[string]int{}
	var all [][]int // in the order of the cells, so that a draw can be repeated
	for _, c := range m.cells {
		for _, f := range facets[c.kind] {
			v := make([]int, len(f))
			for k, i := range f {
				v[k] = c.v[i]
			}
			users[key(v)]++
			all = append(all, v)
		}
	}
	m.sides = slices.DeleteFunc(m.sides, func(s cell) bool { return users[key(s.v)] == 0 })
	for _, s := range m.sides {
		users[key(s.v)] = 0
	}
	for _, v := range all {
		if users[key(v)] == 1 {
			m.sides = append(m.sides, cell{freed, map[int]int{2: segment, 4: quad}[len(v)], v})
		}
	}
	m.compact()
}

// compact takes away the vertices that no cell has.
func (m *mesh) compact() {
	number := map[int]int{}
	var points [][3]float64
	for _, list := range [][]cell{m.cells, m.sides} {
		for _, c := range list {
			for i, v := range c.v {
				if _, known := number[v]; !known {
					number[v] = len(points)
					points = append(points, m.points[v])
				}
				c.v[i] = number[v]
			}
		}
	}
	m.points = points
}

// notch is a square without one quarter, turned about its middle into a corner of another
// angle, and pulled open.
func notch(d *draw, solid bool) {
	e, nu := d.solid()
	size, angle := d.between(0.01, 2), d.between(220, 330)/270
	depth := size * d.between(0.2, 0.5)
	opened := func(p [3]float64) [3]float64 {
		x, y := (p[0]-0.5)*size, (p[1]-0.5)*size
		w := math.Atan2(y, x)
		if w < -1e-9 {
			w += 2 * math.Pi
		}
		r := math.Hypot(x, y)
		return [3]float64{r * math.Cos(w*angle), r * math.Sin(w*angle), depth * p[2]}
	}
	n := 2 * d.count(2, 5)
	kind, sides := d.one(quad, triangle), []spacing{{n, 1}, {n, 1}}
	if solid {
		n = 2 * d.count(2, 3)
		kind, sides = hex, []spacing{{n, 1}, {n, 1}, {2, 1}}
	}
	m := structured(d, kind, sides, 0, opened)
	m.cut(func(x [3]float64) bool { return x[0] > 0.5 && x[1] < 0.5 })
	traction := make([]float64, m.dim)
	traction[1] = e * d.between(1e-6, 1e-4)
	d.elastic(m, e, nu, held(3), pulled(2, traction...))
	d.verdict = unbounded
}

// rectangle is a plane part with its lower side parted at a share of its length: up to it
// the attribute is 8.
func (d *draw) rectangle() (e float64) {
	e, nu := d.solid()
	l := d.between(0.01, 2)
	n := d.count(5, 12)
	part := float64(d.count(2, n-2)) / float64(n)
	m := structured(d, d.one(quad, triangle), []spacing{{n, 1}, {d.count(3, 8), 1}}, 0, boxed(l, l*d.between(0.3, 1)))
	m.rename(m.sides, 3, 8, func(x [3]float64) bool { return x[0] < part })
	d.elastic(m, e, nu)
	d.config["plane"] = map[bool]string{true: "stress", false: "strain"}[d.yes()]
	d.verdict = unbounded
	return e
}

func crack(d *draw) {
	s := d.rectangle() * d.between(1e-6, 1e-4)
	d.config["bcs"] = []object{held(3, "y"), held(2, "x"), pulled(4, 0, s)}
}

func clampedPart(d *draw) {
	s := d.rectangle() * d.between(1e-6, 1e-4)
	d.config["bcs"] = []object{held(8), pulled(2, s*d.between(-1, 1), s)}
}

func clampedEnd(d *draw) {
	s := d.rectangle() * d.between(1e-6, 1e-4)
	d.config["bcs"] = []object{held(1), pulled(2, s, 0)}
}

// twoMaterials are bars end to end, of one Poisson's ratio: Dundurs' parameters then make
// the edge singular whatever the moduli.
func twoMaterials(d *draw) {
	s := d.rectangle() * d.between(1e-6, 1e-4)
	n := 2 * d.count(3, 6)
	l := d.between(0.01, 2)
	d.mesh = structured(d, d.one(quad, triangle), []spacing{{n, 1}, {d.count(3, 8), 1}}, 0, boxed(l, l*d.between(0.3, 0.6)))
	d.mesh.rename(d.mesh.cells, 1, 2, func(x [3]float64) bool { return x[0] > 0.5 })
	e, nu := d.between(5e9, 5e10), d.between(0.25, 0.4)
	d.config["materials"] = []object{{"attribute": 1, "E": e, "nu": nu}, {"attribute": 2, "E": e * d.between(4, 40), "nu": nu}}
	d.config["bcs"] = []object{held(1, "x"), held(3, "y"), pulled(2, s, 0)}
}

// solidHole is an eighth of a block with a round hole, pulled on all its sides.
func solidHole(d *draw) {
	e, nu := d.solid()
	a := d.between(0.005, 0.5)
	flat := holed(a, a, a*d.between(2.5, 5), a*d.between(2.5, 5))
	depth := a * d.between(0.5, 2)
	m := structured(d, d.one(hex, tet), []spacing{{d.count(3, 5), d.between(1.5, 4)}, {2 * d.count(2, 3), 1}, {d.count(1, 2), 1}}, 0,
		func(p [3]float64) [3]float64 {
			x := flat(p)
			x[2] = depth * p[2]
			return x
		})
	m.curved = true
	d.elastic(m, e, nu, pressed(2, -e*d.between(1e-5, 3e-4)), held(3, "y"), held(4, "x"), held(5, "z"))
}

// roundedTube is a quarter of a rectangular tube with round corners under pressure inside:
// a wall along a straight leg, a quarter turn, and another leg.
func roundedTube(d *draw) {
	e, nu := d.solid()
	t := d.between(0.002, 0.2)
	r, one, two := t*d.between(0.5, 2), t*d.between(1, 4), t*d.between(1, 4)
	n := d.count(2, 4)
	m := structured(d, d.one(quad, triangle), []spacing{{n, 1}, {3 * d.count(2, 4), 1}}, 0, func(p [3]float64) [3]float64 {
		radius := r + t*p[0]
		switch s := 3 * p[1]; {
		case s < 1: // up from the plane y = 0
			return [3]float64{two + radius, one * s, 0}
		case s <= 2:
			w := (s - 1) * math.Pi / 2
			return [3]float64{two + radius*math.Cos(w), one + radius*math.Sin(w), 0}
		default: // to the plane x = 0
			return [3]float64{two * (3 - s), one + radius, 0}
		}
	})
	m.curved = true
	d.elastic(m, e, nu, pressed(1, e*d.between(1e-6, 1e-5)), held(3, "y"), held(4, "x"))
	d.config["plane"] = map[bool]string{true: "stress", false: "strain"}[d.yes()]
}
