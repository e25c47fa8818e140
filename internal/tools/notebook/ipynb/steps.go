package ipynb

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"

	"atelier/internal/contract"
)

// Callout is a boxed remark of a step.
type Callout struct {
	Type    string `json:"type"` // tip, warning or note
	Message string `json:"message"`
}

// Step is a markdown step, as notebook.emit_markdown_step takes it.
type Step struct {
	Section         int       `json:"section_number"`
	Title           string    `json:"title"`
	Body            string    `json:"body"`
	Callouts        []Callout `json:"callouts"`
	Prerequisites   []string  `json:"prerequisites_check,omitempty"`
	NextHint        string    `json:"next_section_hint,omitempty"`
	EstimatedTokens int       `json:"estimated_tokens"`
}

// Code is a code cell with what goes above it.
type Code struct {
	Section        int    `json:"section_number"`
	Source         string `json:"code"`
	Language       string `json:"language"`
	Narration      string `json:"narration,omitempty"`
	ExpectedOutput string `json:"expected_output,omitempty"`
}

// Question is one multiple-choice question.
type Question struct {
	Prompt       string   `json:"prompt"`
	Options      []string `json:"options"`
	CorrectIndex int      `json:"correct_index"`
	Explanation  string   `json:"explanation"`
}

// AddStep appends a markdown step and returns its index.
func (d *Document) AddStep(s Step) (index int, warnings []contract.Warning, err error) {
	title, err := s.check()
	if err != nil {
		return 0, nil, err
	}
	if err := d.rising(s.Section); err != nil {
		return 0, nil, err
	}
	c := Cell{Kind: KindStep, Section: s.Section, Title: title, Step: &s}
	c.Source = s.markdown(title, d.begun(s.Section))
	return d.add(c), s.warnings(c.Source), nil
}

// begun says whether a section has a step already.
func (d *Document) begun(section int) bool {
	for i := range d.Cells {
		if d.Cells[i].Kind == KindStep && d.Cells[i].Section == section {
			return true
		}
	}
	return false
}

// check returns the title without its number, which must be the section's.
func (s *Step) check() (string, error) {
	m := titlePattern.FindStringSubmatch(s.Title)
	if m == nil {
		return "", contract.Errorf(contract.CodeInvalidInput, "the title %q is not \"Step N: …\"", s.Title).At("/title").
			WithHint("Write Step %d: and then what the step is about.", s.Section)
	}
	if n, err := strconv.Atoi(m[1]); err != nil || n != s.Section {
		e := contract.Errorf(contract.CodeInvalidInput, "the title says step %s, section_number says %d", m[1], s.Section).At("/title").
			WithHint("Write \"Step %d: %s\", or give section_number %s.", s.Section, oneLine(m[2]), m[1])
		e.Expected, e.Actual = fmt.Sprintf("Step %d: …", s.Section), s.Title
		return "", e
	}
	return oneLine(m[2]), nil
}

// tokenTolerance is how far the declared number of tokens may be off before a
// message says so.
const tokenTolerance = 400

func (s *Step) warnings(source string) []contract.Warning {
	have := tokens(source)
	if off := have - s.EstimatedTokens; off < -tokenTolerance || off > tokenTolerance {
		return []contract.Warning{{Code: "tokens_differ", Message: fmt.Sprintf("estimated_tokens is %d; the cell has about %d (a token for four characters). Say more, or declare less.", s.EstimatedTokens, have)}}
	}
	return nil
}

// tokens is the validator's estimate: a quarter of the UTF-16 code units.
func tokens(text string) int {
	return int(math.Floor(float64(len(utf16.Encode([]rune(text))))/4 + 0.5))
}

var calloutMarks = map[string]string{"tip": "💡 **Tip:**", "warning": "⚠️ **Warning:**", "note": "📝 **Note:**"}

// markdown is the whole cell. A further step of the same section has a lesser
// heading, so that sections are counted once.
func (s *Step) markdown(title string, further bool) string {
	var b strings.Builder
	mark := "##"
	if further {
		mark = "###"
	}
	fmt.Fprintf(&b, "%s Step %d: %s\n\n", mark, s.Section, title)
	if len(s.Prerequisites) > 0 {
		b.WriteString("**Before you begin, check that:**\n\n")
		for _, p := range s.Prerequisites {
			fmt.Fprintf(&b, "- [ ] %s\n", oneLine(p))
		}
		b.WriteString("\n")
	}
	b.WriteString(withoutHeading(s.Body, s.Title) + "\n")
	for _, c := range s.Callouts {
		fmt.Fprintf(&b, "\n> %s %s\n", calloutMarks[c.Type], quoted(c.Message))
	}
	if s.NextHint != "" {
		fmt.Fprintf(&b, "\n**Next:** %s\n", strings.TrimSpace(s.NextHint))
	}
	return strings.TrimRight(b.String(), "\n")
}

// withoutHeading drops a first line that only repeats the title.
func withoutHeading(body, title string) string {
	body = strings.TrimSpace(body)
	first, rest, _ := strings.Cut(body, "\n")
	if strings.HasPrefix(first, "#") && strings.EqualFold(oneLine(strings.TrimLeft(first, "#")), oneLine(title)) {
		return strings.TrimSpace(rest)
	}
	return body
}

// quoted keeps a text of several lines inside its block quote.
func quoted(s string) string {
	return strings.ReplaceAll(strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")), "\n", "\n> ")
}

// AddCode appends a code cell, with a markdown cell above it when there is
// something to say, and returns the code cell's index.
func (d *Document) AddCode(c Code) (index int, err error) {
	if err := d.rising(c.Section); err != nil {
		return 0, err
	}
	if text := c.above(); text != "" {
		d.add(Cell{Kind: KindNarration, Section: c.Section, Source: text})
	}
	return d.add(Cell{Kind: KindCode, Section: c.Section, Source: trimCode(c.Source), Code: &c}), nil
}

func (c *Code) above() string {
	text := strings.TrimSpace(c.Narration)
	if out := strings.TrimSpace(c.ExpectedOutput); out != "" {
		if text != "" {
			text += "\n\n"
		}
		text += "**Expected output:** " + out
	}
	return text
}

func trimCode(code string) string {
	return strings.TrimRight(strings.ReplaceAll(code, "\r\n", "\n"), " \t\n")
}

// AddAssessment appends a heading and a cell for each question, and returns the
// questions' indices. A section before the present one is named by the heading.
func (d *Document) AddAssessment(section int, questions []Question) ([]int, []contract.Warning, error) {
	var warnings []contract.Warning
	for i, q := range questions {
		if q.CorrectIndex >= len(q.Options) {
			e := contract.Errorf(contract.CodeInvalidInput, "correct_index is %d, but there are %d options", q.CorrectIndex, len(q.Options)).
				At(fmt.Sprintf("/questions/%d/correct_index", i)).WithHint("Count from 0: give 0 to %d.", len(q.Options)-1)
			e.Expected, e.Actual = fmt.Sprintf("0 to %d", len(q.Options)-1), strconv.Itoa(q.CorrectIndex)
			return nil, nil, e
		}
		if twice := repeated(q.Options); twice != "" {
			return nil, nil, contract.Errorf(contract.CodeInvalidInput, "the option %q stands twice", twice).
				At(fmt.Sprintf("/questions/%d/options", i)).WithHint("Give different options, of which one is right.")
		}
	}
	if !d.begun(section) {
		return nil, nil, contract.Errorf(CodeOrder, "section %d has no step to ask about", section).At("/section_number").
			WithHint("Call notebook.emit_markdown_step for the section first. Sections so far: %v.", d.sections())
	}
	last := d.lastSection()
	d.add(Cell{Kind: KindHeading, Section: max(section, last), Source: fmt.Sprintf("### Knowledge Check – Step %d: %s", section, d.sectionTitle(section))})
	if section < last {
		warnings = append(warnings, contract.Warning{Code: "late_assessment", Message: fmt.Sprintf("Section %d is past; the questions stand at the present end of the notebook, under a heading that names the section.", section)})
	}
	indices := make([]int, len(questions))
	for i, q := range questions {
		indices[i] = d.add(Cell{Kind: KindQuestion, Section: max(section, last), Source: q.python(), Quiz: &q})
	}
	return indices, warnings, nil
}

func repeated(options []string) string {
	seen := map[string]bool{}
	for _, o := range options {
		if key := strings.ToLower(oneLine(o)); seen[key] {
			return o
		} else {
			seen[key] = true
		}
	}
	return ""
}

// python is the call that shows the question.
func (q *Question) python() string {
	var options strings.Builder
	for _, o := range q.Options {
		options.WriteString("        " + literal(o) + ",\n")
	}
	return fmt.Sprintf("# Knowledge check\nrender_mcq(\n    %s,\n    [\n%s    ],\n    %d,\n    %s,\n)",
		literal(q.Prompt), options.String(), q.CorrectIndex, literal(q.Explanation))
}

// literal is a text as a Python string. A JSON string is one, when control
// characters and all beyond the ASCII quotes are escaped the same way.
func literal(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a text always encodes
	return strings.TrimRight(b.String(), "\n")
}

// Revise replaces the text of a cell that a call made; its index stays. A step
// keeps its heading, callouts and hints; a question is refused.
func (d *Document) Revise(index int, source string) error {
	c, err := d.Find(index)
	if err != nil {
		return err
	}
	switch c.Kind {
	case KindQuestion, KindHeading:
		return contract.Errorf(contract.CodeInvalidInput, "the cell at cell_index %d belongs to an assessment", index).At("/cell_index").
			WithHint("Remove the cell with notebook.remove_cell and record the question anew with notebook.record_assessment.")
	case KindStep:
		c.Step.Body = source
		c.Source = c.Step.markdown(c.Title, strings.HasPrefix(c.Source, "###"))
	case KindCode:
		c.Code.Source = source
		c.Source = trimCode(source)
	default:
		c.Source = strings.TrimSpace(source)
	}
	return nil
}

// Remove leaves an empty cell in a cell's place, so that no other index changes.
func (d *Document) Remove(index int) error {
	c, err := d.Find(index)
	if err == nil {
		*c = Cell{ID: c.ID, Kind: KindRemoved, Section: c.Section}
	}
	return err
}
