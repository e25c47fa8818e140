package stat

import (
	"math"
	"slices"
)

// Digest is a merging t-digest (Dunning and Ertl 2019, scale function k1): at
// most about as many centroids as its compression, small ones towards the ends,
// from which quantiles of any number of values are estimated. Digests that are
// merged in the same order are the same.
type Digest struct {
	compression float64
	n           float64
	min, max    float64
	list        []centroid
}

type centroid struct{ mean, weight float64 }

// NewDigest makes an empty digest.
func NewDigest(compression int) *Digest {
	return &Digest{compression: float64(compression), min: math.Inf(1), max: math.Inf(-1)}
}

// Add takes a run of values, which it sorts.
func (d *Digest) Add(values []float64) {
	if len(values) == 0 {
		return
	}
	slices.Sort(values)
	list := make([]centroid, len(values))
	for i, v := range values {
		list[i] = centroid{v, 1}
	}
	d.n += float64(len(values))
	d.min, d.max = math.Min(d.min, values[0]), math.Max(d.max, values[len(values)-1])
	d.join(list)
}

// Merge adds what another digest has taken.
func (d *Digest) Merge(o *Digest) {
	if o.n == 0 {
		return
	}
	d.n += o.n
	d.min, d.max = math.Min(d.min, o.min), math.Max(d.max, o.max)
	d.join(o.list)
}

// join merges sorted centroids into the list, and those neighbours into one that
// the scale function allows.
func (d *Digest) join(more []centroid) {
	all := make([]centroid, 0, len(d.list)+len(more))
	i, k := 0, 0
	for i < len(d.list) || k < len(more) {
		if k == len(more) || i < len(d.list) && d.list[i].mean <= more[k].mean {
			all = append(all, d.list[i])
			i++
		} else {
			all = append(all, more[k])
			k++
		}
	}
	out := make([]centroid, 0, int(2*d.compression))
	now, before := all[0], 0.0 // before: the weight left of now
	limit := d.limit(0)
	for _, c := range all[1:] {
		if (before+now.weight+c.weight)/d.n <= limit {
			now.weight += c.weight
			now.mean += (c.mean - now.mean) * c.weight / now.weight
			continue
		}
		out = append(out, now)
		before += now.weight
		limit, now = d.limit(before/d.n), c
	}
	d.list = append(out, now)
}

// limit is the share up to which a centroid that begins at share q may reach:
// one unit of k1(q) = compression/(2 pi) asin(2q-1).
func (d *Digest) limit(q float64) float64 {
	k := d.compression/(2*math.Pi)*math.Asin(2*math.Min(q, 1)-1) + 1
	angle := 2 * math.Pi * k / d.compression
	if angle >= math.Pi/2 {
		return 1
	}
	return (math.Sin(angle) + 1) / 2
}

// Quantile estimates the value at a share from 0 to 1; NaN of no values. A
// centroid's mean stands at the middle of its ranks, and values between are
// interpolated.
func (d *Digest) Quantile(share float64) float64 {
	if d.n == 0 {
		return math.NaN()
	}
	rank := share * (d.n - 1) // of type 7, from 0
	left, value := 0.0, d.min
	before := 0.0
	for _, c := range d.list {
		middle := before + (c.weight-1)/2
		if rank <= middle {
			return between(left, value, middle, c.mean, rank)
		}
		left, value = middle, c.mean
		before += c.weight
	}
	return between(left, value, d.n-1, d.max, rank)
}

func between(x0, y0, x1, y1, x float64) float64 {
	if x1 <= x0 {
		return y1
	}
	return y0 + (y1-y0)*(x-x0)/(x1-x0)
}
