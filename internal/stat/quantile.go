package stat

import (
	"math"
	"slices"
)

// Quantile interpolates between the values of a sorted series (type 7 of Hyndman
// and Fan 1996, the default of R and NumPy); NaN of none.
func Quantile(sorted []float64, share float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := share * float64(len(sorted)-1)
	k := int(at)
	if k+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[k] + (at-float64(k))*(sorted[k+1]-sorted[k])
}

// quantiles are Quantile at rising shares, of values that it puts in another
// order: each selects what it needs, which sorting them all would not be worth.
func quantiles(values []float64, shares ...float64) []float64 {
	out := make([]float64, len(shares))
	low := 0 // those before are in place
	for i, share := range shares {
		if len(values) == 0 {
			out[i] = math.NaN()
			continue
		}
		at := share * float64(len(values)-1)
		k := int(at)
		selectAt(values[low:], k-low)
		low = k
		out[i] = values[k]
		if k+1 < len(values) {
			if weight := at - float64(k); weight > 0 {
				next := slices.Min(values[k+1:])
				out[i] += weight * (next - values[k])
			}
		}
	}
	return out
}

// selectAt puts the value of rank k in its place, the smaller ones before it and
// the larger behind (Hoare's quickselect, by the median of three).
func selectAt(a []float64, k int) {
	for tries := 0; len(a) > 12; tries++ {
		if tries > 100 { // an order made to be slow
			break
		}
		middle, last := len(a)/2, len(a)-1
		x, y, z := a[0], a[middle], a[last]
		pivot := max(min(x, y), min(max(x, y), z))
		i, j := 0, last
		for i <= j {
			for a[i] < pivot {
				i++
			}
			for a[j] > pivot {
				j--
			}
			if i <= j {
				a[i], a[j] = a[j], a[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			a = a[:j+1]
		case k >= i:
			a, k = a[i:], k-i
		default:
			return
		}
	}
	slices.Sort(a)
}
