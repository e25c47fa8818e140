package cad

import (
	"fmt"
	"math"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// faceOfArea is the face of the mesh whose CAD face has that area.
func faceOfArea(t *testing.T, m meshed, area float64) meshFace {
	t.Helper()
	for _, f := range m.out.Faces {
		if math.Abs(f.ExactArea-area) < 1e-6*area {
			return f
		}
	}
	t.Fatalf("no face has the area %v: %+v", area, m.out.Faces)
	return meshFace{}
}

// An equilateral triangle of edge h has the area √3/4 h²: that says how many there are
// on a face. Holes have the elements that were asked for around a circle, rounds half.
func TestElementsAroundACircle(t *testing.T) {
	host := newHost(t, netgen)
	r := random(t)
	inner, height := between(r, 5, 15), between(r, 10, 30)
	outer, around := inner*between(r, 2, 3), between(r, 24, 48)
	tube := part(t, "tube.step", fmt.Sprintf("Cylinder((0,0,0),Z,r=%v,h=%v)-Cylinder((0,0,-1),Z,r=%v,h=%v)", outer, height, inner, height+2))
	m := mesh(t, host, map[string]any{"file_path": tube, "elements_per_circle": around})
	for _, c := range []struct {
		name           string
		radius, around float64
	}{{"hole", inner, around}, {"round", outer, around / 2}} {
		edge := math.Min(2*math.Pi*c.radius/c.around, m.out.MaxSize)
		wanted := 2 * math.Pi * c.radius * height / (math.Sqrt(3) / 4 * edge * edge)
		got := float64(faceOfArea(t, m, 2*math.Pi*c.radius*height).Triangles)
		if got < 0.6*wanted || got > 2.5*wanted { // a neighbour with smaller elements refines it
			t.Errorf("%s of radius %.3g: %v triangles, %.0f equilateral ones of edge %.3g cover it", c.name, c.radius, got, wanted, edge)
		}
	}
	if ratio := float64(m.out.Expected) / float64(m.out.Tetrahedra); ratio < 1./3 || ratio > 3 {
		t.Errorf("%d tetrahedra were forecast, %d made", m.out.Expected, m.out.Tetrahedra)
	}
	if m.out.PerCircle != around {
		t.Errorf("%v elements around a circle, %v asked for", m.out.PerCircle, around)
	}
}

// A thin clamped plate of radius R under the pressure p sinks by pR⁴/(64D) in its centre,
// D = Et³/(12(1-ν²)) (Timoshenko and Woinowsky-Krieger, Theory of Plates and Shells, art.
// 17), and by shear pR²/(4κGt), κ = 5/6, more (Reissner).
func TestThinPlateSinksAsTheoryHasIt(t *testing.T) {
	host := newHost(t, netgen, "mfem")
	r := random(t)
	radius := between(r, 60, 150)
	thick := radius / between(r, 45, 80)
	m := mesh(t, host, map[string]any{"file_path": part(t, "disc.step", fmt.Sprintf("Cylinder((0,0,0),Z,r=%v,h=%v)", radius, thick))})
	rim := faceOfArea(t, m, 2*math.Pi*radius*thick).Face
	const young, poisson, pressure = 2.1e11, 0.3, 1e3
	config := fmt.Sprintf(`{"materials":[{"E":%v,"nu":%v}],"bcs":[{"attribute":%d,"type":"fixed"},{"where":{"plane":"z_max"},"type":"load","value":[0,0,%v]}]}`, young, poisson, rim, -pressure)
	_, moved, trust := solved(t, m, config)
	R, h := radius/1000, thick/1000
	rigidity := young * h * h * h / (12 * (1 - poisson*poisson))
	want := pressure*math.Pow(R, 4)/(64*rigidity) + pressure*R*R/(4*5./6*young/(2*(1+poisson))*h)
	t.Logf("%d tetrahedra, angles %.1f to %.0f, %.4g of %.4g m, %s", m.out.Tetrahedra, m.out.MinDihedral, m.out.MaxDihedral, moved, want, trust)
	near(t, "deflection", moved, want, 0.02)
	if m.Evidence.Trust() != evidence.Verified {
		t.Errorf("the mesh is %s: %v", m.Evidence.Trust(), m.Evidence.Reasons())
	}
}

// A sieve would need half a million tetrahedra with the usual elements around each hole;
// by default it has fewer, and the caller is told.
func TestDefaultMeshesStayModerate(t *testing.T) {
	host := newHost(t, netgen)
	r := random(t)
	side, hole, rows := 40.0, between(r, 0.8, 1.1), 5
	holes := fmt.Sprintf("Box((0,0,0),(%v,%v,4))-Compound([Cylinder((6+%v*i,6+%v*j,-1),Z,r=%v,h=6) for i in range(%d) for j in range(%d)])", side, side, 7, 7, hole, rows, rows)
	m := mesh(t, host, map[string]any{"file_path": part(t, "sieve.step", holes)})
	if m.out.Tetrahedra > 120000 || m.out.PerCircle >= 48 || !hasWarning(m.Warnings, "fewer_elements_on_curves") {
		t.Errorf("%d tetrahedra, %.3g around a circle, %v", m.out.Tetrahedra, m.out.PerCircle, m.Warnings)
	}
	near(t, "volume", m.out.Volume, 4*side*side-float64(rows*rows)*math.Pi*hole*hole*4, 1e-4)
}

// IGES files have faces without a body, which are sewn; one face less, and there is no
// inside to mesh.
func TestIGESFacesAreSewn(t *testing.T) {
	host := newHost(t, netgen)
	r := random(t)
	a, b, c := between(r, 5, 50), between(r, 5, 50), between(r, 5, 50)
	m := mesh(t, host, map[string]any{"file_path": writeFile(t, "box.igs", igesBox(a, b, c, 6, 0))})
	near(t, "volume", m.out.Volume, a*b*c, 1e-9)
	if m.out.FaceCount != 6 || m.out.BodyCount != 1 {
		t.Errorf("%d faces, %d bodies", m.out.FaceCount, m.out.BodyCount)
	}
	open := tryMesh(t, host, map[string]any{"file_path": writeFile(t, "open.igs", igesBox(a, b, c, 5, 0))})
	if len(open.Errors) != 1 || open.Errors[0].Code != contract.CodeNotWatertight {
		t.Errorf("with five of six faces: %+v", open.Errors)
	}
	// Faces written to five digits meet within 1e-5 mm; a gap of a thousandth of the part stays one.
	rounded := mesh(t, host, map[string]any{"file_path": writeFile(t, "rounded.igs", igesBox(a, b, c, 6, 4e-6))})
	near(t, "volume of rounded faces", rounded.out.Volume, a*b*c, 1e-5)
	gap := tryMesh(t, host, map[string]any{"file_path": writeFile(t, "gap.igs", igesBox(a, b, c, 6, 1e-3*(a+b+c)))})
	if len(gap.Errors) != 1 || gap.Errors[0].Code != contract.CodeNotWatertight {
		t.Errorf("with a gap: %+v", gap.Errors)
	}
}
