package contract

import (
	"cmp"
	"fmt"
	"slices"
)

// ChangeLevel is how much a change of a contract asks of its version, by the
// compatibility policy of api/spec/invocation.md.
type ChangeLevel int

// The levels, from none to breaking.
const (
	NoChange    ChangeLevel = iota
	PatchChange             // wording, and rewriting that means the same
	MinorChange             // additions that no earlier client notices
	MajorChange             // what an earlier client may break on
)

func (l ChangeLevel) String() string { return [...]string{"none", "patch", "minor", "major"}[l] }

// Change is one difference between two contracts.
type Change struct {
	Level   ChangeLevel
	Pointer string // JSON pointer into the contract file
	Message string // what was, what is, and what that does
}

func (c Change) String() string { return fmt.Sprintf("%s: %s (%s)", c.Pointer, c.Message, c.Level) }

// Comparison is the difference between two versions of one contract.
type Comparison struct {
	Name     string
	Old, New string // versions
	Changes  []Change
}

// Compare judges every change from one contract to its successor. Schemas are
// judged by what they accept: an input schema may only come to accept more, an
// output schema may only come to promise more; where that cannot be proved,
// inside combinations such as oneOf, the change counts as breaking.
func Compare(before, after *Contract) Comparison {
	d := Comparison{Name: before.Name, Old: before.Version, New: after.Version}
	d.compareSchemas(before, after)
	d.compareRest(before, after)
	slices.SortStableFunc(d.Changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(b.Level, a.Level), cmp.Compare(a.Pointer, b.Pointer))
	})
	return d
}

func (d *Comparison) add(level ChangeLevel, pointer, format string, args ...any) {
	c := Change{level, pointer, fmt.Sprintf(format, args...)}
	if !slices.Contains(d.Changes, c) {
		d.Changes = append(d.Changes, c)
	}
}

// Of lists the changes of a level.
func (d *Comparison) Of(level ChangeLevel) []Change {
	var out []Change
	for _, c := range d.Changes {
		if c.Level == level {
			out = append(out, c)
		}
	}
	return out
}

// Level is that of the gravest change.
func (d *Comparison) Level() ChangeLevel {
	level := NoChange
	for _, c := range d.Changes {
		level = max(level, c.Level)
	}
	return level
}

// Bump is the level by which the version was raised.
func (d *Comparison) Bump() ChangeLevel {
	a, b := versionNumbers(d.Old), versionNumbers(d.New)
	for i, level := range []ChangeLevel{MajorChange, MinorChange, PatchChange} {
		if a[i] != b[i] {
			return level
		}
	}
	return NoChange
}

// Needed is the least version that the changes allow.
func (d *Comparison) Needed() string {
	v := versionNumbers(d.Old)
	switch d.Level() {
	case MajorChange:
		v = [3]int{v[0] + 1, 0, 0}
	case MinorChange:
		v = [3]int{v[0], v[1] + 1, 0}
	case PatchChange:
		v[2]++
	}
	return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2])
}

// Faults says, a sentence for each change, why the new version does not do; none
// when it does. A change of wording alone may go without a new version, since
// no client can break on it.
func (d *Comparison) Faults() []string {
	if compareVersions(d.New, d.Old) < 0 {
		return []string{fmt.Sprintf("%s: the version went back from %s to %s; versions only rise.", d.Name, d.Old, d.New)}
	}
	level, bump := d.Level(), d.Bump()
	if level <= PatchChange || bump >= level {
		return nil
	}
	var out []string
	for _, c := range d.Changes {
		if c.Level > bump && c.Level > PatchChange {
			out = append(out, fmt.Sprintf("%s %s: %s. This is a %s change: raise the version from %s to %s, or take it back.",
				d.Name, c.Pointer, c.Message, c.Level, d.Old, d.Needed()))
		}
	}
	return out
}

// CompareAll compares two sets of contracts by name. A tool that is gone is a
// fault unless its contract had announced it by being deprecated, with what
// replaces it; a new tool is none.
func CompareAll(before, after []*Contract) (compared []Comparison, faults []string) {
	for _, b := range before {
		i := slices.IndexFunc(after, func(a *Contract) bool { return a.Name == b.Name })
		if i < 0 {
			if b.Stability != Deprecated || b.Deprecation == nil {
				faults = append(faults, fmt.Sprintf("%s: the tool is gone without having been deprecated; keep it for at least one minor release with stability deprecated and what replaces it.", b.Name))
			}
			continue
		}
		d := Compare(b, after[i])
		compared = append(compared, d)
		faults = append(faults, d.Faults()...)
	}
	return compared, faults
}
