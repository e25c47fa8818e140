package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// side is one way to the figures.
type side struct {
	name    string
	peer    bool
	run     func(context.Context) (sample, error)
	samples []sample
}

// sample is one measurement: seconds of wall and processor time, without those
// of a peer's imports, and the largest resident memory in MB (0 where the work
// is done in a server).
type sample struct {
	wall, cpu, memory float64
	figures           map[string]float64
}

// arguments of the call; both sides compute figures and draw nothing.
func arguments(data string) string {
	return fmt.Sprintf(`{%s,"plots":false,"operation":"linear_regression","target":"latency_ms","features":["snr","jitter","packet_loss"]}`, data)
}

func ofPath(path string) string {
	return arguments(fmt.Sprintf(`"path":%q,"capture":{"selectors":{"filters":[%q]}}`, path, filter))
}

func (o options) sides(s *server, table, parquet string) []*side {
	stored := arguments(fmt.Sprintf(`"capture":{"capture_id":"bench","selectors":{"filters":[%q]}}`, filter))
	peer := func(name, file, how string) *side {
		return &side{name: name, peer: true, run: func(ctx context.Context) (sample, error) {
			return process(ctx, o.python, o.peer, file, how)
		}}
	}
	ours := func(name string, args ...string) *side {
		return &side{name: name, run: func(ctx context.Context) (sample, error) {
			return process(ctx, o.atelier, append([]string{"call", "statistical_regression_tool", "--root", filepath.Dir(table), "--log-level", "error"}, args...)...)
		}}
	}
	return []*side{
		peer("pandas (C parser) + statsmodels, CSV", table, "c"),
		peer("pandas (pyarrow parser) + statsmodels, CSV", table, "pyarrow"),
		peer("pandas + statsmodels, Parquet", parquet, "parquet"),
		ours("atelier call, CSV", "--input", ofPath(table)),
		ours("atelier call, Parquet", "--input", ofPath(parquet)),
		ours("atelier call, stored capture", "--data", s.copy, "--database", filepath.Join(s.copy, "atelier.db"), "--input", stored),
		{name: "atelier server, stored capture", run: func(ctx context.Context) (sample, error) { return s.execute(ctx, stored) }},
	}
}

// process runs a program to its end.
func process(ctx context.Context, name string, args ...string) (sample, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	start := time.Now()
	out, err := cmd.Output()
	s := sample{wall: time.Since(start).Seconds()}
	if err != nil {
		return s, fmt.Errorf("%s: %w: %s%s", name, err, complaint.String(), tail(out))
	}
	used := cmd.ProcessState
	s.cpu = (used.UserTime() + used.SystemTime()).Seconds()
	if usage, ok := used.SysUsage().(*syscall.Rusage); ok {
		s.memory = float64(usage.Maxrss) / 1024
	}
	var reply struct {
		Imports    float64            `json:"imports"`
		ImportsCPU float64            `json:"imports_cpu"`
		Figures    map[string]float64 `json:"figures"`
		Output     json.RawMessage    `json:"output"`
	}
	if err := json.Unmarshal(out, &reply); err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	s.wall, s.cpu, s.figures = s.wall-reply.Imports, s.cpu-reply.ImportsCPU, reply.Figures
	if s.figures == nil {
		s.figures, err = ourFigures(reply.Output)
	}
	return s, err
}

func tail(out []byte) []byte { return out[max(0, len(out)-500):] }

// measure takes turns, so that what else the machine does hits all alike.
func measure(ctx context.Context, sides []*side, rounds int) error {
	for range rounds {
		for _, s := range sides {
			got, err := s.run(ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			s.samples = append(s.samples, got)
		}
	}
	return nil
}
