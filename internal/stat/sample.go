package stat

import "math"

// MaxSample is the most observations of Diagnostics.Sample.
const MaxSample = 4096

// Point is an observation as plots of the residuals show it, in the units of the
// response. A figure is NaN where it is undefined.
type Point struct {
	Row                                            int64 // in the table, from 1; 0 where blocks do not say
	Fitted, Residual, Standardized, Leverage, Cook float64
}

// sampleEvery is the power of two of which every multiple is sampled: the number
// of an observation alone decides, so that any number of processors takes the same.
func sampleEvery(n int) int {
	every := 1
	for (n+every-1)/every > MaxSample {
		every *= 2
	}
	return every
}

// point makes the plots' figures of observation i of a block, of its orthonormal
// coordinates, whitened residual and leverage. Standardized is the residual by
// its standard deviation (internally studentized).
func (f *Fit) point(b Block, i int, row []float64, e, h float64) Point {
	q := len(f.r) - 1
	y := f.scan.cols[len(f.scan.cols)-1]
	sigma := math.Abs(f.r[q][q].Float()) / math.Sqrt(float64(f.DFE))
	fitted := 0.0
	for k, z := range row {
		fitted += z * f.r[k][q].Hi
	}
	p := Point{Leverage: h, Standardized: math.NaN(), Cook: math.NaN()}
	if b.Row != nil {
		p.Row = b.Row[i]
	}
	if left := 1 - h; left > 1e-12 {
		p.Standardized = e / (sigma * math.Sqrt(left))
		p.Cook = p.Standardized * p.Standardized * h / (left * float64(f.P))
	}
	root := 1.0
	if b.W != nil {
		root = math.Sqrt(b.W[i].Hi)
	}
	p.Fitted, p.Residual = math.Ldexp(fitted/root, y.exp)+y.shift, math.Ldexp(e/root, y.exp)
	return p
}
