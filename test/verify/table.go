package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// table is what the draws show, case by case.
type table struct {
	rows    []row
	results []result
	seed    uint64
	draws   int
}

// row is what the draws of one case show, or of several.
type row struct {
	class, name, source string
	pointers            []string
	draws               int
	figures, within     int
	unbarred            int
	peaks               []figure // largest stresses, which are not among the figures
	widths, misses      []float64
	words               map[evidence.Trust]int
	falsely             int // verified beside an error above its bar
	verdicts, right     int // on whether the largest stress has a bound
}

func tabulate(cases []testCase, results []result, seed uint64, draws int) *table {
	t := &table{results: results, seed: seed, draws: draws}
	for _, c := range cases {
		r := row{class: c.class, name: c.name, source: c.source, words: map[evidence.Trust]int{}}
		for _, got := range results {
			if got.c.name == c.name {
				r.add(got)
			}
		}
		t.rows = append(t.rows, r)
	}
	return t
}

func (r *row) add(got result) {
	r.draws++
	if got.verdict[0] != "" {
		r.verdicts++
		if got.verdict[0] == got.verdict[1] {
			r.right++
		}
	}
	for _, f := range got.figures {
		if name := general(f.pointer); !f.peak() && !slices.Contains(r.pointers, name) {
			r.pointers = append(r.pointers, name)
		}
		if !f.within() && f.trust == evidence.Verified {
			r.falsely++
		}
		switch {
		case f.peak():
			r.peaks = append(r.peaks, f)
			continue
		case f.bar == nil:
			r.unbarred++
		default:
			r.figures++
		}
		r.words[f.trust]++
		if f.want != 0 && f.bar != nil {
			r.misses = append(r.misses, f.miss()/math.Abs(f.want))
		}
		if f.within() {
			r.within++
		}
		if w, ok := f.width(); ok {
			r.widths = append(r.widths, w)
		}
	}
}

// general is a pointer without numbers.
func general(pointer string) string {
	var parts []string
	for _, p := range strings.Split(strings.Trim(pointer, "/"), "/") {
		if p[0] < '0' || p[0] > '9' {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, " ")
}

// total is all rows in one.
func (t *table) total() row {
	all := row{name: "all", words: map[evidence.Trust]int{}}
	for _, r := range t.rows {
		all.draws += r.draws
		all.figures += r.figures
		all.within += r.within
		all.unbarred += r.unbarred
		all.peaks = append(all.peaks, r.peaks...)
		all.falsely += r.falsely
		all.verdicts += r.verdicts
		all.right += r.right
		all.widths = append(all.widths, r.widths...)
		all.misses = append(all.misses, r.misses...)
		for word, n := range r.words {
			all.words[word] += n
		}
	}
	return all
}

// What the error bars and verdicts are held to.
const (
	leastWithin = 0.95
	mostWidth   = 4 // bar over true error, in the median
	mostFalsely = 0.005
	mostRefused = 0.005 // of the draws
)

// judge prints what a run of tests prints last, and says what falls short.
func (t *table) judge() error {
	all := t.total()
	var faults []string
	for _, f := range []struct {
		what string
		ok   bool
	}{
		{"figures within their error bars: " + share(all.within, all.figures), float64(all.within) >= leastWithin*float64(all.figures)},
		{"right verdicts on singular places: " + share(all.right, all.verdicts), float64(all.right) >= leastWithin*float64(all.verdicts)},
		{"error bars over true errors, in the median: " + all.width(), median(slices.Clone(all.widths)) <= mostWidth},
		{fmt.Sprintf("verified beside an error above the bar: %d", all.falsely), float64(all.falsely) <= mostFalsely*float64(all.figures)+1},
	} {
		if !f.ok {
			faults = append(faults, f.what)
		}
	}
	// A solve that is refused as not converged is no false figure; there may be few.
	refused := 0
	for _, r := range t.results {
		var fault *contract.Error
		if errors.As(r.err, &fault) && fault.Code == contract.CodeNotConverged {
			refused++
			continue
		}
		if r.err != nil {
			faults = append(faults, fmt.Sprintf("%s, draw %d: %v", r.c.name, r.n, r.err))
		}
	}
	if float64(refused) > mostRefused*float64(len(t.results))+1 {
		faults = append(faults, fmt.Sprintf("draws that did not converge: %d", refused))
	}
	fmt.Printf("%d passed, %d failed, 0 skipped\n", all.draws-len(faults), len(faults))
	if len(faults) > 0 {
		return errors.New(strings.Join(faults, "; "))
	}
	return nil
}

func share(part, of int) string {
	if of == 0 {
		return "–"
	}
	if part == of {
		return "100 %"
	}
	return fmt.Sprintf("%.1f %%", math.Floor(1000*float64(part)/float64(of))/10) // all is never said of less
}

func (r row) width() string {
	if len(r.widths) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2g", median(slices.Clone(r.widths)))
}

func (r row) worst() string {
	if len(r.misses) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2g %%", 100*slices.Max(r.misses))
}

func (r row) trust() string {
	var parts []string
	words := slices.SortedFunc(maps.Keys(r.words), func(a, b evidence.Trust) int {
		return cmp.Or(cmp.Compare(r.words[b], r.words[a]), cmp.Compare(a, b))
	})
	for _, w := range words {
		parts = append(parts, fmt.Sprintf("%d %s", r.words[w], w))
	}
	return strings.Join(parts, ", ")
}

// peak tells the largest stresses apart.
func (r row) peak() string {
	if len(r.peaks) == 0 {
		return "–"
	}
	within, barred, verified := 0, 0, 0
	var misses []float64
	for _, f := range r.peaks {
		misses = append(misses, f.miss()/math.Abs(f.want))
		if f.bar != nil {
			barred++
		}
		if f.within() {
			within++
		}
		if f.trust == evidence.Verified {
			verified++
		}
	}
	return fmt.Sprintf("%d of %d; %.2g %%, %.2g %%; %d", within, barred, 100*median(misses), 100*slices.Max(misses), verified)
}

func (t *table) text() string {
	var b strings.Builder
	for _, r := range append(slices.Clone(t.rows), t.total()) {
		if r.verdicts > 0 {
			fmt.Fprintf(&b, "%-40s %4d draws, verdict right of %d\n", r.name, r.verdicts, r.right)
		}
		if r.figures+r.unbarred+len(r.peaks) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%-40s %4d draws, within %5s of %4d, median width %6s, worst %9s, without bar %d, peak %s, falsely verified %d; %s\n",
			r.name, r.draws, share(r.within, r.figures), r.figures, r.width(), r.worst(), r.unbarred, r.peak(), r.falsely, r.trust())
	}
	return b.String()
}
