package ipynb

import (
	"fmt"
	"math"
	"strings"

	"atelier/internal/contract"
)

// The prelude: title, objectives, prerequisites, environment check, setup text,
// setup. Its number of cells is fixed, so that the index that a call returns is
// final.
const (
	PreludeCells    = 6
	preludeMarkdown = 4
)

// Closing is what notebook.finalize takes.
type Closing struct {
	OutlineSummary      string   `json:"outline_summary"`
	NextSteps           []string `json:"next_steps,omitempty"`
	References          []string `json:"references,omitempty"`
	ReadingTimeMinutes  float64  `json:"reading_time_minutes"`
	MarkdownRatioTarget *float64 `json:"markdown_ratio_target,omitempty"`
}

// Complete is nil when every section has a step and code, else it names those
// that lack one.
func (d *Document) Complete() error {
	sections := d.sections()
	if len(sections) == 0 {
		return contract.Errorf(CodeIncomplete, "notebook %s has no section yet", d.ID).
			WithHint("Call notebook.emit_markdown_step and notebook.emit_code_cell for each section first.")
	}
	var lacks []string
	for _, s := range sections {
		text, code := false, false
		for i := range d.Cells {
			c := &d.Cells[i]
			text = text || c.Section == s && c.Kind == KindStep
			code = code || c.Section == s && c.Kind == KindCode
		}
		if !text {
			lacks = append(lacks, fmt.Sprintf("section %d has no markdown step", s))
		}
		if !code {
			lacks = append(lacks, fmt.Sprintf("section %d has no code cell", s))
		}
	}
	if len(lacks) == 0 {
		return nil
	}
	return contract.Errorf(CodeIncomplete, "%s", strings.Join(lacks, "; ")).With("lacking", lacks).
		WithHint("Every section needs a markdown step and a code cell. A section before the last one cannot get more cells: turn a cell of it into what is missing with notebook.revise_cell, or remove its cells with notebook.remove_cell.")
}

// Reviewed is nil when nobody has asked for a person's review.
func (d *Document) Reviewed() error {
	if len(d.Flags) == 0 {
		return nil
	}
	var reasons []string
	for _, f := range d.Flags {
		reasons = append(reasons, f.Reason)
	}
	return contract.Errorf(CodeReview, "notebook %s waits for a person's review: %s", d.ID, strings.Join(reasons, "; ")).With("flags", d.Flags).
		WithHint("Stop here and ask a person to look at it. Flags of a validator go when its check is clean.")
}

// derived is the front matter, with what nobody gave taken from the steps.
func (d *Document) derived() Front {
	var f Front
	if d.Front != nil {
		f = *d.Front
	}
	sections := d.sections()
	var titles []string
	for _, s := range sections {
		titles = append(titles, d.sectionTitle(s))
	}
	if f.Title == "" {
		f.Title = "Notebook"
		if n := len(titles); n == 1 {
			f.Title = titles[0]
		} else if n > 1 {
			f.Title = titles[0] + " – " + titles[n-1]
		}
	}
	if f.Overview == "" {
		f.Overview = fmt.Sprintf("A lesson in %d steps, each with an explanation and code that runs: %s.", len(sections), strings.Join(titles, ", "))
	}
	if len(f.Objectives) == 0 {
		for i, t := range titles {
			f.Objectives = append(f.Objectives, fmt.Sprintf("Work through step %d: %s", sections[i], t))
		}
	}
	if len(f.Prerequisites) == 0 {
		f.Prerequisites = []string{"Basic Python: variables, functions, imports"}
	}
	return f
}

// Build makes the file. The bytes of the same calls are the same. c is nil for a
// snapshot of a notebook that is not finished.
func (d *Document) Build(c *Closing) *File {
	f := &File{NBFormat: 4, NBFormatMinor: 5}
	front := d.derived()
	d.prelude(f, front, c)
	for i := range d.Cells {
		cell := &d.Cells[i]
		note := &CellNote{Kind: cell.Kind, Section: cell.Section}
		if cell.Step != nil {
			note.EstimatedTokens = cell.Step.EstimatedTokens
		}
		kind := "code"
		if cell.Markdown() {
			kind = "markdown"
		}
		f.Cells = append(f.Cells, FileCell{Type: kind, ID: cell.ID, Source: cell.Source, Metadata: CellMetadata{Atelier: note}})
	}
	if c != nil {
		d.closing(f, c)
	}
	d.metadata(f, front, c)
	return f
}

func (f *File) add(kind, id, source string) {
	f.Cells = append(f.Cells, FileCell{Type: kind, ID: id, Source: source, Metadata: CellMetadata{Atelier: &CellNote{Kind: id}}})
}

func (d *Document) prelude(f *File, front Front, c *Closing) {
	title := "# " + oneLine(front.Title) + "\n\n" + strings.TrimSpace(front.Overview)
	if front.Audience != "" {
		title += "\n\n**For:** " + oneLine(front.Audience)
	}
	if c != nil {
		title += fmt.Sprintf("\n\n**Reading time:** about %g minutes", c.ReadingTimeMinutes)
	}
	f.add("markdown", "title", title)
	f.add("markdown", "objectives", "## Learning Objectives\n\nBy the end you will have met these objectives:\n\n"+list("1.", front.Objectives))
	f.add("markdown", "prerequisites", "## Prerequisites\n\n"+list("-", front.Prerequisites))
	f.add("code", "environment", d.environment())
	f.add("markdown", "setup-text", d.setupText())
	f.add("code", "setup", d.setupCode())
}

func list(mark string, items []string) string {
	out := make([]string, len(items))
	for i, item := range items {
		if mark == "1." {
			out[i] = fmt.Sprintf("%d. %s", i+1, oneLine(item))
		} else {
			out[i] = mark + " " + oneLine(item)
		}
	}
	return strings.Join(out, "\n")
}

func (d *Document) closing(f *File, c *Closing) {
	help := "## Troubleshooting\n\n- **A name is not defined:** run the cells from the top, in order.\n- **The kernel stops or hangs:** restart it and run all cells again."
	if len(d.Dependencies) > 0 {
		help += "\n- **A module is not found:** run the setup cell again; after an installation, restart the kernel."
	}
	f.add("markdown", "troubleshooting", help)
	f.add("markdown", "summary", "## Summary\n\n"+strings.TrimSpace(c.OutlineSummary))
	if len(c.NextSteps) > 0 {
		f.add("markdown", "next-steps", "## Next Steps\n\n"+list("-", c.NextSteps))
	}
	if len(c.References) > 0 {
		f.add("markdown", "references", "## References\n\n"+list("-", c.References))
	}
}

func (d *Document) metadata(f *File, front Front, c *Closing) {
	f.Metadata = Metadata{
		KernelSpec: KernelSpec{"Python 3", "python", "python3"}, LanguageInfo: LanguageInfo{"python", "3"}, Title: oneLine(front.Title),
		Atelier: Note{SchemaVersion: "1.0.0", Sections: []NotedPart{}, Dependencies: []Dependency{}, Audience: front.Audience, Flags: d.Flags},
	}
	n := &f.Metadata.Atelier
	for _, s := range d.sections() {
		n.Sections = append(n.Sections, NotedPart{s, d.sectionTitle(s)})
	}
	n.Dependencies = append(n.Dependencies, d.Dependencies...)
	for i := range d.Cells {
		if d.Cells[i].Kind == KindQuestion {
			n.Questions++
		}
	}
	if c != nil {
		n.OutlineSummary, n.ReadingTimeMinutes, n.MarkdownRatioTarget = c.OutlineSummary, c.ReadingTimeMinutes, c.MarkdownRatioTarget
	}
	markdown, code := f.Counts()
	n.MarkdownRatio = math.Round(float64(markdown)/float64(markdown+code)*10000) / 10000
}

// Counts are the numbers of markdown and code cells.
func (f *File) Counts() (markdown, code int) {
	for _, c := range f.Cells {
		if c.Type == "code" {
			code++
		} else {
			markdown++
		}
	}
	return markdown, code
}

// ratioTolerance and minutesTolerance are how far finalize's claims may be off
// before a message says so.
const (
	ratioTolerance   = 0.1
	minutesTolerance = 5
	tokensPerMinute  = 200
)

// Warnings compares what finalize was told with what the notebook has.
func (f *File) Warnings(c *Closing) []contract.Warning {
	var list []contract.Warning
	have := f.Metadata.Atelier.MarkdownRatio
	if t := c.MarkdownRatioTarget; t != nil && math.Abs(have-*t) > ratioTolerance {
		list = append(list, contract.Warning{Code: "markdown_ratio_off", Message: fmt.Sprintf("The share of markdown cells is %.2f; the target was %.2f.", have, *t)})
	}
	total := 0
	for _, cell := range f.Cells {
		total += tokens(cell.Source)
	}
	if minutes := float64(total) / tokensPerMinute; math.Abs(minutes-c.ReadingTimeMinutes) > minutesTolerance {
		list = append(list, contract.Warning{Code: "reading_time_off", Message: fmt.Sprintf("At %d tokens a minute the notebook takes about %.0f minutes; %g were declared.", tokensPerMinute, minutes, c.ReadingTimeMinutes)})
	}
	return list
}
