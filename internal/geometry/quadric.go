package geometry

import "math"

// quadric is the symmetric form x'Ax + 2b'x + c that measures the weighted sum
// of squared distances to planes (Garland and Heckbert 1997).
type quadric struct {
	xx, xy, xz, yy, yz, zz float64
	bx, by, bz             float64
	c                      float64
}

// planeQuadric is w times the squared distance to the plane n·x + d = 0.
func planeQuadric(n Vec3, d, w float64) quadric {
	return quadric{
		w * n[0] * n[0], w * n[0] * n[1], w * n[0] * n[2], w * n[1] * n[1], w * n[1] * n[2], w * n[2] * n[2],
		w * n[0] * d, w * n[1] * d, w * n[2] * d, w * d * d,
	}
}

// pointQuadric is w times the squared distance to the point p.
func pointQuadric(p Vec3, w float64) quadric {
	return quadric{xx: w, yy: w, zz: w, bx: -w * p[0], by: -w * p[1], bz: -w * p[2], c: w * p.Dot(p)}
}

func (q *quadric) add(r *quadric) {
	q.xx += r.xx
	q.xy += r.xy
	q.xz += r.xz
	q.yy += r.yy
	q.yz += r.yz
	q.zz += r.zz
	q.bx += r.bx
	q.by += r.by
	q.bz += r.bz
	q.c += r.c
}

func (q *quadric) at(p Vec3) float64 {
	x, y, z := p[0], p[1], p[2]
	return math.Max(0, x*(q.xx*x+2*(q.xy*y+q.xz*z+q.bx))+y*(q.yy*y+2*(q.yz*z+q.by))+z*(q.zz*z+2*q.bz)+q.c)
}

// minimum solves Ax = -b; ok is false where A is too nearly singular for that.
func (q *quadric) minimum() (p Vec3, ok bool) {
	c00 := q.yy*q.zz - q.yz*q.yz
	c01 := q.xz*q.yz - q.xy*q.zz
	c02 := q.xy*q.yz - q.xz*q.yy
	det := q.xx*c00 + q.xy*c01 + q.xz*c02
	trace := q.xx + q.yy + q.zz
	if !(math.Abs(det) > 1e-12*trace*trace*trace) {
		return p, false
	}
	c11 := q.xx*q.zz - q.xz*q.xz
	c12 := q.xy*q.xz - q.xx*q.yz
	c22 := q.xx*q.yy - q.xy*q.xy
	s := -1 / det
	return Vec3{
		s * (c00*q.bx + c01*q.by + c02*q.bz),
		s * (c01*q.bx + c11*q.by + c12*q.bz),
		s * (c02*q.bx + c12*q.by + c22*q.bz),
	}, true
}
