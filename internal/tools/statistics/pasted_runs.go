package statistics

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"math"
	"slices"

	"atelier/internal/evidence"
	"atelier/internal/stat"
)

const (
	// leastPasted is the shortest run of rows that is taken for a copy.
	leastPasted = 3
	// inCell is how many different rows a combination of levels has on average at
	// least, so that its values say how often chance lets two agree.
	inCell = 4
	// fewCopies is how often a block of values stands in a series that was pasted
	// together at most; what repeats more often is a period.
	fewCopies = 3
	// wavy is the share of a block's variance in its first three harmonics, and smooth
	// the size of its second differences by its deviation, beyond which the block is a
	// wave, of which two periods are a series of their own.
	wavy, smooth = 0.98, 0.05
)

// copied is a run of rows that stood before: from, and the place of the first of the
// rows that it repeats.
type copied struct{ from, before, length int }

// runsOf are the runs of rows that stood before and whose weights add up to the most
// that chance makes in a table: a weight is the logarithm of how seldom chance lets
// the row be the same as another. Rows that are the same as the one before them
// weigh nothing, as values that stay for a while do so.
func runsOf(rows []uint64, weights []float64) (runs []copied) {
	n := len(rows)
	limit := math.Log(float64(n) * float64(n) / byChance)
	prefix, power := make([]uint64, n+1), make([]uint64, n+1)
	power[0] = 1
	for i, r := range rows {
		prefix[i+1], power[i+1] = prefix[i]*odd+r, power[i]*odd
	}
	last := map[uint64]int{}
	end, sum := 0, 0.0 // the weights of the rows after i, up to end
	weight := func(i int) float64 {
		if i == 0 || rows[i] == rows[i-1] {
			return 0
		}
		return weights[i]
	}
	for i, next := 0, 0; i < n; i++ {
		if end <= i {
			end, sum = i+1, 0
		} else if i > 0 {
			sum -= weight(i)
		}
		for end < n && (sum < limit || end-i < leastPasted) {
			sum += weight(end)
			end++
		}
		if sum < limit || end-i < leastPasted {
			break
		}
		h := prefix[end] - prefix[i]*power[end-i]
		before, seen := last[h]
		last[h] = i
		if !seen || i < next {
			continue
		}
		length := end - i
		for i+length < n && rows[before+length] == rows[i+length] {
			length++
		}
		runs, next = append(runs, copied{i, before, length}), i+length
	}
	return runs
}

// repeatedIn is how many rows lie in runs.
func repeatedIn(runs []copied) (n int) {
	for _, r := range runs {
		n += r.length
	}
	return n
}

// weights are how seldom chance lets the value of a column agree in two rows: in rows
// of the same levels of the other columns, as a design repeats these in order, and
// after the same value, where these are few. nil of a column that the others tell.
func weights(codes [][]int, column int) []float64 {
	n := len(codes[column])
	before := make([]int, n)
	for i := 1; i < n; i++ {
		before[i] = 1 + codes[column][i-1]
	}
	list := append(slices.Delete(slices.Clone(codes), column, column+1), before)
	slices.SortStableFunc(list, func(a, b []int) int { return cmp.Compare(levelsIn(a), levelsIn(b)) })
	cells := make([]int, n)
	for _, other := range list {
		joined, count := pairsOf(cells, other)
		if count*inCell > n {
			continue
		}
		cells = joined
	}
	both, _ := pairsOf(cells, codes[column])
	size, same := map[int]float64{}, map[int]float64{}
	for i := range n {
		size[cells[i]]++
		same[both[i]]++
	}
	agree, told := map[int]float64{}, true
	for i := range n {
		agree[cells[i]] += same[both[i]] / size[cells[i]] / size[cells[i]]
		told = told && same[both[i]] == size[cells[i]]
	}
	if told {
		return nil
	}
	out := make([]float64, n)
	for i := range n {
		out[i] = -math.Log(math.Min(agree[cells[i]], 1))
	}
	return out
}

func levelsIn(codes []int) int { return slices.Max(codes) + 1 }

// pairsOf numbers the pairs of two codes in the order of their appearance.
func pairsOf(a, b []int) (joined []int, count int) {
	seen := map[[2]int]int{}
	joined = make([]int, len(a))
	for i := range a {
		joined[i] = numberOf(seen, [2]int{a[i], b[i]})
	}
	return joined, len(seen)
}

// statePasted looks for blocks of a series that stand in it before. A period
// repeats as well, but more often, or it is a smooth wave.
func (s *timed) statePasted(st *evidence.Statement) {
	n := len(s.x)
	if n < 10 || n > mostPasted {
		return
	}
	seed, seen := maphash.MakeSeed(), map[stat.DD]int{}
	rows, codes := make([]uint64, n), make([]int, n)
	for i, v := range s.x {
		rows[i] = maphash.Comparable(seed, [2]uint64{math.Float64bits(v.Hi), math.Float64bits(v.Lo)})
		codes[i] = numberOf(seen, v)
	}
	w := weights([][]int{codes}, 0)
	if w == nil {
		return
	}
	var pasted []copied
	for _, r := range runsOf(rows, w) {
		period := r.from - r.before
		if r.length < fewCopies*period && !wave(floats(s.x[r.before:r.from])) {
			pasted = append(pasted, r)
		}
	}
	if count := repeatedIn(pasted); float64(count) > pastedShare*float64(n) {
		st.Check(evidence.Holds("pasted_rows", evidence.Model, "", false, fmt.Sprintf(
			"%d of %d values stand in the series before, in the same order (those from value %d are those from value %d): a series that holds values twice has periods and p values that the measurement does not have. Remove the copies.",
			count, n, pasted[0].from+1, pasted[0].before+1)))
	}
}

// wave says that a block of values is one period of a wave.
func wave(x []float64) bool {
	var m stat.Moments
	for _, v := range x {
		m.Add(stat.F(v))
	}
	var bends []float64
	for i := 2; i < len(x); i++ {
		bends = append(bends, math.Abs(x[i]-2*x[i-1]+x[i-2]))
	}
	if len(bends) == 0 || !(m.SD() > 0) {
		return true
	}
	slices.Sort(bends)
	if bends[len(bends)/2] < smooth*m.SD() {
		return true
	}
	share, n := 0.0, float64(len(x))
	for k := 1; k <= 3 && 2*k < len(x); k++ {
		var c, q float64
		for i, v := range x {
			sin, cos := math.Sincos(2 * math.Pi * float64(k) * float64(i) / n)
			c, q = c+(v-m.Mean())*cos, q+(v-m.Mean())*sin
		}
		share += 2 * (c*c + q*q) / n
	}
	return share > wavy*m.SD()*m.SD()*(n-1)
}

// pastedIn are the runs of rows that stood before: the fewest of those that any of the
// measured columns tells of.
func (t *hashed) pastedIn(measured []int) (fewest []copied) {
	first := true
	for _, column := range measured {
		w := weights(t.codes, column)
		if w == nil {
			continue
		}
		runs := runsOf(t.rows, w)
		if first || repeatedIn(runs) < repeatedIn(fewest) {
			fewest, first = runs, false
		}
	}
	return fewest
}

// stateIndependent adds what pasted rows say against correlations and the intervals of
// means.
func (s *summarizer) stateIndependent(ctx context.Context, st *evidence.Statement, out *summaryOutput) error {
	var pasted evidence.Statement
	if len(s.numeric) == 0 {
		return nil
	}
	t, err := s.data.hashRows(ctx, s.numeric, nil)
	if err != nil || !t.repeats() {
		return err
	}
	runs := t.pastedIn(s.numeric)
	if t.waves(s.numeric, runs) {
		return nil
	}
	t.state(&pasted, runs)
	for _, c := range pasted.Checks {
		for g, group := range out.Groups {
			for i := range group.Columns {
				for _, end := range []string{"mean_low", "mean_high"} {
					c.Figure = fmt.Sprintf("/groups/%d/columns/%d/%s", g, i, end)
					st.Check(c)
				}
			}
			for i := range group.Correlations {
				c.Figure = fmt.Sprintf("/groups/%d/correlations/%d", g, i)
				st.Check(c)
			}
		}
		if out.NotShown > 0 {
			c.Figure = hiddenAt
			st.Check(c)
		}
	}
	return nil
}

// waves says that the runs of rows that repeat others are periods of waves in all of the
// columns, or of one alone that repeats itself often.
func (t *hashed) waves(columns []int, runs []copied) bool {
	for _, r := range runs {
		if len(columns) == 1 && r.length >= fewCopies*(r.from-r.before) {
			continue
		}
		for _, c := range columns {
			if x := t.numbers[c]; x == nil || !wave(x[r.before:r.from]) {
				return false
			}
		}
	}
	return len(runs) > 0
}
