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
	size []float64  // spacing at each vertex of a graded mesh; nil where that is dx everywhere
	tets [][4]int32 // positively oriented
}

func (m *tetMesh) addVertex(p vec, size float64) int32 {
	m.pos = append(m.pos, p)
	if m.size != nil {
		m.size = append(m.size, size)
	}
	return int32(len(m.pos) - 1)
}

// sizeAt is the spacing at a vertex.
func (m *tetMesh) sizeAt(v int32) float64 {
	if m.size == nil {
		return m.dx
	}
	return m.size[v]
}

// orient3 is six times the signed volume of the tetrahedron.
func orient3(a, b, c, d vec) float64 {
	return b.Sub(a).Dot(c.Sub(a).Cross(d.Sub(a)))
}

// tetFaces are the faces of a positively oriented tetrahedron, each opposite
// the vertex of its number and with its normal outwards.
var tetFaces = [4][3]int{{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}

// minSine2 is the quality of a tetrahedron: the square of the smallest sine of
// its dihedral angles, with the sign of its volume (8/9 for the regular one). It
// falls to 0 for small and for large angles alike. The sine at an edge e between
// the faces F and G is 3·V·|e|/(2·F·G). Plain numbers instead of vectors, because
// the compiler keeps those in registers and everything else waits for this.
func minSine2(a, b, c, d *vec) float64 {
	ux, uy, uz := b[0]-a[0], b[1]-a[1], b[2]-a[2]
	vx, vy, vz := c[0]-a[0], c[1]-a[1], c[2]-a[2]
	wx, wy, wz := d[0]-a[0], d[1]-a[1], d[2]-a[2]
	// Normals of twice the area of the faces opposite d, c, b; a's is their sum.
	dx, dy, dz := uy*vz-uz*vy, uz*vx-ux*vz, ux*vy-uy*vx
	cx, cy, cz := wy*uz-wz*uy, wz*ux-wx*uz, wx*uy-wy*ux
	bx, by, bz := vy*wz-vz*wy, vz*wx-vx*wz, vx*wy-vy*wx
	ax, ay, az := bx+cx+dx, by+cy+dy, bz+cz+dz
	vol := ux*bx + uy*by + uz*bz
	fa, fb := ax*ax+ay*ay+az*az, bx*bx+by*by+bz*bz
	fc, fd := cx*cx+cy*cy+cz*cz, dx*dx+dy*dy+dz*dz
	px, py, pz := vx-ux, vy-uy, vz-uz
	qx, qy, qz := wx-ux, wy-uy, wz-uz
	rx, ry, rz := wx-vx, wy-vy, wz-vz
	// The faces at an edge are those opposite to the other edge's ends:
	// sin² = vol²·|e|²/(F²·G²), and |ab|²/(fc·fd) = |ab|²·fa·fb/(fa·fb·fc·fd).
	worst := (ux*ux + uy*uy + uz*uz) * fa * fb
	worst = min(worst, (vx*vx+vy*vy+vz*vz)*fa*fc)
	worst = min(worst, (wx*wx+wy*wy+wz*wz)*fa*fd)
	worst = min(worst, (px*px+py*py+pz*pz)*fb*fc)
	worst = min(worst, (qx*qx+qy*qy+qz*qz)*fb*fd)
	worst = min(worst, (rx*rx+ry*ry+rz*rz)*fc*fd)
	all := fa * fb * fc * fd
	if all == 0 {
		return 0
	}
	q := vol * vol * worst / all
	if vol < 0 {
		return -q
	}
	return q
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
