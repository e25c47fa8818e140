package solve

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// turn is g.rotated of a vector.
func turn(angle float64, v ...float64) []float64 {
	g := &grid{points: [][]float64{append([]float64{}, v...)}}
	return g.rotated(angle).points[0]
}

func dot(a []float64, b Point) float64 {
	sum := 0.0
	for k := range a {
		sum += a[k] * float64(b[k])
	}
	return sum
}

func list(v []float64) string {
	s := make([]string, len(v))
	for i, x := range v {
		s[i] = fmt.Sprintf("%.17g", x)
	}
	return "[" + strings.Join(s, ", ") + "]"
}

// bent is one curved body.
func (c curved) String() string {
	straight := c.grid().String()
	return fmt.Sprintf("%svertices\n%d\n\nnodes\nFiniteElementSpace\nFiniteElementCollection: L2_T1_2D_P2\nVDim: 2\nOrdering: 1\n\n%s",
		straight[:strings.LastIndex(straight, "vertices")], len(c.grid().points), c.nodes())
}

// A sector of a thick tube between two planes of symmetry that lie across no axis moves and
// bears as the whole tube (Lame, plane strain). Each plane bears p a, whatever the facets are:
// the pressure on a bore between two points is that on their chord.
func TestSectorOfATube(t *testing.T) {
	draw := random(t)
	in, p, e, nu := draw(0.05, 0.5), draw(1e6, 1e7), draw(5e10, 3e11), draw(0.15, 0.4)
	out := in * draw(1.5, 3)
	from, wide := draw(0.1, 1), draw(17, 80)*math.Pi/180
	at := func(x, y float64) [2]float64 {
		r := in * math.Pow(out/in, x)
		return [2]float64{r * math.Cos(from+wide*y), r * math.Sin(from+wide*y)}
	}
	middle := from + wide/2
	radial, hoop := []float64{math.Cos(middle), math.Sin(middle)}, []float64{-math.Sin(middle), math.Cos(middle)}
	u := func(r float64) float64 {
		return (1 + nu) * p * in * in / e / (out*out - in*in) * ((1-2*nu)*r + out*out/r)
	}
	c := curved{at: at, x: along(repeated(10)...), y: along(repeated(12)...)}
	a := solved(t, "fea.solve", c, "LinearElasticity", fmt.Sprintf(`{"materials": [{"E": %.17g, "nu": %.17g}], "probes": [%s, %s], "analysis_opts": {"rel_tol": 1e-10}, "bcs": [
		{"attribute": 3, "type": "symmetry"}, {"attribute": 4, "type": "frictionless"}, {"attribute": 1, "type": "pressure", "value": %.17g}]}`,
		e, nu, list([]float64{1.0001 * in * radial[0], 1.0001 * in * radial[1]}), list([]float64{0.9999 * out * radial[0], 0.9999 * out * radial[1]}), p))
	for i, r := range []float64{1.0001 * in, 0.9999 * out} {
		near(t, fmt.Sprintf("u at %g", r), Figure(dot(radial, a.Probes[i].Displacement)), u(r), 1e-3)
		if across := dot(hoop, a.Probes[i].Displacement); math.Abs(across) > 1e-5*u(in) {
			t.Errorf("moves by %g across the radius", across)
		}
	}
	s := a.Probes[0].Stress
	near(t, "hoop stress", Figure(hoop[0]*hoop[0]*float64(s[0])+hoop[1]*hoop[1]*float64(s[1])+2*hoop[0]*hoop[1]*float64(s[3])),
		p*(out*out+in*in)/(out*out-in*in), 0.02)
	for i, angle := range []float64{from, from + wide} {
		sign := float64(1 - 2*i)
		for k, want := range []float64{sign * p * in * math.Sin(angle), -sign * p * in * math.Cos(angle)} {
			if got := float64(a.Loads[i].Force[k]); math.Abs(got-want) > 1e-6*p*in {
				t.Errorf("bcs/%d bears %g along %d, statics says %g", i, got, k, want)
			}
		}
	}
	if q := a.quantity(t, "/max_displacement/value"); q.Error == nil || math.Abs(*q.Value-u(in)) > *q.Error+1e-3*u(in) {
		t.Errorf("%g ± %v, Lame %g", *q.Value, deref(q.Error), u(in))
	}
}

func repeated(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 1 / float64(n)
	}
	return out
}

// A block on three planes that lie across no axis, pulled along the fourth, is in uniaxial
// tension, which every element holds exactly: with a condition for each plane, and with one for
// all, whose edges are held along both normals.
func TestATurnedBlockIsPulled(t *testing.T) {
	draw := random(t)
	l, p, e, nu, angle := draw(0.5, 2), draw(1e5, 1e6), draw(1e10, 3e11), draw(0.1, 0.4), draw(0.2, 2.9)
	size := [3]float64{l, 0.2, 0.3}
	x := turn(angle, 1, 0, 0)
	pull := fmt.Sprintf(`{"attribute": 2, "type": "load", "value": %s}`, list(turn(angle, p, 0, 0)))
	corner := turn(angle, l, 0.2, 0.3)
	for _, c := range []struct {
		mesh *grid
		more string
	}{{hexes([3]int{2, 2, 2}, size), ""}, {box([3]int{3, 1, 2}, size), ""}, {box([3]int{3, 2, 2}, size), `, "order": 1`}, {alternating(2, size), `, "second_opinion": true`}} {
		if strings.Contains(c.more, "second") {
			needCalculiX(t)
		}
		config := fmt.Sprintf(`{"materials": [{"E": %.17g, "nu": %.17g}], "probes": [%s], "analysis_opts": {"rel_tol": 1e-11}%s, "bcs": [`, e, nu, list(corner), c.more)
		mesh := c.mesh.rotated(angle)
		for _, planes := range []string{`{"attribute": 1, "type": "symmetry"}, {"attribute": 3, "type": "frictionless"}, {"attribute": 5, "type": "symmetry"}, `, `{"attribute": [1, 3, 5], "type": "frictionless"}, `} {
			a := solved(t, "fea.solve", mesh, "LinearElasticity", config+planes+pull+"]}")
			want := turn(angle, p*l/e, -nu*p*0.2/e, -nu*p*0.3/e)
			for k := range 3 {
				if got := float64(a.Probes[0].Displacement[k]); math.Abs(got-want[k]) > 1e-7*p*l/e {
					t.Errorf("corner: %v, expected %v", a.Probes[0].Displacement, want)
					break
				}
			}
			near(t, "energy", a.Energy, p*p/e/2*l*0.06, 1e-8)
			near(t, "reaction", Figure(dot(x, a.Loads[0].Force)), -p*0.06, 1e-7)
			for _, name := range []string{"force_balance", "second_program"} {
				if s, failed := a.failed(name); failed {
					t.Error(s)
				}
			}
		}
	}
}

// A part and its supports may be turned in space: every analysis answers the same.
func TestTurningAPartChangesNothing(t *testing.T) {
	draw := random(t)
	l, angle, e, nu, rho := draw(0.5, 1), draw(0.3, 2.8), draw(5e10, 3e11), draw(0.2, 0.35), draw(2000, 9000)
	height := l / draw(8, 12)
	push := -draw(1e5, 1e6)
	materials := fmt.Sprintf(`"materials": [{"E": %.17g, "nu": %.17g, "density": %.17g}]`, e, nu, rho)
	// Half a column that is held at its middle by a plane of symmetry, in a slot of two planes.
	const slot = `{"attribute": 1, "type": "symmetry"}, {"attribute": [5, 6], "type": "frictionless"}`
	const foot = `, {"attribute": 3, "type": "elastic", "stiffness": 1e10}`
	force := func(angle float64) string {
		return fmt.Sprintf(`, {"attribute": 2, "type": "load", "value": %s}`, list(turn(angle, push, push/10, 0)))
	}
	for name, c := range map[string]struct {
		config string
		loaded bool
		figure func(a *answer) []Figure
	}{
		"static":    {``, true, func(a *answer) []Figure { return []Figure{a.Energy, a.MaxDisplacement.Value, a.VonMises.Max} }},
		"modal":     {`"analysis": "modal", "modes": 3, `, false, frequencies},
		"prestress": {`"analysis": "modal", "prestress": true, "modes": 2, `, true, frequencies},
		"buckling": {`"analysis": "buckling", "modes": 2, `, true, func(a *answer) []Figure {
			return []Figure{a.BucklingModes[0].LoadFactor, a.BucklingModes[1].LoadFactor}
		}},
		"harmonic":  {`"analysis": "harmonic", "frequencies": [100, 700], "damping": {"ratio": 0.05}, `, true, func(a *answer) []Figure { return []Figure{a.Harmonic.Peak.Displacement} }},
		"transient": {`"analysis": "transient", "history": {"shape": "half_sine", "duration": 0.005}, "time": {"end": 0.008}, "damping": {"ratio": 0.05}, `, true, func(a *answer) []Figure { return []Figure{a.Transient.Peak.Displacement} }},
		"nonlinear": {`"analysis": "nonlinear", `, true, func(a *answer) []Figure { return []Figure{a.Energy, a.MaxDisplacement.Value} }},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "nonlinear" {
				needCalculiX(t)
			}
			figures := func(angle float64) []Figure {
				load := ""
				if c.loaded {
					load = force(angle)
				}
				spring := foot
				if name == "nonlinear" {
					spring = `, {"attribute": 3, "type": "frictionless"}`
				}
				return c.figure(solved(t, "fea.solve", hexes([3]int{4, 1, 1}, [3]float64{l, height, height}).rotated(angle), "LinearElasticity", `{`+c.config+materials+`, "bcs": [`+slot+spring+load+`]}`))
			}
			straight := figures(0)
			for i, f := range figures(angle) {
				near(t, fmt.Sprintf("figure %d", i), f, float64(straight[i]), 2e-5)
			}
		})
	}
}

func frequencies(a *answer) []Figure {
	var out []Figure
	for _, m := range a.Modes {
		out = append(out, m.Frequency)
	}
	return out
}

// wheel is a ring of quadrilaterals, m around, with the bore 1 and the rim 2.
func wheel(n, m int, in, out float64) *grid {
	g := &grid{dim: 2}
	node := func(i, j int) int { return i*m + j%m }
	for i := range n + 1 {
		for j := range m {
			r, phi := in+(out-in)*float64(i)/float64(n), 2*math.Pi*float64(j)/float64(m)
			g.points = append(g.points, []float64{r * math.Cos(phi), r * math.Sin(phi)})
		}
	}
	for j := range m {
		for i := range n {
			g.elements = append(g.elements, fmt.Sprintf("1 3 %d %d %d %d", node(i, j), node(i+1, j), node(i+1, j+1), node(i, j+1)))
		}
		g.boundary = append(g.boundary, fmt.Sprintf("1 1 %d %d", node(0, j+1), node(0, j)), fmt.Sprintf("2 1 %d %d", node(n, j), node(n, j+1)))
	}
	return g
}

// A ring that is held at its bore and turned at its rim by M: the shear stress is
// M / (2 pi r^2), and u = M r (1/a^2 - 1/r^2) / (4 pi G). With the radial direction alone it
// turns about the centre, as it does in a frictionless bore.
func TestARingIsHeldAtItsBore(t *testing.T) {
	draw := random(t)
	in, m, e, nu := draw(0.02, 0.2), draw(10, 1e4), draw(1e10, 3e11), draw(0.1, 0.4)
	out := in * draw(1.5, 3)
	g, x, y := e/(2*(1+nu)), draw(-1, 1), draw(-1, 1)
	ring := wheel(6, 72, in, out)
	for _, p := range ring.points {
		p[0], p[1] = p[0]+x, p[1]+y
	}
	config := func(held string) string {
		return fmt.Sprintf(`{"materials": [{"E": %.17g, "nu": %.17g}], "probes": [[%.17g, %.17g]], "bcs": [{"attribute": 1, %s}, {"attribute": 2, "type": "moment", "moment": [0, 0, %.17g]}]}`, e, nu, x+0.999*out, y, held, m)
	}
	for _, held := range []string{`"type": "cylindrical"`, `"type": "cylindrical", "components": ["tangential"]`} {
		a := solved(t, "fea.solve", ring, "LinearElasticity", config(held))
		r := 0.999 * out
		near(t, held, a.Probes[0].Displacement[1], m*r*(1/in/in-1/r/r)/(4*math.Pi*g), 5e-3)
		near(t, "reaction", a.Loads[0].Moment[0], -m, 1e-6)
		if !strings.Contains(a.Loads[0].Place, "about the axis through") {
			t.Error(a.Loads[0].Place)
		}
	}
	for _, held := range []string{`"type": "cylindrical", "components": ["radial"]`, `"type": "frictionless"`} {
		e := refused(t, "fea.solve", ring, "LinearElasticity", config(held), "ERR_SINGULAR_SYSTEM", "/config/bcs")
		if !strings.Contains(e.Message, "free in rotation about the point (") {
			t.Error(e)
		}
	}
}

// A shaft in space whose side is held along radius and axis is free to turn about its axis; the
// bearing leaves its torsion as it is.
func TestAShaftTurnsInItsBearing(t *testing.T) {
	draw := random(t)
	l, r, angle, torque := draw(0.2, 1), draw(0.02, 0.1), draw(0.2, 2.9), draw(10, 500)
	bar := shaft(3, 2, l, r).rotated(angle)
	axis := turn(angle, 0, 0, 1)
	_, bodies := unheld(t, bar, `{"attribute": [1, 2, 3, 4], "type": "cylindrical", "components": ["radial", "axial"]}`)
	if len(bodies) != 1 || len(bodies[0].Motions) != 1 {
		t.Fatalf("%+v", bodies)
	}
	about := bodies[0].Motions[0]
	if about.Kind != "rotation" || min(apart(about.Direction, axis), apart(about.Direction, turn(angle, 0, 0, -1))) > 1e-6 {
		t.Errorf("%+v, the axis is %v", about, axis)
	}
	twisted := func(bearing string) *answer {
		return solved(t, "fea.solve", bar, "LinearElasticity", fmt.Sprintf(`{%s, "analysis_opts": {"rel_tol": 1e-10}, "bcs": [%s{"attribute": 5, "type": "fixed"}, {"attribute": 6, "type": "moment", "moment": %s}]}`, steel, bearing, list(turn(angle, 0, 0, torque))))
	}
	alone := float64(twisted("").Energy)
	for _, free := range []string{`"cylindrical", "components": ["radial"]`, `"frictionless"`} {
		held := twisted(`{"attribute": [1, 2, 3, 4], "type": ` + free + `}, `)
		near(t, "energy in "+free, held.Energy, alone, 1e-6)
		if s, failed := held.failed("force_balance"); failed {
			t.Error(s)
		}
	}
	cone := shaft(3, 2, l, r)
	for _, p := range cone.points {
		p[0], p[1] = p[0]*(1+0.1*p[2]/l), p[1]*(1+0.1*p[2]/l)
	}
	for what, c := range map[string][2]string{
		"the radius":    {`"attribute": [1, 2, 3, 4], "type": "cylindrical"`, "/config/bcs/0/type"},
		"it is plane":   {`"attribute": 6, "type": "cylindrical", "components": ["radial"]`, "/config/bcs/0/type"},
		"differ by":     {`"attribute": [1, 2, 3, 4], "type": "symmetry"`, "/config/bcs/0/type"},
		"radial":        {`"attribute": [1, 2, 3, 4], "type": "cylindrical", "components": ["x"]`, "/config/bcs/0/components"},
		"x, y and z":    {`"attribute": 5, "type": "fixed", "components": ["axial"]`, "/config/bcs/0/components"},
		"not for the a": {`"attribute": [1, 2, 3, 4], "type": "frictionless"`, "/config/bcs/0/type"},
	} {
		analysis := ""
		if strings.HasPrefix(what, "not for") {
			needCalculiX(t)
			analysis = `"analysis": "nonlinear", `
		}
		e := refused(t, "fea.solve", cone, "LinearElasticity", `{`+analysis+steel+`, "bcs": [{`+c[0]+`}, {"attribute": 5, "type": "fixed"}, {"attribute": 6, "type": "load", "value": [0, 0, 1e6]}]}`, "invalid_request", c[1])
		if !strings.Contains(e.Message, what) || e.Hint == "" {
			t.Errorf("%s: %v", what, e)
		}
	}
}

// Where a face that is moved meets an inclined plane that holds, the two agree as long as it
// moves along the plane.
func TestSupportsThatMeetMustAgree(t *testing.T) {
	draw := random(t)
	angle, by := draw(0.2, 2.9), draw(1e-5, 1e-4)
	block := hexes([3]int{2, 2, 2}, [3]float64{1, 1, 1}).rotated(angle)
	moves := func(v []float64) *answer {
		return solved(t, "fea.solve", block, "LinearElasticity", fmt.Sprintf(`{"materials": [{"E": 2e11, "nu": 0}], "bcs": [{"attribute": 1, "type": "symmetry"}, {"attribute": 3, "type": "frictionless"}, {"attribute": 5, "type": "symmetry"}, {"attribute": 2, "type": "fixed", "value": %s}]}`, list(v)))
	}
	a := moves(turn(angle, by, 0, 0))
	near(t, "energy", a.Energy, 2e11*by*by/2, 1e-7)
	if s, failed := a.failed("supports_agree"); failed {
		t.Error(s)
	}
	fails(t, moves(turn(angle, 0, by, 0)), "supports_agree")
}

// A part that its whole surface keeps in place, along normals that are means of those of its
// facets, cannot expand: every stress is -E alpha dT / (1 - 2 nu).
func TestARoundFaceIsHeldAlongItsNormals(t *testing.T) {
	draw := random(t)
	nu, hot := draw(0.1, 0.35), draw(10, 100)
	long, high := draw(1.5, 2), draw(0.8, 1.2)
	egg := wheel(4, 60, 0.3, 1)
	for _, p := range egg.points {
		p[0], p[1] = p[0]*long, p[1]*high
	}
	a := solved(t, "fea.solve", egg, "LinearElasticity", fmt.Sprintf(`{"materials": [{"E": 2e11, "nu": %.17g, "alpha": 1e-5}], "temperature": {"value": %.17g, "reference": 0}, "probes": [[%.17g, 0]],
		"bcs": [{"attribute": [1, 2], "type": "frictionless"}]}`, nu, hot, 0.6*long))
	for k := range 2 {
		near(t, "stress", a.Probes[0].Stress[k], -2e11*1e-5*hot/(1-2*nu), 1e-6)
	}
	if !strings.Contains(a.Loads[0].Place, "held along its normals") {
		t.Error(a.Loads[0].Place)
	}
}
