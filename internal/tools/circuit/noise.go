package circuit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/internal/evidence"
)

// total says of which spectrum a figure is the integral; "" for any other figure.
func (s *signal) total() string {
	if name, ok := strings.CutSuffix(s.name, "noise_total"); ok && s.single {
		return name + "noise_spectrum"
	}
	return ""
}

// density is a point of a spectrum of noise, in Hz and V²/Hz or A²/Hz.
type density struct{ at, value float64 }

// refineNoise holds an integrated noise against the integral of the spectrum over
// all points of both runs: a peak between the points of the grid is missing in the
// simulator's sum, and may be most of it.
func (j *judgement) refineNoise(s *signal, kind evidence.Kind) {
	points := j.spectrum(s)
	if len(points) < 4 {
		return
	}
	whole := math.Sqrt(integral(points))
	every := make([]density, 0, len(points)/2+2)
	for i := 0; i < len(points); i += 2 {
		every = append(every, points[i])
	}
	if len(points)%2 == 0 {
		every = append(every, points[len(points)-1])
	}
	if !(whole > 0) || math.IsInf(whole, 0) {
		return
	}
	rest := math.Abs(math.Sqrt(integral(every)) - whole)
	change := math.Abs(s.final - whole)
	sentence := fmt.Sprintf("%s is %s %s, and %s %s by the spectrum at %d frequencies, in finer steps around its extremes and resonances.", s.name, format5(s.final), s.unit, format5(whole), s.unit, len(points))
	if worst := math.Max(change, rest); worst > accuracy*whole {
		sentence += " The simulator's sum over the grid of the analysis is not that of the spectrum: raise the points, or integrate over narrower ranges."
	}
	j.Check(evidence.Within("refinement", kind, s.at, math.Max(change, rest)/whole, accuracy, "1", sentence))
	j.addError(s.at, safety*(change+rest)+j.second.reltol*whole)
}

// spectrum is the density that a total is the integral of, at the frequencies of
// both runs.
func (j *judgement) spectrum(s *signal) []density {
	var all []density
	from, to := math.Inf(1), math.Inf(-1)
	add := func(plots []*plot, first bool) {
		for _, p := range plots {
			if p.points() < 2 {
				continue
			}
			x := p.vectors[0].re
			if first {
				from, to = bounds(x)
			}
			for _, v := range p.vectors {
				if plainName(v.name) != s.total() {
					continue
				}
				for i, y := range v.re {
					if x[i] >= from*(1-1e-12) && x[i] <= to*(1+1e-12) {
						all = append(all, density{x[i], y * y})
					}
				}
			}
		}
	}
	add(j.out.plots[s.analysis], true)
	for k, of := range j.second.of {
		if of == s.analysis && k < len(j.second.out.plots) {
			add(j.second.out.plots[k], false)
		}
	}
	slices.SortFunc(all, func(a, b density) int { return cmp.Compare(a.at, b.at) })
	return slices.CompactFunc(all, func(a, b density) bool { return math.Abs(b.at-a.at) <= 1e-13*b.at })
}

// integral takes the spectrum for a power of the frequency between its points, as
// thermal, shot and flicker noise are.
func integral(points []density) float64 {
	sum := 0.0
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		ratio := b.at / a.at
		if !(a.at > 0 && a.value > 0 && b.value > 0) || ratio < 1.01 {
			sum += (a.value + b.value) / 2 * (b.at - a.at)
			continue
		}
		power := 1 + math.Log(b.value/a.value)/math.Log(ratio)
		if math.Abs(power) < 1e-6 {
			sum += a.value * a.at * math.Log(ratio)
			continue
		}
		sum += (b.value*b.at - a.value*a.at) / power
	}
	return sum
}
