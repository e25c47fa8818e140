// Command stats measures the regression of a large table side by side with
// pandas and statsmodels, in one run on one machine: whole processes from start
// to end, in turns, both computing the same figures, which are compared. The
// peers' time of importing Python packages is taken off. What is printed are
// medians over the rounds, and the median of each round's ratio.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

type options struct {
	atelier, python, peer, dir string
	rows, rounds, largest      int
}

// filter is what both sides select rows by.
const filter = "signal_quality >= 0.95"

func main() {
	var o options
	flag.StringVar(&o.atelier, "atelier", "bin/atelier", "the program under measurement")
	flag.StringVar(&o.python, "python", "", "a Python that has pandas, pyarrow and statsmodels")
	flag.StringVar(&o.peer, "peer", "bench/stats/peer.py", "the peers' script")
	flag.StringVar(&o.dir, "dir", ".cache/bench/stats", "folder of the tables")
	flag.IntVar(&o.rows, "rows", 2_000_000, "rows of the table")
	flag.IntVar(&o.rounds, "rounds", 5, "how often each side is measured")
	flag.IntVar(&o.largest, "largest", 20_000_000, "rows up to which the growth is measured, by tens; 0 for not at all")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := o.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench-stats:", err)
		os.Exit(1)
	}
}

func (o options) run(ctx context.Context) error {
	if err := os.MkdirAll(o.dir, 0o755); err != nil {
		return err
	}
	table, err := filepath.Abs(filepath.Join(o.dir, fmt.Sprintf("table-%d.csv", o.rows)))
	if err == nil {
		err = ensureTable(table, o.rows)
	}
	if err != nil {
		return err
	}
	data, err := os.MkdirTemp("", "bench-stats-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(data)
	parquet := strings.TrimSuffix(table, ".csv") + ".parquet"
	if _, err := os.Stat(parquet); err != nil {
		if out, err := exec.CommandContext(ctx, o.python, o.peer, table, "write", parquet).CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
	}
	s, err := serve(ctx, o.atelier, data, table)
	if err != nil {
		return err
	}
	defer s.stop()
	sides := o.sides(s, table, parquet)
	if err := measure(ctx, sides, o.rounds); err != nil {
		return err
	}
	if err := compare(sides); err != nil {
		return err
	}
	report(sides)
	if err := s.small(ctx, o.dir); err != nil {
		return err
	}
	return o.growth(ctx)
}
