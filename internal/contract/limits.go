package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
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

// Ceilings are the server's own upper bounds; a larger wish is clamped.
func Ceilings() Limits {
	return Limits{
		TimeoutMS: 3_600_000, MaxStdoutBytes: 16_000_000, MaxStderrBytes: 16_000_000,
		MaxArtifactBytes: 8_000_000_000, MaxArtifacts: 1024, MaxSummaryCharacters: 4000, MemoryMB: 20_000,
	}
}

type limitField struct {
	name  string
	value *int64
	least int64
	most  int64
}

func (l *Limits) fields(ceiling Limits) []limitField {
	return []limitField{
		{"timeout_ms", &l.TimeoutMS, 1, ceiling.TimeoutMS},
		{"max_stdout_bytes", &l.MaxStdoutBytes, 1, ceiling.MaxStdoutBytes},
		{"max_stderr_bytes", &l.MaxStderrBytes, 1, ceiling.MaxStderrBytes},
		{"max_artifact_bytes", &l.MaxArtifactBytes, 1, ceiling.MaxArtifactBytes},
		{"max_artifacts", &l.MaxArtifacts, 1, ceiling.MaxArtifacts},
		{"max_summary_characters", &l.MaxSummaryCharacters, 16, ceiling.MaxSummaryCharacters},
	}
}

// DefaultLimits are the limits of this tool when a caller asks for none.
func (c *Contract) DefaultLimits() Limits {
	l, t := DefaultLimits(), c.Limits
	for _, f := range []struct {
		own  int64
		into *int64
	}{
		{t.TimeoutMS, &l.TimeoutMS}, {t.MaxStdoutBytes, &l.MaxStdoutBytes}, {t.MaxStderrBytes, &l.MaxStderrBytes},
		{t.MaxArtifactBytes, &l.MaxArtifactBytes}, {t.MaxArtifacts, &l.MaxArtifacts},
		{t.MaxSummaryCharacters, &l.MaxSummaryCharacters}, {t.MemoryMB, &l.MemoryMB},
	} {
		if f.own > 0 {
			*f.into = f.own
		}
	}
	return l
}

// ResolveLimits applies a caller's wishes (any subset of the six, as JSON) to
// the tool's defaults. One above the ceiling (the contract's max_timeout_ms or
// the server's) is clamped with a warning; zero, negative or unknown is an error.
func (c *Contract) ResolveLimits(wish json.RawMessage) (Limits, []Warning, []*Error) {
	l := c.DefaultLimits()
	if len(wish) == 0 || string(wish) == "null" {
		return l, nil, nil
	}
	var asked map[string]json.RawMessage
	if json.Unmarshal(wish, &asked) != nil {
		return l, nil, []*Error{Errorf(CodeInvalidRequest, "limits is not a JSON object of whole numbers").At("/limits")}
	}
	ceiling := Ceilings()
	if c.Limits.MaxTimeoutMS > 0 {
		ceiling.TimeoutMS = c.Limits.MaxTimeoutMS
	}
	var warnings []Warning
	var faults []*Error
	for _, f := range l.fields(ceiling) {
		number, given := asked[f.name]
		delete(asked, f.name)
		if !given {
			continue
		}
		v, err := strconv.ParseInt(string(number), 10, 64)
		switch {
		case err != nil || v < f.least:
			e := Errorf(CodeInvalidRequest, "%s is %s; it must be a whole number of at least %d", f.name, brief(number), f.least)
			faults = append(faults, e.At("/limits/"+f.name))
		case v > f.most:
			warnings = append(warnings, Warning{"limit_clamped", fmt.Sprintf("%s %d was reduced to the ceiling of %d.", f.name, v, f.most)})
			*f.value = f.most
		default:
			*f.value = v
		}
	}
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		faults = append(faults, Errorf(CodeInvalidRequest, "limits has an unknown field %q", name).At("/limits/"+name).
			WithHint("Known are timeout_ms, max_stdout_bytes, max_stderr_bytes, max_artifact_bytes, max_artifacts, max_summary_characters."))
	}
	return l, warnings, faults
}
