package stuffing

import "math"

// sym3 is a symmetric 3 × 3 matrix: xx, yy, zz, xy, yz, zx.
type sym3 [6]float64

// addOuter adds a direction's outer product with itself, times a weight.
func (m *sym3) addOuter(d vec, weight float64) {
	for k := range 3 {
		m[k] += weight * d[k] * d[k]
		m[3+k] += weight * d[k] * d[(k+1)%3]
	}
}

func (m *sym3) add(o sym3, weight float64) {
	for k := range m {
		m[k] += weight * o[k]
	}
}

// extremes are the smallest and the largest eigenvalue, by the cosine of the third of
// an angle (Smith 1961).
func (m *sym3) extremes() (least, most float64) {
	mean := (m[0] + m[1] + m[2]) / 3
	x, y, z := m[0]-mean, m[1]-mean, m[2]-mean
	p := math.Sqrt((x*x + y*y + z*z + 2*(m[3]*m[3]+m[4]*m[4]+m[5]*m[5])) / 6)
	if p == 0 {
		return mean, mean
	}
	half := (x*(y*z-m[4]*m[4]) - m[3]*(m[3]*z-m[4]*m[5]) + m[5]*(m[3]*m[4]-y*m[5])) / (2 * p * p * p)
	angle := math.Acos(min(max(half, -1), 1)) / 3
	return mean + 2*p*math.Cos(angle+2*math.Pi/3), mean + 2*p*math.Cos(angle)
}
