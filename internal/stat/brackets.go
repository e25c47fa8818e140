package stat

import (
	"context"
	"math"
	"slices"
)

// brackets find quartiles of a series too long to keep: of the values only those
// are kept that lie where the first block expects a quartile, and those below
// are counted. The exact quartiles come of it wherever the first block is like
// the others; elsewhere ok is false.
type brackets struct {
	low, high [3]float64
	below     [3]int
	inside    [3][]float64
	min, max  float64
	n         int
}

var quartiles = [3]float64{0.25, 0.5, 0.75}

// bracketed is of so many values; fewer are all kept.
const bracketed = 1 << 17

// expect places the brackets by a sample, which it sorts: about each quartile, at
// least eight standard errors of its rank; about everything where there is none.
func expect(sample []float64) *brackets {
	slices.Sort(sample)
	b := (&brackets{}).empty()
	n := len(sample)
	width := bracketWidth(n)
	for k, share := range quartiles {
		at := int(share * float64(max(n-1, 0)))
		b.low[k], b.high[k] = math.Inf(-1), math.Inf(1)
		if at-width >= 0 {
			b.low[k] = sample[at-width]
		}
		if at+width < n {
			b.high[k] = sample[at+width]
		}
	}
	return b
}

// bracketWidth is how many ranks a bracket has on either side, of a sample of n.
func bracketWidth(n int) int { return int(4*math.Sqrt(float64(n))) + 8 }

// empty are brackets at the same places without values.
func (b *brackets) empty() *brackets {
	return &brackets{low: b.low, high: b.high, min: math.Inf(1), max: math.Inf(-1)}
}

func (b *brackets) add(values []float64) {
	b.n += len(values)
	for _, v := range values {
		b.min, b.max = min(b.min, v), max(b.max, v)
	}
	for k := range quartiles {
		low, high := b.low[k], b.high[k]
		for _, v := range values {
			if v < low {
				b.below[k]++
			} else if v <= high {
				b.inside[k] = append(b.inside[k], v)
			}
		}
	}
}

func (b *brackets) merge(o *brackets) {
	b.n, b.min, b.max = b.n+o.n, min(b.min, o.min), max(b.max, o.max)
	for k := range quartiles {
		b.below[k] += o.below[k]
		b.inside[k] = append(b.inside[k], o.inside[k]...)
	}
}

// five are the minimum, the quartiles and the maximum.
func (b *brackets) five() (figures []float64, ok bool) {
	figures = []float64{b.min}
	for k, share := range quartiles {
		at := share * float64(b.n-1)
		rank := int(at) - b.below[k]
		if rank < 0 || rank+1 >= len(b.inside[k]) {
			return nil, false
		}
		v, next := neighbours(b.inside[k], rank)
		figures = append(figures, v+(at-math.Floor(at))*(next-v))
	}
	return append(figures, b.max), true
}

// neighbours are the values of a rank and the next one. It orders the values just
// as far as that takes (Hoare 1961, Algorithm 65: Find), which is linear in their
// number but for orders that are made to be bad; those are sorted.
func neighbours(values []float64, rank int) (v, next float64) {
	low, high := 0, len(values)-1
	for rounds := 0; low < high; rounds++ {
		if rounds > 64 {
			slices.Sort(values[low : high+1])
			break
		}
		pivot := median3(values[low], values[low+(high-low)/2], values[high])
		i, k := low, high
		for i <= k {
			for values[i] < pivot {
				i++
			}
			for values[k] > pivot {
				k--
			}
			if i <= k {
				values[i], values[k] = values[k], values[i]
				i, k = i+1, k-1
			}
		}
		switch {
		case rank <= k:
			high = k
		case rank >= i:
			low = i
		default:
			low = high
		}
	}
	return values[rank], slices.Min(values[rank+1:])
}

func median3(a, b, c float64) float64 { return max(min(a, b), min(max(a, b), c)) }

// expected places the brackets of the residuals: where they are few, about all;
// nil where they are too many.
func (f *Fit) expected(src Source) (*brackets, error) {
	if f.N > maxQuantiles {
		return nil, nil
	}
	if f.N <= bracketed {
		return expect(nil), nil
	}
	first, err := f.firstResiduals(src)
	b := expect(first)
	for k := range b.inside { // of as many as the first block has, and some more
		share := 2.2 * float64(bracketWidth(len(first))) / float64(max(len(first), 1))
		b.inside[k] = make([]float64, 0, int(math.Min(1, share)*float64(f.N)))
	}
	return b, err
}

// firstResiduals are those of the first block that has any.
func (f *Fit) firstResiduals(src Source) ([]float64, error) {
	for i := range src.Blocks() {
		b, err := src.Load(i)
		if err != nil {
			return nil, err
		}
		if e := f.residuals(b); len(e) > 0 {
			return e, nil
		}
	}
	return nil, nil
}

// residuals are the whitened ones of a block.
func (f *Fit) residuals(b Block) []float64 {
	defer b.free()
	if b = b.weighted(); len(b.Y) == 0 {
		return nil
	}
	w := works.Get().(*work)
	defer works.Put(w)
	w.size(f.P, len(b.Y))
	if f.float64Suffices() {
		f.whitenFast(b, w)
	} else {
		f.whiten(b, w)
	}
	return slices.Clone(w.e)
}

// five are the residuals' minimum, quartiles and maximum; all of them are kept
// for a while where the brackets of the pass missed.
func (f *Fit) five(ctx context.Context, src Source, b *brackets) ([]float64, error) {
	if figures, ok := b.five(); ok {
		return figures, nil
	}
	all := make([]float64, 0, f.N)
	err := EachBlock(ctx, src.Blocks(), func(i int) ([]float64, error) {
		b, err := src.Load(i)
		if err != nil {
			return nil, err
		}
		return f.residuals(b), nil
	}, func(e []float64) { all = append(all, e...) })
	return quantiles(all, 0, 0.25, 0.5, 0.75, 1), err
}
