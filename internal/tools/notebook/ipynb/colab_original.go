package ipynb

import "regexp"

// Issue is one finding of a Colab check.
type Issue struct {
	Type        string `json:"type"`
	Severity    string `json:"severity"` // critical or warning
	Description string `json:"description"`
	CellIndex   int    `json:"cellIndex"`
	AutoFixable bool   `json:"autoFixable"`
	// Line, from 1, is where in the cell; the original names none.
	Line int `json:"line,omitempty"`
}

// The severities.
const (
	critical = "critical"
	warning  = "warning"
)

// OriginalColab is what ALAIN's Colab validator, version 0.2.0, would answer.
type OriginalColab struct {
	IsCompatible bool    `json:"isCompatible"`
	Issues       []Issue `json:"issues"`
	Detected     []Issue `json:"detected"` // before its own fix
	HasFixed     bool    `json:"hasFixed"`
	// Error is its failure on a notebook without cells.
	Error string `json:"error,omitempty"`
}

var (
	pipCall       = regexp.MustCompile(`subprocess\.check_call` + jsAny + `*pip` + jsAny + `*install`)
	colabBranch   = regexp.MustCompile(`if` + jsSpace + `+IN_COLAB`)
	guardedCall   = regexp.MustCompile(`run_line_magic\('pip'|run_line_magic\("pip"|_subprocess\.check_call\(`)
	tokenLine     = regexp.MustCompile(`os\.environ\["HF_TOKEN"\]` + jsSpace + `*=` + jsSpace + `*"YOUR_HF_TOKEN"`)
	deviceMapAuto = regexp.MustCompile(`device_map="auto"`)
	pipCallFix    = regexp.MustCompile(`(?ms)(^` + jsSpace + `*)subprocess\.check_call\(\[sys\.executable,` + jsSpace + `*["']-m["'],` + jsSpace +
		`*["']pip["'],` + jsSpace + `*["']install["'](.*?)\]\)`)
)

// originalIssues finds what the original's patterns match in one cell's text.
func originalIssues(source string, index int) []Issue {
	var list []Issue
	found := func(kind, severity, description string) {
		list = append(list, Issue{Type: kind, Severity: severity, Description: description, CellIndex: index, AutoFixable: true})
	}
	if pipCall.MatchString(source) && !(colabBranch.MatchString(source) && guardedCall.MatchString(source)) {
		found("subprocess_pip", critical, "subprocess pip install fails in Colab")
	}
	if tokenLine.MatchString(source) {
		found("hardcoded_token", critical, "Hardcoded token placeholder causes auth errors")
	}
	if deviceMapAuto.MatchString(source) {
		found("device_mapping", warning, `device_map="auto" may not work optimally in Colab`)
	}
	return list
}

// originalFix does to a cell's text what the original's fix of one issue does, as
// far as its own patterns can see: whether they match afterwards.
func originalFix(kind, source string) string {
	switch kind {
	case "subprocess_pip":
		return pipCallFix.ReplaceAllString(source, "${1}try: check_call(cmd)\n${1}if IN_COLAB: run_line_magic('pip'")
	case "hardcoded_token":
		return tokenLine.ReplaceAllString(source, "if IN_COLAB:\n    ...\nelse:\n    $0")
	}
	return deviceMapAuto.ReplaceAllString(source, `device_map="cuda:0" if torch.cuda.is_available() else "cpu"`)
}

// OriginalColabCheck is the original's verdict: what it detects, and what it
// still detects after its own fix, whose cells stand one further, behind the cell
// that it puts in front.
func OriginalColabCheck(nb *Existing) OriginalColab {
	v := OriginalColab{Issues: []Issue{}, Detected: []Issue{}}
	if !nb.HasCells {
		v.Error = "TypeError: the notebook has no cells"
		return v
	}
	var after []Issue
	for i := range nb.Cells {
		if nb.Cells[i].Type != "code" {
			continue
		}
		source := nb.Cells[i].Source
		issues := originalIssues(source, i)
		v.Detected = append(v.Detected, issues...)
		for _, issue := range issues {
			source = originalFix(issue.Type, source)
		}
		after = append(after, originalIssues(source, i+1)...)
	}
	if !anyCritical(v.Detected) {
		v.IsCompatible, v.Issues = true, v.Detected
		return v
	}
	v.HasFixed = true
	if v.IsCompatible = !anyCritical(after); !v.IsCompatible {
		v.Issues = after
	}
	return v
}

func anyCritical(list []Issue) bool {
	for _, i := range list {
		if i.Severity == critical {
			return true
		}
	}
	return false
}
