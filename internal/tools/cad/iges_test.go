package cad

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// igesBox is an IGES 5.3 file, in millimetres, with the first n of the six faces of a box,
// each a parametric spline surface of first degree (type 128), and every other one moved
// by so many mm along x, y and z.
func igesBox(a, b, c float64, n int, moved float64) string {
	size := [3]float64{a, b, c}
	var directory, parameters []string
	for k, f := range boxFaces[:n] {
		var at [4][3]float64
		for i, bits := range f.corners {
			for axis := range 3 {
				at[i][axis] = float64(bits>>axis&1)*size[axis] + float64(k%2)*moved
			}
		}
		text := "128,1,1,1,1,0,0,1,0,0,0.,0.,1.,1.,0.,0.,1.,1.,1.,1.,1.,1."
		for _, i := range []int{0, 1, 3, 2} { // u runs along the first edge, v along the second
			text += fmt.Sprintf(",%.9f,%.9f,%.9f", at[i][0], at[i][1], at[i][2])
		}
		text += ",0.,1.,0.,1.;"
		entry, first := len(directory)+1, len(parameters)+1
		for len(text) > 0 {
			cut := min(len(text), 64)
			if cut == 64 { // a number must not be divided
				cut = strings.LastIndex(text[:64], ",") + 1
			}
			parameters = append(parameters, fmt.Sprintf("%-64s%8dP%7d\n", text[:cut], entry, len(parameters)+1))
			text = text[cut:]
		}
		directory = append(directory,
			fmt.Sprintf("%8d%8d%8d%8d%8d%8d%8d%8d%8sD%7d\n", 128, first, 0, 0, 0, 0, 0, 0, "00000000", entry),
			fmt.Sprintf("%8d%8d%8d%8d%8d%8s%8s%8s%8dD%7d\n", 128, 0, 0, len(parameters)-first+1, 0, "", "", "", 0, entry+1))
	}
	global := []string{
		"1H,,1H;,3Hbox,7Hbox.igs,4Htest,3H1.0,32,38,6,308,15,3Hbox,1.,2,2HMM,1,",
		"1.,15H20250101.000000,1E-6,1000.,4Htest,4Htest,11,0,15H20250101.000000;",
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%-72sS%7d\n", "a box", 1)
	for i, line := range global {
		fmt.Fprintf(&out, "%-72sG%7d\n", line, i+1)
	}
	out.WriteString(strings.Join(directory, "") + strings.Join(parameters, ""))
	fmt.Fprintf(&out, "S%7dG%7dD%7dP%7d%40sT%7d\n", 1, len(global), len(directory), len(parameters), "", 1)
	return out.String()
}

// An IGES file is told as one, whatever its first section and its name say. The faces of
// the box are loose and have to be sewn; its dimensions are drawn.
func TestIGESIsImported(t *testing.T) {
	rng := random(t)
	host := newHost(t, occt, netgen)
	a, b, c := between(rng, 1, 4), between(rng, 1, 4), between(rng, 1, 4)
	whole := igesBox(a, b, c, 6, 0)
	_, rest, _ := strings.Cut(whole, "\n")
	for name, text := range map[string]string{
		"box.igs": whole, "box.step": fmt.Sprintf("%-72sS%7d\n", "", 1) + rest, "box": fmt.Sprintf("%-72sS%07d\r\n", " ", 1) + rest,
	} {
		got := good(t, host, map[string]any{"file_path": writeFile(t, name, text)})
		near(t, "volume", *got.out.ExactVolume, a*b*c, 1e-6)
		if got.out.LengthUnit != "mm" || got.out.Faces != 6 || !got.out.Watertight || got.ev.Trust() != evidence.Verified {
			t.Errorf("%s: %+v is %s: %v", name, got.out, got.ev.Trust(), got.ev.Reasons())
		}
	}
	mirrored := writeFile(t, "mirrored.igs", igesBox(-a, b, c, 6, 0)) // its faces look inwards
	near(t, "volume of the mirrored box", *good(t, host, map[string]any{"file_path": mirrored}).out.ExactVolume, a*b*c, 1e-6)
	near(t, "volume of its mesh", mesh(t, host, map[string]any{"file_path": mirrored}).out.Volume, a*b*c, 1e-6)
	open := good(t, host, map[string]any{"file_path": writeFile(t, "open.igs", igesBox(a, b, c, 5, 0))})
	if open.ev.Trust() != evidence.Suspect {
		t.Errorf("a box with five faces is %s", open.ev.Trust())
	}
	if e := refused(t, host, contract.CodeInvalidRequest, map[string]any{"file_path": writeFile(t, "box.igs", whole), "engine": truck}); e.Field != "/engine" {
		t.Error(e)
	}
	refused(t, host, contract.CodeFileUnreadable, map[string]any{"file_path": writeFile(t, "text.igs", "a letter")})
}

// A face has the label of the entity that it was made of, which stands in the columns 57
// to 64 of the second line of its directory entry (IGES 5.3, 2.2.4.4).
func TestLabelsOfIGESAreNames(t *testing.T) {
	text := igesBox(1, 2, 3, 6, 0)
	for k, f := range boxFaces {
		second := regexp.MustCompile(fmt.Sprintf(`(?m) {8}(.{8}D%7d)$`, 2*k+2))
		text = second.ReplaceAllString(text, fmt.Sprintf("%8s$1", f.name))
	}
	got := good(t, newHost(t, occt), map[string]any{"file_path": writeFile(t, "box.igs", text)})
	if got.out.NamedFaceCount != 6 {
		t.Errorf("%d faces have names", got.out.NamedFaceCount)
	}
	faces, size := got.allFaces(t), [3]float64{1, 2, 3}
	for _, f := range boxFaces {
		face, ok := faces[f.name+"(0)"] // OpenCASCADE adds the entity's subscript
		for axis, n := range f.normal {
			if at := (1 + n) / 2 * size[axis]; !ok || math.Abs(face.Centroid[axis]-at) > 1e-9 {
				t.Errorf("%s: %v, its centre is at %v along axis %d", f.name, face, at, axis)
			}
		}
	}
}

// Each instance of a BREP file is a body.
func TestBREPIsImported(t *testing.T) {
	file := part(t, "two.brep", "Compound([Box((0,0,0),(1,2,3)), Cylinder((9,0,0), Z, 1, 2)])")
	got := good(t, newHost(t, occt), map[string]any{"file_path": file, "length_unit": "mm"})
	near(t, "volume", *got.out.ExactVolume, 6+2*math.Pi, 1e-9)
	if got.out.BodyCount != 2 || got.out.Faces != 9 {
		t.Errorf("%+v", got.out)
	}
}

// A bracket with holes and fillets as Gmsh writes it (test/bench/mesh: brep_bracket, in
// millimetres): OpenCASCADE finds no foot of points amid its fillets and gives their
// distance from an edge, 0.7 mm, where the mesh is within 1e-6 of the diagonal. Gmsh's
// own kernel measures 2e-7 of the same mesh.
func TestAMeshOfIGESIsNotFarFromItsFaces(t *testing.T) {
	got := mesh(t, newHost(t, netgen), map[string]any{"file_path": "testdata/bracket.igs"})
	near(t, "volume", got.out.Volume, 36*(70*9+61*9+(1-math.Pi/4)*6*6)-2*math.Pi*5*5*9, 1e-6)
	diagonal := math.Sqrt(70*70 + 36*36 + 70*70)
	if e := got.Evidence; e.Trust() != evidence.Verified || got.out.DistanceToCAD > 1e-6*diagonal || got.out.DistanceFromCAD > 1e-6*diagonal {
		t.Errorf("%s, %g and %g mm: %v", e.Trust(), got.out.DistanceToCAD, got.out.DistanceFromCAD, e.Reasons())
	}
}
