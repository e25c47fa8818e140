package stuffing

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Formats lists the file formats that Write makes.
var Formats = []string{"mesh", "tet", "msh", "vtu"}

// Write writes the mesh as MFEM v1.3 text ("mesh"), Quartet's text ("tet"), Gmsh
// 4.1 text ("msh") or VTK XML ("vtu").
func (m *Mesh) Write(path, format string) error {
	write, known := map[string]func(*textWriter){
		"mesh": m.writeMFEM, "tet": m.writeTet, "msh": m.writeGmsh, "vtu": m.writeVTU,
	}[format]
	if !known {
		return fmt.Errorf("volume meshes are not written as %q", format)
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	w := &textWriter{Writer: bufio.NewWriterSize(file, 1<<20)}
	write(w)
	if err := w.Flush(); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

// textWriter formats numbers without the cost of fmt. Its bufio.Writer keeps the
// first error for Flush.
type textWriter struct {
	*bufio.Writer
	buf []byte
}

func (w *textWriter) line(s string) { w.text(s); w.WriteByte('\n') }

func (w *textWriter) text(s string) { _, _ = io.WriteString(w, s) }

// ints writes whole numbers separated by blanks and ends the line.
func (w *textWriter) ints(values ...int32) {
	w.buf = w.buf[:0]
	for i, v := range values {
		if i > 0 {
			w.buf = append(w.buf, ' ')
		}
		w.buf = strconv.AppendInt(w.buf, int64(v), 10)
	}
	w.buf = append(w.buf, '\n')
	_, _ = w.Write(w.buf)
}

// point writes coordinates with all their digits and ends the line.
func (w *textWriter) point(p vec) {
	w.buf = w.buf[:0]
	for k, x := range p {
		if k > 0 {
			w.buf = append(w.buf, ' ')
		}
		w.buf = strconv.AppendFloat(w.buf, x, 'g', -1, 64)
	}
	w.buf = append(w.buf, '\n')
	_, _ = w.Write(w.buf)
}

func (w *textWriter) count(n int) { w.ints(int32(n)) }

// sets gives the attributes of each named face, names in order. Two faces of
// one name share a set.
func (m *Mesh) sets() (names []string, attributes map[string][]int32) {
	present := map[int32]bool{}
	for _, a := range m.Attribute {
		present[a] = true
	}
	attributes = map[string][]int32{}
	for _, f := range m.Meta.Faces {
		name := strings.Map(printable, f.Name)
		if name == "" || !present[f.ID] {
			continue
		}
		if attributes[name] == nil {
			names = append(names, name)
		}
		if !slices.Contains(attributes[name], f.ID) {
			attributes[name] = append(attributes[name], f.ID)
		}
	}
	slices.Sort(names)
	return names, attributes
}

// printable keeps a name within one quoted string.
func printable(r rune) rune {
	if r < ' ' || r == 0x7f || r == '"' {
		return '_'
	}
	return r
}

// metaLine is the mesh metadata as one line of JSON.
func (m *Mesh) metaLine() string {
	b, err := json.Marshal(m.Meta)
	if err != nil { // only NaN areas could do this
		return "{}"
	}
	return string(b)
}

func (m *Mesh) writeMFEM(w *textWriter) {
	w.line("MFEM mesh v1.3")
	w.line("# atelier " + m.metaLine())
	w.line("\ndimension\n3\n\nelements")
	w.count(len(m.Tetrahedra))
	for i, t := range m.Tetrahedra {
		w.ints(m.Body[i], 4, t[0], t[1], t[2], t[3])
	}
	w.line("\nattribute_sets\n0\n\nboundary")
	w.count(len(m.Triangles))
	for i, t := range m.Triangles {
		w.ints(m.Attribute[i], 2, t[0], t[1], t[2])
	}
	names, sets := m.sets()
	w.line("\nbdr_attribute_sets")
	w.count(len(names))
	for _, name := range names {
		w.text(`"` + name + `" ` + strconv.Itoa(len(sets[name])) + " ")
		w.ints(sets[name]...)
	}
	w.line("\nvertices")
	w.count(len(m.Vertices))
	w.line("3")
	for _, p := range m.Vertices {
		w.point(p)
	}
	w.line("\nmfem_mesh_end")
}

// writeTet is Quartet's format: a count line, the points, the tetrahedra. It
// has no place for attributes or metadata.
func (m *Mesh) writeTet(w *textWriter) {
	w.line("tet " + strconv.Itoa(len(m.Vertices)) + " " + strconv.Itoa(len(m.Tetrahedra)))
	for _, p := range m.Vertices {
		w.point(p)
	}
	for _, t := range m.Tetrahedra {
		w.ints(t[0], t[1], t[2], t[3])
	}
}
