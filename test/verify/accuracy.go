package main

import "math"

// accuracyCases ask for an accuracy of a figure beside a re-entrant corner, where the changes of
// a mesh that is refined locally fall unevenly.
func accuracyCases() []testCase {
	const class = "accuracy that was asked"
	return []testCase{
		{class, "L-shaped bracket", highOrder, bracket},
		{class, "heat through a bend", "conformal map: the corner is worth 1 - 2 ln 2 / pi squares", bend},
	}
}

// angle is an L of two legs that meet at an outer corner in the origin: the first along y, of a
// width and a length, the second along x. Its parameters run from the end of the first to that of
// the second, and from the outer sides to the inner ones; the legs part at 1/2.
type angle struct{ width, height, length, reach float64 }

func (l angle) at(p [3]float64) [3]float64 {
	s, t := 2*p[0], p[1]
	if s < 1 {
		return [3]float64{t * l.width, (1-s)*l.height + s*t*l.reach}
	}
	s--
	return [3]float64{(1-s)*t*l.width + s*l.length, t * l.reach}
}

// slope is that of the map, which has a kink.
func (l angle) slope(x, y float64) [2][2]float64 {
	s, t := 2*x, y
	if s < 1 {
		return [2][2]float64{{0, l.width}, {2 * (t*l.reach - l.height), s * l.reach}}
	}
	s--
	return [2][2]float64{{2 * (l.length - t*l.width), (1 - s) * l.width}, {0, l.reach}}
}

// bracket is clamped at the end of one leg and pulled at that of the other.
func bracket(d *draw) {
	w := d.between(0.01, 0.1)
	l := angle{width: w, reach: w * d.between(0.6, 1.6), height: w * d.between(2, 4), length: w * d.between(2, 4)}
	e, nu := d.solid()
	n := d.count(1, 4)
	d.elastic(structured(d, triangle, []spacing{{2 * d.count(2, 5), 1}, {n, 1}}, 0, l.at), e, nu)
	d.config["plane"] = "stress"
	p := &patch{e: e, nu: nu, flat: true, slope: l.slope, at: func(x, y float64) [2]float64 {
		q := l.at([3]float64{x, y})
		return [2]float64{q[0], q[1]}
	}, x: towards(towards(graded(4, true, false), 0.5, -0.25, 7), 0.5, 0.25, 7), y: towards(graded(1, true, false), 1, -1, 7)}
	p.held[0], p.traction[1] = [2]bool{true, true}, [2]float64{e * d.between(-1e-5, 1e-5), -e * d.between(1e-6, 1e-5)}
	place := [][2]float64{{1, 0}, {0.5, 1}, {0.5, 0}}[d.count(0, 2)]
	d.answers(p, place[0], place[1], held(1), pulled(2, p.traction[1][0], p.traction[1][1]))
	u := p.moves(place[0], place[1])
	d.want = map[string]float64{"/energy": d.want["/energy"], "/probes/0/displacement/0": u[0], "/probes/0/displacement/1": u[1]}
	asked := []string{"/energy", "/probes/0/displacement/0", "/probes/0/displacement/1"}[d.count(0, 2)]
	d.ask(asked, d.between(0.003, 0.02))
}

// leastTarget is the least that the contract takes.
const leastTarget = 1e-4

// ask is for an accuracy of a figure, which alone is held against its true value.
func (d *draw) ask(figure string, target float64) {
	d.want = map[string]float64{figure: d.want[figure]}
	d.config["accuracy"] = object{"quantity": figure, "target": max(target, leastTarget), "max_unknowns": 60000}
}

// bend has legs so long that heat enters and leaves the corner evenly. Its resistance: Hall,
// Thin Solid Films 1 (1968) 277.
func bend(d *draw) {
	w := d.between(0.01, 0.1)
	l := angle{width: w, reach: w, height: w * d.between(6, 8), length: w * d.between(6, 8)}
	k, flux, cold := d.between(1, 400), d.between(1e2, 1e5), d.between(250, 400)
	flux = math.Min(flux, 300*k/(l.height+l.length))
	m := structured(d, triangle, []spacing{{2 * d.count(3, 8), 1}, {d.count(1, 3), 1}}, 0, l.at)
	d.heat(m, k, warm(1, cold), object{"attribute": 2, "type": "heat_flux", "value": flux})
	d.config["probes"] = [][]float64{{l.length, w * d.Float64()}}
	d.want["/probes/0/value"] = cold + flux/k*(l.height+l.length-2*w+(1-2*math.Ln2/math.Pi)*w)
	rise := d.want["/probes/0/value"] - cold
	d.ask("/probes/0/value", d.between(0.001, 0.005)*rise/d.want["/probes/0/value"])
}
