// Command parts writes the STEP files of the examples: examples/pipe_flow/pipe.step
// and examples/heat_sink/heat_sink.step. Each is a prism, whose exact volume
// follows from its profile.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	folder := flag.String("examples", "examples", "the folder of the examples")
	flag.Parse()
	for name, p := range parts() {
		path := filepath.Join(*folder, filepath.FromSlash(name))
		if err := os.WriteFile(path, []byte(p.step()), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "parts:", err)
			os.Exit(1)
		}
		fmt.Printf("%s: volume %.6g mm3\n", path, p.volume())
	}
}

// parts are the examples' shapes by their files.
func parts() map[string]prism {
	return map[string]prism{"pipe_flow/pipe.step": pipe(), "heat_sink/heat_sink.step": heatSink()}
}

const (
	pipeRadius, pipeLength = 5, 60 // mm

	sinkWidth, sinkDepth, sinkBase = 40, 40, 4 // mm: x, y, z
	finCount, finThickness         = 5, 2
	finHeight                      = 20
)

// pipe is the inside of a pipe along x: what the fluid fills.
func pipe() prism {
	half := func(from, to float64, name string) segment {
		return segment{name: name, from: point{from, 0}, to: point{to, 0}, radius: pipeRadius}
	}
	return prism{
		name: "pipe", length: pipeLength, axis: [3]float64{1, 0, 0}, u: [3]float64{0, 1, 0}, v: [3]float64{0, 0, 1},
		profile: []segment{half(pipeRadius, -pipeRadius, "wall_upper"), half(-pipeRadius, pipeRadius, "wall_lower")},
		start:   "inlet", end: "outlet",
	}
}

// heatSink is a base plate with straight fins, its profile in x and z pulled
// along y.
func heatSink() prism {
	p := prism{
		name: "heat_sink", length: sinkDepth, axis: [3]float64{0, -1, 0}, u: [3]float64{1, 0, 0}, v: [3]float64{0, 0, 1},
		origin: [3]float64{0, sinkDepth, 0}, start: "back", end: "front",
	}
	at := point{0, 0}
	line := func(name string, u, v float64) {
		to := point{u, v}
		p.profile = append(p.profile, segment{name: name, from: at, to: to})
		at = to
	}
	line("base_bottom", sinkWidth, 0)
	const top = sinkBase + finHeight
	gap := float64(sinkWidth-finCount*finThickness) / (finCount - 1)
	x := float64(sinkWidth) // counter-clockwise: the fins come from the right
	for fin := finCount; fin >= 1; fin-- {
		name := fmt.Sprintf("fin_%d", fin)
		line(name+"_right", x, top)
		line(name+"_tip", x-finThickness, top)
		if fin == 1 {
			break
		}
		line(name+"_left", x-finThickness, sinkBase)
		x -= finThickness + gap
		line(fmt.Sprintf("base_top_%d", fin-1), x, sinkBase)
	}
	line("fin_1_left", 0, 0)
	return p
}
