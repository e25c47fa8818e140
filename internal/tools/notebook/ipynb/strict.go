package ipynb

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"atelier/internal/tools/notebook/python"
)

// Finding is one thing that the strict verdict holds against a notebook.
type Finding struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`   // error or warning
	Cell     int    `json:"cell_index"` // -1 for the notebook as a whole
	Message  string `json:"message"`
}

// Strict is the stricter verdict: it passes when no finding is an error.
type Strict struct {
	Passes   bool      `json:"passes"`
	Findings []Finding `json:"findings"`
}

const (
	severe = "error"
	whole  = -1
)

type judge struct {
	nb   *Existing
	list []Finding
}

func (j *judge) report(code, severity string, cell int, format string, args ...any) {
	j.list = append(j.list, Finding{code, severity, cell, fmt.Sprintf(format, args...)})
}

// Judge gives the strict verdict: every required section, no filler, no cells
// twice, code that parses and whose names are defined, no secrets, and outputs
// where other cells have theirs.
func Judge(nb *Existing) Strict {
	j := &judge{nb: nb, list: []Finding{}}
	j.sections()
	j.texts()
	j.repetitions()
	j.code()
	j.secrets()
	j.format()
	passes := true
	for _, f := range j.list {
		passes = passes && f.Severity != severe
	}
	return Strict{passes, j.list}
}

func (j *judge) sections() {
	var r required
	steps := 0
	for i := range j.nb.Cells {
		if r.inspect(&j.nb.Cells[i]) {
			steps++
		}
	}
	for _, part := range []struct {
		there bool
		name  string
	}{{r.title, "a title (\"# …\" at the start of a cell)"}, {r.objectives, "learning objectives"}, {r.setup, "a setup section"},
		{r.assessments, "questions or a knowledge check"}, {steps > 0, "steps (\"## Step N: …\")"}} {
		if !part.there {
			j.report("section_missing", severe, whole, "The notebook has no %s.", strings.TrimPrefix(part.name, "a "))
		}
	}
}

// placeholders are phrases of models and templates that stand where content
// should (the list of the original's section check, and common ones).
var placeholders = regexp.MustCompile(`(?i)\b(TODO|TBD|FIXME)\b|lorem ipsum|explanation with analogies|clear, commented code|helpful guidance|` +
	`minimal runnable example to satisfy validation|we need to produce json|thinking\.\.\.|replace (the|this) placeholder|<<[^>\n]+>>|` +
	`excerpt intentionally truncated|code excerpt truncated|\byour (text|content|code|explanation) here\b|as an ai language model|content goes here`)

var words = regexp.MustCompile(`[\p{L}\p{N}']+`)

// A text of at least manyWords words of which fewer than a fifth differ says
// little; English prose of that length has more than two fifths.
const (
	manyWords = 60
	distinct  = 0.2
)

func (j *judge) texts() {
	for i := range j.nb.Cells {
		c := &j.nb.Cells[i]
		if c.Type != "markdown" && c.Type != "code" {
			continue
		}
		if m := placeholders.FindString(c.Source); m != "" {
			j.report("placeholder", severe, i, "The text has the placeholder %q. Write what belongs there.", m)
		}
		if c.Type != "markdown" {
			continue
		}
		if text := strings.TrimSpace(c.Source); len(text) > 40 && (strings.HasSuffix(text, "...") || strings.HasSuffix(text, "…")) {
			j.report("truncated", severe, i, "The text breaks off with an ellipsis.")
		}
		all := words.FindAllString(strings.ToLower(c.Source), -1)
		different := map[string]bool{}
		for _, w := range all {
			different[w] = true
		}
		if n := len(all); n >= manyWords && float64(len(different)) < distinct*float64(n) {
			j.report("filler", severe, i, "Only %d of %d words differ: the text repeats itself.", len(different), n)
		}
	}
}

// Cells and paragraphs shorter than this may well stand twice.
const (
	shortCell      = 60
	shortParagraph = 120
)

func (j *judge) repetitions() {
	cells, paragraphs := map[string]int{}, map[string]int{}
	for i := range j.nb.Cells {
		c := &j.nb.Cells[i]
		key := oneLine(c.Source)
		if len(key) >= shortCell {
			if first, ok := cells[key]; ok {
				j.report("duplicate_cell", severe, i, "The cell is the same as that at cell_index %d.", first)
				continue
			}
			cells[key] = i
		}
		if c.Type != "markdown" {
			continue
		}
		for _, p := range strings.Split(c.Source, "\n\n") {
			if p = oneLine(p); len(p) < shortParagraph {
				continue
			}
			if first, ok := paragraphs[p]; ok {
				j.report("duplicate_text", severe, i, "A paragraph is the same as one at cell_index %d: %q.", first, clip(p))
				break
			}
			paragraphs[p] = i
		}
	}
}

func clip(s string) string {
	if utf8.RuneCountInString(s) <= 60 {
		return s
	}
	return string([]rune(s)[:60]) + "…"
}

// code parses every cell in order, and follows which names are defined.
func (j *judge) code() {
	names := python.NewNamespace()
	for i := range j.nb.Cells {
		c := &j.nb.Cells[i]
		if c.Type != "code" || strings.TrimSpace(c.Source) == "" {
			continue
		}
		tree, err := ParseCell(c.Source)
		if err != nil {
			j.report("syntax_error", severe, i, "The code is not Python: %v.", err)
			continue
		}
		said := map[string]bool{}
		for _, use := range names.Run(tree) {
			if said[use.Name] {
				continue
			}
			said[use.Name] = true
			line, _ := python.Position(c.Source, use.Start)
			j.report("undefined_name", severe, i, "Line %d uses %s, which nothing above defines.", line, use.Name)
		}
	}
}

// secretShapes are the published prefixes and lengths of access tokens.
var secretShapes = []struct {
	what  string
	shape *regexp.Regexp
}{
	{"a Hugging Face token", regexp.MustCompile(`\bhf_[A-Za-z0-9]{30,}`)},
	{"an API key", regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{20,}`)},
	{"a GitHub token", regexp.MustCompile(`\b(gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})`)},
	{"an AWS access key", regexp.MustCompile(`\b(AKIA|ASIA)[0-9A-Z]{16}\b`)},
	{"a Google API key", regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{35}`)},
	{"a Slack token", regexp.MustCompile(`\bxox[abprs]-[0-9A-Za-z-]{10,}`)},
	{"a GitLab token", regexp.MustCompile(`\bglpat-[0-9A-Za-z_-]{20}`)},
	{"a private key", regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----`)},
	{"a JSON web token", regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`)},
	{"a password or key", regexp.MustCompile(`(?i)\b[a-z_]*(password|passwd|secret|api_?key|access_?token|auth_?token)["']?\]?\s*[=:]\s*["']([A-Za-z0-9+/_=.-]*[0-9][A-Za-z0-9+/_=.-]*[A-Za-z][A-Za-z0-9+/_=.-]*|[A-Za-z0-9+/_=.-]*[A-Za-z][A-Za-z0-9+/_=.-]*[0-9][A-Za-z0-9+/_=.-]*)["']`)},
}

var notSecret = regexp.MustCompile(`(?i)your|example|placeholder|xxx|dummy|\.\.\.|change.?me|insert`)

func (j *judge) secrets() {
	for i := range j.nb.Cells {
		c := &j.nb.Cells[i]
		for _, part := range [][2]string{{"source", c.Source}, {"outputs", string(c.Fields["outputs"])}} {
			place, text := part[0], part[1]
			for _, s := range secretShapes {
				m := s.shape.FindString(text)
				if len(m) < 16 || notSecret.MatchString(m) {
					continue
				}
				j.report("secret", severe, i, "The %s of the cell seems to hold %s (%s…). Revoke it, and read it from the environment or from Colab's secrets.", place, s.what, m[:6])
				break
			}
		}
	}
}

// format tells what nbformat would refuse, and outputs that are missing.
func (j *judge) format() {
	executed, silent, broken := 0, []int{}, []int{}
	for i := range j.nb.Cells {
		c := &j.nb.Cells[i]
		if c.Type != "code" {
			continue
		}
		if _, ok := c.Fields["outputs"]; !ok {
			broken = append(broken, i)
		}
		switch {
		case c.Count() > 0:
			executed++
		case strings.TrimSpace(c.Source) != "":
			silent = append(silent, i)
		}
	}
	if len(broken) > 0 {
		j.report("invalid_format", severe, broken[0], "The code cells at cell_index %v have no field outputs, which nbformat requires.", broken)
	}
	switch {
	case len(silent) == 0:
	case executed > 0:
		j.report("outputs_missing", severe, silent[0], "The cells at cell_index %v were not run, though %d others were: their outputs are missing.", silent, executed)
	default:
		j.report("outputs_missing", "warning", whole, "No cell has been run, so that there are no outputs to compare with.")
	}
}
