package stuffing

import (
	"fmt"
	"math"
	"slices"

	"atelier/internal/contract"
	"atelier/internal/geometry"
)

// body is one solid of the input, with its outer shell and its cavities.
type body struct {
	id int32 // element attribute
	*surface
	lo, hi    vec
	diagonal  float64
	vol, area float64
	handles   int
	thickness float64 // of the thinnest wall
	typical   float64 // thickness that half of the surface exceeds
	detail    float64 // spacing that shows all but the narrowest faces
	forecast  int     // tetrahedra of the graded lattice that was tried last
}

// splitBodies turns the input into closed, outward oriented bodies: those that
// the CAD metadata names, or else one for each connected shell, with a shell
// inside another and turned inwards as its cavity. Every undirected edge must be
// shared by exactly two triangles of its body (ERR_NOT_WATERTIGHT).
func splitBodies(m *geometry.Mesh) ([]body, []contract.Warning, error) {
	if len(m.Triangles) < 4 || len(m.Vertices) < 4 {
		return nil, nil, notWatertight("a closed surface needs at least 4 triangles and 4 vertices; this one has %d and %d",
			len(m.Triangles), len(m.Vertices))
	}
	groups, labels := groupTriangles(m)
	tris, verts := weld(m, groups)
	if err := checkClosed(tris, groups); err != nil {
		return nil, nil, err
	}
	shells := connected(tris)
	turned := 0
	for _, sh := range shells {
		n, err := orient(tris, sh)
		if err != nil {
			return nil, nil, err
		}
		turned += n
	}
	sorter := &shellSorter{verts: verts, tris: tris}
	for _, sh := range shells {
		sorter.add(sh, groups[sh[0]])
	}
	sets := sorter.bodies(labels)
	var warnings []contract.Warning
	if turned+sorter.flipped > 0 {
		warnings = append(warnings, contract.Warning{Code: "surface_reoriented",
			Message: fmt.Sprintf("%d shells and %d single triangles were turned so that every normal points outwards.", sorter.flipped, turned)})
	}
	bodies := make([]body, len(sets))
	for i, set := range sets {
		bodies[i] = body{id: int32(i + 1), surface: compact(verts, tris, set, m)}
	}
	return bodies, warnings, nil
}

func notWatertight(format string, args ...any) *contract.Error {
	return contract.Errorf(contract.CodeNotWatertight, format, args...).
		WithHint("Run mesh_repair_pmp with fill_holes first, or import the CAD file again.")
}

// groupTriangles gives each triangle the body that the metadata names for its
// CAD face, 0 without one. labels says whether all triangles have one.
func groupTriangles(m *geometry.Mesh) (groups []int32, labels bool) {
	bodyOf := map[int32]int32{}
	for _, f := range m.Meta.Faces {
		bodyOf[f.ID] = f.Body
	}
	groups, labels = make([]int32, len(m.Triangles)), true
	for t := range groups {
		groups[t] = bodyOf[m.Face(t)]
		labels = labels && groups[t] > 0
	}
	return groups, labels
}

// weld joins vertices of the same position within a group, so that files
// without shared indices close and touching bodies stay apart. Triangles with a
// repeated vertex are kept as they are; checkClosed passes them over.
func weld(m *geometry.Mesh, groups []int32) ([][3]int32, []vec) {
	type key struct {
		p     vec
		group int32
	}
	index := make(map[key]int32, len(m.Vertices))
	verts := make([]vec, 0, len(m.Vertices))
	tris := make([][3]int32, len(m.Triangles))
	for t, tri := range m.Triangles {
		for k, v := range tri {
			p := m.Vertices[v]
			for d := range p {
				p[d] += 0 // -0 becomes +0
			}
			id, known := index[key{p, groups[t]}]
			if !known {
				id = int32(len(verts))
				index[key{p, groups[t]}] = id
				verts = append(verts, p)
			}
			tris[t][k] = id
		}
	}
	return tris, verts
}

func collapsed(t [3]int32) bool { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0] }

func checkClosed(tris [][3]int32, groups []int32) error {
	count := make(map[uint64]int8, len(tris)*3/2)
	for _, v := range tris {
		if collapsed(v) {
			continue
		}
		for k := range 3 {
			if key := edgeKey(v[k], v[(k+1)%3]); count[key] < 100 {
				count[key]++
			}
		}
	}
	open, many := 0, 0
	for _, n := range count {
		switch {
		case n < 2:
			open++
		case n > 2:
			many++
		}
	}
	if open+many > 0 {
		return notWatertight("the surface is not closed: %d edges have only one triangle and %d have more than two", open, many).
			With("open_edges", open).With("non_manifold_edges", many).With("edges", len(count))
	}
	return nil
}

// connected lists the triangles of each edge-connected shell.
func connected(tris [][3]int32) [][]int32 {
	sets := newUnion(len(tris))
	for _, p := range edgeTriangles(skipCollapsed(tris)) {
		if p[1] >= 0 {
			sets.join(p[0], p[1])
		}
	}
	number := map[int32]int{}
	var shells [][]int32
	for t, v := range tris {
		if collapsed(v) {
			continue
		}
		root := sets.find(int32(t))
		i, known := number[root]
		if !known {
			i = len(shells)
			number[root] = i
			shells = append(shells, nil)
		}
		shells[i] = append(shells[i], int32(t))
	}
	return shells
}

// skipCollapsed replaces collapsed triangles by ones of unique negative
// vertices, so that indices stay and no edge is counted.
func skipCollapsed(tris [][3]int32) [][3]int32 {
	out := slices.Clone(tris)
	for t, v := range out {
		if collapsed(v) {
			out[t] = [3]int32{int32(-3*t - 1), int32(-3*t - 2), int32(-3*t - 3)}
		}
	}
	return out
}

// orient turns triangles of a shell so that neighbours agree with the first
// one; it returns how many were turned.
func orient(tris [][3]int32, shell []int32) (int, error) {
	local := make([][3]int32, len(shell))
	for i, t := range shell {
		local[i] = tris[t]
	}
	edges := edgeTriangles(local)
	state := make([]int8, len(shell)) // 0 unseen, 1 kept, -1 turned
	queue := []int32{0}
	state[0] = 1
	turned := 0
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		for k := range 3 {
			a, b := local[i][k], local[i][(k+1)%3]
			p := edges[edgeKey(a, b)]
			j := p[0] + p[1] - i
			agree := !hasDirected(local[j], a, b)
			want := state[i]
			if !agree {
				want = -want
			}
			switch state[j] {
			case 0:
				state[j] = want
				queue = append(queue, j)
			case -want:
				return 0, notWatertight("the surface has only one side: its triangles cannot all face outwards")
			}
		}
	}
	for i, s := range state {
		if s < 0 {
			t := shell[i]
			tris[t][1], tris[t][2] = tris[t][2], tris[t][1]
			turned++
		}
	}
	return turned, nil
}

func hasDirected(t [3]int32, a, b int32) bool {
	return t[0] == a && t[1] == b || t[1] == a && t[2] == b || t[2] == a && t[0] == b
}

// shellSorter decides which shells are bodies and which are cavities.
type shellSorter struct {
	verts   []vec
	tris    [][3]int32
	shells  []shell
	flipped int
}

type shell struct {
	tris   []int32
	group  int32
	volume float64 // signed
	tree   *geometry.BVH
	lo, hi vec
}

func (s *shellSorter) add(tris []int32, group int32) {
	inf := math.Inf(1)
	sh := shell{tris: tris, group: group, lo: vec{inf, inf, inf}, hi: vec{-inf, -inf, -inf}}
	prims := make([][3]vec, len(tris))
	origin := s.verts[s.tris[tris[0]][0]]
	for i, t := range tris {
		v := s.tris[t]
		prims[i] = [3]vec{s.verts[v[0]], s.verts[v[1]], s.verts[v[2]]}
		a, b, c := prims[i][0].Sub(origin), prims[i][1].Sub(origin), prims[i][2].Sub(origin)
		sh.volume += a.Dot(b.Cross(c)) / 6
		for _, p := range prims[i] {
			sh.lo, sh.hi = vmin(sh.lo, p), vmax(sh.hi, p)
		}
	}
	sh.tree = geometry.NewBVHOf(prims)
	s.shells = append(s.shells, sh)
}

// bodies returns the triangles of each body. With labels a body's largest shell
// is its outside; without, a shell inside another that faces the other way is
// the cavity of the smallest one around it.
func (s *shellSorter) bodies(labels bool) [][]int32 {
	order := make([]int, len(s.shells))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch d := math.Abs(s.shells[b].volume) - math.Abs(s.shells[a].volume); {
		case d < 0:
			return -1
		case d > 0:
			return 1
		}
		return a - b
	})
	owner := make([]int, len(s.shells)) // the body's outer shell
	depth := make([]int, len(s.shells))
	sign := make([]bool, len(s.shells)) // as the file has it
	for rank, i := range order {
		sh := &s.shells[i]
		owner[i], sign[i] = i, sh.volume > 0
		parent := -1
		for _, j := range order[:rank] {
			if (!labels || s.shells[j].group == sh.group) && s.shells[j].holds(sh, s) {
				parent = j
			}
		}
		cavity := parent >= 0 && depth[parent]%2 == 0 && (labels || sign[parent] != sign[i])
		if cavity {
			owner[i], depth[i] = owner[parent], depth[parent]+1
		}
		if cavity == (sh.volume > 0) {
			s.turn(sh)
		}
	}
	return s.collect(owner, labels)
}

func (s *shellSorter) turn(sh *shell) {
	for _, t := range sh.tris {
		s.tris[t][1], s.tris[t][2] = s.tris[t][2], s.tris[t][1]
	}
	sh.volume = -sh.volume
	s.flipped++
}

func (s *shellSorter) collect(owner []int, labels bool) [][]int32 {
	number := map[int]int{}
	var sets [][]int32
	for i := range s.shells {
		key := owner[i]
		if labels {
			key = -int(s.shells[i].group)
		}
		n, known := number[key]
		if !known {
			n = len(sets)
			number[key] = n
			sets = append(sets, nil)
		}
		sets[n] = append(sets[n], s.shells[i].tris...)
	}
	for _, set := range sets {
		slices.Sort(set)
	}
	return sets
}

// holds says whether most of some vertices of the other shell lie inside.
func (sh *shell) holds(other *shell, s *shellSorter) bool {
	for k := range 3 {
		if other.lo[k] < sh.lo[k] || other.hi[k] > sh.hi[k] {
			return false
		}
	}
	in, asked := 0, 0
	for i := 0; i < len(other.tris); i += 1 + len(other.tris)/9 {
		v := s.tris[other.tris[i]]
		p := s.verts[v[0]].Add(s.verts[v[1]]).Add(s.verts[v[2]]).Scale(1.0 / 3)
		asked++
		if sh.inside(p) {
			in++
		}
	}
	return 2*in > asked
}

// inside is the parity of the crossings of a slanted ray.
func (sh *shell) inside(p vec) bool {
	far := p.Add(vec{1, 0.4137, 0.2931}.Scale(2 * sh.hi.Sub(sh.lo).Norm()))
	in := false
	for at := 0.0; ; {
		t, prim := sh.tree.FirstHit(p, far, at)
		if prim < 0 {
			return in
		}
		in = !in
		at = t + 1e-9
	}
}

// compact copies the triangles of one body with their own vertices.
func compact(verts []vec, tris [][3]int32, set []int32, m *geometry.Mesh) *surface {
	s := &surface{tris: make([][3]int32, len(set)), face: make([]int32, len(set))}
	number := make(map[int32]int32, len(set))
	for i, t := range set {
		s.face[i] = m.Face(int(t))
		for k, v := range tris[t] {
			id, known := number[v]
			if !known {
				id = int32(len(s.verts))
				number[v] = id
				s.verts = append(s.verts, verts[v])
			}
			s.tris[i][k] = id
		}
	}
	return s
}
