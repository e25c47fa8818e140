package solve

import (
	"encoding/csv"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// moment is a row of the table of a response: a time and the displacement of probe 0.
type moment struct {
	time float64
	u    []float64
}

// transient solves for a response in time and looks at what every such answer holds.
func transient(t *testing.T, mesh fmt.Stringer, dim int, config string) (*answer, []moment) {
	t.Helper()
	dir := t.TempDir()
	a := solvedIn(t, dir, "fea.solve", mesh, "LinearElasticity", `{"analysis": "transient", `+config+`}`)
	h := a.Transient
	if a.Analysis != "transient" || h == nil || h.Modes == 0 || a.Energy < 0 || a.VonMises == nil {
		t.Fatalf("%+v", a.Output)
	}
	t.Logf("%d modes up to %.4g Hz, residual %.2g, trust %s %v", h.Modes, float64(h.HighestFrequency), float64(a.Residual), a.Evidence.Trust, a.Evidence.Reasons)
	table := responseTable(t, dir, dim)
	if len(table) != h.Steps+1 {
		t.Fatalf("%d rows of %d steps", len(table), h.Steps)
	}
	return a, table
}

func responseTable(t *testing.T, dir string, dim int) []moment {
	t.Helper()
	var path string
	filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "response.csv" {
			path = at
		}
		return nil
	})
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []moment
	for _, row := range rows[1:] {
		number := func(i int) float64 {
			v, err := strconv.ParseFloat(row[i], 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		m := moment{time: number(0)}
		for i := 3 + dim; i < len(row); i++ {
			m.u = append(m.u, number(i))
		}
		out = append(out, m)
	}
	return out
}

// follows compares component c of probe 0 at all times with the displacement that is known.
func follows(t *testing.T, table []moment, c int, want func(time float64) float64, within float64) {
	t.Helper()
	worst, size := 0.0, 0.0
	for _, m := range table {
		size = max(size, math.Abs(want(m.time)))
		worst = max(worst, math.Abs(m.u[c]-want(m.time)))
	}
	t.Logf("the history is off by at most %.2g of its largest", worst/size)
	if !(worst <= within*size) {
		t.Errorf("the history is off by %g of %g m, expected %g of it", worst, size, within)
	}
}

// largest is the largest size of a function up to a time, by many samples.
func largest(end float64, samples int, of func(float64) float64) float64 {
	most := 0.0
	for i := range samples + 1 {
		most = max(most, math.Abs(of(end*float64(i)/float64(samples))))
	}
	return most
}

// decay is the displacement, over the static one, of an oscillator released at time 0.
func decay(w, zeta, time float64) float64 {
	switch {
	case time <= 0:
		return 1
	case zeta < 1:
		wd := w * math.Sqrt(1-zeta*zeta)
		return math.Exp(-zeta*w*time) * (math.Cos(wd*time) + zeta*w/wd*math.Sin(wd*time))
	}
	k := w * math.Sqrt(zeta*zeta-1)
	slow, fast := zeta*w-k, zeta*w+k
	return (fast*math.Exp(-slow*time) - slow*math.Exp(-fast*time)) / (fast - slow)
}

// beamRoots are those of 1 + cosh(x) cos(x) = 0.
func beamRoots(count int) []float64 {
	roots := []float64{1.875104068711961, 4.694091132974175, 7.854757438237613, 10.995540734875467}
	for n := len(roots); n < count; n++ {
		roots = append(roots, (float64(n)+0.5)*math.Pi)
	}
	return roots[:count]
}

// A slender cantilever under a force that comes at once moves at its tip as the sum over the modes
// of Euler and Bernoulli, whose shapes of mass m L have 2 there: 4 F / (m L w^2) each. Shear and
// the inertia of rotation change the first frequencies by less than 1e-3, so that the phase of the
// second is off by about 0.02 rad at the end, of its 3 % of the static displacement.
func TestCantileverUnderASuddenForce(t *testing.T) {
	draw := random(t)
	length, modulus, density, zeta := draw(0.2, 2), draw(5e10, 3e11), draw(1500, 9000), draw(0.005, 0.05)
	height := length / draw(80, 120)
	inertia := math.Pow(height, 3) / 12
	force := 1e-4 * modulus * inertia / (length * length)
	roots := beamRoots(20)
	wave := math.Sqrt(modulus*inertia/(density*height)) / (length * length)
	tip := func(time float64) float64 {
		sum := 0.0
		for _, x := range roots {
			w := x * x * wave
			sum += 4 * force / (density * height * length * w * w) * (1 - decay(w, zeta, time))
		}
		return sum
	}
	end := draw(0.7, 1.6) * 2 * math.Pi / (roots[0] * roots[0] * wave)
	a, table := transient(t, quads(40, 2, scaled(length, height)), 2, fmt.Sprintf(
		`"history": {"shape": "step"}, "time": {"end": %g, "count": 73}, "damping": {"ratio": %g}, "plane": "stress", "probes": [[%g, %g]],
		"materials": [{"E": %g, "nu": 0.3, "density": %g}], "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [0, %g]}]`,
		end, zeta, length, height/2, modulus, density, force))
	follows(t, table, 1, tip, 0.01)
	want := largest(end, 200000, tip)
	static := force * math.Pow(length, 3) / (3 * modulus * inertia)
	near(t, "peak", a.Transient.Peak.Displacement, want, 5e-3)
	near(t, "dynamic load factor", *a.Transient.DynamicLoadFactor, want/static, 5e-3)
	near(t, "probe", a.Transient.Probes[0].Displacement, want, 5e-3)
	covers(t, a, "/transient/peak/displacement", a.Transient.Peak.Displacement, want)
	covers(t, a, "/transient/probes/0/displacement", a.Transient.Probes[0].Displacement, want)
	if float64(a.Transient.Peak.At[0]) < 0.999*length || a.Transient.Probes[0].Component != "y" {
		t.Errorf("%+v", a.Transient)
	}
	q := a.quantity(t, "/transient/peak/displacement")
	t.Logf("peak off by %.2g, bar %.2g, %s; modes and damping: %s", math.Abs(float64(a.Transient.Peak.Displacement)-want)/want, *q.Error/want, q.Trust, a.Summary)
	if q.Trust == evidence.Suspect {
		t.Errorf("%v", q.Reasons)
	}
}

// block is a bar on a foundation much softer than itself, which moves along x alone: an oscillator
// of one degree of freedom.
type block struct {
	length, width, modulus, density, stiffness float64
	omega                                      float64   // rad/s
	omegas, shares                             []float64 // of its modes: rad/s, and m of the static displacement of the free end under 1 Pa
}

// newBlock finds the frequency where x tan(x) = k L / E (see TestBarSwingsOnAFoundation).
func newBlock(draw func(low, high float64) float64) block {
	b := block{length: draw(0.1, 1), width: draw(0.05, 0.5), modulus: draw(1e9, 3e11), density: draw(900, 9000)}
	ratio := draw(1e-3, 2e-3)
	b.stiffness = ratio * b.modulus / b.length
	for n := range 40 {
		low, high := float64(n)*math.Pi, (float64(n)+0.5)*math.Pi
		for range 60 {
			if x := (low + high) / 2; x*math.Tan(x) < ratio {
				low = x
			} else {
				high = x
			}
		}
		w := low * math.Sqrt(b.modulus/b.density) / b.length
		mass := b.density * b.length / 2 * (1 + math.Sin(2*low)/(2*low)) // of the shape cos(x), 1 at the free end
		b.omegas, b.shares = append(b.omegas, w), append(b.shares, 1/(mass*w*w))
	}
	b.omega = b.omegas[0]
	return b
}

// peak is the largest displacement of the free end up to a time, where each mode answers its
// static share as of(w, time), those beyond what is listed as far above all frequencies.
func (b block) peak(end float64, of func(w, time float64) float64) float64 {
	return largest(end, 100000, func(time float64) float64 {
		sum, rest := 0.0, b.static()
		for n, w := range b.omegas {
			sum += b.shares[n] * of(w, time)
			rest -= b.shares[n]
		}
		return sum + rest*of(1e6*b.omega, time)
	})
}

func (b block) period() float64 { return 2 * math.Pi / b.omega }

// static is the displacement under a pressure of 1 Pa on the foundation, of the free end.
func (b block) static() float64 { return 1/b.stiffness + b.length/b.modulus }

func (b block) transient(t *testing.T, timing string) (*answer, []moment) {
	t.Helper()
	return transient(t, hexes([3]int{6, 1, 1}, [3]float64{b.length, b.width, b.width}), 3, fmt.Sprintf(
		`%s, "probes": [[%g, 0, 0]], "materials": [{"E": %g, "nu": 0, "density": %g}],
		"bcs": [{"attribute": 1, "type": "elastic", "stiffness": %.17g}, {"attribute": 2, "type": "load", "value": [1, 0, 0]}, %s]`,
		timing, b.length, b.modulus, b.density, b.stiffness, slide))
}

// The largest displacement of an undamped oscillator after or during a pulse (Chopra, Dynamics of
// Structures, 4.7, 4.8 and 4.5): of a half sine of duration d the free vibration after it has
// (T/d) cos(pi d/T) / ((T/2d)^2 - 1) while d < T/2, and during it sin(2 pi / (1 + 2d/T)) / (1 -
// T/2d) while T/2 < d < 3T/2; of a rectangle 2 sin(pi d/T) while d < T/2; of a ramp to 1 in d,
// 1 + |sin(pi d/T)| / (pi d/T). The modes of the block itself have up to 2e-3 of its displacement.
func TestShockSpectra(t *testing.T) {
	draw := random(t)
	short, long, pulse, ramp := draw(0.1, 0.4), draw(0.6, 1.4), draw(0.05, 0.4), draw(0.3, 2.7)
	sine := func(w, time, d float64) float64 {
		load := math.Pi / d
		return (math.Sin(load*time) - load/w*math.Sin(w*time)) / (1 - load*load/(w*w))
	}
	step := func(w, time, _ float64) float64 { return 1 - math.Cos(w*time) }
	rise := func(w, time, d float64) float64 { return time/d - math.Sin(w*time)/(w*d) }
	for _, c := range []struct {
		history  string
		duration float64 // @, in periods
		want     float64
		answer   func(w, time, d float64) float64 // of an oscillator, before the part of the load that ends it
		ends     float64                          // what that is of the first
	}{
		{`{"shape": "half_sine", "duration": @}`, short, math.Cos(math.Pi*short) / short / (1/(4*short*short) - 1), sine, 1},
		{`{"shape": "half_sine", "duration": @}`, long, math.Sin(2*math.Pi/(1+2*long)) / (1 - 1/(2*long)), sine, 1},
		{`[[0, 1], [@, 1], [@, 0]]`, pulse, 2 * math.Sin(math.Pi*pulse), step, -1},
		{`[[0, 0], [@, 1]]`, ramp, 1 + math.Abs(math.Sin(math.Pi*ramp))/(math.Pi*ramp), rise, -1},
	} {
		b := newBlock(draw)
		history := strings.ReplaceAll(c.history, "@", strconv.FormatFloat(c.duration*b.period(), 'g', -1, 64))
		a, _ := b.transient(t, fmt.Sprintf(`"history": %s, "time": {"end": %g, "count": 7}, "damping": {"ratio": 0}`, history, 4.5*b.period()))
		near(t, history, *a.Transient.DynamicLoadFactor, c.want, 3e-3)
		d := c.duration * b.period()
		exact := b.peak(4.5*b.period(), func(w, time float64) float64 {
			x := c.answer(w, time, d)
			if time > d {
				x += c.ends * c.answer(w, time-d, d)
			}
			return x
		})
		found := a.Transient.Probes[0].Displacement
		near(t, "probe", found, exact, 1e-3)
		covers(t, a, "/transient/probes/0/displacement", found, exact)
		t.Logf("off by %.2g of the exact peak, bar %.2g", math.Abs(float64(found)/exact-1), *a.quantity(t, "/transient/probes/0/displacement").Error/exact)
		q := a.quantity(t, "/transient/peak/displacement")
		t.Logf("%s: %g, expected %g, bar %.2g of the peak, %s", history, float64(*a.Transient.DynamicLoadFactor), c.want, *q.Error/float64(a.Transient.Peak.Displacement), q.Trust)
		if q.Trust == evidence.Suspect {
			t.Errorf("%v", q.Reasons)
		}
	}
}

// Released from its static deflection the block swings with its frequency and fades by the
// logarithmic decrement 2 pi zeta / sqrt(1 - zeta^2) from each period to the next; beyond critical
// damping it creeps back.
func TestReleaseFromTheStaticDeflection(t *testing.T) {
	draw := random(t)
	const release = `"history": [[0, 1], [0, 0]], "start": "static", `
	for _, zeta := range []float64{draw(0.005, 0.02), draw(0.05, 0.3)} {
		b := newBlock(draw)
		period := b.period() / math.Sqrt(1-zeta*zeta)
		a, table := b.transient(t, fmt.Sprintf(release+`"time": {"end": %.17g, "count": 200}, "damping": {"ratio": %g}`, 5*period, zeta))
		follows(t, table, 0, func(time float64) float64 { return b.static() * decay(b.omega, zeta, time) }, 3e-3)
		for n := range 5 {
			got := math.Log(table[40*n].u[0] / table[40*n+40].u[0])
			if want := 2 * math.Pi * zeta / math.Sqrt(1-zeta*zeta); math.Abs(got-want) > 5e-3 {
				t.Errorf("logarithmic decrement %g, expected %g", got, want)
			}
		}
		near(t, "dynamic load factor", *a.Transient.DynamicLoadFactor, 1, 1e-6)
	}
	b, zeta := newBlock(draw), draw(1.2, 3)
	_, table := b.transient(t, fmt.Sprintf(release+`"time": {"end": %g}, "damping": {"alpha": %.17g}`, 3*b.period(), 2*zeta*b.omega))
	follows(t, table, 0, func(time float64) float64 { return b.static() * decay(b.omega, zeta, time) }, 3e-3)
}

// A force that comes at once at the end of a bar runs to and fro as a wave of speed c: the end
// moves as a triangle between 0 and twice the static displacement, with the period 4 L / c
// (d'Alembert; Graff, Wave Motion in Elastic Solids, ch. 2). Modes have its corners round, which
// the error bar holds, and its stress has a front that they do not resolve.
func TestBarUnderASuddenForceAtItsEnd(t *testing.T) {
	draw := random(t)
	length, width, modulus, density, force := draw(0.3, 3), draw(0.01, 0.05), draw(1e9, 3e11), draw(900, 9000), draw(1, 100)
	period := 4 * length * math.Sqrt(density/modulus)
	static := force * length / (modulus * width)
	bar := func(history string, end float64) (*answer, []moment) {
		return transient(t, quads(40, 1, scaled(length, width)), 2, fmt.Sprintf(
			`"history": %s, "time": {"end": %g}, "damping": {"ratio": 0}, "probes": [[%g, 0]], "plane": "stress", "materials": [{"E": %g, "nu": 0, "density": %g}],
			"bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [%g, 0]},
				{"attribute": 3, "type": "fixed", "components": ["y"]}, {"attribute": 4, "type": "fixed", "components": ["y"]}]`,
			history, end, length, modulus, density, force))
	}
	triangle := func(time float64) float64 {
		_, share := math.Modf(time / period)
		return 2 * static * (1 - math.Abs(1-2*share))
	}
	for _, periods := range []float64{draw(0.6, 0.9), draw(2.6, 2.9)} {
		a, table := bar(`{"shape": "step"}`, periods*period)
		follows(t, table, 0, triangle, 0.01)
		near(t, "peak", a.Transient.Peak.Displacement, 2*static, 0.01)
		covers(t, a, "/transient/peak/displacement", a.Transient.Peak.Displacement, 2*static)
		q := a.quantity(t, "/transient/peak/displacement")
		t.Logf("peak off by %.2g, bar %.2g, %s; stress %g of the static one, where 2 is exact", math.Abs(float64(a.Transient.Peak.Displacement)/(2*static)-1), *q.Error/(2*static), q.Trust,
			float64(a.VonMises.Max)*width/force)
		// Where nearly all modes of the mesh are superposed, it is the mesh that lacks some.
		_, few := a.failed("modes_suffice")
		if _, coarse := a.failed("waves_resolved"); !few && !coarse {
			t.Errorf("a front of stress is resolved: %v", a.Evidence.Reasons)
		}
		if s := a.quantity(t, "/von_mises/max"); s.Trust != evidence.Suspect {
			t.Errorf("the stress is %s", s.Trust)
		}
	}
	// A rise takes the front from the wave.
	rise := draw(0.3, 0.7) * period
	mean := func(time float64) float64 { return ramped(triangle, time, rise) }
	a, table := bar(fmt.Sprintf(`[[0, 0], [%g, 1]]`, rise), 2.2*period)
	follows(t, table, 0, mean, 2e-3)
	want := largest(2.2*period, 4000, mean)
	near(t, "peak after a rise", a.Transient.Peak.Displacement, want, 2e-3)
	covers(t, a, "/transient/peak/displacement", a.Transient.Peak.Displacement, want)
	if sentence, failed := a.failed("modes_suffice"); failed {
		t.Error(sentence)
	}
}

// ramped is the response to a load that rises from 0 to 1: the mean over the rise of that to a
// step (Duhamel).
func ramped(step func(float64) float64, time, rise float64) float64 {
	const parts = 2000
	sum := 0.0
	for i := range parts {
		if at := time - rise*(float64(i)+0.5)/parts; at > 0 {
			sum += step(at) / parts
		}
	}
	return sum
}

// What a transient analysis needs and has no use for, and what other analyses do not take.
func TestTransientAnalysisRefuses(t *testing.T) {
	mesh := hexes([3]int{6, 1, 1}, [3]float64{1, 0.1, 0.1})
	const (
		steel  = `"materials": [{"E": 2e11, "nu": 0.3, "density": 7850, "alpha": 1.2e-5}], `
		held   = `"bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [0, 0, 1]}]`
		damped = `"damping": {"ratio": 0.02}, `
		step   = `"history": {"shape": "step"}, `
		timed  = `"time": {"end": 0.01}, `
		moving = `"analysis": "transient", ` + damped + step + timed
	)
	for config, at := range map[string]string{
		`"analysis": "transient", ` + damped + timed + steel + held:                                                                                                  "/config/history",
		`"analysis": "transient", ` + damped + step + steel + held:                                                                                                   "/config/time",
		`"analysis": "transient", ` + step + timed + steel + held:                                                                                                    "/config/damping",
		`"analysis": "transient", "damping": {"loss_factor": 0.04}, ` + step + timed + steel + held:                                                                  "/config/damping/loss_factor",
		`"analysis": "transient", "history": [[0.1, 1], [0.2, 0]], "time": {"end": 1}, ` + damped + steel + held:                                                     "/config/history",
		`"analysis": "transient", "history": [[0, 1], [0.2, 0], [0.1, 1]], "time": {"end": 1}, ` + damped + steel + held:                                             "/config/history",
		`"analysis": "transient", "history": [[0, 0], [0.2, 0]], "time": {"end": 1}, ` + damped + steel + held:                                                       "/config/history",
		`"analysis": "transient", "history": [[0, 0], [0.2, 1]], "time": {"end": 0.1}, ` + damped + steel + held:                                                     "/config/time/end",
		`"analysis": "transient", "history": {"shape": "half_sine"}, "time": {"end": 0.1}, ` + damped + steel + held:                                                 "/config/history/duration",
		`"analysis": "transient", "history": {"shape": "step", "duration": 0.01}, "time": {"end": 0.1}, ` + damped + steel + held:                                    "/config/history/duration",
		`"start": "static", ` + moving + steel + held:                                                                                                                "/config/history",
		moving + `"frequencies": [10], ` + steel + held:                                                                                                              "/config/frequencies",
		moving + `"materials": [{"E": 2e11, "nu": 0.3}], ` + held:                                                                                                    "/config/materials/0/density",
		moving + `"temperature": {"value": 300, "reference": 290}, ` + steel + held:                                                                                  "/config/temperature",
		moving + `"rotation": {"rpm": 100, "axis": [1, 0, 0]}, ` + steel + held:                                                                                      "/config/rotation",
		moving + `"modes": 3, ` + steel + held:                                                                                                                       "/config/modes",
		moving + `"prestress": true, ` + steel + held:                                                                                                                "/config/prestress",
		moving + `"bolts": [{"body": 1, "preload": 100}], ` + steel + held:                                                                                           "/config/bolts",
		moving + steel + `"bcs": [{"attribute": 1, "type": "fixed", "value": [0, 0, 1e-3]}]`:                                                                         "/config/bcs/0/value",
		moving + steel + `"gravity": [0, 0, -9.81], "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "remote_mass", "mass": 2, "at": [1, 0, 0]}]`: "/config/bcs/1/type",
		step + steel + held:                  "/config/history",
		timed + steel + held:                 "/config/time",
		`"start": "static", ` + steel + held: "/config/start",
		damped + steel + held:                "/config/damping",
		`"analysis": "harmonic", ` + timed + damped + steel + held: "/config/time",
		`"analysis": "modal", ` + step + steel + held:              "/config/history",
	} {
		r := call(t, "fea.solve", requestFor(t, mesh, "LinearElasticity", `{`+config+`}`))
		if r.Status != contract.StatusError || !strings.HasPrefix(r.Errors[0].Field, at) || r.Errors[0].Hint == "" {
			t.Errorf("%s: %s, %+v", config, r.Status, r.Errors)
		}
	}
}
