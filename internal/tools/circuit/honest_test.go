package circuit

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

var circuits = flag.Int("circuits", 5, "random circuits of each kind whose error bars are held against references")

// tally counts the verified figures and those that lie outside of their bars.
type tally struct{ verified, outside int }

func (c *tally) hold(t *testing.T, result *contract.Result, netlist string, truth map[string]float64, rounding float64) {
	t.Helper()
	if result.Status != contract.StatusOK {
		t.Logf("%v\n%s", result.Errors, netlist)
		return
	}
	for _, q := range result.Evidence.Quantities() {
		want, ok := truth[q.Pointer]
		if !ok || q.Trust() != evidence.Verified {
			continue
		}
		c.verified++
		if off := math.Abs(*q.Value - want); off > *q.Error+rounding {
			c.outside++
			t.Errorf("%s is %.8g ± %.2g and verified, %.8g is right (%.2f bars)\n%s", q.Pointer, *q.Value, *q.Error, want, off / *q.Error, netlist)
		}
	}
}

func (c *tally) report(t *testing.T) {
	t.Helper()
	t.Logf("%d verified figures, %d outside of their bars", c.verified, c.outside)
	if c.verified == 0 {
		t.Error("no figure was verified: the test shows nothing")
	}
}

func extremes(y []float64) map[string]float64 {
	lo, hi := bounds(y)
	return map[string]float64{"/series/0/final": y[len(y)-1], "/series/0/min/y": lo, "/series/0/max/y": hi}
}

// exponential is that of a small matrix, by squaring and Taylor's series.
func exponential(a [][]float64, h float64) [][]float64 {
	n, norm := len(a), 0.0
	for i := range a {
		for j := range a {
			norm = math.Max(norm, math.Abs(a[i][j]*h))
		}
	}
	squarings := 0
	for norm > 0.05 {
		norm, squarings = norm/2, squarings+1
	}
	h /= math.Pow(2, float64(squarings))
	product := func(x, y [][]float64, by float64) [][]float64 {
		z := make([][]float64, n)
		for i := range z {
			z[i] = make([]float64, n)
			for j := range n {
				for k := range n {
					z[i][j] += x[i][k] * y[k][j] * by
				}
			}
		}
		return z
	}
	sum, term := make([][]float64, n), make([][]float64, n)
	for i := range n {
		sum[i], term[i] = make([]float64, n), make([]float64, n)
		sum[i][i], term[i][i] = 1, 1
	}
	for k := 1; k < 14; k++ {
		term = product(term, a, h/float64(k))
		for i := range n {
			for j := range n {
				sum[i][j] += term[i][j]
			}
		}
	}
	for range squarings {
		sum = product(sum, sum, 1)
	}
	return sum
}

// ramped is y = c x + d u of x' = a x + b u, exactly, for a u that is linear
// between corners; at as many times that nothing of an extreme lies between them.
func ramped(a [][]float64, b, c []float64, d float64, at, u []float64, stop float64) []float64 {
	n := len(a)
	x, y := make([]float64, n), []float64{}
	for i := 0; i+1 < len(at) && at[i] < stop; i++ {
		slope, end := (u[i+1]-u[i])/(at[i+1]-at[i]), math.Min(at[i+1], stop)
		m := make([][]float64, n+2)
		for r := range m {
			m[r] = make([]float64, n+2)
			if r < n {
				copy(m[r], a[r])
				m[r][n] = b[r]
			}
		}
		m[n][n+1] = 1
		fastest := 0.0 // at least the largest frequency, by Gershgorin's circles of the balanced matrix
		for r := range a {
			for c := range a {
				fastest = math.Max(fastest, math.Sqrt(math.Abs(a[r][c]*a[c][r])))
			}
		}
		steps := 400 + int(math.Max(8000/stop, 30*fastest)*(end-at[i]))
		e := exponential(m, (end-at[i])/float64(steps))
		z := append(append([]float64{}, x...), u[i], slope)
		for k := 0; ; k++ {
			sum := d * z[n]
			for r := range n {
				sum += c[r] * z[r]
			}
			y = append(y, sum)
			if k == steps {
				break
			}
			next := make([]float64, n+2)
			for r := range next {
				for s := range z {
					next[r] += e[r][s] * z[s]
				}
			}
			z = next
		}
		x = z[:n]
	}
	return y
}

// rampedCircuit is a random RC or RLC with a source of random corners, some of them sharp.
func rampedCircuit(r *rand.Rand) (netlist string, stop float64, truth []float64) {
	stop = between(r, 1e-6, 1)
	at, u := []float64{0}, []float64{0}
	for t := stop * r.Float64() / 3; t < stop && len(at) < 9; t += stop * r.Float64() / 2 {
		at, u = append(at, t), append(u, r.NormFloat64()*float64(r.IntN(2)))
		if r.IntN(3) == 0 {
			t += stop * between(r, 1e-9, 1e-4)
			at, u = append(at, t), append(u, r.NormFloat64())
		}
	}
	at, u = append(at, 3*stop), append(u, u[len(u)-1])
	var pwl strings.Builder
	for i := range at {
		fmt.Fprintf(&pwl, "%.17g %.17g ", at[i], u[i])
	}
	res, tau := between(r, 1, 1e5), stop*between(r, 1e-4, 10)
	c := tau / res
	head := fmt.Sprintf("random\nV1 in 0 PWL(%s)\n", pwl.String())
	switch r.IntN(3) {
	case 0:
		return head + fmt.Sprintf("R1 in o %.17g\nC1 o 0 %.17g\n", res, c), stop, ramped([][]float64{{-1 / tau}}, []float64{1 / tau}, []float64{1}, 0, at, u, stop)
	case 1:
		return head + fmt.Sprintf("C1 in o %.17g\nR1 o 0 %.17g\n", c, res), stop, ramped([][]float64{{-1 / tau}}, []float64{1 / tau}, []float64{-1}, 1, at, u, stop)
	}
	q := between(r, 0.1, 100)
	l := res * q * tau
	c = tau * tau / l
	return head + fmt.Sprintf("R1 in b %.17g\nL1 b o %.17g\nC1 o 0 %.17g\n", res, l, c), stop,
		ramped([][]float64{{-res / l, -1 / l}, {1 / c, 0}}, []float64{1 / l, 0}, []float64{0, 1}, 0, at, u, stop)
}

// Linear circuits, whose solution between corners is a matrix exponential.
func TestBarsOfLinearTransients(t *testing.T) {
	r, c := seeded(t), &tally{}
	for range *circuits {
		netlist, stop, y := rampedCircuit(r)
		tran := map[string]any{"tstop": stop}
		if r.IntN(3) == 0 {
			tran["step"] = stop / []float64{50, 100, 200, 500}[r.IntN(4)]
		}
		result, _ := simulateFor(t, input(t, map[string]any{"netlist": netlist, "analysis": "tran", "probes": []string{"v(o)"}, "options": map[string]any{"tran": tran}}))
		lo, hi := bounds(y)
		c.hold(t, result, netlist+fmt.Sprint(tran), extremes(y), 1e-9*math.Max(-lo, hi))
	}
	c.report(t)
}

// Runs of fewer steps than a second run a few times finer could be held against: it
// is as much finer as they are coarse.
func TestBarsOfCoarseTransients(t *testing.T) {
	r, c := seeded(t), &tally{}
	for n := 0; n < *circuits || c.verified == 0 && n < 20**circuits; n++ { // few are verified
		netlist, stop, y := rampedCircuit(r)
		command := fmt.Sprintf("tran %.17g %.17g", stop/[]float64{50, 70, 100}[r.IntN(3)], stop)
		result, _ := simulateFor(t, input(t, map[string]any{"netlist": netlist, "control": command, "probes": []string{"v(o)"}}))
		lo, hi := bounds(y)
		c.hold(t, result, netlist+command, extremes(y), 1e-9*math.Max(-lo, hi))
	}
	c.report(t)
}

// charge is the integral of a narrow triangle of current, 10 nC into 10 nF, of
// which the simulator takes a tenth as its first step, however short it is.
func TestChargeOfANarrowPulse(t *testing.T) {
	r, c := seeded(t), &tally{}
	at, width := 0.3+0.4*r.Float64(), between(r, 1e-9, 1e-6)
	netlist := fmt.Sprintf("x\nI1 0 a PWL(0 0 %.17g 0 %.17g %g %.17g 0 1 0)\nC1 a 0 10n\nR1 a 0 1e15\n", at, at+width, 1e-8/width, at+2*width)
	result, _ := simulateFor(t, input(t, map[string]any{"netlist": netlist, "analysis": "tran", "probes": []string{"v(a)"}, "options": map[string]any{"tran": map[string]any{"tstop": 1}}}))
	c.hold(t, result, netlist, map[string]float64{"/series/0/final": 1, "/series/0/max/y": 1}, 1e-6)
}

// rungeKutta integrates x' = f(t, x) and returns the first component.
func rungeKutta(f func(t float64, x, into []float64), x []float64, stop float64, steps int) []float64 {
	n, h := len(x), stop/float64(steps)
	k, z, y := [4][]float64{}, make([]float64, n), []float64{x[0]}
	for i := range k {
		k[i] = make([]float64, n)
	}
	for s := range steps {
		t := float64(s) * h
		f(t, x, k[0])
		for stage, part := range []float64{0.5, 0.5, 1} {
			for i := range z {
				z[i] = x[i] + part*h*k[stage][i]
			}
			f(t+part*h, z, k[stage+1])
		}
		for i := range x {
			x[i] += h / 6 * (k[0][i] + 2*k[1][i] + 2*k[2][i] + k[3][i])
		}
		y = append(y, x[0])
	}
	return y
}

// diodeCurrent through a resistor in series, by Newton on w + ln w = L.
func diodeCurrent(v, res float64) float64 {
	const is = 1e-14
	thermal := 1.380649e-23 * 300.15 / 1.602176634e-19
	level := math.Log(is*res/thermal) + (v+is*res)/thermal
	if level < -30 {
		return -is
	}
	w := math.Log1p(math.Exp(math.Min(level, 700)))
	for range 40 {
		w = math.Max(w*(1+level-math.Log(w))/(1+w), 1e-300)
	}
	return thermal/res*w - is
}

// Rectifiers and van der Pol's oscillator against Runge and Kutta's method.
func TestBarsOfNonlinearTransients(t *testing.T) {
	r, c := seeded(t), &tally{}
	for i := range *circuits {
		f := between(r, 10, 1e5)
		stop, netlist, y := (2+6*r.Float64())/f, "", []float64(nil)
		if i%2 == 0 {
			a, res, load := 1+19*r.Float64(), between(r, 100, 1e4), between(r, 1e4, 1e5)
			cap := between(r, 0.1, 30) / (f * load)
			netlist = fmt.Sprintf("rectifier\nV1 in 0 SIN(0 %.17g %.17g)\nR1 in a %.17g\nD1 a o d\nC1 o 0 %.17g\nR2 o 0 %.17g\n.model d D(IS=1e-14)\n", a, f, res, cap, load)
			y = rungeKutta(func(t float64, x, into []float64) {
				into[0] = (diodeCurrent(a*math.Sin(2*math.Pi*f*t)-x[0], res) - x[0]/load) / cap
			}, []float64{0}, stop, 60_000)
		} else {
			mu, l := between(r, 0.1, 5), 1e-3
			cap := 1 / (4 * math.Pi * math.Pi * f * f * l)
			g, stop2 := mu*math.Sqrt(cap/l), math.Min(3*stop, 3)
			stop = stop2
			netlist = fmt.Sprintf("oscillator\nI0 0 a PWL(0 1m %.17g 0)\nL1 a 0 1m\nC1 a 0 %.17g\nB1 a 0 I=%.17g*(v(a)*v(a)*v(a)/3-v(a))\n", 0.1/f, cap, g)
			y = rungeKutta(func(t float64, x, into []float64) {
				into[0] = (math.Max(0, 1e-3*(1-10*f*t)) - x[1] - g*(x[0]*x[0]*x[0]/3-x[0])) / cap
				into[1] = x[0] / l
			}, []float64{0, 1e-3}, stop, 100_000)
		}
		result, _ := simulateFor(t, input(t, map[string]any{"netlist": netlist, "analysis": "tran", "probes": []string{map[int]string{0: "v(o)", 1: "v(a)"}[i%2]},
			"options": map[string]any{"tran": map[string]any{"tstop": stop}}}))
		c.hold(t, result, netlist+fmt.Sprint(stop), extremes(y), 1e-6)
	}
	c.report(t)
}

// ladder is a random network of R, L and C.
func ladder(r *rand.Rand) (netlist string, nodes int) {
	nodes = 2 + r.IntN(5)
	var b strings.Builder
	b.WriteString("ladder\nV1 n1 0 AC 1\n")
	for i := 2; i <= nodes; i++ {
		fmt.Fprintf(&b, "Ra%d n%d n%d %.12g\nRb%d n%d 0 %.12g\n", i, i, 1+r.IntN(i-1), between(r, 1, 1e5), i, i, between(r, 1e3, 1e7))
		other := 0
		if r.IntN(3) == 0 {
			other = 1 + r.IntN(i-1)
		}
		if r.IntN(2) == 0 {
			fmt.Fprintf(&b, "C%d n%d %s %.12g\n", i, i, map[bool]string{true: "0", false: fmt.Sprintf("n%d", other)}[other == 0], between(r, 1e-12, 1e-6))
		} else {
			fmt.Fprintf(&b, "L%d n%d %s %.12g\n", i, i, map[bool]string{true: "0", false: fmt.Sprintf("n%d", other)}[other == 0], between(r, 1e-6, 0.1))
		}
		if r.IntN(2) == 0 {
			fmt.Fprintf(&b, "Cb%d n%d 0 %.12g\n", i, i, between(r, 1e-12, 1e-6))
		}
	}
	return b.String(), nodes
}

// Networks of R, L and C against nodal analysis on a dense grid, in the series and
// in meas commands, which see only the points of the sweep.
func TestBarsOfACMeasurements(t *testing.T) {
	r, c := seeded(t), &tally{}
	for range *circuits {
		netlist, nodes := ladder(r)
		from, to, points := between(r, 1, 1e3), between(r, 1e4, 1e8), []int{2, 3, 5, 10, 20, 50}[r.IntN(6)]
		name := fmt.Sprintf("v(n%d)", 2+r.IntN(nodes-1))
		of := "vm" + name[1:]
		n, fault := parseNetlist(netlist)
		if fault != nil {
			t.Fatal(fault)
		}
		m, _ := n.nodal(true)
		magnitude := func(f float64) float64 {
			m.solved = map[string]map[string]wide{}
			v, _ := m.magnitude(name, 2*math.Pi*f, "", 0, true)
			return v
		}
		result, out := simulateFor(t, input(t, map[string]any{"netlist": netlist, "probes": []string{name}, "control": []string{
			fmt.Sprintf("ac dec %d %.12g %.12g", points, from, to), "meas ac mx MAX " + of, "meas ac mn MIN " + of, "meas ac av AVG " + of}}))
		if result.Status != contract.StatusOK {
			continue
		}
		last := out.Series[0].X[len(out.Series[0].X)-1]
		const dense = 10_000
		y, x := make([]float64, dense+1), make([]float64, dense+1)
		area, top, bottom := 0.0, 0, 0
		for i := range y {
			x[i] = from * math.Pow(last/from, float64(i)/dense)
			y[i] = magnitude(x[i])
			if i > 0 {
				area += (y[i] + y[i-1]) / 2 * (x[i] - x[i-1])
			}
			if y[i] > y[top] {
				top = i
			}
			if y[i] < y[bottom] {
				bottom = i
			}
		}
		lo, hi := y[bottom], y[top]
		for _, k := range []int{top, bottom} {
			for i := range 401 {
				v := magnitude(x[max(k-1, 0)] + (x[min(k+1, dense)]-x[max(k-1, 0)])*float64(i)/400)
				lo, hi = math.Min(lo, v), math.Max(hi, v)
			}
		}
		c.hold(t, result, netlist+fmt.Sprint(points, from, to, name), map[string]float64{"/series/0/final": magnitude(last), "/series/0/min/y": lo, "/series/0/max/y": hi,
			"/measurements/mx": hi, "/measurements/mn": lo, "/measurements/av": area / (last - from)}, 1e-8*hi)
	}
	c.report(t)
}
