package stuffing

import (
	"math"
	"math/rand/v2"
	"testing"
)

func report(t *testing.T, m *tetMesh) (least, most, vol float64) {
	least = 180
	for _, v := range m.tets {
		a, b, c, d := m.pos[v[0]], m.pos[v[1]], m.pos[v[2]], m.pos[v[3]]
		l, h := dihedrals(a, b, c, d)
		least, most = min(least, l), max(most, h)
		vol += orient3(a, b, c, d) / 6
	}
	return
}

// TestStencilAngles holds the stencils against random signs with cut points at
// the extremes of what warping leaves: the guarantee that everything later
// builds on. 12 degrees is what the choice of the warping distances attains.
func TestStencilAngles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	worst, widest := 180.0, 0.0
	for range 200 {
		l := newLattice(vec{}, vec{2, 2, 2}, 1)
		f := &stuffer{background: l}
		density := rng.Float64()
		for kind := range 2 {
			for k := 1; k < l.n[2]-1; k++ {
				for j := 1; j < l.n[1]-1; j++ {
					for i := 1; i < l.n[0]-1; i++ {
						l.inside[kind][l.index(kind, i, j, k)] = rng.Float64() < density
					}
				}
			}
		}
		f.findEdges()
		for i := range f.edges {
			// Often at the ends of what is allowed, where the extremes lie.
			switch e := &f.edges[i]; rng.IntN(4) {
			case 0:
				e.t = alphaLong + 1e-7
			case 1:
				e.t = alphaShort + 1e-7
			case 2:
				e.t = 1 - []float64{alphaLong + 1e-7, alphaShort + 1e-7}[rng.IntN(2)]
			default:
				e.t = rng.Float64()
			}
		}
		f.linkEdges()
		f.keep = map[int32]bool{}
		f.warp()
		f.fillAll()
		l2, h2, _ := report(t, f.mesh)
		worst, widest = min(worst, l2), max(widest, h2)
	}
	t.Logf("angles %.3f to %.3f", worst, widest)
	if worst < 12 || widest > 162 || math.IsNaN(worst) {
		t.Errorf("dihedral angles reach from %.3f to %.3f degrees; 12 to 162 are promised", worst, widest)
	}
}
