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
// count twice in every p value. measured are the columns whose values are held to be
// independent, of the other columns some may be a design that repeats itself; rows
// that lack one of the needed values are none.
func (d *selectedData) statePasted(ctx context.Context, s *evidence.Statement, measured, needed []int) error {
	t, err := d.hashRows(ctx, measured, needed)
	if err == nil && t.repeats() {
		t.state(s, t.pastedIn(measured))
	}
	return err
}

// repeats says whether any row stands in the table before.
func (t *hashed) repeats() bool {
	sorted := slices.Sorted(slices.Values(t.rows))
	return len(t.rows) >= 10 && len(slices.Compact(sorted)) < len(t.rows)
}

// state says so where too many rows stand there before: in these runs, or in any order.
func (t *hashed) state(s *evidence.Statement, runs []copied) {
	rows := t.rows
	if n := repeatedIn(runs); float64(n) > pastedShare*float64(len(rows)) {
		s.Check(evidence.Holds("pasted_rows", evidence.Model, "", false, fmt.Sprintf(
			"%d of %d rows stand in the table before, in the same order and in runs that chance does not make: a table that holds rows twice makes every p value too small. Remove the copies.", n, len(rows))))
		return
	}
	counts := map[uint64]int{}
	for _, r := range rows {
		counts[r]++
	}
	stateCopies(s, rows, counts, slices.DeleteFunc(slices.Clone(t.numbers), func(c []float64) bool { return c == nil }))
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

// numberOf numbers values in the order of their appearance.
func numberOf[K comparable](known map[K]int, value K) int {
	number, seen := known[value]
	if !seen {
		number = len(known)
		known[value] = number
	}
	return number
}

// hashed are the selected rows.
type hashed struct {
	rows    []uint64    // the same of the same row
	numbers [][]float64 // by column of numbers, NaN where one is missing
	codes   [][]int     // by column, the number of its value
}

// hashRows reads the rows that have all needed values and one of those measured at
// least; none of a table that is too large.
func (d *selectedData) hashRows(ctx context.Context, measured, needed []int) (*hashed, error) {
	t := &hashed{}
	if int64(len(d.Columns))*d.Info.Rows > mostPasted {
		return t, nil
	}
	t.numbers, t.codes = make([][]float64, len(d.Columns)), make([][]int, len(d.Columns))
	known := make([]map[uint64]int, len(d.Columns))
	for i := range known {
		known[i] = map[uint64]int{}
	}
	seed := maphash.MakeSeed()
	for block := range d.Blocks() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := d.hashBlock(block, seed, t, known, func(absent [][]bool, r int) bool {
			lacks := func(column int) bool { return absent[column][r] }
			return !slices.ContainsFunc(needed, lacks) && slices.ContainsFunc(measured, func(c int) bool { return !lacks(c) })
		}); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func (d *selectedData) hashBlock(block int, seed maphash.Seed, t *hashed, known []map[uint64]int, usable func([][]bool, int) bool) error {
	rows, err := d.Rows(block)
	if err != nil || rows.Len() == 0 {
		return err
	}
	defer rows.Free()
	cells, absent, values := make([][]uint64, len(d.Columns)), make([][]bool, len(d.Columns)), make([][]float64, len(d.Columns))
	for column, about := range d.Columns {
		cells[column] = make([]uint64, rows.Len())
		if about.Type == dataset.Integer || about.Type == dataset.Number {
			numbers, gone, err := rows.Numbers(column)
			if err != nil {
				return err
			}
			values[column], absent[column] = make([]float64, rows.Len()), gone
			for r, v := range numbers {
				if gone[r] {
					v = stat.F(math.NaN())
				}
				values[column][r] = v.Hi
				cells[column][r] = maphash.Comparable(seed, [2]uint64{math.Float64bits(v.Hi), math.Float64bits(v.Lo)})
			}
			continue
		}
		words, gone, err := rows.Words(column)
		if err != nil {
			return err
		}
		absent[column] = gone
		for r, w := range words {
			if gone[r] {
				w = separatorOfLevels
			}
			cells[column][r] = maphash.String(seed, w)
		}
	}
	for r := range rows.Len() {
		if usable(absent, r) {
			t.add(cells, values, known, r)
		}
	}
	return nil
}

// add takes row r of a block.
func (t *hashed) add(cells [][]uint64, values [][]float64, known []map[uint64]int, r int) {
	hash := uint64(0)
	for column, list := range cells {
		cell := list[r]
		hash = hash*odd + cell
		t.codes[column] = append(t.codes[column], numberOf(known[column], cell))
		if values[column] != nil {
			t.numbers[column] = append(t.numbers[column], values[column][r])
		}
	}
	t.rows = append(t.rows, hash)
}
