package solve

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// moved is a grid shifted, with 10 added to its boundary attributes.
func moved(g *grid, by ...float64) *grid {
	for _, p := range g.points {
		for k, d := range by {
			p[k] += d
		}
	}
	for i, b := range g.boundary {
		g.boundary[i] = "1" + b
	}
	return g
}

// Two boxes that overlap by a share of the length, down to a thousandth of it and up
// to all of it, on meshes that fit or do not: the check's value is the volume that
// they share, the product of the overlaps.
func TestBodiesInOnePlaceAreSuspect(t *testing.T) {
	draw := random(t)
	for _, share := range []float64{1, draw(0.2, 0.8), 0.5, 0.001} {
		l, w, h := draw(0.5, 2), draw(0.1, 0.4), draw(0.1, 0.4)
		up := math.Min(w, h) * draw(0, 0.3) // w is the height of the flat ones
		if share == 1 {
			up = 0
		}
		one, other := box([3]int{4, 2, 2}, [3]float64{l, w, h}), box([3]int{4, 1 + int(draw(0, 3)), 2}, [3]float64{l, w, h})
		a := solved(t, "heat.solve", joined(one, moved(other, l*(1-share), 0, up)), "", `{"conductivity": 50, "steady": true,
			"bcs": [{"attribute": 1, "type": "fixed_temp", "value": 400}, {"attribute": 12, "type": "fixed_temp", "value": 300}]}`)
		fails(t, a, "bodies_apart")
		near(t, "shared volume", Figure(a.value(t, "bodies_apart")), l*share*w*(h-up), 1e-3)

		flat := joined(rectangle(6, 3, l, w), moved(rectangle(6, 3, l, w), l*(1-share), up))
		b := solved(t, "fea.solve", flat, "LinearElasticity", `{`+steel+`, "bcs": [{"attribute": [1, 12], "type": "fixed"}, {"attribute": 4, "type": "load", "force": [0, -1]}]}`)
		fails(t, b, "bodies_apart")
		near(t, "shared area", Figure(b.value(t, "bodies_apart")), l*share*(w-up), 1e-3)
	}
}

// Bodies within each other that share no space (a bar in a tube, with clearance) are
// left alone.
func TestBodiesApartAreLeftAlone(t *testing.T) {
	draw := random(t)
	l, gap := draw(0.5, 2), draw(1e-5, 1e-2)
	for _, g := range []*grid{
		joined(box([3]int{3, 2, 2}, [3]float64{l, l, l}), moved(box([3]int{2, 3, 2}, [3]float64{l, l, l}), l*(1+gap), 0.1*l, 0)),
		joined(rectangle(5, 3, l, l), moved(rectangle(4, 4, l, l), 0.3*l, l*(1+gap))),
	} {
		a := solved(t, "heat.solve", g, "", `{"conductivity": 50, "steady": true,
			"bcs": [{"attribute": 1, "type": "fixed_temp", "value": 400}, {"attribute": 12, "type": "fixed_temp", "value": 300}]}`)
		for _, name := range []string{"bodies_apart", "bodies_joined", "nodes_joined"} {
			if s, failed := a.failed(name); failed {
				t.Error(s)
			}
		}
	}
}

// slit cuts a rectangle along the line of squares at x, from the height y on: the
// elements beyond it get nodes of their own.
func slit(g *grid, x, y float64) *grid {
	twin := map[string]string{}
	for i, p := range g.points {
		if math.Abs(p[0]-x) < 1e-9 && p[1] > y+1e-9 {
			twin[fmt.Sprint(i)] = fmt.Sprint(len(g.points))
			g.points = append(g.points, []float64{p[0], p[1]})
		}
	}
	cut := func(list []string) {
		for i, line := range list {
			words, middle := strings.Fields(line), 0.0
			for _, w := range words[2:] {
				var v int
				fmt.Sscan(w, &v)
				middle += g.points[v][0] / float64(len(words)-2)
			}
			if middle <= x {
				continue
			}
			for k := 2; k < len(words); k++ {
				if other, ok := twin[words[k]]; ok {
					words[k] = other
				}
			}
			list[i] = strings.Join(words, " ")
		}
	}
	cut(g.elements)
	cut(g.boundary)
	return g
}

// A wall with a cut whose nodes are not merged conducts less than k A dT / L, and says
// why: the length of the cut is the side's less where the nodes are common.
func TestUnmergedNodesAreTold(t *testing.T) {
	draw := random(t)
	l, h := draw(0.5, 2), draw(0.5, 2)
	const n = 8
	from := 1 + int(draw(0, n-2))
	config := `{"conductivity": 50, "steady": true, "bcs": [{"attribute": 1, "type": "fixed_temp", "value": 400}, {"attribute": 2, "type": "fixed_temp", "value": 300}]}`
	a := solved(t, "heat.solve", slit(rectangle(n, n, l, h), l/2, h*float64(from)/n), "", config)
	fails(t, a, "nodes_joined")
	s, _ := a.failed("nodes_joined")
	if want := fmt.Sprintf("about %.3g m ", h*float64(n-from)/n); !strings.Contains(s, want) {
		t.Errorf("%q does not say %q", s, want)
	}
	if rate := float64(*a.Loads[0].HeatRate); rate > 0.999*50*h*100/l {
		t.Errorf("%g W pass the cut", rate)
	}
	whole := solved(t, "heat.solve", rectangle(n, n, l, h), "", config)
	if s, failed := whole.failed("nodes_joined"); failed {
		t.Error(s)
	}
	near(t, "whole wall", *whole.Loads[0].HeatRate, 50*h*100/l, 1e-6)
}
