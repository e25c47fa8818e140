package circuit

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"atelier/internal/contract"
	"atelier/internal/engine"
)

const (
	defaultReltol = 1e-3
	changeLimit   = 0.01 // of a signal's range, root mean square
	quick         = 5 * time.Second
)

// assess gathers what stands behind the numbers.
func assess(ctx context.Context, host engine.Host, call *contract.Call, d *deck, s *script, out *outcome, floating []string, took time.Duration) *contract.Evidence {
	ev := &contract.Evidence{Trust: contract.Computed, Reasons: []string{}, Checks: []contract.Check{}}
	verified, suspect := false, false
	if !s.altered {
		if c, ok := kclCheck(d.net, s, out); ok {
			ev.Checks = append(ev.Checks, c)
			verified, suspect = c.OK, !c.OK
			if c.OK {
				ev.Reasons = append(ev.Reasons, "Kirchhoff's current law holds at the nodes whose devices were computed a second time from the netlist.")
			} else {
				ev.Reasons = append(ev.Reasons, "Kirchhoff's current law does not hold: "+c.Note)
			}
		}
	}
	rerun, tried := tighterCheck(ctx, host, call, d, s, out, took)
	if tried {
		ev.Checks = append(ev.Checks, rerun)
		if rerun.OK {
			verified = true
			ev.Reasons = append(ev.Reasons, "A second run with a ten times tighter relative tolerance and half the largest step agrees.")
		} else {
			suspect = true
			ev.Reasons = append(ev.Reasons, "A second run under a tighter tolerance gives another answer: "+rerun.Note)
		}
	}
	if len(floating) > 0 {
		suspect = true
		ev.Reasons = append(ev.Reasons, "Floating nodes: "+strings.Join(floating, ", ")+".")
	}
	switch {
	case suspect:
		ev.Trust = contract.Suspect
	case verified:
		ev.Trust = contract.Verified
	default:
		ev.Trust = contract.Converged
		ev.Reasons = append(ev.Reasons, "The simulator met its own tolerances; no independent check applies to this circuit and analysis.")
	}
	return ev
}

// kclCheck applies checkKCL to every plot that it can, and keeps the worst.
func kclCheck(n *netlist, s *script, out *outcome) (contract.Check, bool) {
	var worst *kcl
	for i, c := range s.analyses() {
		if !slices.Contains([]string{"op", "dc", "ac"}, c.analysis) {
			continue
		}
		var swept []string
		if c.analysis == "dc" {
			swept = tokens(c.text)[1:]
			if slices.Contains(swept, "temp") {
				continue
			}
		}
		for _, p := range out.plots[i] {
			k := checkKCL(n, p, swept)
			if k.nodes > 0 && (worst == nil || k.residual-k.limit() > worst.residual-worst.limit()) {
				worst = &k
			}
		}
	}
	if worst == nil {
		return contract.Check{}, false
	}
	limit := worst.limit()
	return contract.Check{Name: "kcl_residual", Value: &worst.residual, Unit: "A", Tolerance: &limit, OK: worst.residual <= limit,
		Note: fmt.Sprintf("largest sum of currents, at node %s; %d nodes checked", worst.node, worst.nodes)}, true
}

func (k *kcl) limit() float64 { return 1e-6*k.scale + 1e-11 }

// tighterCheck runs the analyses again, where that can change something and the
// first run was quick, and compares.
func tighterCheck(ctx context.Context, host engine.Host, call *contract.Call, d *deck, s *script, out *outcome, took time.Duration) (contract.Check, bool) {
	if took > quick || took > call.Limits.Timeout()/4 {
		return contract.Check{}, false
	}
	linear := d.net.linear()
	useful := func(c command) bool {
		return c.analysis == "tran" || !linear && slices.Contains([]string{"op", "dc", "ac"}, c.analysis)
	}
	if !slices.ContainsFunc(s.analyses(), useful) {
		return contract.Check{}, false
	}
	tight := &deck{net: d.net, currents: d.currents, prefix: "tight_"}
	reltol := s.reltol(d.net)
	for _, c := range s.commands {
		if c.analysis != "" { // here, so that it comes after an option of the script
			tight.commands = append(tight.commands, command{text: "option reltol=" + spice(reltol/10)})
		}
		if c.analysis == "tran" {
			c.text = halveStep(c.text)
		}
		tight.commands = append(tight.commands, c)
	}
	const name = "tight.cir"
	defer tight.discard(call.Dir, name)
	quiet := *call
	quiet.Report = func(contract.Event) {}
	second, err := simulate(ctx, host, &quiet, tight, name)
	if err != nil {
		return contract.Check{}, false // the answer stands; it is only not checked
	}
	var worst change
	compared := false
	for i, c := range s.analyses() {
		if !useful(c) || len(out.plots[i]) == 0 || len(second.plots[i]) == 0 {
			continue
		}
		ch := compare(out.plots[i][0], second.plots[i][0])
		if !compared || ch.size > worst.size {
			worst = ch
		}
		compared = true
	}
	if !compared {
		return contract.Check{}, false
	}
	limit := changeLimit
	return contract.Check{Name: "tighter_tolerance_change", Value: &worst.size, Unit: "1", Tolerance: &limit, OK: worst.size <= limit,
		Note: fmt.Sprintf("root mean square change of %s by its range, reltol %g against %g", worst.vector, reltol, reltol/10)}, true
}

var analysisCommand = map[string]int{"tran": 4} // words of tran step stop start max

// halveStep halves the largest step of a tran command, and gives one where it
// has none: the simulator's own is the smaller of the step and a fiftieth of the
// time.
func halveStep(text string) string {
	f := strings.Fields(text)
	flags := ""
	for len(f) > 0 && strings.EqualFold(f[len(f)-1], "uic") {
		flags, f = " uic", f[:len(f)-1]
	}
	if len(f) < 3 || len(f) > 1+analysisCommand["tran"] {
		return text
	}
	step, ok1 := parseNumber(f[1])
	stop, ok2 := parseNumber(f[2])
	start, largest := 0.0, 0.0
	if len(f) > 3 {
		start, _ = parseNumber(f[3])
	}
	if len(f) > 4 {
		largest, _ = parseNumber(f[4])
	}
	if !ok1 || !ok2 {
		return text
	}
	if largest <= 0 {
		largest = math.Min(step, (stop-start)/50)
	}
	return fmt.Sprintf("tran %s %s %s %s%s", spice(step), spice(stop), spice(start), spice(largest/2), flags)
}

// reltol is the relative tolerance that the script or the netlist sets, or the
// simulator's default.
func (s *script) reltol(n *netlist) float64 {
	tol := defaultReltol
	read := func(text string) {
		for _, t := range tokens(text) {
			if value, ok := strings.CutPrefix(t, "reltol="); ok {
				if v, ok := parseNumber(value); ok && v > 0 {
					tol = v
				}
			}
		}
	}
	for _, c := range n.cards {
		if strings.HasPrefix(firstWord(c.text), ".opt") {
			read(c.text)
		}
	}
	for _, c := range s.commands {
		if firstWord(c.text) == "option" {
			read(c.text)
		}
	}
	return tol
}

type change struct {
	size   float64
	vector string
}

// compare is the largest root mean square difference, over the scale, of any
// vector between two runs, by the range of that vector. Both are taken as
// piecewise linear; ranges below a microvolt or a picoampere are noise.
func compare(a, b *plot) change {
	var worst change
	for i := range a.vectors {
		va := &a.vectors[i]
		vb := b.find(va.name)
		if vb == nil || i == 0 && a.points() > 1 {
			continue
		}
		lo, hi := bounds(va.re)
		spread := hi - lo
		if a.points() == 1 || va.im != nil {
			spread = math.Max(math.Abs(lo), math.Abs(hi))
		}
		floor := 1e-6
		if unit(va.kind, va.name) == "A" {
			floor = 1e-12
		}
		if spread < 10*floor {
			continue
		}
		if d := rms(a, va, b, vb) / spread; d > worst.size || worst.vector == "" {
			worst = change{d, va.name}
		}
	}
	return worst
}

func rms(a *plot, va *vector, b *plot, vb *vector) float64 {
	if a.points() == 1 && b.points() >= 1 {
		return math.Abs(va.re[0] - vb.re[0])
	}
	x, xb := a.vectors[0].re, b.vectors[0].re
	sum, length := 0.0, 0.0
	for i := 1; i < len(x); i++ {
		w := math.Abs(x[i] - x[i-1])
		d := va.re[i] - interpolate(xb, vb.re, x[i])
		if va.im != nil && vb.im != nil {
			d = math.Hypot(d, va.im[i]-interpolate(xb, vb.im, x[i]))
		}
		sum += d * d * w
		length += w
	}
	if length == 0 {
		return 0
	}
	return math.Sqrt(sum / length)
}

// interpolate is linear between the points of a rising or falling scale.
func interpolate(x, y []float64, at float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	rising := x[len(x)-1] >= x[0]
	i, _ := slices.BinarySearchFunc(x, at, func(e, t float64) int {
		if e == t {
			return 0
		}
		if (e < t) == rising {
			return -1
		}
		return 1
	})
	if i <= 0 {
		return y[0]
	}
	if i >= len(x) {
		return y[len(y)-1]
	}
	if x[i] == x[i-1] {
		return y[i]
	}
	return y[i-1] + (y[i]-y[i-1])*(at-x[i-1])/(x[i]-x[i-1])
}

func bounds(v []float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, x := range v {
		lo, hi = math.Min(lo, x), math.Max(hi, x)
	}
	return lo, hi
}

func format5(v float64) string { return strconv.FormatFloat(v, 'g', 5, 64) }
