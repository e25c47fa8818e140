package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// table gathers the figures of all rounds.
type table struct {
	rows    []row
	faults  []string
	figures map[string]map[int][]figures // by row and number of clients
}

func newTable() *table { return &table{figures: map[string]map[int][]figures{}} }

func (t *table) add(r row) {
	t.rows = append(t.rows, r)
	t.figures[r.name] = map[int][]figures{}
}

func (t *table) missing(name string, err error) {
	line, _, _ := strings.Cut(err.Error(), "\n")
	t.faults = append(t.faults, fmt.Sprintf("%s: not measured: %.160s", name, line))
}

// order lists the rows of a round, every second one backwards, so that no row
// always follows the same neighbour.
func (t *table) order(round int) []row {
	list := slices.Clone(t.rows)
	if round%2 == 1 {
		slices.Reverse(list)
	}
	return list
}

func (t *table) record(r row, clients int, f figures) {
	t.figures[r.name][clients] = append(t.figures[r.name][clients], f)
}

// median of one figure over the rounds.
func (t *table) median(name string, clients int, of func(figures) float64) float64 {
	return middle(t.figures[name][clients], of)
}

func middle(list []figures, of func(figures) float64) float64 {
	values := make([]float64, len(list))
	for i, f := range list {
		values[i] = of(f)
	}
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// ratio is the median over the rounds of one row's rate to another's, in the
// same round; 0 when one of them is missing.
func (t *table) ratio(name, to string, clients int) float64 {
	mine, other := t.figures[name][clients], t.figures[to][clients]
	ratios := make([]figures, min(len(mine), len(other)))
	for i := range ratios {
		ratios[i].rate = mine[i].rate / other[i].rate
	}
	return middle(ratios, rate)
}

func rate(f figures) float64 { return f.rate }

func (t *table) print(w io.Writer) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "clients\treq/s\tp50 ms\tp99 ms\tCPU µs/req\tof bare\t  server")
	for _, clients := range []int{1, 32} {
		for _, r := range t.rows {
			fmt.Fprintf(tw, "%d\t%.0f\t%.2f\t%.2f\t%.0f\t%.2f\t  %s\n", clients, t.median(r.name, clients, rate),
				t.median(r.name, clients, func(f figures) float64 { return millis(f.p50) }),
				t.median(r.name, clients, func(f figures) float64 { return millis(f.p99) }),
				t.median(r.name, clients, func(f figures) float64 { return float64(f.cpu) / float64(time.Microsecond) }),
				t.ratio(r.name, "bare net/http handler", clients), r.name)
		}
	}
	_ = tw.Flush() // to standard output
	for _, fault := range t.faults {
		fmt.Fprintln(w, fault)
	}
	for _, goal := range []struct {
		row, to string
		least   float64
	}{
		{"atelier /v1/tools/execute", "bare net/http handler", 0.7},
		{"atelier mcp 2025-11-25", "go-sdk 2025-11-25", 3}, {"atelier mcp 2026-07-28", "go-sdk 2026-07-28", 3},
		{"atelier mcp 2025-11-25", "fastmcp 2025-11-25", 10}, {"atelier mcp 2026-07-28", "fastmcp 2026-07-28", 10},
	} {
		if r := t.ratio(goal.row, goal.to, 32); r > 0 {
			fmt.Fprintf(w, "at 32 clients %s makes %.2f of %s (goal: %g)\n", goal.row, r, goal.to, goal.least)
		}
	}
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
