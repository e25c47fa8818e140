package circuit

import (
	"cmp"
	"math/cmplx"
	"slices"
	"strings"
)

// remainder is what the currents at a node leave over, at a point of a plot.
type remainder struct {
	node     string
	at       int
	residual float64 // in A
	scale    float64 // the largest current at the node, in A
	allowed  float64 // in A
	moves    float64 // the voltage of the node, in V; 0 where that was not asked for
}

func (r remainder) excess() float64 { return r.residual - r.allowed }

const (
	// voltageLimit is a tenth of the simulator's usual vntol, in V: the second run, whose
	// currents are summed, ends its iteration by changes of that size.
	voltageLimit   = 1e-7
	remainderNodes = 16 // at which it is asked what a remainder does, at most
	remaindersMost = 3  // points of a sweep where it is
)

// resolve allows remainders that move the voltage of their node by less than the
// iteration tells apart. A current that is a steep expression of a voltage is known
// only as well as its slope times that voltage, which is much of a current of zero.
func (b *balance) resolve(p *prober, c command) {
	points := map[int][]string{}
	for _, r := range b.over {
		points[r.at] = append(points[r.at], r.node)
	}
	if len(points) == 0 || len(points) > remaindersMost || len(b.over) > remainderNodes || c.analysis == "ac" {
		return
	}
	slopes := map[int]map[string]complex128{}
	for at, nodes := range points {
		swept, value := "", 0.0
		if f := tokens(c.text); c.analysis == "dc" {
			source := p.net.device(f[1])
			if len(f) != 5 || source == nil || strings.IndexByte("vi", source.kind()) < 0 {
				return
			}
			swept, value = source.name, b.plot.vectors[0].re[at]
		}
		slopes[at] = p.slopes(nodes, swept, value, restOf(b.plot, at))
	}
	for i := range b.over {
		r := &b.over[i]
		if z, ok := slopes[r.at][r.node]; ok && cmplx.Abs(z) > 0 {
			r.moves = r.residual * cmplx.Abs(z)
			r.allowed += voltageLimit / cmplx.Abs(z)
		}
	}
	b.remainder = slices.MaxFunc(b.over, func(x, y remainder) int { return cmp.Compare(x.excess(), y.excess()) })
}
