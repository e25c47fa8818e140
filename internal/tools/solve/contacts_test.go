package solve

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"atelier/internal/contract"
)

// touching solves a problem with one contact, which must be closed, and looks at what every
// such answer holds.
func touching(t *testing.T, mesh fmt.Stringer, config string) (*answer, ContactFound) {
	t.Helper()
	a := nonlinear(t, mesh, config)
	if len(a.Contacts) != 1 || a.Contacts[0].State != "closed" || a.Contacts[0].Pressure == nil || a.Contacts[0].Penetration == nil {
		t.Fatalf("%+v", a.Contacts)
	}
	c := a.Contacts[0]
	for _, name := range []string{"contact_balance", "contact_penetration", "contact_resolved", "bodies_joined", "bodies_apart"} {
		if sentence, failed := a.failed(name); failed {
			t.Error(sentence)
		}
	}
	for _, pointer := range []string{"/contacts/0/normal_force", "/contacts/0/area", "/contacts/0/pressure/max"} {
		a.quantity(t, pointer)
	}
	t.Logf("normal force %.6g, shear force %.6g, area %.6g, pressure %.6g, penetration %.3g (%.2g of the approach)",
		c.NormalForce, c.ShearForce, c.Area, c.Pressure.Max, c.Penetration.Max, c.Penetration.Share)
	return a, c
}

// curved is a grid of quadrilaterals between lines x and y, with nodes in the middle of edges
// and elements, all moved by at.
type curved struct {
	x, y []float64
	at   func(x, y float64) [2]float64
}

// grid has the corners alone.
func (c curved) grid() *grid {
	g := quads(len(c.x)-1, len(c.y)-1, func(x, y float64) [2]float64 {
		i, k := int(math.Round(x*float64(len(c.x)-1))), int(math.Round(y*float64(len(c.y)-1)))
		return c.at(c.x[i], c.y[k])
	})
	return g
}

// nodes are those of the elements in the order of quads, each with its own nine.
func (c curved) nodes() string {
	var b strings.Builder
	for i := range len(c.x) - 1 {
		for k := range len(c.y) - 1 {
			for m := range 9 {
				u, v := float64(m%3)/2, float64(m/3)/2
				p := c.at(c.x[i]*(1-u)+c.x[i+1]*u, c.y[k]*(1-v)+c.y[k+1]*v)
				fmt.Fprintf(&b, "%.17g %.17g\n", p[0], p[1])
			}
		}
	}
	return b.String()
}

// another is a second body: its elements have the attribute 2, its faces a 1 before theirs.
func another(g *grid) *grid {
	for i, e := range g.elements {
		g.elements[i] = "2" + e[1:]
	}
	return moved(g)
}

// curvedMesh joins two curved bodies.
func curvedMesh(one, other curved) text {
	both := joined(one.grid(), another(other.grid()))
	straight := both.String()
	head := straight[:strings.LastIndex(straight, "vertices")]
	return text(fmt.Sprintf("%svertices\n%d\n\nnodes\nFiniteElementSpace\nFiniteElementCollection: L2_T1_2D_P2\nVDim: 2\nOrdering: 1\n\n%s%s",
		head, len(both.points), one.nodes(), other.nodes()))
}

// graded are places from 0, first in even steps to a length and then in growing ones to the end.
func graded(step, even, growth, end float64) []float64 {
	n := math.Round(even / step)
	step = even / n
	list := []float64{0}
	for x := 0.0; x < end*(1-1e-9); {
		if len(list) > int(n) {
			step *= growth
		}
		x += step
		if x > end-0.6*step*growth {
			x = end
		}
		list = append(list, x)
	}
	return list
}

// Two parallel cylinders, or a cylinder on a flat solid, under the force F per length: half
// width sqrt(4 F R / (pi E*)), largest pressure sqrt(F E* / (pi R)) (Johnson, Contact Mechanics,
// section 4.2). A half of them is solved; the solids are 12 half widths large.
func TestCylindersPressAsHertzFound(t *testing.T) {
	needCalculiX(t)
	draw := random(t)
	radius := draw(0.02, 0.2)
	a := radius * draw(0.005, 0.01)
	e1, e2, nu1, nu2 := draw(5e10, 2e11), draw(5e10, 2e11), draw(0.2, 0.4), draw(0.2, 0.4)
	r1, r2 := radius*2, radius*2 // two equal ones
	if draw(0, 1) < 0.5 {
		r1, r2 = math.Inf(1), radius // on a flat one
	}
	c1, c2 := (1-nu1*nu1)/e1, (1-nu2*nu2)/e2
	stiff := 1 / (c1 + c2)
	size := 12 * a
	force := math.Pi * a * a * stiff / (4 * radius)
	approach := force / math.Pi * (c1*(2*math.Log(2*size/a)-nu1/(1-nu1)) + c2*(2*math.Log(2*size/a)-nu2/(1-nu2)))
	sagitta := func(r, x float64) float64 {
		if math.IsInf(r, 1) {
			return 0
		}
		return x * x / (r + math.Sqrt(r*r-x*x))
	}
	x, y := graded(0.07*a, 1.4*a, 1.8, size), graded(0.07*a, 0.07*a, 1.8, size)
	mesh := curvedMesh(
		curved{x, y, func(x, y float64) [2]float64 { return [2]float64{x, -y - sagitta(r1, x)*(1-y/size)} }}.upright(),
		curved{x, y, func(x, y float64) [2]float64 { return [2]float64{x, y + sagitta(r2, x)*(1-y/size)} }})
	t.Logf("radii %.4g and %.4g m, half width about %.3g m, %d by %d elements each", r1, r2, a, len(x)-1, len(y)-1)
	_, c := touching(t, mesh, fmt.Sprintf(`"order": 1, "materials": [{"E": %g, "nu": %g}, {"attribute": 2, "E": %g, "nu": %g}],
		"contacts": [{"sides": [{"attribute": 4}, {"attribute": 13}]}], "bcs": [
		{"attribute": [1, 11], "type": "fixed", "components": ["x"]}, {"attribute": 3, "type": "fixed", "components": ["y"]},
		{"attribute": 14, "type": "fixed", "components": ["y"], "value": [0, %g]}]`, e1, nu1, e2, nu2, -approach))
	force = 2 * float64(c.NormalForce)
	near(t, "half width", c.Area, math.Sqrt(4*force*radius/(math.Pi*stiff)), 0.05)
	near(t, "largest pressure", c.Pressure.Max, math.Sqrt(force*stiff/(math.Pi*radius)), 0.02)
}

// A ring that is pressed into another, with nothing else to load them: the pressure between them
// and the hoop stress of the bore are those of Lame for the overlap of their radii
// (Timoshenko, Strength of Materials, part II, art. 41). The contact's stiffness is finite.
func TestPressFit(t *testing.T) {
	needCalculiX(t)
	draw := random(t)
	bore, e1, e2, nu1, nu2 := draw(0.01, 0.05), draw(7e10, 2.1e11), draw(7e10, 2.1e11), draw(0.2, 0.35), draw(0.2, 0.35)
	mid, n := bore*draw(1.4, 1.8), 24.0
	rim, overlap := mid*draw(1.4, 1.8), mid*draw(2e-4, 6e-4)
	ring := func(in, out float64) curved {
		return curved{graded(0.25, 1, 1, 1), graded(1/n, 1, 1, 1), func(x, y float64) [2]float64 {
			r := in + (out-in)*x
			return [2]float64{r * math.Cos(y*math.Pi/2), r * math.Sin(y*math.Pi/2)}
		}}
	}
	a, c := touching(t, curvedMesh(ring(bore, mid+overlap/2), ring(mid-overlap/2, rim)), fmt.Sprintf(`"plane": "stress",
		"materials": [{"attribute": 1, "E": %g, "nu": %g}, {"attribute": 2, "E": %g, "nu": %g}], "contacts": [{"sides": [{"attribute": 2}, {"attribute": 11}]}],
		"bcs": [{"attribute": [3, 13], "type": "symmetry"}, {"attribute": [4, 14], "type": "symmetry"}]`, e1, nu1, e2, nu2))
	square := func(in, out float64) float64 { return (out*out + in*in) / (out*out - in*in) }
	p := overlap / (mid * ((square(mid, rim)+nu2)/e2 + (square(bore, mid)-nu1)/e1))
	near(t, "normal force", c.NormalForce, p*mid*math.Sqrt2, 0.02)
	near(t, "mean pressure", c.NormalForce/c.Area, p*2*math.Sqrt2/math.Pi, 0.02)
	near(t, "largest pressure", c.Pressure.Max, p, 0.05) // at single points it is 25 % off
	for _, check := range []string{"loaded", "bodies_apart"} {
		if sentence, failed := a.failed(check); failed {
			t.Error(sentence)
		}
	}
}

// upright turns the rows of a mesh about, so that those that go down from 0 go up.
func (c curved) upright() curved {
	n := len(c.y)
	y := make([]float64, n)
	for i := range y {
		y[i] = -c.y[n-1-i]
	}
	return curved{c.x, y, func(x, y float64) [2]float64 { return c.at(x, -y) }}
}

// Two blocks of different materials and meshes that do not fit (hexahedra and tetrahedra, or
// quadrilaterals), pressed flat: the pressure is that of the load everywhere.
func TestBlocksPressFlat(t *testing.T) {
	needCalculiX(t)
	draw := random(t)
	w, d, h1, h2 := draw(0.1, 1), draw(0.1, 1), draw(0.1, 1), draw(0.1, 1)
	e1, e2 := draw(5e10, 2e11), draw(5e10, 2e11)
	load := draw(2e-5, 1e-4) * math.Min(e1, e2)
	materials := fmt.Sprintf(`"materials": [{"E": %g, "nu": 0.3}, {"attribute": 2, "E": %g, "nu": 0.2}]`, e1, e2)
	up := func(g *grid, by float64) *grid {
		for _, p := range g.points {
			p[len(p)-1] += by
		}
		return g
	}
	solid := joined(hexes([3]int{3, 2, 1}, [3]float64{w, d, h1}), another(up(box([3]int{2, 3, 1}, [3]float64{w, d, h2}), h1)))
	_, c := touching(t, solid, fmt.Sprintf(`%s, "order": 1, "contacts": [{"sides": [{"attribute": 6}, {"attribute": 15}]}], "bcs": [
		{"attribute": [1, 11], "type": "fixed", "components": ["x"]}, {"attribute": [3, 13], "type": "fixed", "components": ["y"]},
		{"attribute": 5, "type": "fixed", "components": ["z"]}, {"attribute": 16, "type": "pressure", "value": %g}]`, materials, load))
	near(t, "pressure", c.Pressure.Max, load, 1e-3)
	near(t, "area", c.Area, w*d, 1e-3)
	near(t, "normal force", c.NormalForce, load*w*d, 1e-3)
	near(t, "force on the lower block", c.Force[2], -load*w*d, 1e-3)

	flat := joined(quads(3, 1, scaled(w, h1)), another(up(quads(4, 1, scaled(w, h2)), h1)))
	for _, plane := range []string{"strain", "stress"} {
		_, c = touching(t, flat, fmt.Sprintf(`%s, "plane": %q, "contacts": [{"sides": [{"attribute": 4}, {"attribute": 13}]}], "bcs": [
			{"attribute": [1, 11], "type": "fixed", "components": ["x"]}, {"attribute": 3, "type": "fixed", "components": ["y"]},
			{"attribute": 14, "type": "pressure", "value": %g}]`, materials, plane, load))
		near(t, plane+": pressure", c.Pressure.Max, load, 1e-3)
		near(t, plane+": width", c.Area, w, 1e-3)
		near(t, plane+": normal force", c.NormalForce, load*w, 1e-3)
	}
}

// stacked is a block upon another, whose faces are 4 below and 13 above.
func stacked(w, h float64, n int) *grid {
	upper := quads(n, 2, scaled(w, h))
	for _, p := range upper.points {
		p[1] += h
	}
	return joined(quads(n, 2, scaled(w, h)), moved(upper))
}

// A block that is pulled off leaves an open contact; one that is pressed outside the core of
// its section (at a sixth of the width from the middle) opens the other edge.
func TestContactsOpen(t *testing.T) {
	needCalculiX(t)
	draw := random(t)
	w, h, modulus := draw(0.1, 1), draw(0.1, 0.5), draw(5e10, 2e11)
	const contacts = `"contacts": [{"sides": [{"attribute": 4}, {"attribute": 13}], "friction": 0.5}]`
	materials := fmt.Sprintf(`"materials": [{"E": %g, "nu": 0.3}]`, modulus)
	a := nonlinear(t, stacked(w, h, 3), fmt.Sprintf(`%s, %s, "bcs": [{"attribute": 3, "type": "fixed"},
		{"attribute": 14, "type": "fixed", "value": [0, %g]}, {"attribute": 12, "type": "load", "force": [%g, 0]}]`, materials, contacts, 1e-3*h, 1e-5*modulus*h))
	if s, failed := a.failed("contact_balance"); failed { // nothing at all acts on the lower one
		t.Error(s)
	}
	if c := a.Contacts[0]; c.State != "open" || c.NormalForce != 0 || c.Area != 0 || c.Pressure != nil {
		t.Errorf("%+v", c)
	}

	load := 1e-5 * modulus
	_, c := touching(t, stacked(w, w, 10), fmt.Sprintf(`"order": 1, %s, %s, "bcs": [{"attribute": 3, "type": "fixed"},
		{"where": {"box": {"min": [%g, %g], "max": [%g, %g]}}, "type": "pressure", "value": %g}]`,
		materials, contacts, w*0.69, 1.99*w, w*1.01, 2.01*w, load))
	near(t, "normal force", c.NormalForce, load*w*0.3, 1e-3)
	if share := float64(c.Area) / w; share < 0.3 || share > 0.8 {
		t.Errorf("%.3g of the width is in contact; a linear pressure would be on 0.45", share)
	}
	if float64(c.Pressure.At[0]) < w/2 {
		t.Errorf("the largest pressure is at %v", c.Pressure.At)
	}
}

// A block bears a push of less than the coefficient of friction times the force that presses
// it, slides under the product where its motion is given, and finds no equilibrium under more.
func TestFrictionBearsItsCoefficient(t *testing.T) {
	needCalculiX(t)
	draw := random(t)
	w, h, modulus, friction := draw(0.5, 1), draw(0.05, 0.1), draw(5e10, 2e11), draw(0.1, 0.5)
	load := draw(1e-5, 5e-5) * modulus
	config := func(more string) string {
		return fmt.Sprintf(`"materials": [{"E": %g, "nu": 0.3}], "contacts": [{"sides": [{"attribute": 4}, {"attribute": 13}], "friction": %g}], "bcs": [
			{"attribute": 3, "type": "fixed"}, {"attribute": 14, "type": "pressure", "value": %g}, %s]`, modulus, friction, load, more)
	}
	push := func(share float64) string {
		return fmt.Sprintf(`{"attribute": 11, "type": "load", "force": [%g, 0]}`, share*friction*load*w)
	}
	less := draw(0.3, 0.7)
	a, c := touching(t, stacked(w, h, 4), config(push(less)))
	near(t, "normal force", c.NormalForce, load*w, 2e-3)
	near(t, "shear force", c.ShearForce, less*friction*load*w, 2e-3)
	near(t, "force on the lower block", c.Force[0], less*friction*load*w, 2e-3)
	if c.SlidingShare == nil || *c.SlidingShare > 0.5 {
		t.Errorf("sliding: %v", c.SlidingShare)
	}
	a.quantity(t, "/contacts/0/shear_force")

	_, c = touching(t, stacked(w, h, 4), config(fmt.Sprintf(`{"attribute": 11, "type": "fixed", "components": ["x"], "value": [%g, 0]}`, 0.01*h)))
	near(t, "shear force when it slides", c.ShearForce, friction*float64(c.NormalForce), 1e-3)
	if c.SlidingShare == nil || *c.SlidingShare < 0.99 {
		t.Errorf("sliding: %v", c.SlidingShare)
	}

	e := refused(t, "fea.solve", stacked(w, h, 3), "LinearElasticity", `{"analysis": "nonlinear", "order": 1, `+config(push(draw(1.3, 2)))+`}`,
		contract.CodeNotConverged, "/config/bcs")
	if !strings.Contains(e.Hint, "friction") {
		t.Errorf("hint: %s", e.Hint)
	}
}

// What no contact can be, and bodies that nothing holds before it is closed.
func TestContactsRefuse(t *testing.T) {
	mesh, apart := stacked(1, 1, 2), joined(quads(2, 2, scaled(1, 1)), moved(quads(2, 2, scaled(1, 1)), 0, 1.001))
	whole := joined(rectangle(2, 2, 1, 1), moved(rectangle(2, 2, 1, 1), 3, 0))
	whole.boundary = append(whole.boundary, "9 1 1 4") // between elements
	const steel, held = `"materials": [{"E": 2e11, "nu": 0.3}]`, `"bcs": [{"attribute": 3, "type": "fixed"}, {"attribute": 14, "type": "pressure", "value": 1e6}]`
	const sides = `{"sides": [{"attribute": 4}, {"attribute": 13}]}`
	for _, c := range []struct {
		mesh           *grid
		config         string
		code, at, hint string
	}{
		{mesh, steel + `, "contacts": [` + sides + `], ` + held, "invalid_request", "/config/contacts", "nonlinear"},
		{mesh, `"analysis": "buckling", ` + steel + `, "contacts": [` + sides + `], ` + held, "invalid_request", "/config/contacts", "nonlinear"},
		{mesh, `"analysis": "nonlinear", ` + steel + `, "contacts": [` + sides + `], ` + held, "ERR_SINGULAR_SYSTEM", "/config/contacts", "displacement"},
		{apart, `"analysis": "nonlinear", ` + steel + `, "contacts": [{"sides": [{"attribute": 4}, {"attribute": 13}], "friction": 0.3}], ` + held, "ERR_SINGULAR_SYSTEM", "/config/contacts", "adjust"},
		{mesh, `"analysis": "nonlinear", ` + steel + `, "contacts": [{"sides": [{"attribute": 4}, {"attribute": [13, 4]}]}], ` + held, "ERR_CONFLICTING_CONDITIONS", "/config/contacts/0/sides/1", "one side"},
		{mesh, `"analysis": "nonlinear", ` + steel + `, "contacts": [` + sides + `, ` + sides + `], ` + held, "ERR_CONFLICTING_CONDITIONS", "/config/contacts/1/sides/0", "one side"},
		{mesh, `"analysis": "nonlinear", ` + steel + `, "contacts": [{"sides": [{"attribute": 4}, {"attribute": 77}]}], ` + held, "ERR_UNKNOWN_ATTRIBUTE", "/config/contacts/0/sides/1", ""},
		{mesh, `"analysis": "nonlinear", ` + steel + `, "contacts": [{"sides": [{"attribute": 4}, {"attribute": 13, "attr": 13}]}], ` + held, "invalid_request", "/config/contacts/0/sides/1", ""},
		{mesh, `"analysis": "nonlinear", ` + steel + `, "contacts": [{"sides": [{"attribute": 4}, {"attribute": 13}], "adjust": 0.4}], ` + held, "invalid_request", "/config/contacts/0/adjust", ""},
		{mesh, `"analysis": "nonlinear", ` + steel + `, "contacts": [{"sides": [{"attribute": 2}, {"attribute": 14}]}], ` + held, "invalid_request", "/config/contacts/0/sides", "4 and 13"},
		{whole, `"analysis": "nonlinear", ` + steel + `, "contacts": [{"sides": [{"attribute": 9}, {"attribute": 13}]}], ` + held, "invalid_request", "/config/contacts/0/sides/0", "nodes of its own"},
	} {
		e := refused(t, "fea.solve", c.mesh, "LinearElasticity", "{"+c.config+"}", c.code, c.at)
		if e.Hint == "" || !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%s: the hint %q lacks %q", c.config, e.Hint, c.hint)
		}
	}
}

// A small gap of the mesh keeps a force from pressing a body on until adjust closes it.
func TestAdjustClosesGaps(t *testing.T) {
	needCalculiX(t)
	draw := random(t)
	w, load, gap := draw(0.1, 1), draw(1e6, 1e7), draw(1e-4, 1e-3)
	mesh := joined(quads(3, 1, scaled(w, w)), moved(quads(4, 1, scaled(w, w)), 0, w*(1+gap)))
	_, c := touching(t, mesh, fmt.Sprintf(`"materials": [{"E": 2e11, "nu": 0.3}], "contacts": [{"sides": [{"attribute": 4}, {"attribute": 13}], "adjust": %g}], "bcs": [
		{"attribute": [1, 11], "type": "fixed", "components": ["x"]}, {"attribute": 3, "type": "fixed", "components": ["y"]},
		{"attribute": 14, "type": "pressure", "value": %g}]`, 1.5*gap*w, load))
	near(t, "pressure", c.Pressure.Max, load, 2e-3)
	near(t, "normal force", c.NormalForce, load*w, 1e-3)
}
