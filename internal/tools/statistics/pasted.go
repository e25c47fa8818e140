package statistics

import (
	"context"
	"fmt"
	"hash/maphash"
	"math"
	"slices"

	"atelier/internal/dataset"
	"atelier/internal/evidence"
	"atelier/internal/stat"
)

const (
	// mostPasted is the most cells that are searched for repeated rows.
	mostPasted = 2_000_000
	// byChance is how likely it may be that a run of rows repeats by chance.
	byChance = 1e-4
	// pastedShare is the share of repeated rows above which a table is taken to
	// hold them twice.
	pastedShare = 0.05
	// mostCopies is how often a row stands in a table that was pasted together.
	mostCopies = 3
	// odd mixes the parts of a hash: the golden ratio of 2^64.
	odd = 0x9e3779b97f4a7c15
	// nearUnits is how far values lie apart that say how dense they are.
	nearUnits = 8
)

// statePasted looks for rows that stand in the table before: in runs of the same
// order, or, where their values have many digits, in any. Rows that were pasted twice
// count twice in every p value.
func (d *selectedData) statePasted(ctx context.Context, s *evidence.Statement) error {
	rows, numbers, err := d.hashRows(ctx)
	if err != nil || len(rows) < 10 {
		return err
	}
	if sorted := slices.Sorted(slices.Values(rows)); len(slices.Compact(sorted)) == len(rows) {
		return nil
	}
	counts := map[uint64]int{}
	for _, r := range rows {
		counts[r]++
	}
	if d.statePastedRuns(s, rows, counts) {
		return nil
	}
	stateCopies(s, rows, counts, numbers)
	return nil
}

// statePastedRuns looks for runs, so long that independent rows repeat them by chance
// less than once in 10,000 tables.
func (d *selectedData) statePastedRuns(s *evidence.Statement, rows []uint64, counts map[uint64]int) bool {
	same := 0.0 // how likely two rows are the same
	for _, n := range counts {
		f := float64(n) / float64(len(rows))
		same += f * f
	}
	length := max(3, int(math.Ceil(math.Log(byChance/(float64(len(rows))*float64(len(rows))))/math.Log(same))))
	if len(counts) < length || length > len(rows)/2 {
		return false
	}
	n := repeated(rows, length)
	if float64(n) <= pastedShare*float64(len(rows)) {
		return false
	}
	s.Check(evidence.Holds("pasted_rows", evidence.Model, "", false, fmt.Sprintf(
		"%d of %d rows stand in the table before, in the same order and in runs of %d and more: a table that holds rows twice makes every p value too small. Remove the copies.", n, len(rows), length)))
	return true
}

// stateCopies looks for rows that stand in the table before in any order. Rows agree
// by chance no more often than the values of one of their columns do, and these as
// often as the values about them are dense: pairs that differ by up to nearUnits of
// the smallest steps, divided by twice that. Columns whose values agree in rows that
// differ are counted with these as well, so that codes and coarse values raise no
// alarm; nor do tables of which several rows stand there more than mostCopies times,
// which chance makes of few different values and pasting does not.
func stateCopies(s *evidence.Statement, rows []uint64, counts map[uint64]int, numbers [][]float64) {
	copies, crowded := 0, 0
	for _, n := range counts {
		if n > mostCopies { // the limit of what an instrument shows, say
			crowded++
		} else {
			copies += n - 1
		}
	}
	if crowded > 1+len(counts)/50 || copies < 3 || float64(copies) <= pastedShare*float64(len(rows)) {
		return
	}
	least := math.Inf(1)
	for _, column := range numbers {
		seen := map[uint64]bool{}
		var values []float64
		for r, v := range column {
			if !seen[rows[r]] && !math.IsNaN(v) {
				values = append(values, v)
			}
			seen[rows[r]] = true
		}
		if len(values) >= len(counts)/2 && len(values) > 2 {
			least = math.Min(least, chancePairs(values)*math.Pow(float64(len(rows))/float64(len(values)), 2))
		}
	}
	if math.IsInf(least, 1) || least >= float64(copies) || 1-stat.ChiTail(2*least, float64(2*copies)) > byChance {
		return
	}
	s.Check(evidence.Holds("pasted_rows", evidence.Model, "", false, fmt.Sprintf(
		"%d of %d rows are copies of others, of which chance makes %.1g at most where values have so many digits: a table that holds rows twice makes every p value too small. Remove the copies.", copies, len(rows), least)))
}

// chancePairs is how many pairs of values chance lets agree, as the larger of those
// that do and of what their density gives, each with two deviations of its count.
func chancePairs(values []float64) float64 {
	slices.Sort(values)
	equal := 0
	var gaps []float64
	for i, run := 1, 0; i < len(values); i++ {
		if gap := values[i] - values[i-1]; gap > 0 {
			gaps, run = append(gaps, gap), 0
		} else {
			run++
			equal += run
		}
	}
	if len(gaps) < 4 {
		return math.Inf(1)
	}
	slices.Sort(gaps)
	unit := gaps[2+len(gaps)/50] // not the smallest: one value off the others' grid has two
	near, start := 0, 0
	for i, v := range values {
		for values[start] < v-(nearUnits+0.5)*unit {
			start++
		}
		near += i - start
	}
	most := func(n int) float64 { return float64(n) + 2*math.Sqrt(float64(n)) }
	return math.Max(most(equal), most(near-equal)/(2*nearUnits))
}

// hashRows is a number for each selected row, the same for the same row, and the
// values of the columns of numbers (NaN where one is missing); none of a table that
// is too large.
func (d *selectedData) hashRows(ctx context.Context) (all []uint64, numbers [][]float64, err error) {
	if int64(len(d.Columns))*d.Info.Rows > mostPasted {
		return nil, nil, nil
	}
	numbers = make([][]float64, len(d.Columns))
	seed := maphash.MakeSeed()
	for block := range d.Blocks() {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		hashes, err := d.hashBlock(block, seed, numbers)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, hashes...)
	}
	return all, slices.DeleteFunc(numbers, func(c []float64) bool { return c == nil }), nil
}

func (d *selectedData) hashBlock(block int, seed maphash.Seed, numbers [][]float64) ([]uint64, error) {
	rows, err := d.Rows(block)
	if err != nil || rows.Len() == 0 {
		return nil, err
	}
	defer rows.Free()
	hashes := make([]uint64, rows.Len())
	for column, about := range d.Columns {
		if about.Type == dataset.Integer || about.Type == dataset.Number {
			values, absent, err := rows.Numbers(column)
			if err != nil {
				return nil, err
			}
			for r, v := range values {
				if absent[r] {
					v = stat.F(math.NaN())
				}
				hashes[r] = hashes[r]*odd + maphash.Comparable(seed, [2]uint64{math.Float64bits(v.Hi), math.Float64bits(v.Lo)})
				numbers[column] = append(numbers[column], v.Hi)
			}
			continue
		}
		words, absent, err := rows.Words(column)
		if err != nil {
			return nil, err
		}
		for r, w := range words {
			if absent[r] {
				w = separatorOfLevels
			}
			hashes[r] = hashes[r]*odd + maphash.String(seed, w)
		}
	}
	return hashes, nil
}

// repeated is how many rows lie in a run of the length that stood before.
func repeated(rows []uint64, length int) int {
	first := map[uint64]bool{}
	n, end := 0, 0 // rows before end are counted
	for i := 0; i+length <= len(rows); i++ {
		h := uint64(0)
		for _, r := range rows[i : i+length] {
			h = h*odd + r
		}
		if !first[h] {
			first[h] = true
			continue
		}
		n += i + length - max(i, end)
		end = i + length
	}
	return n
}
