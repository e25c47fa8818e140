package stuffing

import (
	"math"
	"slices"

	"atelier/internal/geometry"
)

// surface is the closed, oriented boundary of one body: the target of the
// volume mesh. Each triangle belongs to a CAD face (0: none) and to a patch, a
// connected piece of one face without a sharp edge inside.
type surface struct {
	verts  []vec
	tris   [][3]int32
	face   []int32
	normal []vec // unit, outward; zero for a degenerate triangle

	patch     []int32       // of each triangle
	patchFace []int32       // CAD face of each patch
	tree      *geometry.BVH // over all triangles
	patches   []patchShape
	curves    map[[2]int32]*curve // between two patches, the smaller one first
	curveTree *geometry.BVH       // over the segments of all curves
	segPair   [][2]int32          // patch pair of each segment of curveTree
	tips      []corner
}

// patchShape holds one patch's triangles for nearest-point queries.
type patchShape struct {
	tree  *geometry.BVH
	tris  []int32 // surface triangle of each primitive of tree
	area  float64
	width float64 // of the rectangle with the same area and perimeter
}

// curve is the common boundary of two patches.
type curve struct {
	tree  *geometry.BVH
	sharp bool // some part bends by more than the feature angle
}

// corner is a vertex where three or more patches meet.
type corner struct {
	at      vec
	patches []int32 // sorted
}

func (s *surface) corners(t int) (a, b, c vec) {
	v := s.tris[t]
	return s.verts[v[0]], s.verts[v[1]], s.verts[v[2]]
}

func (s *surface) bounds() (lo, hi vec) {
	inf := math.Inf(1)
	lo, hi = vec{inf, inf, inf}, vec{-inf, -inf, -inf}
	for _, t := range s.tris {
		for _, v := range t {
			lo, hi = vmin(lo, s.verts[v]), vmax(hi, s.verts[v])
		}
	}
	return lo, hi
}

// volume is that of the divergence theorem, measured from the box's centre.
func (s *surface) volume() float64 {
	lo, hi := s.bounds()
	c := lo.Add(hi).Scale(0.5)
	var sum float64
	for t := range s.tris {
		p, q, r := s.corners(t)
		sum += p.Sub(c).Dot(q.Sub(c).Cross(r.Sub(c)))
	}
	return sum / 6
}

func (s *surface) area(t int) float64 {
	a, b, c := s.corners(t)
	return b.Sub(a).Cross(c.Sub(a)).Norm() / 2
}

// edgeKey names an undirected edge.
func edgeKey(a, b int32) uint64 {
	if a > b {
		a, b = b, a
	}
	return uint64(a)<<32 | uint64(b)
}

// edgeTriangles maps every undirected edge of a closed surface to its two
// triangles.
func edgeTriangles(tris [][3]int32) map[uint64][2]int32 {
	m := make(map[uint64][2]int32, len(tris)*3/2)
	for t, v := range tris {
		for k := range 3 {
			key := edgeKey(v[k], v[(k+1)%3])
			if pair, seen := m[key]; seen {
				m[key] = [2]int32{pair[0], int32(t)}
			} else {
				m[key] = [2]int32{int32(t), -1}
			}
		}
	}
	return m
}

// prepare finds normals, patches, curves and corners. An edge between two
// triangles of the same CAD face never parts them; without face ids an edge
// that bends by more than featureAngle (radians; 0 or π and more: none) does.
func (s *surface) prepare(featureAngle float64) {
	s.normal = make([]vec, len(s.tris))
	prims := make([][3]vec, len(s.tris))
	for t := range s.tris {
		a, b, c := s.corners(t)
		prims[t] = [3]vec{a, b, c}
		s.normal[t] = b.Sub(a).Cross(c.Sub(a)).Unit()
	}
	s.tree = geometry.NewBVHOf(prims)
	edges := edgeTriangles(s.tris)
	keys := make([]uint64, 0, len(edges))
	for k := range edges {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	s.findPatches(keys, edges, featureAngle)
	s.findCurves(keys, edges, featureAngle)
}

func (s *surface) findPatches(keys []uint64, edges map[uint64][2]int32, featureAngle float64) {
	sharp := math.Cos(featureAngle)
	if featureAngle <= 0 || featureAngle >= math.Pi {
		sharp = -2
	}
	sets := newUnion(len(s.tris))
	for _, k := range keys {
		p := edges[k]
		if p[1] < 0 || s.face[p[0]] != s.face[p[1]] {
			continue
		}
		if s.face[p[0]] == 0 && s.normal[p[0]].Dot(s.normal[p[1]]) < sharp {
			continue
		}
		sets.join(p[0], p[1])
	}
	s.patch = make([]int32, len(s.tris))
	number := map[int32]int32{}
	var members [][]int32
	for t := range s.tris {
		root := sets.find(int32(t))
		id, known := number[root]
		if !known {
			id = int32(len(members))
			number[root] = id
			members = append(members, nil)
			s.patchFace = append(s.patchFace, s.face[t])
		}
		s.patch[t] = id
		members[id] = append(members[id], int32(t))
	}
	perimeter := make([]float64, len(members))
	for _, k := range keys {
		if p := edges[k]; p[1] >= 0 && s.patch[p[0]] != s.patch[p[1]] {
			l := s.verts[k>>32].Sub(s.verts[uint32(k)]).Norm()
			perimeter[s.patch[p[0]]] += l
			perimeter[s.patch[p[1]]] += l
		}
	}
	s.patches = make([]patchShape, len(members))
	for id, tris := range members {
		prims := make([][3]vec, len(tris))
		shape := patchShape{tris: tris}
		for i, t := range tris {
			a, b, c := s.corners(int(t))
			prims[i] = [3]vec{a, b, c}
			shape.area += s.area(int(t))
		}
		shape.tree = geometry.NewBVHOf(prims)
		shape.width = rectangleWidth(shape.area, perimeter[id])
		s.patches[id] = shape
	}
}

// rectangleWidth is the shorter side of the rectangle with this area and
// perimeter; the side of a square for what is rounder than one.
func rectangleWidth(area, perimeter float64) float64 {
	half := perimeter / 2
	if d := half*half - 4*area; d > 0 {
		return (half - math.Sqrt(d)) / 2
	}
	return math.Sqrt(area)
}

func (s *surface) findCurves(keys []uint64, edges map[uint64][2]int32, featureAngle float64) {
	sharp := math.Cos(featureAngle)
	segments := map[[2]int32][][3]vec{}
	bent := map[[2]int32]bool{}
	meet := map[int32][]int32{} // patches around each vertex of a curve
	var all [][3]vec
	for _, k := range keys {
		p := edges[k]
		if p[1] < 0 || s.patch[p[0]] == s.patch[p[1]] {
			continue
		}
		pair := patchPair(s.patch[p[0]], s.patch[p[1]])
		i, j := int32(k>>32), int32(uint32(k))
		seg := [3]vec{s.verts[i], s.verts[j], s.verts[j]}
		segments[pair] = append(segments[pair], seg)
		all = append(all, seg)
		s.segPair = append(s.segPair, pair)
		bent[pair] = bent[pair] || s.normal[p[0]].Dot(s.normal[p[1]]) < sharp
		for _, v := range [2]int32{i, j} {
			for _, q := range pair {
				if !slices.Contains(meet[v], q) {
					meet[v] = append(meet[v], q)
				}
			}
		}
	}
	s.curves = make(map[[2]int32]*curve, len(segments))
	for pair, segs := range segments {
		s.curves[pair] = &curve{tree: geometry.NewBVHOf(segs), sharp: bent[pair]}
	}
	s.curveTree = geometry.NewBVHOf(all)
	s.findCorners(meet)
}

func (s *surface) findCorners(meet map[int32][]int32) {
	ids := make([]int32, 0)
	for v, around := range meet {
		if len(around) >= 3 {
			ids = append(ids, v)
		}
	}
	slices.Sort(ids)
	for _, v := range ids {
		around := meet[v]
		slices.Sort(around)
		s.tips = append(s.tips, corner{s.verts[v], around})
	}
}

func patchPair(a, b int32) [2]int32 {
	if a > b {
		a, b = b, a
	}
	return [2]int32{a, b}
}

// union is a disjoint-set forest.
type union struct{ parent []int32 }

func newUnion(n int) *union {
	u := &union{make([]int32, n)}
	for i := range u.parent {
		u.parent[i] = int32(i)
	}
	return u
}

func (u *union) find(i int32) int32 {
	for u.parent[i] != i {
		u.parent[i] = u.parent[u.parent[i]]
		i = u.parent[i]
	}
	return i
}

// join keeps the smaller root, which makes the numbering deterministic.
func (u *union) join(a, b int32) {
	a, b = u.find(a), u.find(b)
	switch {
	case a < b:
		u.parent[b] = a
	case b < a:
		u.parent[a] = b
	}
}
