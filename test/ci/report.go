package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// report prints the table and the closing line, and says whether all is green. A
// suite that is red without a failed test counts as one failed.
func report(w io.Writer, all []outcome) bool {
	fmt.Fprintln(w)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "suite\ttests\tpassed\tfailed\tskipped\tseconds\t")
	var sum counts
	seconds, red := 0, 0
	for _, o := range all {
		if o.counted {
			fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t\n", o.name, o.passed+o.failed+o.skipped, o.passed, o.failed, o.skipped, o.seconds)
		} else {
			fmt.Fprintf(table, "%s\t-\t-\t-\t-\t%d\t\n", o.name, o.seconds)
		}
		sum.passed, sum.skipped, seconds = sum.passed+o.passed, sum.skipped+o.skipped, seconds+o.seconds
		sum.failed += o.failed
		if o.fault != "" {
			red++
			if o.failed == 0 {
				sum.failed++
			}
		}
	}
	fmt.Fprintf(table, "all\t%d\t%d\t%d\t%d\t%d\t\n", sum.passed+sum.failed+sum.skipped, sum.passed, sum.failed, sum.skipped, seconds)
	table.Flush()
	fmt.Fprintln(w)
	for _, o := range all {
		switch {
		case o.fault != "":
			fmt.Fprintf(w, "RED   make %s %s\n", o.name, o.fault)
		case o.skipped > 0:
			fmt.Fprintf(w, "note  make %s skipped %d: %s\n", o.name, o.skipped, o.maySkip)
		}
	}
	if red == 0 {
		fmt.Fprintf(w, "green: all %d suites ran\n", len(all))
	} else {
		fmt.Fprintf(w, "red: %d of %d suites\n", red, len(all))
	}
	fmt.Fprintf(w, "%d passed, %d failed, %d skipped\n", sum.passed, sum.failed, sum.skipped)
	return red == 0
}
