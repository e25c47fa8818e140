package ipynb

import (
	"regexp"
	"slices"
	"sort"
	"strings"

	"atelier/internal/tools/notebook/python"
)

// edit replaces source[start:end].
type edit struct {
	start, end int
	text       string
}

// sighting is an issue and how it is put right; no edits where it cannot be.
type sighting struct {
	Issue
	edits []edit
	at    int
}

// checker looks through one code cell.
type colabCheck struct {
	source string
	index  int
	found  []sighting
	// everywhere looks also at what runs outside Colab only.
	everywhere bool
	statements map[[2]int]bool // the calls that are statements by themselves
}

// colabIssues finds in a cell's syntax tree what does not work in Colab. Comments
// and strings that are not run are not looked at; nor is code that runs outside
// Colab only.
func colabIssues(source string, index int) []sighting {
	return (&colabCheck{source: source, index: index}).findings()
}

func (c *colabCheck) findings() []sighting {
	source := c.source
	if tree, err := ParseCell(source); err == nil {
		c.statements = map[[2]int]bool{}
		tree.Walk(func(e *python.Node) bool {
			if e.Kind == "Expr" && e.X != nil && e.X.Kind == "Call" {
				c.statements[[2]int{e.X.Start, e.X.End}] = true
			}
			return true
		})
		c.block(tree.Body, false)
	}
	if _, err := python.Parse(source); err != nil {
		_, magics := plainPython(source)
		c.magics(magics)
	}
	sort.SliceStable(c.found, func(i, j int) bool { return c.found[i].at < c.found[j].at })
	return c.found
}

func (c *colabCheck) add(kind, severity, description string, at int, edits ...edit) {
	line, _ := python.Position(c.source, at)
	c.found = append(c.found, sighting{Issue{Type: kind, Severity: severity, Description: description, CellIndex: c.index, AutoFixable: len(edits) > 0, Line: line}, edits, at})
}

// block goes through statements; loop says whether one repeats them.
func (c *colabCheck) block(list []*python.Node, loop bool) {
	for _, n := range list {
		c.statement(n, loop)
	}
}

func (c *colabCheck) statement(n *python.Node, loop bool) {
	switch n.Kind {
	case "If":
		branch := inColab(n.X)
		if c.everywhere {
			branch = 0
		}
		switch branch {
		case 1: // the other branch runs outside Colab
			c.block(n.Body, loop)
			return
		case -1:
			c.block(n.Else, loop)
			return
		}
		c.expression(n.X, loop)
		c.block(n.Body, loop)
		c.block(n.Else, loop)
	case "While", "For":
		c.expression(n.X, n.Kind == "While" || loop)
		c.block(n.Body, true)
		c.block(n.Else, loop)
	case "FunctionDef", "AsyncFunctionDef", "ClassDef", "Try", "With", "ExceptHandler", "Match", "match_case":
		for _, e := range append(slices.Clone(n.Args), n.X) {
			c.expression(e, loop)
		}
		for _, list := range [][]*python.Node{n.Body, n.Handlers, n.Else, n.Final} {
			c.block(list, loop)
		}
	case "Assign":
		c.tokenAssignment(n)
		c.expression(n.X, loop)
	case "Expr":
		c.expression(n.X, loop)
	default:
		n.Children(func(child *python.Node) { c.expression(child, loop) })
	}
}

// inColab is 1 for a test that holds in Colab, -1 for its negation, 0 for any
// other.
func inColab(test *python.Node) int {
	switch {
	case test == nil:
		return 0
	case test.Kind == "UnaryOp" && test.X != nil:
		return -inColab(test.X)
	case test.Dotted() == "IN_COLAB":
		return 1
	case test.Kind == "Compare" && len(test.Args) == 2 && test.Args[0].IsStr() && test.Args[0].Text == "google.colab" && test.Args[1].Dotted() == "sys.modules":
		return 1
	case test.Kind == "BoolOp":
		for _, a := range test.Args {
			if v := inColab(a); v > 0 {
				return v
			}
		}
	}
	return 0
}

func (c *colabCheck) expression(n *python.Node, loop bool) {
	n.Walk(func(e *python.Node) bool {
		if e.Kind == "Call" {
			c.call(e, loop)
		}
		return true
	})
}

// launchers run a command of their first argument; the value is what the call
// answers, for code that uses it.
var launchers = map[string]string{
	"subprocess.check_call": "0", "subprocess.call": "0", "os.system": "0",
	"subprocess.run": `__import__("subprocess").CompletedProcess([], 0, "", "")`, "subprocess.getoutput": `""`,
	"subprocess.check_output": `b""`, "subprocess.Popen": "", "os.popen": "",
}

func (c *colabCheck) call(n *python.Node, loop bool) {
	name := n.X.Dotted()
	if _, ok := launchers[name]; ok {
		c.launch(n, name)
	}
	if device := n.Keyword("device_map"); device.IsStr() && device.Text == "auto" {
		c.add("device_mapping", warning, `device_map="auto" may not work optimally in Colab`, device.Start)
	}
	for _, a := range n.Args {
		if a.Kind == "Keyword" && secretName(a.Name) && placeholderToken(a.X) {
			c.add("hardcoded_token", critical, "A placeholder stands where an access token is needed", a.X.Start, edit{a.X.Start, a.X.End, fromEnvironment(tokenVariable(a.Name))})
		}
	}
	if name == "input" && loop {
		c.add("input_loop", warning, "input() in a loop waits for a person and stops Run all", n.Start)
	}
	if path := localPath(n); path != nil {
		c.add("local_path", warning, "The path "+clip(path.Text)+" exists on one machine only; upload the file, or mount Google Drive", path.Start)
	}
}

var localPaths = regexp.MustCompile(`^(/Users/|/home/|/mnt/[a-z]/|[A-Za-z]:[\\/]|~/|file://)`)

// readers take a path as an argument; other calls print or compare them.
var readers = regexp.MustCompile(`(^|\.)(open|Path|load|read|imread|save|savefig|listdir|chdir|loadtxt|genfromtxt|from_pretrained|ImageFolder|exists)$|(^|\.)(read|to|load|save)_[a-z]+$|os\.environ\.setdefault`)

func localPath(n *python.Node) *python.Node {
	if !readers.MatchString(n.X.Dotted()) && !(n.X.Kind == "Attribute" && readers.MatchString(n.X.Name)) {
		return nil
	}
	for _, a := range n.Args {
		if a.Kind == "Keyword" {
			a = a.X
		}
		if a.IsStr() && localPaths.MatchString(a.Text) {
			return a
		}
	}
	return nil
}

var (
	placeholderText = regexp.MustCompile(`(?i)^(<.*>|\[.*\]|your[_ -].*|.*_?your_.*|insert.*|replace.*|hf_x+|sk-x+|x{4,}|hf_\.\.\.|sk-\.\.\.|\.\.\.|(my|put|paste).*(token|key).*)$`)
	secretWord      = regexp.MustCompile(`(?i)(token|api_?key|secret|password)$`)
)

func secretName(name string) bool { return secretWord.MatchString(name) }

func placeholderToken(n *python.Node) bool {
	return n.IsStr() && placeholderText.MatchString(strings.TrimSpace(n.Text))
}

// tokenVariable is the environment variable for a keyword.
func tokenVariable(keyword string) string {
	switch keyword {
	case "token", "use_auth_token", "hf_token":
		return "HF_TOKEN"
	}
	return strings.ToUpper(keyword)
}

// fromEnvironment asks for a secret where the environment does not have it.
func fromEnvironment(variable string) string {
	v := literal(variable)
	return `(__import__("os").environ.get(` + v + `) or __import__("getpass").getpass(` + literal(variable+": ") + `))`
}

// tokenAssignment: os.environ["X_TOKEN"] = "YOUR_…", or X_TOKEN = "YOUR_…".
func (c *colabCheck) tokenAssignment(n *python.Node) {
	if !placeholderToken(n.X) {
		return
	}
	for _, t := range n.Targets {
		name := ""
		switch {
		case t.Kind == "Name":
			name = t.Name
		case t.Kind == "Subscript" && t.X.Dotted() == "os.environ" && len(t.Args) == 1 && t.Args[0].IsStr():
			name = t.Args[0].Text
		}
		if secretName(name) {
			c.add("hardcoded_token", critical, "Hardcoded token placeholder causes auth errors", n.Start, edit{n.X.Start, n.X.End, fromEnvironment(strings.ToUpper(name))})
			return
		}
	}
}
