package geometry

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/testenv"
)

// twoBoxes are two boxes apart from each other and the volume of both, a·b·c twice; the
// triangles of the first come first.
func twoBoxes(t *testing.T) (*Mesh, float64) {
	r := testenv.Random(t)
	size := Vec3{1 + r.Float64(), 1 + r.Float64(), 1 + r.Float64()}
	m := cube(Vec3{}, size).append(cube(Vec3{5, 0, 0}, Vec3{5, 0, 0}.Add(size)))
	m.FaceID = nil
	return m, 2 * size[0] * size[1] * size[2]
}

// textSTL is a mesh as ASCII STL in one solid.
func textSTL(m *Mesh, name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "solid %s\n", name)
	for t := range m.Triangles {
		b.WriteString("facet normal 0 0 0\nouter loop\n")
		p, q, r := m.Corners(t)
		for _, v := range []Vec3{p, q, r} {
			fmt.Fprintf(&b, "vertex %v %v %v\n", v[0], v[1], v[2])
		}
		b.WriteString("endloop\nendfacet\n")
	}
	return b.String() + "endsolid " + name + "\n"
}

// textPLY is a mesh as ASCII PLY that announces so many faces.
func textPLY(m *Mesh, faces int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "ply\nformat ascii 1.0\nelement vertex %d\nproperty double x\nproperty double y\nproperty double z\nelement face %d\nproperty list uchar int vertex_indices\nend_header\n", len(m.Vertices), faces)
	for _, p := range m.Vertices {
		fmt.Fprintf(&b, "%v %v %v\n", p[0], p[1], p[2])
	}
	for _, v := range m.Triangles {
		fmt.Fprintf(&b, "3 %d %d %d\n", v[0], v[1], v[2])
	}
	return b.String()
}

// binaryOFF is a mesh as binary OFF that announces so many faces.
func binaryOFF(m *Mesh, faces int) []byte {
	b := []byte("OFF BINARY\n")
	put := func(v int) { b = binary.BigEndian.AppendUint32(b, uint32(v)) }
	for _, n := range []int{len(m.Vertices), faces, 0} {
		put(n)
	}
	for _, p := range m.Vertices {
		for k := range 3 {
			put(int(math.Float32bits(float32(p[k]))))
		}
	}
	for _, v := range m.Triangles {
		for _, n := range []int{3, int(v[0]), int(v[1]), int(v[2]), 0} {
			put(n)
		}
	}
	return b
}

func encoded(t *testing.T, m *Mesh, f Format) []byte {
	t.Helper()
	b, err := Encode(m, f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A count of 12 before 24 triangles leaves one of two boxes out: whatever the format, that
// is refused and says how much more there is, and the whole file has both boxes.
func TestWhatFollowsTheCounts(t *testing.T) {
	m, volume := twoBoxes(t)
	stl := encoded(t, m, STL)
	few := bytes.Clone(stl)
	binary.LittleEndian.PutUint32(few[80:], 12)
	off, ply, glb := encoded(t, m, OFF), encoded(t, m, PLY), encoded(t, m, GLB)
	for _, c := range []struct {
		name        string
		f           Format
		whole, less []byte
		says        string
	}{
		{"stl", STL, stl, few, "12 triangles at byte 80, and 600 bytes go on after them, room for up to 12 more"}, // 12·50
		{"off", OFF, off, bytes.Replace(off, []byte("16 24 0"), []byte("16 12 0"), 1), "line 31: the header announces 16 vertices and 12 faces, and the file goes on after them with text in 12 more lines"},
		{"binary off", OFF, binaryOFF(m, 24), binaryOFF(m, 12), "room for up to 12 more"},
		{"ply", PLY, []byte(textPLY(m, 24)), []byte(textPLY(m, 12)), "text in 12 more lines"},
		{"binary ply", PLY, ply, bytes.Replace(ply, []byte("face 24"), []byte("face 12"), 1), "156 bytes go on"}, // 12·13
		{"glb, twice", GLB, glb, append(bytes.Clone(glb), glb...), fmt.Sprintf("and %d bytes go on", len(glb))},
	} {
		t.Run(c.name, func(t *testing.T) {
			back, err := Decode(c.whole, c.f)
			if err != nil || math.Abs(back.Volume()/volume-1) > 1e-6 { // single precision
				t.Fatalf("the whole: %v", err)
			}
			_, err = Decode(c.less, c.f)
			if e := contract.AsError(err); err == nil || e.Code != contract.CodeFileUnreadable || !strings.Contains(e.Message, c.says) || !strings.Contains(e.Hint, "not dropped unasked") {
				t.Errorf("%v, want %q", err, c.says)
			}
		})
	}
}

// A file that ends anywhere before its end is refused; cut at line ends where it is text,
// since a number without its last digits is one too.
func TestCutFiles(t *testing.T) {
	m, _ := twoBoxes(t)
	for name, whole := range map[string][]byte{".stl": encoded(t, m, STL), ".ply": encoded(t, m, PLY), ".glb": encoded(t, m, GLB), ".off": binaryOFF(m, 24)} {
		for n := 1; n < len(whole); n += 7 {
			if _, err := Decode(whole[:n], Detect(whole[:n], name)); err == nil {
				t.Errorf("binary %s: %d of %d bytes were read", name, n, len(whole))
			}
		}
	}
	for name, whole := range map[string]string{".stl": textSTL(m, "a"), ".ply": textPLY(m, 24), ".off": string(encoded(t, m, OFF))} {
		lines := strings.SplitAfter(strings.TrimSpace(whole), "\n")
		for n := 1; n < len(lines); n++ {
			cut := []byte(strings.Join(lines[:n], ""))
			if _, err := Decode(cut, Detect(cut, name)); err == nil {
				t.Errorf("text %s: %d of %d lines were read, the last %q", name, n, len(lines), lines[n-1])
			}
		}
	}
	joined := strings.TrimSuffix(textSTL(m, "a"), "endsolid a\n") + textSTL(m, "b")
	if _, err := Decode([]byte(joined), STL); err == nil || !strings.Contains(err.Error(), "before the solid of line 1 has its endsolid") {
		t.Errorf("two cut solids: %v", err)
	}
	oneLine := strings.NewReplacer("\nouter", " outer", "\nvertex", " vertex", "\nendloop", " endloop", "\nendfacet", " endfacet").Replace(textSTL(m, "a"))
	if _, err := Decode([]byte(oneLine), STL); err == nil {
		t.Error("facets on one line each were passed over")
	}
}

// What may stand at the end of a file stays allowed: nothing of it is surface. Bytes that
// no format knows are told.
func TestRightEnds(t *testing.T) {
	m, volume := twoBoxes(t)
	one, two := m.part(func(i int) bool { return i < 12 }), m.part(func(i int) bool { return i >= 12 })
	ascii := textPLY(m, 24)
	with := strings.Replace(ascii, "end_header", "element edge 1\nproperty int vertex1\nproperty int vertex2\nend_header", 1) + "0 1\n"
	stl, off := encoded(t, m, STL), encoded(t, m, OFF)
	add := func(b []byte, more string) []byte { return append(bytes.Clone(b), more...) }
	for _, c := range []struct {
		name    string
		f       Format
		data    []byte
		remarks int
	}{
		{"two solids", STL, []byte(textSTL(one, "a") + "\n\n" + textSTL(two, "") + "\n"), 0},
		{"off: comments and blank lines", OFF, add(off, "\n# made by hand\n \t\n#"), 0},
		{"ply: another element after the faces", PLY, []byte(with), 0},
		{"ply: blank lines", PLY, []byte(ascii + "\n \r\n"), 0},
		{"binary stl: a line end", STL, add(stl, "\r\n"), 0},
		{"binary stl: zeros", STL, add(stl, strings.Repeat("\x00", 512)), 1},
		{"binary stl: less than a triangle", STL, add(stl, "made by a program that signs"), 1},
		{"binary off: zeros", OFF, add(binaryOFF(m, 24), "\x00\x00"), 1},
		{"text: zeros", OFF, add(off, "\x00\x00\x00"), 1},
	} {
		back, err := Decode(c.data, Detect(c.data, "."+string(c.f)))
		if err != nil || math.Abs(back.Volume()/volume-1) > 1e-6 || len(back.Remarks) != c.remarks {
			t.Errorf("%s: %v, %+v", c.name, err, back)
		}
	}
}

// Records of an OBJ file that are surface and are not read would be missing from it.
func TestLostOBJRecords(t *testing.T) {
	whole := string(encoded(t, tetrahedron(), OBJ))
	for _, more := range []string{"F 1 2 3\n", "V 1 2 3\n", "surf 0 1 0 1 1 2 3 4\n", "call other.obj\n"} {
		if _, err := Decode([]byte(whole+more), OBJ); err == nil || contract.AsError(err).Hint == "" {
			t.Errorf("%q was passed over: %v", more, err)
		}
	}
}

// A file of another format is called what it is, whatever its name says.
func TestForeignFiles(t *testing.T) {
	m, _ := twoBoxes(t)
	step := "ISO-10303-21;\nHEADER;\nFILE_SCHEMA(('AUTOMOTIVE_DESIGN'));\nENDSEC;\n"
	iges := fmt.Sprintf("%-72sS%7d\n%-72sG%7d\n", "made by hand", 1, "1H,,1H;", 1)
	for _, c := range []struct{ name, data, says, hint string }{
		{"OBJ", string(encoded(t, m, OBJ)), "an OBJ file (text with v and f lines)", "Name it .obj"},
		{"OBJ with a comment", "# made by hand\n" + string(encoded(t, m, OBJ)), "an OBJ file", "Name it .obj"},
		{"ASCII STL", textSTL(m, "a"), "an ASCII STL file", "Name it .stl"},
		{"STEP", step, "a STEP file (ISO-10303-21)", "cad_import_truck"},
		{"STEP with a comment", "/* x */\r\n" + step, "a STEP file (ISO-10303-21)", "cad_import_truck"},
		{"IGES", iges, "an IGES file", "volume_mesh_cad"},
		{"ZIP", "PK\x03\x04" + strings.Repeat("\x00", 100), "a ZIP archive", "Unpack"},
		{"a page", "<!DOCTYPE html><html>", "a web page", "downloaded"},
	} {
		for _, f := range []Format{OBJ, STL, PLY, OFF, GLB} {
			if strings.Contains(c.name, strings.ToUpper(string(f))) {
				continue
			}
			_, err := Decode([]byte(c.data), Detect([]byte(c.data), "."+string(f)))
			e := contract.AsError(err)
			if err == nil || e.Code != contract.CodeFileUnreadable || !strings.Contains(e.Message, c.says) || !strings.Contains(e.Hint, c.hint) {
				t.Errorf("%s named .%s: %v", c.name, f, err)
			}
		}
	}
}
