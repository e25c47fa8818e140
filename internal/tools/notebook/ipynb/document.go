// Package ipynb holds a teaching notebook while it is built, turns it into a
// Jupyter notebook (nbformat 4.5), and judges notebooks. It knows no storage: a
// Document is plain data that a caller keeps as JSON.
package ipynb

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"atelier/internal/contract"
)

// Document is a notebook under construction. Cells are in notebook order, which
// is the order of the calls; the first of them stands after the prelude.
type Document struct {
	ID           string       `json:"id"`
	Front        *Front       `json:"front,omitempty"`
	Dependencies []Dependency `json:"dependencies,omitempty"`
	Cells        []Cell       `json:"cells,omitempty"`
	Final        *Final       `json:"final,omitempty"`
	Flags        []Flag       `json:"flags,omitempty"`
	SnapshotURL  string       `json:"snapshot_url,omitempty"` // the last snapshot's artifact
	// Failures counts, by tool, the calls that have failed in a row.
	Failures map[string]int `json:"failures,omitempty"`
}

// Front is what the opening cells say. Without one, finalize derives it.
type Front struct {
	Title         string   `json:"title"`
	Overview      string   `json:"overview,omitempty"`
	Objectives    []string `json:"objectives,omitempty"`
	Prerequisites []string `json:"prerequisites,omitempty"`
	Audience      string   `json:"audience,omitempty"`
}

// The kinds of cells that calls add.
const (
	KindStep      = "step"
	KindNarration = "narration"
	KindCode      = "code"
	KindHeading   = "heading" // above the questions of an assessment
	KindQuestion  = "question"
	KindRemoved   = "removed"
)

// Cell is one cell that a call added. Its id never changes.
type Cell struct {
	ID      string    `json:"id"`
	Kind    string    `json:"kind"`
	Section int       `json:"section"`
	Source  string    `json:"source"`
	Title   string    `json:"title,omitempty"` // of a step, without "Step N: "
	Step    *Step     `json:"step,omitempty"`
	Code    *Code     `json:"code,omitempty"`
	Quiz    *Question `json:"quiz,omitempty"`
}

// Final is what finalize was given, and where its files went.
type Final struct {
	Closing     Closing `json:"closing"`
	Path        string  `json:"path"`
	ArtifactURL string  `json:"artifact_url"`
}

// Flag is a request for a person's review.
type Flag struct {
	Reason   string `json:"reason"`
	Section  int    `json:"section,omitempty"`
	Severity string `json:"severity,omitempty"`
	// Source is the tool that raised it; the flags of a validator go when its
	// verdict is clean.
	Source string `json:"source"`
}

// Markdown says whether the cell is a markdown cell.
func (c *Cell) Markdown() bool { return c.Kind != KindCode && c.Kind != KindQuestion }

// Index is the place of cell i in the finished notebook.
func Index(i int) int { return PreludeCells + i }

// add appends a cell and returns its index in the finished notebook.
func (d *Document) add(c Cell) int {
	c.ID = fmt.Sprintf("cell-%04d", len(d.Cells)+1)
	d.Cells = append(d.Cells, c)
	return Index(len(d.Cells) - 1)
}

// Open is nil while the document can be changed.
func (d *Document) Open() error {
	if d.Final == nil {
		return nil
	}
	return contract.Errorf(CodeFinalized, "notebook %s was finalised already: %s", d.ID, d.Final.Path).
		With("notebook_path", d.Final.Path).With("artifact_url", d.Final.ArtifactURL).
		WithHint("Use the notebook at that path. To build another one, call notebook.begin, or name a new notebook_id.")
}

// Codes of the family's errors.
const (
	CodeFinalized  = contract.CodeNotebookFinalized
	CodeIncomplete = contract.CodeNotebookIncomplete
	CodeOrder      = contract.CodeSectionOrder
	CodeConflict   = contract.CodeDependencyConflict
	CodeReview     = contract.CodeReviewNeeded
	CodeCell       = contract.CodeCellNotFound
	CodeUnreadable = contract.CodeNotebookUnreadable

	CodeCellFailed     = contract.CodeCellFailed
	CodeCellTimeout    = contract.CodeCellTimeout
	CodeKernelDied     = contract.CodeKernelDied
	CodeKernelLanguage = contract.CodeKernelLanguage
)

// lastSection is the highest section with a cell, 0 for none.
func (d *Document) lastSection() int {
	last := 0
	for i := range d.Cells {
		last = max(last, d.Cells[i].Section)
	}
	return last
}

// rising refuses a section before one that has been begun.
func (d *Document) rising(section int) error {
	if last := d.lastSection(); section < last {
		return contract.Errorf(CodeOrder, "section %d comes before section %d, which has cells already", section, last).
			At("/section_number").With("last_section", last).
			WithHint("Cells are in the order of the calls, and an index that was returned never changes. Go on with section %d or a later one; to change a cell of section %d, call notebook.revise_cell with its index.", last, section)
	}
	return nil
}

// Ratio is the share of markdown cells among all cells so far, the prelude's
// included.
func (d *Document) Ratio() float64 {
	markdown, all := preludeMarkdown, PreludeCells
	for i := range d.Cells {
		all++
		if d.Cells[i].Markdown() {
			markdown++
		}
	}
	return float64(markdown) / float64(all)
}

// Find returns the cell at an index of the finished notebook.
func (d *Document) Find(index int) (*Cell, error) {
	i := index - PreludeCells
	if i < 0 || i >= len(d.Cells) {
		e := contract.Errorf(CodeCell, "notebook %s has no cell at cell_index %d that a call made", d.ID, index).At("/cell_index")
		if len(d.Cells) == 0 {
			return nil, e.WithHint("It has no such cells yet.")
		}
		return nil, e.WithHint("Such cells have the indices %d to %d; those before are the prelude, which notebook.begin and notebook.add_dependency shape.", PreludeCells, Index(len(d.Cells)-1))
	}
	if d.Cells[i].Kind == KindRemoved {
		return nil, contract.Errorf(CodeCell, "the cell at cell_index %d was removed", index).At("/cell_index").WithHint("Add a new cell instead.")
	}
	return &d.Cells[i], nil
}

// Encode is the document as JSON.
func (d *Document) Encode() (json.RawMessage, error) { return json.Marshal(d) }

// Decode reads what Encode wrote.
func Decode(raw json.RawMessage) (*Document, error) {
	d := &Document{}
	if err := json.Unmarshal(raw, d); err != nil {
		return nil, fmt.Errorf("a stored notebook: %w", err)
	}
	return d, nil
}

var titlePattern = regexp.MustCompile(`^Step ([0-9]+): (.+)`)

// sections lists the section numbers in rising order.
func (d *Document) sections() []int {
	var list []int
	for i := range d.Cells {
		if c := &d.Cells[i]; c.Kind != KindRemoved && !slices.Contains(list, c.Section) {
			list = append(list, c.Section)
		}
	}
	slices.Sort(list)
	return list
}

// sectionTitle is the title of a section's first step.
func (d *Document) sectionTitle(section int) string {
	for i := range d.Cells {
		if c := &d.Cells[i]; c.Kind == KindStep && c.Section == section {
			return c.Title
		}
	}
	return fmt.Sprintf("Section %d", section)
}

// oneLine makes a text fit into a heading or a list item.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
