package geometry

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/qmuntal/gltf"
	"github.com/qmuntal/gltf/modeler"

	"atelier/internal/contract"
)

// maxInstanced bounds what a small file can unfold to by placing one mesh often.
const maxInstanced = 50_000_000

type glbReader struct {
	doc       *gltf.Document
	bytes     int
	mesh      *Mesh
	placed    map[int]bool  // nodes seen: the node graph must be a tree
	positions map[int]int32 // accessor -> first vertex, within one node
	anyFace   bool
}

// decodeGLB reads the triangles of a binary glTF 2.0 file's scene with all node
// transforms applied. Buffers outside the file are not fetched.
func decodeGLB(data []byte) (*Mesh, error) {
	if len(data) < 12 || string(data[:4]) != "glTF" {
		return nil, unreadable("byte 0: a GLB file begins with glTF")
	}
	r := &glbReader{bytes: len(data), mesh: &Mesh{}, placed: map[int]bool{}}
	length := int64(binary.LittleEndian.Uint32(data[8:]))
	if length > int64(len(data)) {
		return nil, cutShort("byte 8: the header announces a file of %d bytes, it has %d", length, len(data))
	}
	// The header of a chunk takes 8 bytes.
	if err := r.mesh.leftover(data, int(length), 8, fmt.Sprintf("a file of %d bytes", length)); err != nil {
		return nil, err
	}
	doc := new(gltf.Document)
	if err := gltf.NewDecoder(bytes.NewReader(data)).Decode(doc); err != nil {
		return nil, unreadable("the GLB container is malformed: %w", err)
	}
	for _, ext := range doc.ExtensionsRequired {
		if strings.Contains(ext, "compression") || strings.Contains(ext, "quantization") {
			return nil, unreadable("the file needs the extension %s, which is not read here", ext).
				WithHint("Export it without mesh compression.")
		}
	}
	r.doc = doc
	ours := r.meta()
	for _, root := range r.roots() {
		if err := r.node(root, identity); err != nil {
			return nil, err
		}
	}
	if !r.anyFace {
		r.mesh.FaceID = nil
	}
	if !ours { // other writers split vertices where normals or colours change
		r.mesh.weldExact()
	}
	return r.mesh, nil
}

func (r *glbReader) meta() bool {
	extras, ok := r.doc.Asset.Extras.(map[string]any)
	if !ok || extras["atelier"] == nil {
		return false
	}
	raw, err := json.Marshal(extras["atelier"])
	return err == nil && r.mesh.Meta.read(raw) == nil
}

// roots are the nodes of the default scene, or all nodes that no node has as child.
func (r *glbReader) roots() []int {
	scene := 0
	if r.doc.Scene != nil {
		scene = *r.doc.Scene
	}
	if scene >= 0 && scene < len(r.doc.Scenes) && r.doc.Scenes[scene] != nil {
		return r.doc.Scenes[scene].Nodes
	}
	child := map[int]bool{}
	for _, n := range r.doc.Nodes {
		if n != nil {
			for _, c := range n.Children {
				child[c] = true
			}
		}
	}
	var roots []int
	for i := range r.doc.Nodes {
		if !child[i] {
			roots = append(roots, i)
		}
	}
	return roots
}

// affine is a 3x4 matrix by rows.
type affine [3][4]float64

var identity = affine{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}

func (a affine) times(b affine) affine {
	var c affine
	for i := range 3 {
		for j := range 4 {
			c[i][j] = a[i][0]*b[0][j] + a[i][1]*b[1][j] + a[i][2]*b[2][j]
		}
		c[i][3] += a[i][3]
	}
	return c
}

func (a affine) apply(p Vec3) Vec3 {
	var q Vec3
	for i := range 3 {
		q[i] = a[i][0]*p[0] + a[i][1]*p[1] + a[i][2]*p[2] + a[i][3]
	}
	return q
}

// mirrors says whether the map turns right hands into left ones.
func (a affine) mirrors() bool {
	r0, r1, r2 := Vec3(a[0][:3]), Vec3(a[1][:3]), Vec3(a[2][:3])
	return r0.Dot(r1.Cross(r2)) < 0
}

func local(n *gltf.Node) affine {
	if m := n.MatrixOrDefault(); m != gltf.DefaultMatrix {
		var a affine
		for i := range 3 {
			for j := range 4 {
				a[i][j] = m[4*j+i]
			}
		}
		return a
	}
	t, q, s := n.TranslationOrDefault(), n.RotationOrDefault(), n.ScaleOrDefault()
	x, y, z, w := q[0], q[1], q[2], q[3]
	rot := [3][3]float64{
		{1 - 2*(y*y+z*z), 2 * (x*y - z*w), 2 * (x*z + y*w)},
		{2 * (x*y + z*w), 1 - 2*(x*x+z*z), 2 * (y*z - x*w)},
		{2 * (x*z - y*w), 2 * (y*z + x*w), 1 - 2*(x*x+y*y)},
	}
	var a affine
	for i := range 3 {
		for j := range 3 {
			a[i][j] = rot[i][j] * s[j]
		}
		a[i][3] = t[i]
	}
	return a
}

func (r *glbReader) node(i int, parent affine) error {
	if i < 0 || i >= len(r.doc.Nodes) || r.doc.Nodes[i] == nil {
		return unreadable("node %d does not exist; the file has %d nodes", i, len(r.doc.Nodes))
	}
	if r.placed[i] {
		return unreadable("node %d is placed twice; glTF nodes form a tree", i)
	}
	r.placed[i] = true
	n := r.doc.Nodes[i]
	at := parent.times(local(n))
	if n.Mesh != nil {
		if *n.Mesh < 0 || *n.Mesh >= len(r.doc.Meshes) || r.doc.Meshes[*n.Mesh] == nil {
			return unreadable("node %d names mesh %d; the file has %d meshes", i, *n.Mesh, len(r.doc.Meshes))
		}
		r.positions = map[int]int32{}
		for k, p := range r.doc.Meshes[*n.Mesh].Primitives {
			if p == nil {
				continue
			}
			if err := r.primitive(p, at); err != nil {
				return unreadable("mesh %d, primitive %d: %w", *n.Mesh, k, err)
			}
		}
	}
	for _, c := range n.Children {
		if err := r.node(c, at); err != nil {
			return err
		}
	}
	return nil
}

func (r *glbReader) accessor(i int) (*gltf.Accessor, error) {
	if i < 0 || i >= len(r.doc.Accessors) || r.doc.Accessors[i] == nil {
		return nil, unreadable("accessor %d does not exist; the file has %d", i, len(r.doc.Accessors))
	}
	a := r.doc.Accessors[i]
	if a.Count < 0 || a.Count > r.bytes {
		return nil, unreadable("accessor %d announces %d elements, more than the file of %d bytes can hold", i, a.Count, r.bytes)
	}
	return a, nil
}

// points appends the vertices of a POSITION accessor once per node.
func (r *glbReader) points(i int, at affine) (first int32, count int, err error) {
	acc, err := r.accessor(i)
	if err != nil {
		return 0, 0, err
	}
	if first, ok := r.positions[i]; ok {
		return first, acc.Count, nil
	}
	pos, err := modeler.ReadPosition(r.doc, acc, nil)
	if err != nil {
		return 0, 0, err
	}
	if len(r.mesh.Vertices)+len(pos) > maxInstanced {
		return 0, 0, unreadable("the scene unfolds to more than %d vertices", maxInstanced)
	}
	first = int32(len(r.mesh.Vertices))
	for k, p := range pos {
		q := Vec3{float64(p[0]), float64(p[1]), float64(p[2])}
		if at != identity {
			q = at.apply(q)
		}
		if !q.Finite() {
			return 0, 0, unreadable("accessor %d: position %d is not finite", i, k)
		}
		r.mesh.Vertices = append(r.mesh.Vertices, q)
	}
	r.positions[i] = first
	return first, len(pos), nil
}

func (r *glbReader) primitive(p *gltf.Primitive, at affine) error {
	posAccessor, ok := p.Attributes[gltf.POSITION]
	if !ok || p.Mode < gltf.PrimitiveTriangles && p.Mode != 0 {
		return nil // nothing to draw
	}
	if p.Mode != gltf.PrimitiveTriangles && p.Mode != gltf.PrimitiveTriangleStrip && p.Mode != gltf.PrimitiveTriangleFan {
		return nil // points and lines are no surface
	}
	first, count, err := r.points(posAccessor, at)
	if err != nil {
		return err
	}
	var index []uint32
	if p.Indices != nil {
		acc, err := r.accessor(*p.Indices)
		if err != nil {
			return err
		}
		if index, err = modeler.ReadIndices(r.doc, acc, nil); err != nil {
			return err
		}
	} else {
		for i := range count {
			index = append(index, uint32(i))
		}
	}
	for k, v := range index {
		if int(v) >= count {
			return unreadable("index %d is vertex %d of %d", k, v, count)
		}
	}
	if p.Mode == gltf.PrimitiveTriangles && len(index)%3 != 0 {
		return unreadable("%d corners are no whole number of triangles", len(index))
	}
	if len(r.mesh.Triangles)+len(index) > maxInstanced {
		return unreadable("the scene unfolds to more than %d triangles", maxInstanced)
	}
	r.triangles(index, first, p.Mode, at.mirrors(), faceExtra(p.Extras))
	return nil
}

func faceExtra(extras any) int32 {
	if m, ok := extras.(map[string]any); ok {
		if f, ok := m["face_id"].(float64); ok && f > 0 && f <= maxIndex {
			return int32(f)
		}
	}
	return 0
}

func (r *glbReader) triangles(index []uint32, first int32, mode gltf.PrimitiveMode, mirror bool, face int32) {
	emit := func(a, b, c uint32) {
		if mirror {
			b, c = c, b
		}
		r.mesh.Triangles = append(r.mesh.Triangles, [3]int32{first + int32(a), first + int32(b), first + int32(c)})
		r.mesh.FaceID = append(r.mesh.FaceID, face)
	}
	r.anyFace = r.anyFace || face != 0
	switch mode {
	case gltf.PrimitiveTriangleStrip:
		for i := 2; i < len(index); i++ {
			if i%2 == 0 {
				emit(index[i-2], index[i-1], index[i])
			} else {
				emit(index[i-1], index[i-2], index[i])
			}
		}
	case gltf.PrimitiveTriangleFan:
		for i := 2; i < len(index); i++ {
			emit(index[0], index[i-1], index[i])
		}
	default:
		for i := 0; i+2 < len(index); i += 3 {
			emit(index[i], index[i+1], index[i+2])
		}
	}
}

// encodeGLB writes one primitive per CAD face over one shared set of positions.
func encodeGLB(m *Mesh) ([]byte, error) {
	doc := gltf.NewDocument()
	doc.Asset.Generator = "atelier"
	doc.Asset.Extras = map[string]any{"atelier": m.Meta}
	pos := make([][3]float32, len(m.Vertices))
	for i, p := range m.Vertices {
		pos[i] = [3]float32{float32(p[0]), float32(p[1]), float32(p[2])}
	}
	positions := modeler.WritePosition(doc, pos)
	mesh := &gltf.Mesh{Name: "surface"}
	order := m.orderByFace()
	for from := 0; from < len(order); {
		id, to := m.Face(int(order[from])), from
		var index []uint32
		for ; to < len(order) && m.Face(int(order[to])) == id; to++ {
			for _, v := range m.Triangles[order[to]] {
				index = append(index, uint32(v))
			}
		}
		p := &gltf.Primitive{
			Attributes: gltf.PrimitiveAttributes{gltf.POSITION: positions},
			Indices:    gltf.Index(modeler.WriteIndices(doc, index)),
		}
		if id != 0 {
			p.Extras = map[string]any{"face_id": id}
		}
		mesh.Primitives = append(mesh.Primitives, p)
		from = to
	}
	doc.Meshes = []*gltf.Mesh{mesh}
	doc.Nodes = []*gltf.Node{{Name: "surface", Mesh: gltf.Index(0)}}
	doc.Scenes[0].Nodes = []int{0}
	var b bytes.Buffer
	enc := gltf.NewEncoder(&b)
	enc.AsBinary = true
	if err := enc.Encode(doc); err != nil {
		return nil, contract.Errorf(contract.CodeMeshProcessingFailed, "the GLB file cannot be made: %w", err)
	}
	return b.Bytes(), nil
}
