package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// ensureTable writes the table unless it is there.
func ensureTable(path string, rows int) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), "table-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	err = writeTable(f, rows)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// growth measures the call on tables of more and more rows, each of which goes
// after its turn.
func (o options) growth(ctx context.Context) error {
	if o.largest < o.rows {
		return nil
	}
	fmt.Printf("%12s %10s %10s %14s %8s\n", "rows", "CSV GB", "wall s", "ns for a row", "MB")
	for rows := o.rows; ; rows = min(10*rows, o.largest) {
		table, err := filepath.Abs(filepath.Join(o.dir, fmt.Sprintf("table-%d.csv", rows)))
		if err == nil {
			err = ensureTable(table, rows)
		}
		if err != nil {
			return err
		}
		about, err := os.Stat(table)
		if err != nil {
			return err
		}
		s, err := process(ctx, o.atelier, "call", "statistical_regression_tool", "--root", filepath.Dir(table), "--log-level", "error",
			"--limits", `{"timeout_ms":600000}`, "--input", ofPath(table))
		if rows != o.rows {
			_ = os.Remove(table)
		}
		if err != nil {
			return err
		}
		fmt.Printf("%12d %10.2f %10.2f %14.0f %8.0f\n", rows, float64(about.Size())/1e9, s.wall, s.wall/float64(rows)*1e9, s.memory)
		if rows >= o.largest {
			return nil
		}
	}
}
