package ipynb

import (
	"regexp"
	"strings"

	"atelier/internal/tools/notebook/python"
)

var (
	pipCommand   = regexp.MustCompile(`(^|[\s/;&|("'])(pip3?|uv pip|-m pip)\s+install\b`)
	condaCommand = regexp.MustCompile(`(^|[\s/;&|("'])(conda|mamba|micromamba)\s+([a-z-]+)`)
	shellSyntax  = regexp.MustCompile("[;&|<>`$\\n]")
)

// launch looks at a call that runs a command: an installation by pip or conda
// belongs to the notebook's own magic.
func (c *colabCheck) launch(n *python.Node, name string) {
	if len(n.Args) == 0 || n.Args[0].Kind == "Keyword" {
		return
	}
	command := n.Args[0]
	words, whole := commandWords(command)
	text := strings.Join(words, " ")
	pip, conda := pipCommand.MatchString(text), condaCommand.FindStringSubmatch(text)
	switch {
	case pip:
		c.add("subprocess_pip", critical, "subprocess pip install fails in Colab", n.Start, c.installEdit(n, name, command, words, whole)...)
	case conda != nil && conda[3] == "install" && whole:
		if packages, ok := condaPackages(text); ok {
			c.add("conda_install", critical, "conda is not there in Colab", n.Start, c.replaceCall(n, name, magicCall("install -q "+packages))...)
			return
		}
		fallthrough
	case conda != nil:
		c.add("conda_install", critical, "conda is not there in Colab", n.Start)
	}
}

// commandWords are the parts of a command that are known: the strings of a list,
// or the text. whole says whether there are no others. sys.executable counts as
// the word python.
func commandWords(n *python.Node) (words []string, whole bool) {
	switch n.Kind {
	case "Constant":
		return []string{n.Text}, n.IsStr()
	case "JoinedStr":
		return []string{n.Text}, false
	case "List", "Tuple":
		whole = true
		for _, e := range n.Args {
			switch {
			case e.IsStr():
				words = append(words, e.Text)
			case e.Dotted() == "sys.executable":
				words = append(words, "python")
			default:
				whole = false
			}
		}
		return words, whole
	case "BinOp", "Call":
		n.Walk(func(e *python.Node) bool {
			if e.IsStr() || e.Kind == "List" {
				w, _ := commandWords(e)
				words = append(words, w...)
				return false
			}
			return true
		})
	}
	return words, false
}

// installEdit makes of the call the pip magic of the same packages. Where the
// command is not known whole, or is more than one command, the shell gets it.
func (c *colabCheck) installEdit(n *python.Node, name string, command *python.Node, words []string, whole bool) []edit {
	if (command.Kind == "List" || command.Kind == "Tuple") && pipCommand.MatchString(strings.Join(words, " ")) {
		if start := afterInstall(command); start >= 0 {
			return c.replaceCall(n, name, c.magicOfList(command.Args[start:]))
		}
	}
	if whole && command.Kind == "Constant" && !shellSyntax.MatchString(command.Text) {
		at := pipCommand.FindStringIndex(command.Text)
		return c.replaceCall(n, name, magicCall("install"+command.Text[at[1]:]))
	}
	text := c.source[command.Start:command.End]
	if command.Kind == "List" || command.Kind == "Tuple" {
		text = `__import__("shlex").join(map(str, ` + text + `))`
	}
	return c.replaceCall(n, name, "get_ipython().system("+text+")")
}

// afterInstall is the place of what follows "pip", "install" in a list, or -1.
func afterInstall(list *python.Node) int {
	for i := 1; i < len(list.Args); i++ {
		if list.Args[i].IsStr() && list.Args[i].Text == "install" && list.Args[i-1].IsStr() && strings.HasPrefix(list.Args[i-1].Text, "pip") {
			return i + 1
		}
	}
	return -1
}

// magicOfList is the magic for the arguments of a list: a text where all are
// known, else code that joins them.
func (c *colabCheck) magicOfList(args []*python.Node) string {
	known := "install"
	for _, a := range args {
		if !a.IsStr() {
			known = ""
			break
		}
		known += " " + shellWord(a.Text)
	}
	if known != "" {
		return magicCall(known)
	}
	parts := []string{`"install"`}
	for _, a := range args {
		parts = append(parts, c.source[a.Start:a.End])
	}
	return `get_ipython().run_line_magic("pip", __import__("shlex").join(map(str, [` + strings.Join(parts, ", ") + `])))`
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9@%+=:,./_\[\]~-]+$`)

// shellWord quotes a word as the magic's own splitting undoes it.
func shellWord(w string) string {
	if plainWord.MatchString(w) {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'"'"'`) + "'"
}

func magicCall(line string) string {
	return `get_ipython().run_line_magic("pip", ` + literal(line) + `)`
}

// replaceCall puts code in place of a call. Where the call's value is used, a
// value of the same kind follows.
func (c *colabCheck) replaceCall(n *python.Node, name, code string) []edit {
	value := launchers[name]
	if !c.statements[[2]int{n.Start, n.End}] {
		if value == "" {
			return nil // a process that goes on has no counterpart
		}
		code = "(" + code + ", " + value + ")[1]"
	}
	return []edit{{n.Start, n.End, code}}
}

// condaPackages turns the arguments of conda install into those of pip.
func condaPackages(command string) (string, bool) {
	at := regexp.MustCompile(`\binstall\b`).FindStringIndex(command)
	if at == nil || shellSyntax.MatchString(command) {
		return "", false
	}
	var packages []string
	skip := false
	for _, w := range strings.Fields(command[at[1]:]) {
		switch {
		case skip:
			skip = false
		case w == "-c" || w == "--channel" || w == "-n" || w == "--name" || w == "-p" || w == "--prefix":
			skip = true
		case strings.HasPrefix(w, "-"):
		default:
			w = strings.Trim(w, `"'`)
			if _, rest, ok := strings.Cut(w, "::"); ok {
				w = rest
			}
			name, version, pinned := strings.Cut(w, "=")
			if pinned && !strings.ContainsAny(name, "<>!~") {
				version, _, _ = strings.Cut(strings.TrimPrefix(version, "="), "=")
				w = fromConda(name) + "==" + version
			} else {
				w = fromConda(w)
			}
			packages = append(packages, shellWord(w))
		}
	}
	return strings.Join(packages, " "), len(packages) > 0
}

// fromConda is the name that a package of conda has at PyPI.
func fromConda(name string) string {
	switch name {
	case "pytorch":
		return "torch"
	case "opencv":
		return "opencv-python"
	case "matplotlib-base":
		return "matplotlib"
	}
	return name
}

// magics looks at the lines of IPython: conda is missing, and so is what lies on
// one machine.
func (c *colabCheck) magics(lines map[int]string) {
	for at, line := range lines {
		body := strings.TrimLeft(line, " \t")
		indent := len(line) - len(body)
		command := strings.TrimLeft(body, "!%")
		if m := condaCommand.FindStringSubmatch(command); m != nil && strings.TrimSpace(command[:strings.Index(command, m[0])]) == "" {
			if packages, ok := condaPackages(command); ok && m[3] == "install" && !strings.HasPrefix(body, "%%") {
				c.add("conda_install", critical, "conda is not there in Colab", at+indent, edit{at + indent, at + len(line), "%pip install -q " + packages})
			} else {
				c.add("conda_install", critical, "conda is not there in Colab", at+indent)
			}
		}
	}
}
