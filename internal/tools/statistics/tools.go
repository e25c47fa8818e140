package statistics

import (
	"math"

	"atelier/internal/contract"
	"atelier/internal/stat"
)

// Tools lists the family.
func Tools() []contract.Tool {
	list := []contract.Tool{anova, regression, summaryStats, tTest, timeSeries}
	for i := range list {
		list[i].TakesCapture = true
	}
	return list
}

func fTail(f float64, d1, d2 int) float64 {
	if math.IsNaN(f) {
		return f
	}
	return stat.FTail(f, float64(d1), float64(d2))
}
