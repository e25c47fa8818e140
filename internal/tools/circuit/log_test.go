package circuit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/contract"
)

// The log is an artifact and whole: limits of text are for what is told inline.
func TestALimitOfTextLeavesTheLogWhole(t *testing.T) {
	tool := Tools(ngspice(t))[0]
	text := input(t, map[string]any{"netlist": "divider\nV1 in 0 DC 12\nR1 in out 1k\nR2 out 0 2k\n.end", "analysis": "op"})
	logOf := func(limit int64) (string, *contract.Result) {
		limits := tool.Contract.DefaultLimits()
		limits.MaxStdoutBytes, limits.MaxStderrBytes = limit, limit
		dir := t.TempDir()
		result := runIn(t, tool, text, limits, dir)
		raw, err := os.ReadFile(filepath.Join(dir, logFile))
		if err != nil || result.Status != contract.StatusOK {
			t.Fatalf("%v %+v", err, result)
		}
		return string(raw), result
	}
	whole, _ := logOf(1_000_000)
	for _, limit := range []int64{10, 16, 120} {
		log, result := logOf(limit)
		if len(log) < len(whole)-32 || !strings.Contains(log, "--- stderr ---") || strings.Contains(log, "[…") { // times may differ by digits
			t.Errorf("at %d the log has %d bytes, whole %d", limit, len(log), len(whole))
		}
		if int64(len(result.Log.Stdout)) > limit || result.Metrics["stdout_truncated_bytes"] == nil {
			t.Errorf("at %d: %q %v", limit, result.Log.Stdout, result.Metrics)
		}
	}
}
