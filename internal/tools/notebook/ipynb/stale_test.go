package ipynb

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// made is a notebook of code cells; ids "" leaves them out.
func made(t *testing.T, ids string, sources ...string) *Existing {
	t.Helper()
	cells := []map[string]any{{"cell_type": "markdown", "metadata": map[string]any{}, "source": "# A text"}}
	for i, s := range sources {
		c := map[string]any{"cell_type": "code", "metadata": map[string]any{}, "source": s, "outputs": []any{}, "execution_count": nil}
		if ids != "" {
			c["id"] = fmt.Sprintf("%s%d", ids, i)
		}
		cells = append(cells, c)
	}
	raw, err := json.Marshal(map[string]any{"cells": cells, "metadata": map[string]any{}, "nbformat": 4, "nbformat_minor": 5})
	if err != nil {
		t.Fatal(err)
	}
	nb, err := Read(raw)
	if err != nil {
		t.Fatal(err)
	}
	return nb
}

func cleanRun(nb *Existing) *Receipt { return &Receipt{OK: true, Complete: true, Cells: CodeCells(nb)} }

func staleIndices(e Execution) []int {
	list := []int{}
	for _, c := range e.StaleCells {
		list = append(list, c.Index-1) // without the text above
	}
	return list
}

// Each case is worked out by hand: which outputs could differ when the cells
// from the first changed one on were run again.
func TestStaleCells(t *testing.T) {
	base := []string{"a = 1", "b = a + 1", "c = 10", "print(b)", "print(c)"}
	edit := func(at int, source string) []string {
		s := slices.Clone(base)
		s[at] = source
		return s
	}
	for _, c := range []struct {
		name        string
		before, now []string
		state       string
		stale       []int
	}{
		{"nothing", base, base, StateCurrent, []int{}},
		{"a root", base, edit(0, "a = 2"), StateStale, []int{0, 1, 3}},
		{"a leaf", base, edit(4, "print(c, c)"), StateStale, []int{4}},
		{"in the middle", base, edit(1, "b = a - 1"), StateStale, []int{1, 3}},
		{"a new cell that binds", base, slices.Insert(slices.Clone(base), 3, "c = 11"), StateStale, []int{3, 5}},
		{"a cell is gone", base, slices.Delete(slices.Clone(base), 2, 3), StateStale, []int{3}},
		{"bound anew in between", []string{"x = 1", "x = 2", "print(x)"}, []string{"x = 9", "x = 2", "print(x)"}, StateStale, []int{0}},
		{"changed in place", []string{"l = []", "l.append(1)", "print(l)"}, []string{"l = []", "l.append(2)", "print(l)"}, StateStale, []int{1, 2}},
		{"added to", []string{"n = 0", "n += 1", "print(n)"}, []string{"n = 0", "n += 2", "print(n)"}, StateStale, []int{1, 2}},
		{"through a function", []string{"k = 1", "def f():\n    return k", "z = 0", "k = 2", "print(f())", "print(z)"},
			[]string{"k = 1", "def f():\n    return k", "z = 0", "k = 3", "print(f())", "print(z)"}, StateStale, []int{3, 4}},
		{"a module is no value", []string{"import math", "print(math.sin(0))", "print(math.pi)"}, []string{"import math", "print(math.sin(1))", "print(math.pi)"}, StateStale, []int{1}},
		{"a star import", []string{"from math import *", "print(pi)", "3"}, []string{"from cmath import *", "print(pi)", "3"}, StateStale, []int{0, 1}},
		{"an empty cell runs nothing", []string{"a = 1", "a"}, []string{"a = 1", " \n", "a"}, StateCurrent, []int{}},
	} {
		for _, ids := range []string{"", "id-"} {
			e := Compare(cleanRun(made(t, ids, c.before...)), made(t, ids, c.now...))
			if e.State != c.state || !slices.Equal(staleIndices(e), c.stale) {
				t.Errorf("%s (%q): %s %v, want %s %v: %v", c.name, ids, e.State, staleIndices(e), c.state, c.stale, e.Because)
			}
			if len(e.Because) == 0 {
				t.Errorf("%s: no reason", c.name)
			}
		}
	}
}

// Straight-line cells can be run by hand here: whatever one edit makes differ
// must be named as stale.
func TestNothingStaleIsMissed(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	type assignment struct{ target, left, right, add int }
	source := func(a assignment) string {
		return fmt.Sprintf("v%d = v%d * 3 + v%d + %d", a.target, a.left, a.right, a.add)
	}
	for range 400 {
		const names = 5
		list := make([]assignment, 12)
		for i := range list {
			list[i] = assignment{rng.IntN(names), rng.IntN(names), rng.IntN(names), rng.IntN(9)}
		}
		values := func(list []assignment) []int {
			v, out := [names]int{1, 2, 3, 4, 5}, []int{}
			for _, a := range list {
				v[a.target] = v[a.left]*3 + v[a.right] + a.add
				out = append(out, v[a.target])
			}
			return out
		}
		sources := func(list []assignment) []string {
			s := []string{"v0, v1, v2, v3, v4 = 1, 2, 3, 4, 5"}
			for i, a := range list {
				s = append(s, fmt.Sprintf("%s  # %d", source(a), i))
			}
			return s
		}
		edited := slices.Clone(list)
		at := rng.IntN(len(edited))
		edited[at].add += 1 + rng.IntN(5)
		e := Compare(cleanRun(made(t, "", sources(list)...)), made(t, "", sources(edited)...))
		stale := staleIndices(e)
		was, is := values(list), values(edited)
		for i := range was {
			if was[i] != is[i] && !slices.Contains(stale, i+1) {
				t.Fatalf("cell %d differs and is not stale: %v\n%v", i+1, stale, sources(edited))
			}
		}
		if !slices.Contains(stale, at+1) || len(stale) > len(list)-at {
			t.Fatalf("%v after an edit of cell %d", stale, at+1)
		}
	}
}

func TestNeverAndFailed(t *testing.T) {
	nb := made(t, "", "1 / 0")
	if e := Compare(nil, nb); e.State != StateNever {
		t.Errorf("%+v", e)
	}
	r, at := cleanRun(nb), 1
	r.OK, r.Code, r.FailedCell = false, CodeCellFailed, &at
	if e := Compare(r, nb); e.State != StateFailed || len(e.StaleCells) != 0 {
		t.Errorf("%+v", e)
	}
	r = cleanRun(nb)
	r.Complete = false
	if e := Compare(r, nb); e.State != StatePartial {
		t.Errorf("%+v", e)
	}
}
