// Command bench measures servers side by side, in one run on one machine: the
// bare handler, Atelier with a durable record for each call, and MCP servers
// made with other libraries. Each server is a process of its own, with a fresh
// folder and a free loopback port; the peers take turns in several rounds, so
// that what else the machine does hits all alike. What is printed are medians
// over the rounds, and the median of each round's ratio to the bare handler.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// server is a program that several rows may use.
type server struct {
	name string
	args []string
}

// row is one line of the table.
type row struct {
	name   string
	server string
	open   opener
}

var rows = []row{
	{"bare net/http handler", "bare", execute},
	{"atelier /v1/tools/execute", "atelier", execute},
	{"atelier mcp 2025-11-25", "atelier", session},
	{"atelier mcp 2026-07-28", "atelier", sessionless},
	{"go-sdk 2025-11-25", "gosdk", session},
	{"go-sdk 2026-07-28", "gosdk-stateless", sessionless},
	{"fastmcp 2025-11-25", "fastmcp", session},
	{"fastmcp 2026-07-28", "fastmcp", sessionless},
}

type options struct {
	atelier, python, bin, only string
	rounds                     int
	warm, span                 time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.atelier, "atelier", "bin/atelier", "the program under measurement")
	flag.StringVar(&o.python, "python", "", "a Python that has fastmcp; without it those rows are left out")
	flag.StringVar(&o.bin, "bin", ".cache/bench", "where the programs bare and gosdk are")
	flag.StringVar(&o.only, "only", "", "measure only rows with one of these words in their name (comma-separated); the bare handler always")
	flag.IntVar(&o.rounds, "rounds", 5, "how often each row is measured")
	flag.DurationVar(&o.warm, "warm", 500*time.Millisecond, "before each measurement")
	flag.DurationVar(&o.span, "span", 2*time.Second, "of each measurement")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (o options) servers() []server {
	list := []server{
		{"bare", []string{filepath.Join(o.bin, "bare"), "-addr", "ADDR"}},
		{"atelier", []string{o.atelier, "serve", "--addr", "ADDR", "--data", "DIR", "--root", "DIR"}},
		{"gosdk", []string{filepath.Join(o.bin, "gosdk"), "-addr", "ADDR"}},
		{"gosdk-stateless", []string{filepath.Join(o.bin, "gosdk"), "-addr", "ADDR", "-stateless"}},
	}
	if o.python != "" {
		list = append(list, server{"fastmcp", []string{o.python, "test/bench/peers/fastmcp_echo.py", "ADDR"}})
	}
	return list
}

func (o options) wanted(r row) bool {
	if o.only == "" || r.server == "bare" {
		return true
	}
	for word := range strings.SplitSeq(o.only, ",") {
		if strings.Contains(r.name, word) {
			return true
		}
	}
	return false
}

func run(ctx context.Context, o options) error {
	running := map[string]*process{}
	defer func() {
		for _, p := range running {
			p.stop()
		}
	}()
	t := newTable()
	for _, r := range rows {
		if !o.wanted(r) {
			continue
		}
		if running[r.server] == nil {
			if err := o.launch(ctx, running, r.server); err != nil {
				t.missing(r.name, err)
				continue
			}
		}
		// A row that cannot answer says so and is left out; the others go on.
		if _, err := measure(running[r.server], r.open, 1, 0, 50*time.Millisecond); err != nil {
			t.missing(r.name, err)
			continue
		}
		t.add(r)
	}
	for _, clients := range []int{1, 32} {
		for round := range o.rounds {
			for _, r := range t.order(round) {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				f, err := measure(running[r.server], r.open, clients, o.warm, o.span)
				if err != nil {
					return fmt.Errorf("%s: %w", r.name, err)
				}
				t.record(r, clients, f)
			}
		}
	}
	t.print(os.Stdout)
	return nil
}

func (o options) launch(ctx context.Context, running map[string]*process, name string) error {
	for _, s := range o.servers() {
		if s.name == name {
			p, err := start(ctx, s.args)
			if err == nil {
				running[name] = p
			}
			return err
		}
	}
	return fmt.Errorf("%s is not installed (make bench installs it)", name)
}
