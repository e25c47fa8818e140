package stat

import (
	"math"
	"testing"

	"atelier/internal/testenv"
)

// Series without changes are to seem to have some in at most alpha of the cases,
// whatever their memory; the penalty alone fails that. Steps that are there are to
// be seen.
func TestMemoryMakesNoChanges(t *testing.T) {
	r := testenv.Random(t)
	const alpha = 0.05
	each := *seriesOfEach / 3
	lengths, kinds := []int{60, 120, 240}, []struct {
		name      string
		phi, step float64
	}{{"walk", 1, 0}, {"AR .9", 0.9, 0}, {"AR .5", 0.5, 0}, {"noise", 0, 0}, {"steps+noise", 0, 3}, {"steps+AR .3", 0.3, 3}}
	for _, k := range kinds {
		var shares, before []float64
		sum := 0.0
		for _, n := range lengths {
			found, any := 0.0, 0.0
			for range each {
				x := dependent(r, n, k.phi)
				for i := n / 3; i < 2*n/3; i++ {
					x[i] = x[i].Add(F(k.step))
				}
				if p := ChangesBeyondMemory(x, 0, 5, 2, alpha); p <= alpha {
					found++
				}
				if len(ChangePoints(x, 0, 5, 2).Segments) > 1 {
					any++
				}
			}
			shares, before = append(shares, found/float64(each)), append(before, any/float64(each))
			sum += found / float64(each*len(lengths))
		}
		t.Logf("%-12s %.3f of %v values; by the penalty alone %.3f", k.name, shares, lengths, before)
		if k.step == 0 && sum > alpha+3.5*math.Sqrt(alpha*(1-alpha)/float64(each*len(lengths))) {
			t.Errorf("%s: %.3f of the series have changes", k.name, sum)
		}
		if last := shares[len(lengths)-1]; k.step > 0 && k.phi == 0 && last < 0.9 {
			t.Errorf("%s: of 240 values %.3f of the steps are seen", k.name, last)
		}
	}
}
