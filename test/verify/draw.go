package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
)

// testCase is a problem with a known answer, of which any number can be drawn.
type testCase struct {
	class  string // of the table
	name   string
	source string // of the reference
	draw   func(d *draw)
}

// draw is one problem with its dimensions, and what is known of it.
type draw struct {
	*rand.Rand
	class  string
	mesh   *mesh
	config object
	want   map[string]float64 // by JSON pointer
	// reference is what the reference may be off by, relative to it; 0 of a closed form.
	reference float64
	verdict   string // that the largest stress is due; "" where it is not asked
}

type object = map[string]any

// drawn is the nth draw of a case. Its numbers follow from the seed, the case and n
// alone, so that each can be repeated by itself.
func drawn(c testCase, seed uint64, n int) *draw {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s %d", seed, c.name, n)
	d := &draw{Rand: rand.New(rand.NewPCG(h.Sum64(), 0)), want: map[string]float64{}}
	c.draw(d)
	return d
}

// between is a number between two.
func (d *draw) between(low, high float64) float64 { return low + (high-low)*d.Float64() }

// count is a whole number between two, both included.
func (d *draw) count(low, high int) int { return low + d.IntN(high-low+1) }

// yes is a throw of a coin.
func (d *draw) yes() bool { return d.IntN(2) == 0 }

func (d *draw) one(of ...int) int { return of[d.IntN(len(of))] }

// solid draws an elastic material.
func (d *draw) solid() (e, nu float64) { return d.between(5e9, 3e11), d.between(0.15, 0.4) }

// input is what the tool is called with; the mesh lies in a file.
func (d *draw) input(path string) (tool string, input json.RawMessage, err error) {
	in := object{"mesh": object{"type": "file", "path": path, "length_unit": "m"}, "config": d.config}
	tool = "heat.solve"
	if d.class != "HeatTransfer" {
		tool = "fea.solve"
		in["solver_class"] = d.class
	}
	input, err = json.Marshal(in)
	return tool, input, err
}

// held, pushed, loaded … are boundary conditions on an attribute of the mesh.
func held(attribute int, components ...string) object {
	bc := object{"attribute": attribute, "type": "fixed"}
	if len(components) > 0 {
		bc["components"] = components
	}
	return bc
}

func pressed(attribute int, pressure float64) object {
	return object{"attribute": attribute, "type": "pressure", "value": pressure}
}

func pulled(attribute int, traction ...float64) object {
	return object{"attribute": attribute, "type": "load", "value": traction}
}

func warm(attribute int, temperature float64) object {
	return object{"attribute": attribute, "type": "fixed_temp", "value": temperature}
}

func film(attribute int, h, ambient float64) object {
	return object{"attribute": attribute, "type": "convection", "h": h, "ambient": ambient}
}
