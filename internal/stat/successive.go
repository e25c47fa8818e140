package stat

import (
	"cmp"
	"math"
	"slices"
)

// Successive says how far observations that follow each other are alike beside the
// means of their groups, as far as this bears on a comparison of the means.
type Successive struct {
	R      float64 // correlation of neighbours, weighted as below; NaN without any
	P      float64 // one-sided, of independent observations in this order
	Sorted bool    // every group is in ascending or descending order of its values
}

// Successives judges residuals by group; at are the places of the observations in
// one order; of a single group that is the order of its values.
//
// Where neighbours are correlated by r, the squares between the groups grow by
// r sum (1/n_g - 1/n) over neighbours of one group, less r/n for each pair of
// neighbours of two groups: groups that lie in stretches of a series differ, groups
// that chance deals out do not. These weights are those of R. Groups that someone
// sorted by value tell nothing and are left out.
func Successives(residuals [][]float64, at [][]int64) Successive {
	nan := math.NaN()
	s := Successive{R: nan, P: nan, Sorted: true}
	var order []placed
	any := false
	for g, rest := range residuals {
		size := 0.0
		for _, e := range rest {
			size = math.Max(size, math.Abs(e))
		}
		squares := 0.0
		for _, e := range rest {
			if size > 0 {
				squares += e / size * (e / size)
			}
		}
		told := !monotone(rest)
		s.Sorted, any = s.Sorted && (!told || size == 0), any || size > 0
		sd := size * math.Sqrt(squares/float64(len(rest)))
		for i, e := range rest {
			p := placed{group: g}
			if told && sd > 0 {
				p.u, p.told = e/sd, true
			}
			if len(residuals) > 1 {
				p.at = at[g][i]
			}
			order = append(order, p)
		}
	}
	if s.Sorted = s.Sorted && any; s.Sorted {
		return s
	}
	if len(residuals) > 1 {
		slices.SortStableFunc(order, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	}
	s.weigh(order, residuals)
	return s
}

// placed is a residual in units of its group's spread.
type placed struct {
	at    int64
	group int
	u     float64
	told  bool // its group is not sorted
}

func (s *Successive) weigh(order []placed, groups [][]float64) {
	sum, weights, squares := 0.0, 0.0, 0.0
	for i := 1; i < len(order); i++ {
		a, b := order[i-1], order[i]
		if !a.told || !b.told {
			continue
		}
		// Residuals of a group add up to 0: in an order by chance, a product of two
		// is -1/(n_g-1) in the mean.
		w, chance := 1.0, 0.0
		if a.group == b.group {
			chance = -1 / float64(len(groups[a.group])-1)
		}
		if len(groups) > 1 {
			w = -1 / float64(len(order))
			if a.group == b.group {
				w += 1 / float64(len(groups[a.group]))
			}
		}
		sum, weights, squares = sum+w*(a.u*b.u-chance), weights+math.Abs(w), squares+w*w
	}
	if weights > 0 {
		s.R, s.P = math.Min(sum/weights, 1), normalTail(sum/math.Sqrt(squares))
	}
}

// monotone says that values never turn.
func monotone(x []float64) bool {
	up, down := true, true
	for i := 1; i < len(x); i++ {
		up, down = up && x[i] >= x[i-1], down && x[i] <= x[i-1]
	}
	return up || down
}
