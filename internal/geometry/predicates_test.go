package geometry

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func rat(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

// exactOrient3D is the determinant in rational arithmetic.
func exactOrient3D(a, b, c, d Vec3) int {
	var r [3][3]*big.Rat
	for i, p := range [3]Vec3{a, b, c} {
		for k := range 3 {
			r[i][k] = new(big.Rat).Sub(rat(p[k]), rat(d[k]))
		}
	}
	mul := func(x, y, z *big.Rat) *big.Rat { t := new(big.Rat).Mul(x, y); return t.Mul(t, z) }
	sum := new(big.Rat)
	for _, p := range [][4]int{{0, 1, 2, 1}, {1, 2, 0, 1}, {2, 0, 1, 1}, {0, 2, 1, -1}, {1, 0, 2, -1}, {2, 1, 0, -1}} {
		t := mul(r[0][p[0]], r[1][p[1]], r[2][p[2]])
		if p[3] < 0 {
			t.Neg(t)
		}
		sum.Add(sum, t)
	}
	return sum.Sign()
}

// Points on a plane, moved by units in the last place, are where plain floating
// point goes wrong; rational arithmetic is the judge.
func TestOrient3DAgainstRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	wrong, plain := 0, 0
	for range 4000 {
		var p [4]Vec3
		for i := range p {
			x, y := float64(rng.IntN(1000))/7, float64(rng.IntN(1000))/11
			p[i] = Vec3{x, y, 0.3*x + 0.7*y}
			k := rng.IntN(3)
			for range rng.IntN(3) {
				p[i][k] = math.Nextafter(p[i][k], math.Inf(1))
			}
		}
		want := exactOrient3D(p[0], p[1], p[2], p[3])
		if int(sign(Orient3D(p[0], p[1], p[2], p[3]))) != want {
			wrong++
		}
		a, b, c := p[0].Sub(p[3]), p[1].Sub(p[3]), p[2].Sub(p[3])
		if int(sign(a.Dot(b.Cross(c)))) != want {
			plain++
		}
	}
	if wrong > 0 {
		t.Errorf("%d of 4000 signs are wrong", wrong)
	}
	if plain == 0 {
		t.Error("the cases are too easy: plain floating point got them all")
	}
}

func TestOrient2DAgainstRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 4000 {
		var p [3][2]float64
		for i := range p {
			x := float64(rng.IntN(1000)) / 3
			p[i] = [2]float64{x, math.Nextafter(x*0.1, float64(rng.IntN(3)-1)*1e9)}
		}
		det := func(a, b, c, d float64) *big.Rat {
			x := new(big.Rat).Sub(rat(a), rat(b))
			return x.Mul(x, new(big.Rat).Sub(rat(c), rat(d)))
		}
		want := det(p[0][0], p[2][0], p[1][1], p[2][1])
		want.Sub(want, det(p[0][1], p[2][1], p[1][0], p[2][0]))
		if got := int(sign(Orient2D(p[0], p[1], p[2]))); got != want.Sign() {
			t.Fatalf("%v: %d, want %d", p, got, want.Sign())
		}
	}
}

func TestOrientationConvention(t *testing.T) {
	if Orient2D([2]float64{0, 0}, [2]float64{1, 0}, [2]float64{0, 1}) <= 0 {
		t.Error("a left turn is positive")
	}
	// a, b, c turn left seen from +z; the point below is on the positive side.
	if Orient3D(Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, -1}) <= 0 {
		t.Error("a point below is positive")
	}
}
