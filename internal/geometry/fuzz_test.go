package geometry

import (
	"errors"
	"testing"

	"atelier/internal/contract"
)

// Whatever the bytes, a reader returns a valid mesh or one of our errors, and
// never more triangles than the bytes can mean.
func fuzzReader(f *testing.F, format Format, seeds ...string) {
	m := cube(Vec3{}, Vec3{1, 2, 3})
	m.Meta.LengthUnit = "mm"
	good, err := Encode(m, format)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		Detect(data, "")
		m, err := Decode(data, format)
		if err != nil {
			var e *contract.Error
			if !errors.As(err, &e) || e.Code != contract.CodeFileEmpty && e.Code != contract.CodeFileUnreadable {
				t.Fatalf("%v", err)
			}
			return
		}
		if len(m.Triangles) > 3*len(data) || m.FaceID != nil && len(m.FaceID) != len(m.Triangles) {
			t.Fatalf("%d triangles, %d face ids from %d bytes", len(m.Triangles), len(m.FaceID), len(data))
		}
		for _, p := range m.Vertices {
			if !p.Finite() {
				t.Fatalf("%v", p)
			}
		}
		m.Check() // panics on an index out of range
	})
}

func FuzzOBJ(f *testing.F) {
	fuzzReader(f, OBJ, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 1\nf 1 2 3 4\n", "f -1 -2 -3", "v 1 2 \\\n3\n", "# atelier {\n", "g face_3\nf 1//1 2/ 3/4/5\nv 0 0 0\nv 1 0 0\nv 0 1 0")
}

func FuzzSTL(f *testing.F) {
	fuzzReader(f, STL, "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid", "solid \x00")
}

func FuzzPLY(f *testing.F) {
	fuzzReader(f, PLY, "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n0 0 0 1 0 0 0 1 0\n4 0 1 -1 2\n",
		"ply\nformat binary_big_endian 1.0\nelement vertex 1\nproperty double x\nproperty char y\nproperty short z\nend_header\n\x00")
}

func FuzzOFF(f *testing.F) {
	fuzzReader(f, OFF, "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "OFF BINARY\n\x00\x00\x00\x03", "CNOFF 0 0", "3 1 0\n")
}

func FuzzGLB(f *testing.F) { fuzzReader(f, GLB, "glTF\x02\x00\x00\x00") }
