package contract

import (
	"encoding/json"
	"reflect"
	"slices"
)

// compareRest judges all that is not a schema.
func (d *Comparison) compareRest(before, after *Contract) {
	d.compareIdentity(before, after)
	d.compareErrors(before.Errors, after.Errors)
	d.compareLimits(before, after)
	d.comparePromises(before, after)
	d.compareLists("/capabilities", before.Capabilities, after.Capabilities, MajorChange)
	d.compareLists("/tags", before.Tags, after.Tags, MinorChange)
	for pointer, texts := range map[string][2]any{
		"/title": {before.Title, after.Title}, "/description": {before.Description, after.Description},
		"/examples": {before.Examples, after.Examples},
	} {
		if !sameJSON(texts[0], texts[1]) {
			d.add(PatchChange, pointer, "the wording changed")
		}
	}
}

func sameJSON(a, b any) bool { return canonical(decoded(a)) == canonical(decoded(b)) }

// decoded is a value as JSON decodes it, so that formatting does not count.
func decoded(v any) any {
	raw, err := json.Marshal(v)
	if err != nil {
		return v
	}
	var out any
	if json.Unmarshal(raw, &out) != nil {
		return v
	}
	return out
}

func (d *Comparison) compareIdentity(before, after *Contract) {
	for _, f := range []struct {
		pointer  string
		old, new string
		level    ChangeLevel
	}{
		{"/name", before.Name, after.Name, MajorChange},
		{"/endpoint", before.Endpoint, after.Endpoint, MajorChange},
		{"/transport", before.Transport, after.Transport, MajorChange},
		{"/family", before.Family, after.Family, MinorChange},
		{"/status", before.Status, after.Status, MinorChange},
		{"/engine", before.Engine, after.Engine, MinorChange},
	} {
		if f.old != f.new {
			d.add(f.level, f.pointer, "was %q, is %q", f.old, f.new)
		}
	}
	if before.Stability != after.Stability {
		level := MinorChange // announced: deprecated; earned: stable
		if before.Stability == Stable && after.Stability == Experimental {
			level = MajorChange
		}
		d.add(level, "/stability", "was %s, is %s", before.Stability, after.Stability)
	}
	if !reflect.DeepEqual(before.Deprecation, after.Deprecation) {
		d.add(MinorChange, "/deprecation", "the deprecation changed")
	}
	if before.CostHint != after.CostHint {
		d.add(MinorChange, "/cost_hint", "was %v, is %v", before.CostHint, after.CostHint)
	}
}

// compareErrors: clients route by these codes, and those of the direct dialect
// by their statuses too.
func (d *Comparison) compareErrors(before, after []ErrorSpec) {
	find := func(list []ErrorSpec, code string) (ErrorSpec, bool) {
		i := slices.IndexFunc(list, func(e ErrorSpec) bool { return e.Code == code })
		if i < 0 {
			return ErrorSpec{}, false
		}
		return list[i], true
	}
	for _, old := range before {
		at := "/errors/" + old.Code
		now, ok := find(after, old.Code)
		switch {
		case !ok:
			d.add(MajorChange, at, "the error code was removed; clients that act on it no longer see it")
			continue
		case now.HTTPStatus != old.HTTPStatus:
			d.add(MajorChange, at+"/http_status", "was %d, is %d", old.HTTPStatus, now.HTTPStatus)
		case now.When != old.When:
			d.add(PatchChange, at+"/when", "the wording changed")
		}
		if !slices.Equal(now.Fields, old.Fields) {
			d.add(MajorChange, at+"/fields", "was %v, is %v; faults of these arguments change their code", old.Fields, now.Fields)
		}
	}
	for _, now := range after {
		if _, ok := find(before, now.Code); !ok {
			d.add(MinorChange, "/errors/"+now.Code, "the error code is new")
		}
	}
}

// compareLimits: a limit that falls may refuse or cut what went through before.
// An absent one counts as its default.
func (d *Comparison) compareLimits(before, after *Contract) {
	a, b := before.DefaultLimits(), after.DefaultLimits()
	for _, l := range []struct {
		name     string
		old, new int64
		minimum  bool
	}{
		{"timeout_ms", a.TimeoutMS, b.TimeoutMS, false},
		{"min_timeout_ms", before.MinTimeoutMS(), after.MinTimeoutMS(), true},
		{"max_timeout_ms", before.MaxTimeoutMS(), after.MaxTimeoutMS(), false},
		{"max_payload_bytes", before.MaxPayloadBytes(noLimit), after.MaxPayloadBytes(noLimit), false},
		{"memory_mb", a.MemoryMB, b.MemoryMB, false},
		{"max_stdout_bytes", a.MaxStdoutBytes, b.MaxStdoutBytes, false},
		{"max_stderr_bytes", a.MaxStderrBytes, b.MaxStderrBytes, false},
		{"max_artifact_bytes", a.MaxArtifactBytes, b.MaxArtifactBytes, false},
		{"max_artifacts", a.MaxArtifacts, b.MaxArtifacts, false},
		{"max_summary_characters", a.MaxSummaryCharacters, b.MaxSummaryCharacters, false},
	} {
		stricter := l.new < l.old
		if l.minimum {
			stricter = l.new > l.old
		}
		switch {
		case stricter:
			d.add(MajorChange, "/limits/"+l.name, "was %s, is %s; a call that fitted may no longer fit", amount(l.old), amount(l.new))
		case l.new != l.old:
			d.add(MinorChange, "/limits/"+l.name, "was %s, is %s", amount(l.old), amount(l.new))
		}
	}
}

const noLimit = 1 << 62 // bytes, where the contract itself sets none

func amount(n int64) string {
	if n == noLimit {
		return "the server's own"
	}
	return canonical(n)
}

// comparePromises: clients let calls through by what a tool promises not to do.
func (d *Comparison) comparePromises(before, after *Contract) {
	classes := []string{"none", "read_only", "external_write"}
	for _, p := range []struct {
		pointer  string
		old, new int // a higher number promises less
	}{
		{"/effects/read_only", less(before.Effects.ReadOnly), less(after.Effects.ReadOnly)},
		{"/effects/idempotent", less(before.Effects.Idempotent), less(after.Effects.Idempotent)},
		{"/effects/destructive", less(!before.Effects.Destructive), less(!after.Effects.Destructive)},
		{"/effects/open_world", less(!before.Effects.OpenWorld), less(!after.Effects.OpenWorld)},
		{"/effects/side_effects", slices.Index(classes, before.Effects.SideEffects), slices.Index(classes, after.Effects.SideEffects)},
		{"/deterministic", less(before.Deterministic), less(after.Deterministic)},
	} {
		switch {
		case p.new > p.old:
			d.add(MajorChange, p.pointer, "promises less than before")
		case p.new < p.old:
			d.add(MinorChange, p.pointer, "promises more than before")
		}
	}
}

func less(promise bool) int {
	if promise {
		return 0
	}
	return 1
}

func (d *Comparison) compareLists(pointer string, before, after []string, removed ChangeLevel) {
	for _, v := range before {
		if !slices.Contains(after, v) {
			d.add(removed, pointer, "%q was removed", v)
		}
	}
	for _, v := range after {
		if !slices.Contains(before, v) {
			d.add(MinorChange, pointer, "%q is new", v)
		}
	}
}
