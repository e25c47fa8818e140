package ipynb

import (
	"fmt"
	"slices"
	"strings"

	"atelier/internal/tools/notebook/python"
)

// The states of a notebook's execution.
const (
	StateCurrent = "current" // these very cells ran from top to bottom
	StatePartial = "partial" // they ran, but not all of them
	StateStale   = "stale"   // cells have changed since
	StateFailed  = "failed"  // these very cells did not run to the end
	StateNever   = "never"
)

// Execution compares a notebook with its last run. It says whether that run was of
// the present cells; how far its results can be trusted is the evidence's to say.
type Execution struct {
	State      string      `json:"state"`
	StaleCells []StaleCell `json:"stale_cells"`
	Because    []string    `json:"because"`
	RanAt      string      `json:"ran_at,omitempty"`
}

// mostStale bounds the cells that are listed; the reasons tell how many more
// there are.
const mostStale = 40

// StaleCell is a cell whose outputs do not belong to the present cells.
type StaleCell struct {
	Index  int      `json:"cell_index"`
	ID     string   `json:"cell_id,omitempty"`
	Reason string   `json:"reason"` // changed, new or depends
	Names  []string `json:"names,omitempty"`
}

// Compare says what of a notebook still stands since the run that r tells of; r
// is nil where there was none. Cells depend on each other by the names that they
// define, change in place and use, through functions too; modules do not count as
// changed by their use.
func Compare(r *Receipt, nb *Existing) Execution {
	if r == nil {
		return Execution{State: StateNever, StaleCells: []StaleCell{}, Because: []string{"The notebook has not been run by validator.run_execution."}}
	}
	t := tracer{old: r.Cells, now: CodeCells(nb), dirty: map[string]bool{}, later: map[string][]string{}, modules: map[string]bool{}}
	t.run()
	e := Execution{StaleCells: append([]StaleCell{}, t.stale[:min(len(t.stale), mostStale)]...), Because: t.because(), RanAt: r.RanAt}
	switch {
	case len(t.stale) > 0 || t.removed > 0:
		e.State = StateStale
	case !r.OK:
		e.State = StateFailed
		e.Because = append(e.Because, failedBecause(r))
	case !r.Complete:
		e.State = StatePartial
		e.Because = append(e.Because, "Some code cells were not run.")
	default:
		e.State = StateCurrent
		e.Because = append(e.Because, "Every code cell ran from top to bottom, as it stands now.")
	}
	if r.Unseen != "" {
		e.Because = append(e.Because, "No cell failed in that run, but "+r.Unseen+".")
	}
	if len(r.Parameters) > 0 {
		e.Because = append(e.Because, "Parameters were injected into that run.")
	}
	return e
}

func failedBecause(r *Receipt) string {
	if r.FailedCell == nil {
		return fmt.Sprintf("The last run ended with %s.", r.Code)
	}
	return fmt.Sprintf("The last run ended with %s at cell_index %d.", r.Code, *r.FailedCell)
}

// tracer follows, from top to bottom, which names no longer hold what they held.
type tracer struct {
	old, now []ReceiptCell
	dirty    map[string]bool
	all      bool // a star import changed: any name may be dirty
	later    map[string][]string
	modules  map[string]bool
	stale    []StaleCell
	removed  int
}

func (t *tracer) run() {
	kept := common(t.old, t.now)
	i := 0
	for j := range t.now {
		match, found := kept[j]
		if found {
			for ; i < match; i++ {
				t.leave(&t.old[i])
			}
			i++
		} else if i < len(t.old) && t.same(&t.old[i], j) && !slices.Contains(values(kept), i) {
			t.taint(&t.old[i].Effects) // what it defined before is gone, too
			i++
		}
		t.visit(&t.now[j], found)
	}
	for ; i < len(t.old); i++ {
		t.leave(&t.old[i])
	}
}

func values(m map[int]int) []int {
	list := make([]int, 0, len(m))
	for _, v := range m {
		list = append(list, v)
	}
	return list
}

// same says whether a cell of the run is the present cell j with another text.
func (t *tracer) same(old *ReceiptCell, j int) bool {
	if old.ID != "" || t.now[j].ID != "" {
		return old.ID == t.now[j].ID
	}
	return old.Index == t.now[j].Index
}

// leave is a cell of the run that the notebook has no more.
func (t *tracer) leave(old *ReceiptCell) {
	t.removed++
	t.taint(&old.Effects)
}

func (t *tracer) visit(c *ReceiptCell, kept bool) {
	e := &c.Effects
	for _, name := range e.Defines {
		t.modules[name] = slices.Contains(e.Imports, name)
	}
	switch names := t.dirtyUses(e); {
	case !kept:
		reason := "new"
		if slices.ContainsFunc(t.old, func(old ReceiptCell) bool { return t.sameAs(&old, c) }) {
			reason = "changed"
		}
		t.stale = append(t.stale, StaleCell{c.Index, c.ID, reason, nil})
		t.taint(e)
	case len(names) > 0:
		t.stale = append(t.stale, StaleCell{c.Index, c.ID, "depends", names})
		t.taint(e)
	default:
		for _, name := range e.Defines { // it binds them anew, to what they were
			delete(t.dirty, name)
		}
	}
	for _, name := range e.Defines {
		t.later[name] = e.Later
	}
}

func (t *tracer) sameAs(old, now *ReceiptCell) bool {
	if old.ID != "" || now.ID != "" {
		return old.ID == now.ID
	}
	return old.Index == now.Index
}

// taint marks what a cell binds or changes.
func (t *tracer) taint(e *python.Effects) {
	t.all = t.all || e.Star
	for _, name := range e.Defines {
		t.dirty[name] = true
	}
	for _, name := range e.Changes {
		if !t.modules[name] && !slices.Contains(e.Imports, name) {
			t.dirty[name] = true
		}
	}
}

// dirtyUses are the dirty names that a cell reads, itself or through functions.
func (t *tracer) dirtyUses(e *python.Effects) []string {
	var found []string
	seen := map[string]bool{}
	todo := slices.Concat(e.Uses, e.Later)
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		if seen[name] {
			continue
		}
		seen[name] = true
		if t.dirty[name] {
			found = append(found, name)
		}
		todo = append(todo, t.later[name]...)
	}
	if t.all && len(found) == 0 && len(e.Uses) > 0 {
		found = []string{"*"}
	}
	slices.Sort(found)
	return found
}

// because says it in sentences, most of them at most.
func (t *tracer) because() []string {
	const most = 12 // sentences
	list := []string{}
	if t.removed > 0 {
		list = append(list, fmt.Sprintf("%d code cell(s) of the last run are gone or have moved.", t.removed))
	}
	for i, s := range t.stale {
		if i == most {
			list = append(list, fmt.Sprintf("%d more cells are stale, %d in all.", len(t.stale)-most, len(t.stale)))
			break
		}
		switch s.Reason {
		case "depends":
			list = append(list, fmt.Sprintf("The cell at cell_index %d uses %s of cells that have changed.", s.Index, strings.Join(s.Names, ", ")))
		case "new":
			list = append(list, fmt.Sprintf("The cell at cell_index %d is new since the last run.", s.Index))
		default:
			list = append(list, fmt.Sprintf("The cell at cell_index %d has changed since the last run.", s.Index))
		}
	}
	return list
}

// common is a longest common subsequence of equal sources: present cell to cell
// of the run.
func common(old, now []ReceiptCell) map[int]int {
	length := make([][]int, len(old)+1)
	for i := range length {
		length[i] = make([]int, len(now)+1)
	}
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(now) - 1; j >= 0; j-- {
			if old[i].SourceSHA256 == now[j].SourceSHA256 {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	pairs := map[int]int{}
	for i, j := 0, 0; i < len(old) && j < len(now); {
		switch {
		case old[i].SourceSHA256 == now[j].SourceSHA256:
			pairs[j] = i
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}

// Ran adds to the strict verdict what the last run says: a notebook whose cells,
// as they stand, are known to fail does not pass.
func (s *Strict) Ran(e *Execution) {
	switch e.State {
	case StateFailed:
		s.Passes = false
		s.Findings = append(s.Findings, Finding{"execution_failed", severe, whole, strings.Join(e.Because, " ")})
	case StateStale:
		at := whole
		if len(e.StaleCells) > 0 {
			at = e.StaleCells[0].Index
		}
		s.Findings = append(s.Findings, Finding{"execution_stale", "warning", at, strings.Join(e.Because, " ")})
	}
}
