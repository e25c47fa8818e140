package contract

import (
	"fmt"
	"time"
)

// Limits are the effective limits of one call: the six of ToolExecutionLimits
// and the memory that an engine may use.
type Limits struct {
	TimeoutMS            int64 `json:"timeout_ms"`
	MaxStdoutBytes       int64 `json:"max_stdout_bytes"`
	MaxStderrBytes       int64 `json:"max_stderr_bytes"`
	MaxArtifactBytes     int64 `json:"max_artifact_bytes"`
	MaxArtifacts         int64 `json:"max_artifacts"`
	MaxSummaryCharacters int64 `json:"max_summary_characters"`
	MemoryMB             int64 `json:"memory_mb,omitempty"`
}

// Timeout as a duration.
func (l Limits) Timeout() time.Duration { return time.Duration(l.TimeoutMS) * time.Millisecond }

// DefaultLimits are those of ToolExecutionLimits.
func DefaultLimits() Limits {
	return Limits{
		TimeoutMS: 30_000, MaxStdoutBytes: 1_000_000, MaxStderrBytes: 1_000_000,
		MaxArtifactBytes: 25_000_000, MaxArtifacts: 64, MaxSummaryCharacters: 280, MemoryMB: 4096,
	}
}

// ToolLimits are a contract's limits: what is absent (0) keeps the default.
type ToolLimits struct {
	TimeoutMS            int64 `json:"timeout_ms,omitempty"`
	MinTimeoutMS         int64 `json:"min_timeout_ms,omitempty"`
	MaxTimeoutMS         int64 `json:"max_timeout_ms,omitempty"`
	MaxPayloadBytes      int64 `json:"max_payload_bytes,omitempty"`
	MemoryMB             int64 `json:"memory_mb,omitempty"`
	MaxStdoutBytes       int64 `json:"max_stdout_bytes,omitempty"`
	MaxStderrBytes       int64 `json:"max_stderr_bytes,omitempty"`
	MaxArtifactBytes     int64 `json:"max_artifact_bytes,omitempty"`
	MaxArtifacts         int64 `json:"max_artifacts,omitempty"`
	MaxSummaryCharacters int64 `json:"max_summary_characters,omitempty"`
}

func (t ToolLimits) check() error {
	for _, v := range []int64{t.TimeoutMS, t.MinTimeoutMS, t.MaxTimeoutMS, t.MaxPayloadBytes, t.MemoryMB,
		t.MaxStdoutBytes, t.MaxStderrBytes, t.MaxArtifactBytes, t.MaxArtifacts, t.MaxSummaryCharacters} {
		if v < 0 {
			return fmt.Errorf("limits must not be negative")
		}
	}
	if t.MaxTimeoutMS > 0 && t.TimeoutMS > t.MaxTimeoutMS {
		return fmt.Errorf("limits.timeout_ms is above limits.max_timeout_ms")
	}
	return nil
}
