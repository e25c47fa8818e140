package ipynb

import (
	"sort"
	"strings"
)

// Colab is our verdict on a notebook, before and after the fix.
type Colab struct {
	IsCompatible bool
	Issues       []Issue // what persists
	Fixed        []Issue // what was put right
	// Notebook is the fixed one; nil when nothing had to be changed.
	Notebook *Existing
}

// CheckColab finds what does not work in Colab and puts right what can be, in
// the cells' syntax trees: nothing outside the statements at fault changes. The
// notebook is compatible when afterwards neither our check nor the original's
// patterns find anything critical. Warnings are told and left.
func CheckColab(nb *Existing) (Colab, error) {
	var v Colab
	v.Issues, v.Fixed = []Issue{}, []Issue{}
	changed := false
	for i := range nb.Cells {
		c := &nb.Cells[i]
		if c.Type != "code" {
			continue
		}
		source, fixed := fixCell(c.Source, i)
		v.Fixed = append(v.Fixed, fixed...)
		if source != c.Source {
			changed = true
			if err := c.SetSource(source); err != nil {
				return v, err
			}
		}
		for _, s := range colabIssues(source, i) {
			v.Issues = append(v.Issues, s.Issue)
		}
		for _, o := range originalIssues(source, i) {
			if o.Severity == critical && !mentioned(v.Issues, o) {
				o.AutoFixable = false
				v.Issues = append(v.Issues, o)
			}
		}
	}
	v.IsCompatible = !anyCritical(v.Issues)
	if changed {
		nb.Mend()
		v.Notebook = nb
	}
	return v, nil
}

func mentioned(list []Issue, o Issue) bool {
	for _, i := range list {
		if i.CellIndex == o.CellIndex && i.Type == o.Type && i.Severity == o.Severity {
			return true
		}
	}
	return false
}

// fixCell puts right what is critical in one cell.
func fixCell(source string, index int) (string, []Issue) {
	_, before := ParseCell(source)
	if before != nil {
		return salvage(source, index)
	}
	result, fixed := applyFixes(source, colabIssues(source, index))
	if anyCritical(originalIssues(result, index)) {
		// The original does not see that code runs outside Colab only.
		further, said := applyFixes(result, (&colabCheck{source: result, index: index, everywhere: true}).findings())
		result, fixed = further, append(fixed, said...)
	}
	quiet, said := quieten(result, index)
	result, fixed = quiet, append(fixed, said...)
	if _, after := ParseCell(result); after != nil {
		return source, nil // never make of Python what is not
	}
	return result, fixed
}

// noise is what stands around the words of a list whose quotes are wrong.
var noise = strings.NewReplacer(`"`, " ", "'", " ", "[", " ", "]", " ", "(", " ", ")", " ", ",", " ")

// salvage puts right a cell that is not Python because of the very call that
// installs something, such as one with quotes doubled. The cell must be Python
// then, else it stays.
func salvage(source string, index int) (string, []Issue) {
	lines := strings.SplitAfter(source, "\n")
	var fixed []Issue
	for i, line := range lines {
		m := pipCall.FindStringIndex(line)
		end := strings.LastIndex(line, ")")
		if m != nil && end > m[1] {
			words := strings.Fields(noise.Replace(line[m[1]:end]))
			for k := range words {
				words[k] = shellWord(words[k])
			}
			lines[i] = line[:m[0]] + magicCall("install "+strings.Join(words, " ")) + line[end+1:]
			fixed = append(fixed, Issue{Type: "subprocess_pip", Severity: critical, Description: "subprocess pip install fails in Colab, and its quotes are wrong", CellIndex: index, AutoFixable: true, Line: i + 1})
		}
	}
	result := strings.Join(lines, "")
	if _, err := ParseCell(result); err != nil || len(fixed) == 0 {
		return source, nil
	}
	return result, fixed
}

func applyFixes(source string, found []sighting) (string, []Issue) {
	var edits []edit
	var fixed []Issue
	for _, s := range found {
		if s.Severity == critical && len(s.edits) > 0 {
			edits = append(edits, s.edits...)
			fixed = append(fixed, s.Issue)
		}
	}
	return apply(source, edits), fixed
}

// apply makes edits that do not overlap; of two that do, the outer one.
func apply(source string, edits []edit) string {
	sort.Slice(edits, func(i, j int) bool {
		if edits[i].start != edits[j].start {
			return edits[i].start < edits[j].start
		}
		return edits[i].end > edits[j].end
	})
	var b strings.Builder
	at := 0
	for _, e := range edits {
		if e.start < at {
			continue
		}
		b.WriteString(source[at:e.start] + e.text)
		at = e.end
	}
	return b.String() + source[at:]
}

// quieten rewrites what only the original's patterns see in code that is right:
// comments and strings that speak of pip or of a token. A space after a dot
// changes no syntax tree.
func quieten(source string, index int) (string, []Issue) {
	var fixed []Issue
	for _, o := range originalIssues(source, index) {
		if o.Severity != critical {
			continue
		}
		switch o.Type {
		case "subprocess_pip":
			source = pipCall.ReplaceAllStringFunc(source, func(line string) string {
				return strings.ReplaceAll(line, "subprocess.check_call", "subprocess. check_call")
			})
		case "hardcoded_token":
			source = tokenLine.ReplaceAllStringFunc(source, func(line string) string {
				return strings.Replace(line, `"YOUR_HF_TOKEN"`, `"<YOUR_HF_TOKEN>"`, 1)
			})
		}
		fixed = append(fixed, o)
	}
	return source, fixed
}
