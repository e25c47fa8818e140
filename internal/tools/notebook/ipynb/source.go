package ipynb

import (
	"regexp"
	"strings"

	"atelier/internal/tools/notebook/python"
)

// Lines that IPython takes for itself: !command, %magic, %%magic, ?help, help?.
var (
	magicLine  = regexp.MustCompile(`^[ \t]*(!|%|\?)`)
	helpLine   = regexp.MustCompile(`^[ \t]*[A-Za-z_][\w.]*\?{1,2}[ \t]*$`)
	shellValue = regexp.MustCompile(`^([ \t]*[A-Za-z_][\w, \t]*=[ \t]*)[!%][^=]`)
)

// plainPython replaces what IPython adds to Python by statements of the same
// length, so that every byte offset stays. magics are the lines it replaced, by
// offset. A cell of another language (%%bash) has no Python at all.
func plainPython(source string) (code string, magics map[int]string) {
	magics = map[int]string{}
	first := strings.TrimLeft(source, " \t\r\n")
	if strings.HasPrefix(first, "%%") {
		name, _, _ := strings.Cut(strings.TrimSpace(strings.SplitN(first, "\n", 2)[0])[2:], " ")
		switch name {
		case "time", "timeit", "capture", "prun", "python", "python3": // Python follows
		default:
			magics[len(source)-len(first)] = first
			return blank(source), magics
		}
	}
	var b strings.Builder
	open := false // inside a string of three quotes: its lines are text
	var quote string
	continued, command := false, false // the line before ends in a backslash; and is no Python
	at := 0
	for _, line := range strings.SplitAfter(source, "\n") {
		switch {
		case continued && command:
			b.WriteString(blank(line))
		case !open && !continued && (magicLine.MatchString(line) || helpLine.MatchString(strings.TrimRight(line, "\r\n"))):
			magics[at] = strings.TrimRight(line, "\r\n")
			b.WriteString(standIn(line))
			command = true
		case !open && !continued && shellValue.MatchString(line):
			head := shellValue.FindStringSubmatch(line)[1]
			magics[at] = strings.TrimRight(line, "\r\n")
			b.WriteString(head + "0" + blank(line[len(head)+1:]))
			command = true
		default:
			command = false
			b.WriteString(line)
			open, quote = tripleQuotes(line, open, quote)
		}
		continued = strings.HasSuffix(strings.TrimRight(line, "\r\n"), "\\")
		at += len(line)
	}
	return b.String(), magics
}

// standIn is a statement that does nothing, as long as the line; a line too
// short for one becomes a number.
func standIn(line string) string {
	body := strings.TrimRight(line, "\r\n")
	indent := body[:len(body)-len(strings.TrimLeft(body, " \t"))]
	word := "0"
	if len(body)-len(indent) >= len("pass") {
		word = "pass"
	}
	return indent + word + strings.Repeat(" ", len(body)-len(indent)-len(word)) + line[len(body):]
}

// blank keeps line ends and replaces all else by spaces.
func blank(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c != '\n' && c != '\r' {
			b[i] = ' '
		}
	}
	return string(b)
}

// tripleQuotes follows whether a string of three quotes is open after a line.
func tripleQuotes(line string, open bool, quote string) (bool, string) {
	for i := 0; i < len(line); i++ {
		rest := line[i:]
		switch {
		case line[i] == '\\':
			i++
		case open:
			if strings.HasPrefix(rest, quote) {
				open = false
				i += 2
			}
		case strings.HasPrefix(rest, `"""`) || strings.HasPrefix(rest, `'''`):
			open, quote = true, rest[:3]
			i += 2
		case line[i] == '"' || line[i] == '\'':
			end := closing(rest)
			if end < 0 {
				return open, quote
			}
			i += end
		case line[i] == '#':
			return open, quote
		}
	}
	return open, quote
}

// closing is the offset of the quote that ends the string that s begins with.
func closing(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i
		}
	}
	return -1
}

// ParseCell parses a code cell as IPython would read it. Offsets in the tree are
// those of the source. The error is a *python.SyntaxError.
func ParseCell(source string) (*python.Node, error) {
	tree, err := python.Parse(source)
	if err == nil {
		return tree, nil
	}
	code, magics := plainPython(source)
	if len(magics) == 0 {
		return nil, err
	}
	return python.Parse(code)
}
