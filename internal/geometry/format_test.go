package geometry

import (
	"encoding/binary"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/contract"
)

// Everything that a format can hold must come back.
func TestRoundTrips(t *testing.T) {
	m := cube(Vec3{-1, 0, 2}, Vec3{1, 3, 5.5})
	m.Meta = Meta{LengthUnit: "mm", Faces: []Face{{ID: 1, Name: "Bottom \"A\"", Area: 6, Kind: "plane", Body: 1}, {ID: 6, Name: "Ü"}}}
	for _, f := range []Format{OBJ, STL, PLY, OFF, GLB} {
		t.Run(string(f), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "part."+string(f))
			if err := Write(path, m); err != nil {
				t.Fatal(err)
			}
			back, found, err := ReadFormat(path)
			if err != nil {
				t.Fatal(err)
			}
			if found != f {
				t.Errorf("detected %s", found)
			}
			if top := back.Check(); !top.Sound() || top.Triangles != 12 || top.Vertices != 8 {
				t.Errorf("%+v", top)
			}
			if v := back.Volume(); math.Abs(v-21) > 1e-12 { // 2 × 3 × 3.5
				t.Errorf("volume %g, want 21", v)
			}
			if back.Meta.LengthUnit != "mm" {
				t.Errorf("unit %q", back.Meta.LengthUnit)
			}
			if f == OFF {
				return // has no place for face ids
			}
			area := map[int32]float64{}
			for i := range back.Triangles {
				area[back.Face(i)] += back.TriangleArea(i)
			}
			if math.Abs(area[1]-6) > 1e-12 || math.Abs(area[6]-10.5) > 1e-12 || len(area) != 6 {
				t.Errorf("areas by face %v", area)
			}
			if f != STL && (len(back.Meta.Faces) != 2 || back.Meta.Faces[0] != m.Meta.Faces[0]) {
				t.Errorf("faces %+v", back.Meta.Faces)
			}
		})
	}
}

// A unit that no mesh may carry says nothing of the size of a part: the file is one
// without a unit, in every format that can name one, and its faces keep their names.
func TestAnUnknownUnitIsNone(t *testing.T) {
	for _, unit := range []string{"parsec", "MM", "mil", " mm"} {
		m := cube(Vec3{0, 0, 0}, Vec3{1, 1, 1})
		m.Meta = Meta{LengthUnit: unit, Faces: []Face{{ID: 1, Name: "Bottom", Kind: "plane", Body: 1}}}
		for _, f := range []Format{OBJ, STL, PLY, OFF, GLB} {
			path := filepath.Join(t.TempDir(), "part."+string(f))
			if err := Write(path, m); err != nil {
				t.Fatal(err)
			}
			back, err := Read(path)
			if err != nil || back.Meta.LengthUnit != "" {
				t.Fatalf("%s with %q: %v, unit %q", f, unit, err, back.Meta.LengthUnit)
			}
			if f != STL && (len(back.Meta.Faces) != 1 || back.Meta.Faces[0].Name != "Bottom") {
				t.Errorf("%s with %q: faces %+v", f, unit, back.Meta.Faces)
			}
		}
	}
}

func TestFullPrecision(t *testing.T) {
	m := tetrahedron()
	m.Vertices[1] = Vec3{1.0 / 3, math.Pi, 1e-17}
	for _, f := range []Format{OBJ, PLY, OFF} {
		data, err := Encode(m, f)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Decode(data, f)
		if err != nil {
			t.Fatal(err)
		}
		if back.Vertices[1] != m.Vertices[1] {
			t.Errorf("%s: %v, want %v", f, back.Vertices[1], m.Vertices[1])
		}
	}
}

// What real exporters write.
func TestTextVariants(t *testing.T) {
	const tetra = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
	cases := []struct {
		name, text string
		format     Format
		triangles  int
		volume     float64
	}{
		{"obj: slashes", tetra + "f 1/1/1 3//2 2/5\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", OBJ, 4, 1.0 / 6},
		{"obj: negative indices", tetra + "f -4 -2 -3\nf -4 -3 -1\nf -4 -1 -2\nf -3 -2 -1\n", OBJ, 4, 1.0 / 6},
		{"obj: faces before vertices", "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n" + tetra, OBJ, 4, 1.0 / 6},
		{"obj: CRLF, continuation, comments, colours", strings.ReplaceAll("# x\nv 0 0 0 1 0 0\nv 1 0 0\nv 0 \\\n1 0\nv 0 0 1 # end\nvn 0 0 1\nusemtl a\ns off\nl 1 2\nf 1 3 \\  \n 2\nf 1 2 4\nf 1 4 3\nf 2 3 4", "\n", "\r\n"), OBJ, 4, 1.0 / 6},
		{"off: keyword, comments, edge count left out", "# c\nOFF # d\n\n4 4\n0 0 0\n1 0 0 # p\n0 1 0\n\n0 0 1\n3 0 2 1\n3 0 1 3 255 0 0\n3 0 3 2\n3 1 2 3\n", OFF, 4, 1.0 / 6},
		{"off: counts on the keyword's line", "OFF 4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n", OFF, 4, 1.0 / 6},
		{"off: colours", "COFF\n4 4 6\n0 0 0 1 0 0 1\n1 0 0 1 0 0 1\n0 1 0 1 0 0 1\n0 0 1 1 0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n", OFF, 4, 1.0 / 6},
		{"ply: ascii, other properties and elements", "ply\nformat ascii 1.0\nelement camera 1\nproperty float f\nelement vertex 4\nproperty uchar red\nproperty double x\nproperty float y\nproperty float z\nelement face 4\nproperty list uchar uint vertex_index\nproperty list uchar float uv\nend_header\n3.5\n9 0 0 0\n9 1 0 0\n9 0 1 0\n9 0 0 1\n3 0 2 1 2 0.5 0.5\n3 0 1 3 0\n3 0 3 2 0\n3 1 2 3 0\n", PLY, 4, 1.0 / 6},
		{"stl: ascii, names, exponents", "solid a b c\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 1e0 0\nvertex +1.0E+00 0 0\nendloop\nendfacet\nFACET NORMAL 0 0 0\n OUTER LOOP\nVERTEX 0 0 0\nVERTEX 1 0 0\nVERTEX 0 0 1\nENDLOOP\nENDFACET\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 1\nvertex 0 1 0\nendloop\nendfacet\nfacet normal 0 0 0\nouter loop\nvertex 1 0 0\nvertex 0 1 0\nvertex -0 0 1\nendloop\nendfacet\nendsolid\n", STL, 4, 1.0 / 6},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if f := Detect([]byte(c.text), "."+string(c.format)); f != c.format {
				t.Errorf("detected %q", f)
			}
			m, err := Decode([]byte(c.text), c.format)
			if err != nil {
				t.Fatal(err)
			}
			if len(m.Triangles) != c.triangles || math.Abs(m.Volume()-c.volume) > 1e-15 || !m.Check().Sound() {
				t.Errorf("%d triangles, volume %g, %+v", len(m.Triangles), m.Volume(), m.Check())
			}
		})
	}
}

// A concave polygon must be cut inside its outline: an L of three unit squares
// has the area 3, wherever its list of corners begins.
func TestConcavePolygons(t *testing.T) {
	corners := []Vec3{{0, 0, 5}, {2, 0, 5}, {2, 1, 5}, {1, 1, 5}, {1, 2, 5}, {0, 2, 5}}
	comb := []Vec3{{0, 0, 0}, {7, 0, 0}, {7, 3, 0}, {6, 3, 0}, {6, 1, 0}, {5, 1, 0}, {5, 3, 0}, {4, 3, 0}, {4, 1, 0}, {3, 1, 0}, {3, 3, 0}, {0, 3, 0}}
	dart := []Vec3{{0, 0, 0}, {2, 2, 0}, {0, 4, 0}, {1, 2, 0}}
	for _, c := range []struct {
		pts  []Vec3
		area float64
	}{{corners, 3}, {comb, 21 - 4}, {dart, 2}} {
		for shift := range c.pts {
			for _, reverse := range []bool{false, true} {
				var poly []int32
				for i := range c.pts {
					poly = append(poly, int32((i+shift)%len(c.pts)))
				}
				want := 1.0
				if reverse {
					poly, want = reversed(poly), -1
				}
				var tr triangulator
				m := &Mesh{Vertices: c.pts}
				m.Triangles = tr.polygon(nil, m.Vertices, poly)
				var signed float64
				for i := range m.Triangles {
					signed += m.TriangleNormal(i)[2] / 2
				}
				if math.Abs(m.Area()-c.area) > 1e-12 || math.Abs(signed-want*c.area) > 1e-12 || len(m.Triangles) != len(poly)-2 {
					t.Errorf("area %g signed %g, want %g (%v)", m.Area(), signed, want*c.area, m.Triangles)
				}
			}
		}
	}
}

// A binary STL whose header begins with "solid" and one with bytes at its end.
func TestBinarySTLTraps(t *testing.T) {
	data, err := encodeSTL(tetrahedron())
	if err != nil {
		t.Fatal(err)
	}
	copy(data, "solid exported by a program that lies")
	for i, d := range [][]byte{data, append(append([]byte{}, data...), 0, 0)} {
		m, err := Decode(d, STL)
		if err != nil || len(m.Triangles) != 4 {
			if i == 1 && err != nil {
				continue // trailing bytes and a lying header together cannot be told from text
			}
			t.Errorf("case %d: %v", i, err)
		}
	}
	// Colours in the attribute of another program's file are no face ids.
	data[84+48] = 7
	if m, err := Decode(data, STL); err != nil || m.FaceID != nil {
		t.Errorf("%v %v", m.FaceID, err)
	}
}

func TestBinaryOFF(t *testing.T) {
	b := []byte("OFF BINARY\n")
	put := func(v uint32) { b = binary.BigEndian.AppendUint32(b, v) }
	put(4)
	put(4)
	put(6)
	for _, p := range tetrahedron().Vertices {
		for k := range 3 {
			put(math.Float32bits(float32(p[k])))
		}
	}
	for _, tri := range tetrahedron().Triangles {
		put(3)
		for _, v := range tri {
			put(uint32(v))
		}
		put(0)
	}
	m, err := Decode(b, Detect(b, ".off"))
	if err != nil || math.Abs(m.Volume()-1.0/6) > 1e-15 {
		t.Fatalf("%v", err)
	}
}

// Every fault is refused with where it is.
func TestFaults(t *testing.T) {
	bomb := make([]byte, 100)
	binary.LittleEndian.PutUint32(bomb[80:], 4_000_000_000)
	cases := []struct {
		name   string
		data   string
		format Format
		code   string
		says   string
	}{
		{"empty", "", OBJ, contract.CodeFileEmpty, "no content"},
		{"blank", " \n\n", STL, contract.CodeFileEmpty, "no content"},
		{"obj: NaN", "v 0 0 0\nv 1 nan 0\n", OBJ, contract.CodeFileUnreadable, "line 2"},
		{"obj: infinite", "v 0 0 1e999\n", OBJ, contract.CodeFileUnreadable, "line 1"},
		{"obj: word for a number", "v 0 0 0\nv 1 x 0\n", OBJ, contract.CodeFileUnreadable, `found "x"`},
		{"obj: index out of range", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", OBJ, contract.CodeFileUnreadable, "index 9"},
		{"obj: negative index out of range", "v 0 0 0\nf -1 -2 -3\n", OBJ, contract.CodeFileUnreadable, "line 2"},
		{"obj: index 0", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n", OBJ, contract.CodeFileUnreadable, "line 4"},
		{"obj: two corners", "v 0 0 0\nv 1 0 0\nf 1 2\n", OBJ, contract.CodeFileUnreadable, "at least 3"},
		{"obj: points only", "v 0 0 0\nv 1 0 0\n", OBJ, contract.CodeFileUnreadable, "no triangle"},
		{"obj: noise", "\x00\x01\x02\xff\xfe", OBJ, contract.CodeFileUnreadable, "line 1"},
		{"stl: bomb", string(bomb), STL, contract.CodeFileUnreadable, "4000000000"},
		{"stl: short", "abc", STL, contract.CodeFileUnreadable, "3 bytes"},
		{"stl: cut off", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n", STL, contract.CodeFileUnreadable, "inside a facet"},
		{"off: bomb", "OFF\n4000000000 4000000000 0\n", OFF, contract.CodeFileUnreadable, "more than"},
		{"off: short", "OFF\n3 1 0\n0 0 0\n1 0 0\n", OFF, contract.CodeFileUnreadable, "ends after 2 of 3"},
		{"off: bad index", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", OFF, contract.CodeFileUnreadable, "line 6"},
		{"off: four dimensions", "4OFF\n1 0 0\n0 0 0 1\n", OFF, contract.CodeFileUnreadable, "dimension"},
		{"ply: bomb", "ply\nformat binary_little_endian 1.0\nelement vertex 2000000000\nproperty float x\nproperty float y\nproperty float z\nend_header\n", PLY, contract.CodeFileUnreadable, "more than"},
		{"ply: no type", "ply\nformat ascii 1.0\nelement vertex 1\nproperty quux x\nend_header\n", PLY, contract.CodeFileUnreadable, "line 4"},
		{"ply: rows without properties", "ply\nformat ascii 1.0\nelement vertex 2000000000\nend_header\n", PLY, contract.CodeFileUnreadable, "more than"},
		{"glb: cut off", "glTF\x02\x00\x00\x00", GLB, contract.CodeFileUnreadable, "GLB"},
		{"unknown", "hello", "", contract.CodeFileUnreadable, "no surface format"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := Decode([]byte(c.data), c.format)
			var e *contract.Error
			if !errors.As(err, &e) || e.Code != c.code || !strings.Contains(e.Message, c.says) {
				t.Errorf("%v, want %s with %q", err, c.code, c.says)
			}
		})
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none.obj")); err == nil || contract.AsError(err).Code != contract.CodeFileNotFound {
		t.Errorf("%v", err)
	}
}

func TestParseFloatIsCorrectlyRounded(t *testing.T) {
	for _, s := range []string{"0.1", "-0.30000000000000004", "123456789.123456789", "1e-5", "9007199254740993", "0.00000000000000000000001", "1.7976931348623157e308", "-0", "+5.", ".5"} {
		got, ok := parseFloat([]byte(s))
		want, wok := parseFloatSlow([]byte(s))
		if ok != wok || math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%s: %v %v, want %v %v", s, got, ok, want, wok)
		}
	}
	for _, s := range []string{"", ".", "-", "1e", "0x10", "1_0", "1.2.3"} {
		if v, ok := parseFloat([]byte(s)); ok {
			t.Errorf("%q was read as %g", s, v)
		}
	}
}
