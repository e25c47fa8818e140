package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

// needs skips a test where the engine of a tool is missing.
func (s *server) needs(tools ...string) {
	s.t.Helper()
	for _, name := range tools {
		if tool, err := s.app.tools.Find(name); err != nil || tool.Available() != nil {
			testenv.Skip(s.t, testenv.Engine, "an engine is missing: make engines")
		}
	}
}

// said makes a study of a sentence, runs it, and returns its answers by their questions.
func (s *server) said(sentence string, files ...string) (map[string]float64, reply) {
	s.t.Helper()
	if files == nil {
		files = []string{}
	}
	made := s.study("change", map[string]any{"words": sentence, "files": files})
	id, _ := made.at("output", "study").(string)
	if id == "" {
		s.t.Fatalf("%s: %s", sentence, made.raw)
	}
	r := s.study("run", map[string]any{"study": id})
	out := map[string]float64{}
	for _, one := range r.at("output", "answers").([]any) {
		a := one.(map[string]any)
		if v, ok := a["value"].(float64); ok {
			out[a["question"].(string)] = v
		}
	}
	return out, r
}

// near compares with a closed form.
func (s *server) close(what string, got, want, share float64) {
	s.t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > share*math.Abs(want) {
		s.t.Errorf("%s: %g for %g", what, got, want)
	}
}

// Circuits that are drawn from words hold their closed forms in the simulator: Ohm's law
// behind the drop of a diode, the gains of ideal amplifiers, the exponentials of a filter
// between the edges of a square wave, and the discharge of a smoothing capacitor.
func TestCircuitsInWordsHoldTheirClosedForms(t *testing.T) {
	s := start(t, nil)
	s.needs("circuits.simulate")
	rng := testenv.Random(t)
	draw := func(low, high int) int { return low + rng.IntN(high-low+1) }
	volts, drop, ohms := draw(8, 24), float64(draw(16, 34))/10, draw(100, 900)
	a, _ := s.said(fmt.Sprintf("LED with a forward voltage of %g V and a series resistor of %d ohm on %d V: current, and which power in the resistor?", drop, ohms, volts))
	current := (float64(volts) - drop) / float64(ohms)
	s.close("current of the LED", a["current"], current, 1e-6)
	s.close("power in the resistor", a["power"], current*current*float64(ohms), 1e-6)

	in, back, milli := draw(1, 20), draw(20, 90), draw(5, 60)
	a, _ = s.said(fmt.Sprintf("Invertierender Verstärker, Rin = %dk, Rf = %dk, ideal, %d mV am Eingang. Ausgangsspannung?", in, back, milli))
	s.close("inverting stage", a["output"], -float64(milli)/1000*float64(back)/float64(in), 1e-5)
	a, _ = s.said(fmt.Sprintf("non-inverting op amp, R1 = %dk, R2 = %dk, %d mV at the input, output voltage?", in, back, milli))
	s.close("non-inverting stage", a["output"], float64(milli)/1000*(1+float64(back)/float64(in)), 1e-5)

	kilo, nano, hertz, duty := draw(1, 20), draw(50, 300), draw(200, 2000), draw(20, 80)
	a, _ = s.said(fmt.Sprintf("RC low-pass, %dk and %d nF, behind a PWM output of 0/5 V, %d Hz, duty cycle %d %%. Ripple when settled?", kilo, nano, hertz, duty))
	tau, period, d := float64(kilo)*float64(nano)*1e-6, 1/float64(hertz), float64(duty)/100
	up, down := math.Exp(-d*period/tau), math.Exp(-(1-d)*period/tau)
	s.close("ripple of the filter", a["ripple"], 5*(1-up)*(1-down)/(1-up*down), 5e-3)
	s.close("mean of the filter", a["mean"], 5*d, 5e-3)

	// Between two charges the load discharges the capacitor for less than a period (half of one
	// behind a bridge), and for more than three quarters of it where the ripple is small.
	load, micro := draw(500, 2000), draw(500, 2000)
	for kind, share := range map[string]float64{"half-wave": 1, "bridge": 0.5} {
		a, _ = s.said(fmt.Sprintf("%s rectifier, %d V rms 50 Hz supply, smoothing capacitor %duF, %d ohm load. Ripple pk-pk?", kind, draw(9, 24), micro, load))
		most := (a["mean"] + a["ripple"]/2) * (1 - math.Exp(-share/50/(float64(load)*float64(micro)*1e-6)))
		if a["ripple"] > most || a["ripple"] < 0.75*most {
			t.Errorf("%s: ripple %g, and at most %g", kind, a["ripple"], most)
		}
	}
}

// Values of a study take the place of those of a netlist that is a file: the rise of an RC
// filter from 10 to 90 % takes ln 9 time constants.
func TestValuesOfANetlistThatIsAFile(t *testing.T) {
	s := start(t, nil)
	s.needs("circuits.simulate")
	rng := testenv.Random(t)
	path := filepath.Join(s.root, "filter.cir")
	if err := os.WriteFile(path, []byte("a filter\nVin in 0 DC 0 AC 1\nR1 in out 1k\nC1 out 0 1u\n.end\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ohms, nano := 500+rng.IntN(1500), 100+rng.IntN(400)
	tau := float64(ohms) * float64(nano) * 1e-9
	a, _ := s.said(fmt.Sprintf("%s: R1 = %d ohm, C1 = %d nF, step response to 2 V at the input over %g ms, rise time from 10 to 90 %%", path, ohms, nano, math.Ceil(20*tau*1e3)))
	s.close("rise time", a["rise time"], math.Log(9)*tau, 5e-3)
	doc := func(values map[string]any) string {
		raw, err := json.Marshal(map[string]any{"document": map[string]any{"study": "1.0", "circuits": map[string]any{"filter": map[string]any{"file": path, "values": values}}, "analyses": map[string]any{"c": map[string]any{"type": "circuit", "options": map[string]any{"analysis": "op"}}}}})
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	for at, values := range map[string]map[string]any{"/circuits/filter/values/C7": {"C7": 1e-6}, "/circuits/filter/values/Q1": {"Q1": 1}, "/circuits/filter/values/R1": {"R1": "3 nF"}} {
		if r := s.execute("study_run", doc(values)); !strings.Contains(string(r.raw), at) {
			t.Errorf("%s: %s", at, r.raw)
		}
	}
}

// The flow of the example's pipe, which is the fluid's space of 10 mm bore and 60 mm length
// (examples/pipe_flow): Hagen and Poiseuille, with the 5 % of that example for its flat
// triangles. A flow rate gives the pressure drop, a pressure the flow rate.
func TestFlowOfAPipeInWords(t *testing.T) {
	pipe := testenv.Path("examples", "pipe_flow", "pipe.step")
	s := start(t, func(c *serveCmd) { c.Root = append(c.Root, filepath.Dir(pipe)) })
	s.needs("cfd.solve", "volume_mesh_cad", "cad_import_truck")
	rng := testenv.Random(t)
	const radius, length = 0.005, 0.06
	density, kinematic, litres := 800+rng.IntN(400), 500+rng.IntN(800), float64(5+rng.IntN(20))/100
	mu := float64(density) * float64(kinematic) * 1e-6
	resistance := 8 * mu * length / (math.Pi * math.Pow(radius, 4))
	a, r := s.said(fmt.Sprintf("%s: oil with %d kg/m³ and %d mm²/s flows through the pipe, parabolic, at %g l/min. Coarse mesh. Pressure drop?", pipe, density, kinematic, litres))
	s.close("pressure drop", a["pressure drop"], resistance*litres/60e3, 0.05)
	pascals := 200 + rng.IntN(600)
	a, r = s.said(fmt.Sprintf("%s: fluid with %d kg/m³ and %d mm²/s in the pipe, the inlet is %d Pa above the outlet. Coarse mesh. Which flow rate?", pipe, density, kinematic, pascals))
	s.close("flow rate", a["flow rate"], float64(pascals)/resistance, 0.05)
	if notes := string(r.raw); !strings.Contains(notes, "longest axis of the part is x") {
		t.Errorf("which end it is is not told: %s", notes)
	}
}

// In the steady state the fins of the example's heat sink give off what goes in below, on
// faces that only the geometry tells: both sides and the tips of five fins of 40 mm length,
// 2 mm thickness and 20 mm height on a base of 4 mm (examples/parts).
func TestHeatOfAHeatSinkInWords(t *testing.T) {
	sink := testenv.Path("examples", "heat_sink", "heat_sink.step")
	s := start(t, func(c *serveCmd) { c.Root = append(c.Root, filepath.Dir(sink)) })
	s.needs("heat.solve", "volume_mesh_cad", "cad_import_truck")
	rng := testenv.Random(t)
	watts, film := 1+rng.IntN(10), 20+rng.IntN(30)
	a, r := s.said(fmt.Sprintf("%s, aluminium 6082-T6, %d W into the bottom, convection on the fins with h = %d W/(m^2 K) to air at 20 degC. 4 mm mesh. Heat flow?", sink, watts, film))
	_ = a
	id := r.at("output", "run").(string)
	for quantity, want := range map[string]float64{"heat rate of convection": -float64(watts), "heat rate of heat flux": float64(watts)} {
		asked := s.study("ask", map[string]any{"study": r.at("output", "study"), "run": id, "quantity": quantity})
		s.close(quantity, asked.at("output", "answer", "value").(float64), want, 1e-5)
	}
	area := 0.04*(8*0.020+2*0.024) + 5*0.002*0.04
	asked := s.study("ask", map[string]any{"study": r.at("output", "study"), "quantity": "/loads/0/area"})
	s.close("area of the fins", asked.at("output", "answer", "value").(float64), area, 1e-9)
}

// Places that the geometry decides, on the example's bracket, whose faces have names to hold
// them against: the leg's top is base_top, the upright's inner side upright_front. What it
// does not have is refused with the candidates.
func TestFeaturesOfABracket(t *testing.T) {
	s := start(t, func(c *serveCmd) { c.Root = append(c.Root, filepath.Dir(testenv.Bracket())) })
	s.needs("fea.solve", "volume_mesh_cad", "cad_import_truck")
	rng := testenv.Random(t)
	newtons := 100 + rng.IntN(900)
	feature := func(name, side string) map[string]any {
		f := map[string]any{"name": name}
		if side != "" {
			f["side"] = side
		}
		return map[string]any{"feature": f}
	}
	run := func(on any) reply {
		return s.execute("study_run", fmt.Sprintf(`{"document":%s}`, mustJSON(t, map[string]any{
			"study": "1.0", "parts": map[string]any{"bracket": map[string]any{"file": testenv.Bracket()}},
			"materials": map[string]any{"steel": map[string]any{"material": "steel S235"}},
			"supports":  map[string]any{"base": map[string]any{"type": "fixed", "on": "bottom"}},
			"loads":     map[string]any{"force": map[string]any{"type": "load", "on": on, "force": []any{0, 0, fmt.Sprintf("-%d N", newtons)}}},
			"mesh":      map[string]any{"fineness": "coarse"}, "analyses": map[string]any{"static": map[string]any{"type": "static"}},
			"questions": map[string]any{"reaction": map[string]any{"quantity": "reaction force of base"}, "energy": map[string]any{"quantity": "strain energy"}},
		})))
	}
	for name, place := range map[string]map[string]any{"base_top": feature("horizontal_leg", ""), "upright_front": feature("upright", "right")} {
		byName, byFeature := run(name), run(place)
		for i := range 2 {
			a, b := byName.at("output", "answers", i, "value"), byFeature.at("output", "answers", i, "value")
			if a == nil || a != b {
				t.Errorf("%s and %v: %v and %v\n%s", name, place, a, b, byFeature.raw)
			}
		}
		s.close("reaction", byFeature.at("output", "answers", 1, "value").(float64), float64(newtons), 1e-6)
		if !strings.Contains(string(byFeature.raw), name) {
			t.Errorf("%s is not told: %s", name, byFeature.raw)
		}
	}
	for _, place := range []map[string]any{feature("rib", ""), feature("fins", ""), feature("shoulder", ""), feature("upright", ""), feature("upright", "back"), feature("edges", "")} {
		if r := run(place); !strings.Contains(string(r.raw), "/loads/force/on") || !strings.Contains(string(r.raw), "not clear") {
			t.Errorf("%v: %s", place, r.raw)
		}
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// The mesh of a part alone, finer at the load hole; its mass by the closed form of its volume
// (examples/bracket); and its frequencies as far as they are wanted.
func TestMeshMassAndModesOfABracketInWords(t *testing.T) {
	s := start(t, func(c *serveCmd) { c.Root = append(c.Root, filepath.Dir(testenv.Bracket())) })
	s.needs("fea.solve", "volume_mesh_cad", "cad_import_truck")
	rng := testenv.Random(t)
	tetrahedra := func(sentence string) float64 {
		_, r := s.said(sentence, testenv.Bracket())
		if got := r.states(); got != "import bracket ran, mesh bracket ran" && got != "import bracket reused, mesh bracket ran" {
			t.Errorf("%s: %s", sentence, got)
		}
		return s.study("ask", map[string]any{"study": r.at("output", "study"), "quantity": "/tetrahedra"}).at("output", "answer", "value").(float64)
	}
	size := 8 + rng.IntN(3)
	whole := tetrahedra(fmt.Sprintf("mesh bracket.step with %d mm elements", size))
	if fine := tetrahedra(fmt.Sprintf("mesh bracket.step with %d mm elements, 0.5 mm at the 16 mm hole. Don't solve anything.", size)); fine < 1.1*whole {
		t.Errorf("%g elements with 0.5 mm at the hole, %g without", fine, whole)
	}
	density := 1000 + rng.IntN(9000)
	a, _ := s.said(fmt.Sprintf("What does bracket.step weigh with a density of %d kg/m^3?", density), testenv.Bracket())
	s.close("mass", a["mass"], 54692.56661e-9*float64(density), 1e-9)

	limit := 9000 + rng.IntN(9000)
	_, r := s.said(fmt.Sprintf("natural frequencies of bracket.step up to %d Hz, steel S235, the bottom is fixed, coarse mesh", limit), testenv.Bracket())
	modes := s.study("ask", map[string]any{"study": r.at("output", "study"), "quantity": "first natural frequency"})
	if modes.at("output", "answer", "value").(float64) <= 0 {
		t.Errorf("%s", modes.raw)
	}
	last := 0.0
	for i := 0; i < 50; i++ {
		v, ok := s.study("ask", map[string]any{"study": r.at("output", "study"), "quantity": fmt.Sprintf("/modes/%d/frequency", i)}).at("output", "answer", "value").(float64)
		if !ok {
			break
		}
		last = v
	}
	if last <= float64(limit) {
		t.Errorf("the last mode lies at %g Hz, below %d Hz", last, limit)
	}
}

// A slender bar, hinged at both ends, buckles at Euler's load pi^2 E I / L^2, less what shear
// and the shortening take: with a slenderness of 125 and more each is 0.3 % at most
// (Timoshenko and Gere, Theory of Elastic Stability, 2.17).
func TestEulersSecondCaseInAStudy(t *testing.T) {
	s := start(t, nil)
	s.needs("fea.solve")
	rng := testenv.Random(t)
	b := 0.01 + 0.02*rng.Float64()
	h := b * (1.3 + rng.Float64())
	length, e := b*(36+9*rng.Float64()), (50+150*rng.Float64())*1e9
	file := bricks(t, s.root, length, b, h, 45)
	euler := math.Pi * math.Pi * e * h * b * b * b / 12 / (length * length)
	push := euler * (0.1 + rng.Float64())
	load := func(on string) map[string]any {
		return map[string]any{"type": "load", "on": on, "push": push}
	}
	r := s.execute("study_run", fmt.Sprintf(`{"document":%s}`, mustJSON(t, map[string]any{
		"study": "1.0", "parts": map[string]any{"bar": map[string]any{"file": file, "length_unit": "m"}}, "materials": map[string]any{"m": map[string]any{"E": e, "nu": 0.3}},
		"supports":  map[string]any{"left": map[string]any{"type": "simply_supported", "on": "left"}, "right": map[string]any{"type": "simply_supported", "on": "right"}, "soft": map[string]any{"type": "elastic", "on": "left", "stiffness": "1 MN/m^3"}},
		"loads":     map[string]any{"a": load("left"), "b": load("right")},
		"analyses":  map[string]any{"buckling": map[string]any{"type": "buckling", "options": map[string]any{"modes": 1}}},
		"questions": map[string]any{"factor": map[string]any{"quantity": "buckling load factor"}},
	})))
	got, ok := r.at("output", "answers", 0, "value").(float64)
	if !ok {
		t.Fatalf("%s", r.raw)
	}
	s.close("load factor", got, euler/push, 0.01)
}

// bricks writes a mesh of n bricks along x, in metres.
func bricks(t *testing.T, folder string, length, width, height float64, n int) string {
	t.Helper()
	var elements, boundary, vertices strings.Builder
	for i := range n {
		v := 4 * i
		fmt.Fprintf(&elements, "1 5 %d %d %d %d %d %d %d %d\n", v, v+1, v+2, v+3, v+4, v+5, v+6, v+7)
		for face, q := range [][4]int{{0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}} {
			fmt.Fprintf(&boundary, "%d 3 %d %d %d %d\n", face+3, v+q[0], v+q[1], v+q[2], v+q[3])
		}
	}
	for i := range n + 1 {
		x := length * float64(i) / float64(n)
		fmt.Fprintf(&vertices, "%.17g 0 0\n%.17g %.17g 0\n%.17g %.17g %.17g\n%.17g 0 %.17g\n", x, x, width, x, width, height, x, height)
	}
	last := 4 * n
	text := fmt.Sprintf("MFEM mesh v1.0\n\ndimension\n3\n\nelements\n%d\n%s\nboundary\n%d\n1 3 0 3 2 1\n2 3 %d %d %d %d\n%s\nvertices\n%d\n3\n%s", n, elements.String(), 4*n+2, last, last+1, last+2, last+3, boundary.String(), 4*(n+1), vertices.String())
	path := filepath.Join(folder, "bricks.mesh")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The columns of a table are those that it has: only they are named in a study, and a question
// lists them.
func TestWordsLookAtTheTable(t *testing.T) {
	s := start(t, nil)
	if err := os.WriteFile(filepath.Join(s.root, "runs.csv"), []byte("machine,mode,width_mm\na,slow,1.5\nb,fast,1.7\na,fast,1.6\nb,slow,1.9\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// "mode" and "machine" are words of the field too; here they are columns.
	r := s.study("change", map[string]any{"words": "runs.csv: does width_mm differ between the machines?", "show": true})
	if options := fmt.Sprint(r.at("output", "document", "analyses")); !strings.Contains(options, "machine") || !strings.Contains(options, "width_mm") {
		t.Errorf("%s", r.raw)
	}
	for _, words := range []string{"runs.csv: mean of height", "Mittelwert von height in runs.csv"} {
		if r := s.study("change", map[string]any{"words": words}); r.at("output", "study") != "" {
			t.Errorf("%s: a column that is not there is taken: %s", words, r.raw)
		}
	}
	if r := s.study("change", map[string]any{"words": "runs.csv: what differs?"}); r.at("output", "study") != "" || !strings.Contains(string(r.raw), "machine, mode, width_mm") {
		t.Errorf("%s", r.raw)
	}
}
