package stat

import "math"

const (
	// farOutside is how many deviations of the noise a value is from the median of its
	// neighbours where it is an outlier: normal noise has none in 10^15.
	farOutside = 8
	// mostOutliers is their largest share; more of them are what the series is made of.
	mostOutliers = 0.02
)

// Outliers are single values far from the median of those about them, least on each
// side, which the neighbours on both sides do not share (Hampel's identifier). The
// noise is that of ChangePoints. Values that stay are a change, and not among them.
func Outliers(x []DD, half float64, least int) (places []int, cleaned []DD) {
	n := len(x)
	noise := stepNoise(x, half)
	if noise == 0 || least < 3 || n < 2*least+1 {
		return nil, x
	}
	cleaned = append([]DD(nil), x...)
	for i := range x {
		lo, hi := max(0, i-least), min(n, i+least+1)
		about := append(append([]DD(nil), x[lo:i]...), x[i+1:hi]...)
		middle := medianOf(about)
		if off := math.Abs(x[i].Sub(middle).Float()); !(off > farOutside*noise) {
			continue
		}
		alone := true
		for _, k := range []int{i - 1, i + 1} {
			if k >= 0 && k < n && math.Abs(x[i].Sub(x[k]).Float()) <= farOutside*noise {
				alone = false
			}
		}
		if alone {
			places, cleaned[i] = append(places, i), middle
		}
	}
	if float64(len(places)) > math.Max(1, mostOutliers*float64(n)) {
		return nil, x
	}
	return places, cleaned
}
