package circuit

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/contract"
)

// command is one line of the control script that is run.
type command struct {
	text     string
	analysis string // op, dc, ac, tran, noise, tf, pz, sens; "" for what only looks or sets
	number   int    // the caller's line, 0 for ours
}

var analyses = []string{"op", "dc", "ac", "tran", "noise", "tf", "pz", "sens"}

// allowed are the commands of a caller's control script that stay within the
// simulation. What they do is said where they are refused or dropped.
var allowed = map[string]bool{
	"op": true, "dc": true, "ac": true, "tran": true, "noise": true, "tf": true, "pz": true, "sens": true,
	"print": true, "echo": true, "let": true, "meas": true, "measure": true, "set": true, "unset": true, "option": true,
	"alter": true, "altermod": true, "save": true, "reset": true, "quit": true, "exit": true, "run": true,
	"write": true, "wrdata": true, "plot": true, "listing": true, "show": true,
}

// settable are the variables that a script may set; others name files, programs
// or the shape of the files that we read back.
var settable = map[string]bool{"temp": true, "units": true, "numdgt": true, "width": true, "height": true, "nobreak": true}

var hidden = regexp.MustCompile("[;|<>&`$!{}~\\\\]")

// script is what a caller's control asks for.
type script struct {
	commands []command
	probes   []string // vectors that print, plot, write and wrdata name
	altered  bool     // values are not those of the netlist any more
	warnings []contract.Warning
}

// parseControl holds a caller's script against the allow-list. field says where
// each line stands in the input.
func parseControl(lines []card, field func(i int) string, n *netlist) (*script, *contract.Error) {
	s := &script{}
	for i, l := range lines {
		if fault := checkCharacters(field(i), l.number, l.text); fault != nil {
			return nil, fault
		}
		text := strings.TrimSpace(l.text)
		if text == "" || strings.HasPrefix(text, "*") || strings.HasPrefix(text, "#") {
			continue
		}
		if fault := s.add(text, l.number, field(i), n); fault != nil {
			return nil, fault
		}
	}
	return s, nil
}

func (s *script) add(text string, number int, field string, n *netlist) *contract.Error {
	f := strings.Fields(text)
	word := strings.ToLower(f[0])
	if !allowed[word] {
		return forbidden(field, number, text, fmt.Sprintf("the command %q is not among those that stay within the simulation", word)).
			WithHint("Allowed are: %s.", strings.Join(slices.Sorted(mapKeys(allowed)), " ")).With("command", word)
	}
	if at := hidden.FindString(text); at != "" {
		return forbidden(field, number, text, fmt.Sprintf("the character %q can redirect, expand or start something else", at)).With("command", word)
	}
	rest := strings.TrimSpace(text[len(f[0]):])
	switch word {
	case "quit", "exit", "listing", "show":
		return nil // the end of the script is ours; listings have nothing that the netlist lacks
	case "plot", "write", "wrdata":
		if word != "plot" && len(f) > 1 {
			rest = strings.Join(f[2:], " ")
		}
		s.probes = append(s.probes, vectorNames(rest)...)
		s.warn("not_drawn", fmt.Sprintf("The command %q makes no file or picture; its vectors are in the series and in data.csv.", word))
		return nil
	case "run":
		for _, c := range n.ownAnalyses() {
			own := c.command()
			own.number = number // of run
			s.commands = append(s.commands, own)
		}
		return nil
	case "set", "unset":
		name, _, _ := strings.Cut(strings.ToLower(rest), "=")
		if !settable[strings.TrimSpace(name)] {
			return forbidden(field, number, text, fmt.Sprintf("the variable %q is not among those that may be set (%s)",
				strings.TrimSpace(name), strings.Join(slices.Sorted(mapKeys(settable)), " "))).With("command", word)
		}
	case "print":
		s.probes = append(s.probes, vectorNames(rest)...)
	case "alter", "altermod", "reset":
		s.altered = true
	}
	c := command{text: text, number: number}
	if slices.Contains(analyses, word) {
		c.analysis = word
	}
	s.commands = append(s.commands, c)
	return nil
}

func (s *script) warn(code, message string) {
	if !slices.ContainsFunc(s.warnings, func(w contract.Warning) bool { return w.Code == code }) {
		s.warnings = append(s.warnings, contract.Warning{Code: code, Message: message})
	}
}

func (s *script) analyses() []command {
	var found []command
	for _, c := range s.commands {
		if c.analysis != "" {
			found = append(found, c)
		}
	}
	return found
}

// point says how many operating points there are, and which one an analysis is:
// what was altered since the one before it tells them apart.
func (s *script) point(analysis int) (count int, which string) {
	index := 0
	var since []string
	for _, c := range s.commands {
		switch {
		case c.analysis == "":
			if word := firstWord(c.text); word == "alter" || word == "altermod" || word == "reset" || word == "set" || word == "option" {
				since = append(since, strconv.Quote(clip(c.text)))
			}
			continue
		case c.analysis == "op":
			if count++; index <= analysis {
				which = fmt.Sprintf("line %d", c.number)
				if len(since) > 0 && count > 1 {
					which += " after " + strings.Join(since, ", ")
				}
			}
			since = nil
		}
		index++
	}
	return count, which
}

var vectorPattern = regexp.MustCompile(`(?i)\b(?:mag|db|ph|cph|phase|real|re|imag|im)\(\s*[vi]\([^()]+\)\s*\)|\b[vi](?:m|db|p|r|i)?\([^()]+\)|@[\w.]+\[\w+\]`)

func vectorNames(expression string) []string {
	return vectorPattern.FindAllString(strings.ToLower(expression), -1)
}

// ownAnalyses are the netlist's analysis cards as commands (.tran 1u 1m becomes
// tran 1u 1m), the last one of a kind followed by the .meas cards of that kind, since
// the simulator measures what it computed last.
func (n *netlist) ownAnalyses() []card {
	var found []card
	last := map[string]int{}
	for _, c := range n.cards {
		if word := strings.TrimPrefix(firstWord(c.text), "."); slices.Contains(analyses, word) {
			found = append(found, card{c.number, c.text[1:]})
			last[word] = len(found)
		}
	}
	var ordered []card
	for i, c := range found {
		ordered = append(ordered, c)
		if word := firstWord(c.text); last[word] == i+1 {
			ordered = append(ordered, n.ownMeasurements(func(kind string) bool { return kind == word })...)
		}
	}
	return append(ordered, n.ownMeasurements(func(kind string) bool { return last[kind] == 0 })...)
}

// command is what a card of ownAnalyses runs.
func (c card) command() command {
	own := command{text: c.text, number: c.number}
	if word := firstWord(c.text); word != "meas" {
		own.analysis = word
	}
	return own
}

// ownMeasurements are the .meas cards of some kinds of analysis as commands.
func (n *netlist) ownMeasurements(of func(kind string) bool) []card {
	var found []card
	for _, c := range n.cards {
		f := strings.Fields(strings.ToLower(c.text))
		if f[0] != ".meas" && f[0] != ".measure" {
			continue
		}
		kind := ""
		if len(f) > 1 {
			kind = f[1]
		}
		if of(kind) {
			found = append(found, card{c.number, "meas" + c.text[len(f[0]):]})
		}
	}
	return found
}

// ownProbes are the vectors of the netlist's .print, .plot and .save cards.
func (n *netlist) ownProbes() []string {
	var found []string
	for _, c := range n.cards {
		switch firstWord(c.text) {
		case ".print", ".plot", ".save":
			found = append(found, vectorNames(c.text)...)
		}
	}
	return found
}

func mapKeys(m map[string]bool) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}
