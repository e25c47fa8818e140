package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// The committed files are what this program writes, and their volumes those of
// the README's formulas.
func TestCommittedParts(t *testing.T) {
	volumes := map[string]float64{"pipe_flow/pipe.step": math.Pi * 5 * 5 * 60, "heat_sink/heat_sink.step": 40*40*4 + 5*2*20*40}
	for name, p := range parts() {
		committed, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if string(committed) != p.step() {
			t.Errorf("%s is not what parts writes", name)
		}
		if v := volumes[name]; math.Abs(p.volume()/v-1) > 1e-12 {
			t.Errorf("%s: volume %g, by hand %g", name, p.volume(), v)
		}
	}
}
