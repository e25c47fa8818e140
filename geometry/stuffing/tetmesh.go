package stuffing

import (
	"math"
)

// leastAngle is the smallest dihedral angle, in degrees, that a finished mesh
// may have.
const leastAngle = 10.5

// tetMesh is the volume mesh of one body while it is being made.
type tetMesh struct {
	dx   float64
	pos  []vec
	tets [][4]int32 // positively oriented
}

func (m *tetMesh) addVertex(p vec) int32 {
	m.pos = append(m.pos, p)
	return int32(len(m.pos) - 1)
}

// orient3 is six times the signed volume of the tetrahedron.
func orient3(a, b, c, d vec) float64 {
	return b.Sub(a).Dot(c.Sub(a).Cross(d.Sub(a)))
}

// tetFaces are the faces of a positively oriented tetrahedron, each opposite
// the vertex of its number and with its normal outwards.
var tetFaces = [4][3]int{{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}

// minSine2 is the quality of a tetrahedron: the square of the smallest sine of
// its dihedral angles, with the sign of its volume (1 at best 8/9 for the
// regular one). It falls to 0 for small and for large angles alike.
// The sine at edge e between faces F and G is 3·V·|e|/(2·F·G).
func minSine2(a, b, c, d vec) float64 {
	ab, ac, ad := b.Sub(a), c.Sub(a), d.Sub(a)
	bc, bd, cd := c.Sub(b), d.Sub(b), d.Sub(c)
	vol := ab.Dot(ac.Cross(ad))
	// Squares of twice the face areas, by the opposite vertex.
	fa, fb := norm2(bc.Cross(bd)), norm2(ac.Cross(ad))
	fc, fd := norm2(ab.Cross(ad)), norm2(ab.Cross(ac))
	// The edge opposite to an edge lies between the two other faces.
	worst := norm2(ab) * fa * fb // faces c and d meet at ab; multiplied out below
	worst = min(worst, norm2(ac)*fa*fc)
	worst = min(worst, norm2(ad)*fa*fd)
	worst = min(worst, norm2(bc)*fb*fc)
	worst = min(worst, norm2(bd)*fb*fd)
	worst = min(worst, norm2(cd)*fc*fd)
	all := fa * fb * fc * fd
	if all == 0 {
		return 0
	}
	// sin² = vol²·|e|²/(F²·G²), and |ab|²/(fc·fd) = |ab|²·fa·fb/all.
	q := vol * vol * worst / all
	if vol < 0 {
		return -q
	}
	return q
}

func (m *tetMesh) quality(t int32) float64 {
	v := &m.tets[t]
	return minSine2(m.pos[v[0]], m.pos[v[1]], m.pos[v[2]], m.pos[v[3]])
}

// dihedrals are the smallest and largest dihedral angle of a tetrahedron in
// degrees.
func dihedrals(a, b, c, d vec) (least, most float64) {
	p := [4]vec{a, b, c, d}
	var n [4]vec
	for i, f := range tetFaces {
		n[i] = p[f[1]].Sub(p[f[0]]).Cross(p[f[2]].Sub(p[f[0]])).Unit()
	}
	least, most = 180, 0
	for i := range 4 {
		for j := range i {
			angle := math.Acos(min(max(-n[i].Dot(n[j]), -1), 1)) * 180 / math.Pi
			least, most = min(least, angle), max(most, angle)
		}
	}
	return least, most
}

// sine2 is the quality that belongs to a smallest angle in degrees.
func sine2(degrees float64) float64 {
	s := math.Sin(degrees * math.Pi / 180)
	return s * s
}
