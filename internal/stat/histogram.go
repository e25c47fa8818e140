package stat

import "math"

// Histogram counts values in bins of one width. Bin i holds the values from
// Low + i*Width up to the next edge, which belongs to the next bin; the last one
// holds High too.
type Histogram struct {
	Low, High, Width float64
	Counts           []int64
	Rule             string // freedman_diaconis, sturges, or one_value
}

// MaxBins is the most bins of a histogram.
const MaxBins = 60

// NewHistogram chooses the bins of n values between low and high: of the width
// 2 IQR n^(-1/3) (Freedman and Diaconis 1981), or by Sturges (1926) where the
// quartiles are equal or unknown (NaN); at most MaxBins.
func NewHistogram(n int, low, high DD, q1, q3 float64) *Histogram {
	h := &Histogram{Low: low.Float(), High: high.Float()}
	span := high.Sub(low)
	if !(span.Hi > 0) || !span.Finite() {
		h.Rule, h.Counts = "one_value", make([]int64, 1)
		return h
	}
	bins := math.Ceil(math.Log2(float64(n))) + 1
	h.Rule = "sturges"
	if width := 2 * (q3 - q1) / math.Cbrt(float64(n)); width > 0 {
		bins, h.Rule = math.Ceil(span.Float()/width), "freedman_diaconis"
	}
	k := int(math.Max(1, math.Min(bins, MaxBins)))
	h.Counts, h.Width = make([]int64, k), span.Div(F(float64(k))).Float()
	return h
}

// Edge is the lower edge of bin i, the upper one of the bin before.
func (h *Histogram) Edge(i int) float64 {
	if i == len(h.Counts) {
		return h.High
	}
	return h.Low + float64(i)*h.Width
}

// Add counts a value; one outside the range counts in the bin at that end.
func (h *Histogram) Add(v float64) {
	k := len(h.Counts)
	i := 0
	if h.Width > 0 {
		i = max(0, min(int((v-h.Low)/h.Width), k-1))
	}
	// The quotient is rounded; the edges decide.
	for i > 0 && v < h.Edge(i) {
		i--
	}
	for i < k-1 && v >= h.Edge(i+1) {
		i++
	}
	h.Counts[i]++
}

// Empty is a histogram of the same bins without counts.
func (h *Histogram) Empty() *Histogram {
	o := *h
	o.Counts = make([]int64, len(h.Counts))
	return &o
}

// Merge adds the counts of another histogram of the same bins.
func (h *Histogram) Merge(o *Histogram) {
	for i, n := range o.Counts {
		h.Counts[i] += n
	}
}
