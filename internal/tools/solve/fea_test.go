package solve

import (
	"fmt"
	"strings"
	"testing"

	"atelier/internal/evidence"
)

const steel = `"materials": [{"attribute": 1, "E": 210e9, "nu": 0.3}]`

// A bar with nu = 0 under an axial traction: u = t x / E and energy t^2 L A / 2E
// lie in the space of linear elements, so any slip of sign or factor shows.
func TestBarIsExact(t *testing.T) {
	for _, order := range []int{1, 2} {
		a := solved(t, "fea.solve", box([3]int{4, 1, 1}, [3]float64{2, 1, 1}), "linear_elasticity", fmt.Sprintf(
			`{"order": %d, "materials": [{"attribute": 1, "E": 100, "nu": 0}], "analysis_opts": {"rel_tol": 1e-12},
			"bcs": [{"attribute": 1, "type": "fixed"}, {"attr": [2], "type": "load", "value": [3, 0, 0]}]}`, order))
		near(t, "end displacement", a.MaxDisplacement.Value, 3*2.0/100, 1e-8)
		near(t, "energy", a.Energy, 0.5*3*3*2/100, 1e-8)
		near(t, "von Mises", a.VonMises.Max, 3, 1e-8)
		near(t, "reaction", a.Loads[0].Force[0], -3, 1e-8)
		near(t, "load", a.Loads[1].Force[0], 3, 1e-8)
	}
}

// The same bar under its own weight: tip displacement rho g L^2 / 2E.
func TestOwnWeight(t *testing.T) {
	a := solved(t, "fea.solve", box([3]int{8, 1, 1}, [3]float64{10, 1, 1}), "LinearElasticity",
		`{"materials": [{"attribute": 1, "E": 210e9, "nu": 0}], "density": 7800, "gravity": [9.81, 0, 0], "analysis_opts": {"rel_tol": 1e-11},
		"bcs": [{"where": {"plane": "x_min"}, "type": "fixed"}]}`)
	near(t, "tip", a.MaxDisplacement.Value, 7800*9.81*10*10/2/210e9, 1e-7)
	near(t, "reaction", a.Loads[0].Force[0], -7800*9.81*10, 1e-8)
}

// A mesher lets single vertices of an edge jut out of the plane of their face.
// z_min is still that face: all of it, 1 m^2 to within the slant of the triangles
// at those vertices (3 mm over 250 mm: 1e-4).
func TestAPlaneIsItsFaceWhereVerticesJutOut(t *testing.T) {
	g := box([3]int{4, 4, 4}, [3]float64{1, 1, 1})
	for _, rim := range [][3]float64{{0.5, 0, 0}, {0, 0.5, 0}, {1, 0.75, 0}} {
		g.points[g.find(rim[0], rim[1], rim[2])][2] = -0.003
	}
	for _, attributes := range []string{"six", "one"} { // a surface without CAD faces has one
		a := solved(t, "fea.solve", g, "LinearElasticity", `{`+steel+`,
			"bcs": [{"where": {"plane": "z_min"}, "type": "fixed"}, {"where": {"plane": "z_max"}, "type": "load", "force": [0, 0, -1000]}]}`)
		near(t, attributes+": area of z_min", a.Loads[0].Area, 1, 1e-3)
		near(t, attributes+": area of z_max", a.Loads[1].Area, 1, 1e-9)
		near(t, attributes+": reaction", a.Loads[0].Force[2], 1000, 1e-6)
		for i, face := range g.boundary {
			g.boundary[i] = "1" + face[1:]
		}
	}
}

// Timoshenko's cantilever: L = 1, 0.1 x 0.1, P = 1000 N: bending P L^3 / 3EI =
// 1.904762e-4 m and shear 1.4857e-6 m. The clamped end stiffens it slightly.
func TestCantilever(t *testing.T) {
	a := solved(t, "fea.solve", box([3]int{20, 2, 2}, [3]float64{1, 0.1, 0.1}), "LinearElasticity", `{`+steel+`,
		"bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [0, -1000, 0]}], "probes": [[1, 0.05, 0.05]]}`)
	near(t, "tip", -a.Probes[0].Displacement[1], 1.919619e-4, 0.02)
	near(t, "reaction", a.Loads[0].Force[1], 1000, 1e-6)
	near(t, "moment", a.Loads[0].Moment[2], 1000*1.0, 1e-6)
	// The peak lies at the clamp, where the exact stress has no bound; the others hold.
	trusted(t, a, evidence.Suspect)
	for _, pointer := range []string{"/energy", "/max_displacement/value", "/probes/0/displacement/1"} {
		if q := a.quantity(t, pointer); q.Trust != evidence.Verified {
			t.Errorf("%s is %s: %v", pointer, q.Trust, q.Reasons)
		}
	}
}

// Pressure on all sides of a cube: a hydrostatic state, sigma = -p I, held by
// rollers on three sides; u = -p (1 - 2 nu) / E x.
func TestHydrostaticPressureOnRollers(t *testing.T) {
	a := solved(t, "fea.solve", box([3]int{2, 2, 2}, [3]float64{1, 1, 1}), "LinearElasticity",
		`{"materials": [{"E": 1000, "nu": 0.25}], "analysis_opts": {"rel_tol": 1e-12}, "probes": [[0.5, 0.5, 0.5]], "bcs": [
		{"attribute": 1, "type": "fixed", "components": ["x"]}, {"attribute": 3, "type": "fixed", "components": ["y"]},
		{"attribute": 5, "type": "fixed", "components": ["z"]}, {"attribute": [2, 4, 6], "type": "pressure", "value": 8}]}`)
	near(t, "displacement", a.Probes[0].Displacement[2], -8*(1-0.5)/1000*0.5, 1e-8)
	for c := range 3 {
		near(t, "stress", a.Probes[0].Stress[c], -8, 1e-8)
	}
}

// Stretching by a prescribed displacement: strain 0.01, E = 50 -> stress 0.5.
func TestPrescribedDisplacement(t *testing.T) {
	a := solved(t, "fea.solve", rectangle(3, 3, 1, 1), "LinearElasticity",
		`{"materials": [{"E": 50, "nu": 0.3}], "plane": "stress", "analysis_opts": {"rel_tol": 1e-12}, "bcs": [
		{"attribute": 1, "type": "fixed", "components": ["x"]}, {"attribute": 3, "type": "fixed", "components": ["y"]},
		{"attribute": 2, "type": "fixed", "components": ["x"], "value": [0.01, 0]}]}`)
	near(t, "von Mises", a.VonMises.Max, 0.5, 1e-8)
	near(t, "pull", a.Loads[2].Force[0], 0.5, 1e-8)
	near(t, "energy", a.Energy, 0.5*0.5*0.01, 1e-8)
}

// Millimetres: the same bar drawn 1000 times larger with length_unit mm.
func TestUnitsOfLength(t *testing.T) {
	mesh := "MFEM mesh v1.0\n# atelier {\"length_unit\":\"mm\",\"faces\":[{\"id\":2,\"name\":\"Tip\"}]}\n" +
		strings.TrimPrefix(box([3]int{2, 1, 1}, [3]float64{2000, 1000, 1000}).String(), "MFEM mesh v1.0\n")
	a := solved(t, "fea.solve", text(mesh), "LinearElasticity", `{"materials": [{"E": 100, "nu": 0}], "analysis_opts": {"rel_tol": 1e-12},
		"bcs": [{"where": {"box": {"min": [-1, -1, -1], "max": [1, 1001, 1001]}}, "type": "fixed"}, {"face": "Tip", "type": "load", "value": [3, 0, 0]}]}`)
	near(t, "end displacement", a.MaxDisplacement.Value, 0.06, 1e-8)
	near(t, "area", a.Loads[1].Area, 1, 1e-12)
}

func TestWhatHoldsNothingIsRefused(t *testing.T) {
	cube := box([3]int{1, 1, 1}, [3]float64{1, 1, 1})
	load := `{"attribute": 2, "type": "load", "value": [1, 0, 0]}`
	refused(t, "fea.solve", cube, "LinearElasticity", `{`+steel+`, "bcs": [`+load+`]}`, "ERR_SINGULAR_SYSTEM", "/config/bcs")
	refused(t, "fea.solve", cube, "LinearElasticity", `{`+steel+`, "bcs": [{"attribute": 1, "type": "fixed", "components": ["x"]}, `+load+`]}`, "ERR_SINGULAR_SYSTEM", "/config/bcs")
	// A second cube that shares no face with the first floats.
	two := box([3]int{1, 1, 1}, [3]float64{1, 1, 1})
	other := box([3]int{1, 1, 1}, [3]float64{1, 1, 1})
	for _, p := range other.points {
		two.points = append(two.points, []float64{p[0] + 3, p[1], p[2]})
	}
	for _, e := range other.elements {
		var v [4]int
		fmt.Sscanf(e, "1 4 %d %d %d %d", &v[0], &v[1], &v[2], &v[3])
		two.elements = append(two.elements, fmt.Sprintf("1 4 %d %d %d %d", v[0]+8, v[1]+8, v[2]+8, v[3]+8))
	}
	refused(t, "fea.solve", two, "LinearElasticity", `{`+steel+`, "bcs": [{"attribute": 1, "type": "fixed"}, `+load+`]}`, "ERR_SINGULAR_SYSTEM", "/config/bcs")
	refused(t, "fea.solve", cube, "Poisson", `{"rhs": 1}`, "ERR_SINGULAR_SYSTEM", "/config/bcs")
}

func TestFaultsNameTheirPlace(t *testing.T) {
	cube := box([3]int{1, 1, 1}, [3]float64{1, 1, 1})
	fixed := `{"attribute": 1, "type": "fixed"}`
	rows := []struct{ config, code, pointer string }{
		{`{` + steel + `, "bcs": [{"attribute": 9, "type": "fixed"}]}`, "ERR_UNKNOWN_ATTRIBUTE", "/config/bcs/0/attribute"},
		{`{` + steel + `, "bcs": [{"face": "Top", "type": "fixed"}]}`, "ERR_UNKNOWN_ATTRIBUTE", "/config/bcs/0/face"},
		{`{` + steel + `, "bcs": [{"where": {"box": {"min": [5, 5, 5], "max": [6, 6, 6]}}, "type": "fixed"}]}`, "ERR_SELECTION_EMPTY", "/config/bcs/0"},
		{`{` + steel + `, "bcs": [` + fixed + `, {"attribute": 1, "type": "load", "value": [1, 0, 0]}]}`, "ERR_CONFLICTING_CONDITIONS", "/config/bcs/1"},
		{`{` + steel + `, "bcs": [` + fixed + `, {"attribute": 2, "type": "load", "value": [1, 0]}]}`, "invalid_request", "/config/bcs/1/value"},
		{`{` + steel + `, "bcs": [` + fixed + `, {"attribute": 2, "type": "inlet", "velocity": [1, 0, 0]}]}`, "invalid_request", "/config/bcs/1/type"},
		{`{` + steel + `, "viscosity": 1, "bcs": [` + fixed + `]}`, "invalid_request", "/config/viscosity"},
		{`{"materials": [{"E": -1, "nu": 0.3}], "bcs": [` + fixed + `]}`, "invalid_request", "/config/materials/0/E"},
		{`{"materials": [{"E": 1, "nu": 0.5}], "bcs": [` + fixed + `]}`, "invalid_request", "/config/materials/0/nu"},
		{`{"materials": [{"attribute": 1, "E": 1, "nu": 0}, {"attribute": 7, "E": 1, "nu": 0}], "bcs": [` + fixed + `]}`, "ERR_UNKNOWN_ATTRIBUTE", "/config/materials/1/attribute"},
		{`{` + steel + `, "analysis_opts": {"max_iter": 1}, "bcs": [` + fixed + `, {"attribute": 2, "type": "load", "value": [1, 2, 3]}]}`, "ERR_NOT_CONVERGED", "/config/analysis_opts"},
	}
	for _, row := range rows {
		refused(t, "fea.solve", cube, "LinearElasticity", row.config, row.code, row.pointer)
	}
	refused(t, "fea.solve", cube, "Alchemy", `{"bcs": []}`, "invalid_request", "/solver_class")
}

func TestDamagedMeshesAreRefused(t *testing.T) {
	good := box([3]int{1, 1, 1}, [3]float64{1, 1, 1}).String()
	inverted := box([3]int{2, 1, 1}, [3]float64{1, 1, 1})
	inverted.points[inverted.find(0.5, 0, 0)] = []float64{3, 0, 0}
	rows := map[string]struct{ mesh, code string }{
		"empty":           {"  \n", "ERR_FILE_EMPTY"},
		"noise":           {"\x00\x01\x02 nothing of the kind", "ERR_MESH_UNREADABLE"},
		"truncated":       {good[:len(good)/2], "ERR_MESH_UNREADABLE"},
		"no vertices":     {good[:strings.Index(good, "vertices")], "ERR_MESH_UNREADABLE"},
		"not a number":    {strings.Replace(good, "0 0 1", "0 0 x", 1), "ERR_MESH_UNREADABLE"},
		"index too large": {strings.Replace(good, "1 4 0", "1 4 77", 1), "ERR_MESH_UNREADABLE"},
		"inverted":        {inverted.String(), "ERR_MESH_INVERTED"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			refused(t, "fea.solve", text(row.mesh), "LinearElasticity", `{`+steel+`, "bcs": [{"attribute": 1, "type": "fixed"}]}`, row.code, "/mesh")
		})
	}
}

func (g *grid) find(x, y, z float64) int {
	for i, p := range g.points {
		if p[0] == x && p[1] == y && p[2] == z {
			return i
		}
	}
	panic("no such point")
}

// The unit square with u = 0 around it and f = 1: series solution 0.0736713533
// at the centre, energy 0.0175721269.
func TestPoissonSquare(t *testing.T) {
	a := solved(t, "fea.solve", rectangle(16, 16, 1, 1), "Poisson", `{"rhs": 1, "fixed_attributes": [1, 2, 3, 4], "probes": [[0.5, 0.5]]}`)
	near(t, "centre", *a.Probes[0].Value, 0.0736713533, 1e-4)
	near(t, "energy", a.Energy, 0.0175721269, 1e-4)
	trusted(t, a, evidence.Verified)
}

// A modulus of 210 Pa is solved as asked, but nobody is left to believe it.
func TestImplausibleModulusIsSuspect(t *testing.T) {
	r := call(t, "fea.solve", requestFor(t, box([3]int{1, 1, 1}, [3]float64{1, 1, 1}), "LinearElasticity",
		`{"materials": [{"E": 210, "nu": 0.3}], "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "value": [0.01, 0, 0]}]}`))
	if r.Evidence == nil || r.Evidence.Trust() != evidence.Suspect {
		t.Fatalf("evidence %+v", r.Evidence)
	}
}
