package circuit

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/contract"
)

// The simulator's exit code says little, so its words are read. These are the
// words of ngspice 36 to 44.
var (
	substitutePattern = regexp.MustCompile(`(?m)^Error on line (\d+)[^\n]*\n\s*([^\n]*)\n\s*([^\n]*)`)
	subcktPattern     = regexp.MustCompile(`(?m)^Error: unknown subckt: ([^\n]*)`)
	parameterPattern  = regexp.MustCompile(`(?m)^Error: not enough parameters in line\s*\n?\s*([^\n]*)`)
	vectorMissing     = regexp.MustCompile(`(?im)no such (?:node|vector):?\s+(?:as\s+)?(\S+)|vector:?\s+(\S+?) is not available`)
	deviceMissing     = regexp.MustCompile(`(?i)named "([^"]+)" is not in the circuit|no such (?:device|instance)[^\n]*?\bor model name (\S+)|no such device or model name (\S+)`)
	singularPattern   = regexp.MustCompile(`(?i)singular matrix:\s+check nodes? ([^\s]+)`)
	unconverged       = regexp.MustCompile(`(?m)^(\S+)\s+\S+\s+\S+ \*\s*$`)
	troublePattern    = regexp.MustCompile(`trouble with node "([^"]+)"`)
	stepPattern       = regexp.MustCompile(`(?i)time(?:step)? too small[^\n]*`)
)

// diagnose turns the words of a failed run into an error; nil when every
// analysis has its plot and the words are harmless.
func diagnose(n *netlist, s *script, out *outcome) *contract.Error {
	text := out.log.Stderr
	if strings.Contains(text, "can't allocate") {
		return contract.Errorf(contract.CodeMemoryExceeded, "the simulator cannot hold so many points").
			WithHint("Use a longer step or a shorter time, or keep fewer vectors with a .save card.")
	}
	if fault := syntaxFault(n, text); fault != nil {
		return fault
	}
	if m := deviceMissing.FindStringSubmatch(text); m != nil {
		name := m[1] + m[2] + m[3]
		return unknownDevice(n, name)
	}
	var failed []string
	for i, c := range s.analyses() {
		if i >= len(out.plots) || len(out.plots[i]) == 0 {
			failed = append(failed, c.text)
		}
	}
	missing := ""
	if m := vectorMissing.FindStringSubmatch(text); m != nil {
		missing = strings.Trim(m[1]+m[2], "'\"")
	}
	if strings.HasPrefix(missing, "@") {
		return unknownParameter(n, missing)
	}
	aborted := strings.Contains(text, "simulation(s) aborted") || stepPattern.MatchString(text)
	if len(failed) > 0 || aborted {
		return analysisFault(n, out, failed)
	}
	if missing != "" {
		return unknownVector(missing, out.plots, "/control")
	}
	for _, plots := range out.plots {
		for _, p := range plots {
			if name, at, found := p.notFinite(); found {
				return contract.Errorf(contract.CodeNotConverged, "%s: %s is not a finite number at point %d", p.name, name, at+1).With("vector", name)
			}
		}
	}
	return branchSingular(text)
}

// syntaxFault is an error in the netlist, with the caller's own line.
func syntaxFault(n *netlist, text string) *contract.Error {
	if fault := n.undefined(text); fault != nil {
		return fault
	}
	if m := substitutePattern.FindStringSubmatch(text); m != nil {
		number, _ := strconv.Atoi(m[1])
		reason := strings.TrimSpace(m[3])
		number = n.lineOf(m[2], number-n.shift)
		fault := invalid(number, n.lineText(number, m[2]), "%s", reason)
		if missing := regexp.MustCompile(`can't find model '([^']+)'`).FindStringSubmatch(text); missing != nil && strings.Contains(reason, "model") {
			fault.Message = strings.Replace(fault.Message, reason, fmt.Sprintf("there is no model %q", missing[1]), 1)
			fault.WithHint("%s", n.missingModel(number, missing[1]))
		}
		n.refused(fault, number, reason)
		return fault
	}
	if m := subcktPattern.FindStringSubmatch(text); m != nil {
		f := strings.Fields(m[1])
		number := n.lineOf(m[1], 0)
		return invalid(number, n.lineText(number, m[1]), "there is no subcircuit %q", f[len(f)-1]).WithHint("Add its .subckt … .ends to the netlist.")
	}
	if m := parameterPattern.FindStringSubmatch(text); m != nil {
		number := n.lineOf(m[1], 0)
		return invalid(number, n.lineText(number, m[1]), "it has too few parameters")
	}
	for _, sign := range []string{"No circuit loaded", "circuit not parsed", "Simulation interrupted due to error"} {
		if strings.Contains(text, sign) {
			return contract.Errorf(contract.CodeNetlistInvalid, "the simulator refused the netlist: %s", firstError(text)).At("/netlist")
		}
	}
	return nil
}

func firstError(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if l := strings.TrimSpace(line); strings.HasPrefix(strings.ToLower(l), "error") || strings.HasPrefix(l, "Fatal") {
			if strings.HasSuffix(l, ":") && i+1 < len(lines) {
				l += " " + strings.Join(strings.Fields(lines[i+1]), " ")
			}
			return clip(l)
		}
	}
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if first = strings.TrimPrefix(first, "doAnalyses: "); first == "" {
		return "it does not say why"
	}
	return clip(strings.TrimSpace(first))
}

// lineOf finds the caller's line number of a card that the simulator quotes, in
// its own spelling; guess is the number that it gave.
func (n *netlist) lineOf(quoted string, guess int) int {
	want := strings.Join(tokens(quoted), " ")
	for _, e := range n.elements {
		if strings.Join(e.tokens, " ") == want {
			return e.number
		}
	}
	// Inside a subcircuit the device's name gets a prefix and its nodes change.
	if f := tokens(quoted); len(f) > 0 {
		parts := strings.Split(f[0], ".")
		for _, e := range n.elements {
			if e.inner && len(parts) > 1 && e.name == parts[len(parts)-1] {
				return e.number
			}
		}
	}
	return max(guess, 1)
}

func (n *netlist) lineText(number int, fallback string) string {
	if i := number - 1 + n.shift; i >= 0 && i < len(n.lines) && strings.TrimSpace(n.lines[i]) != "" {
		return n.lines[i]
	}
	return fallback
}

func unknownDevice(n *netlist, name string) *contract.Error {
	var known []string
	for _, e := range n.elements {
		if !e.inner {
			known = append(known, e.name)
		}
	}
	fault := contract.Errorf(contract.CodeUnknownVector, "the circuit has no device %q", name).With("device", name).With("devices", known[:min(len(known), 40)])
	fault.Hint = "Devices of the netlist: " + strings.Join(known[:min(len(known), 20)], ", ") + "."
	return fault
}

func unknownVector(name string, plots [][]*plot, field string) *contract.Error {
	var known []string
	for _, ps := range plots {
		for _, p := range ps {
			for _, v := range p.vectors {
				known = append(known, v.name)
			}
		}
	}
	slices.Sort(known)
	known = slices.Compact(known)
	fault := contract.Errorf(contract.CodeUnknownVector, "there is no vector %q", name).At(field).
		With("vector", name).With("available", known[:min(len(known), 100)])
	hint := "Available are: " + strings.Join(known[:min(len(known), 20)], ", ") + "."
	if how := computed(name); how != "" {
		hint = how + " " + hint
	} else if near := contract.Nearest(name, known); near != "" {
		hint = "Did you mean " + near + "? " + hint
	}
	fault.Hint = hint
	return fault
}

// analysisFault says why an analysis has no result.
func analysisFault(n *netlist, out *outcome, failed []string) *contract.Error {
	text := out.log.Stderr
	what := "the analysis"
	if len(failed) > 0 {
		what = strconv.Quote(failed[0])
	}
	if nodes := singularNodes(text); len(nodes) > 0 {
		return singular(what, nodes)
	}
	if step := stepPattern.FindString(text); step != "" && !strings.Contains(text, "gmin stepping failed") {
		return contract.Errorf(contract.CodeNotConverged, "%s stopped: %s", what, strings.TrimSpace(step)).
			WithHint("%s", n.stuck(step))
	}
	if strings.Contains(out.log.Stdout, "DC solution failed") || strings.Contains(text, "gmin stepping failed") {
		var nodes []string
		for _, m := range unconverged.FindAllStringSubmatch(out.log.Stdout, -1) {
			nodes = append(nodes, m[1])
		}
		e := contract.Errorf(contract.CodeNotConverged, "%s found no operating point", what)
		if m := troublePattern.FindStringSubmatch(text); m != nil && len(nodes) == 0 {
			nodes = []string{m[1]}
		}
		if len(nodes) > 0 {
			e.Message += "; still changing: " + strings.Join(nodes[:min(len(nodes), 8)], ", ")
		}
		e.With("nodes", nodes[:min(len(nodes), 40)])
		return e.WithHint("Give start values with .nodeset, check signs and units of the sources, or raise .options itl1.")
	}
	if len(failed) > 0 && firstWord(failed[0]) == "pz" {
		if fault := n.noPoles(failed[0], text); fault != nil {
			return fault
		}
	}
	return contract.Errorf(contract.CodeSolverFailed, "%s gave no result: %s", what, firstError(text))
}

func singularNodes(text string) []string {
	found := map[string]bool{}
	for _, m := range singularPattern.FindAllStringSubmatch(text, -1) {
		found[strings.Trim(m[1], ",.")] = true
	}
	return slices.Sorted(maps.Keys(found))
}

func singular(what string, nodes []string) *contract.Error {
	hint := "Give each named node a path for direct current to ground, e.g. a large resistor."
	if slices.ContainsFunc(nodes, func(s string) bool { return strings.HasSuffix(s, "#branch") }) {
		hint = "A loop of voltage sources and inductors has no unique current: put a small resistor into the loop."
	}
	return contract.Errorf(contract.CodeSingularSystem, "%s has no unique solution; the simulator names %s", what, strings.Join(nodes, ", ")).
		WithHint("%s", hint).With("nodes", nodes)
}

// branchSingular refuses a solution in which the current of a loop is arbitrary:
// the conductances that the simulator adds help a floating node, not a loop.
func branchSingular(text string) *contract.Error {
	for _, node := range singularNodes(text) {
		if strings.HasSuffix(node, "#branch") {
			return singular("the operating point", []string{node})
		}
	}
	return nil
}

var ignoredParameter = regexp.MustCompile(`unrecognized parameter \(([^)]+)\) - ignored`)

// describing are parameters of LTspice's models that tell a reader of a part, and no
// simulator of its behaviour.
var describing = []string{"mfg", "type", "vceo", "icrating", "ron", "qg", "vds", "iave", "vpk", "irms", "vrev", "diss", "epi_type"}

// ignoredParameters are the parameters of models that the simulator does not know.
func ignoredParameters(text string) []string {
	var names []string
	for _, m := range ignoredParameter.FindAllStringSubmatch(text, -1) {
		if name := strings.ToLower(m[1]); !slices.Contains(describing, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// logWarnings counts the simulator's own warnings by kind and place.
func logWarnings(text string) (warnings []contract.Warning, floating []string) {
	counts := map[string]int{}
	for line := range strings.Lines(text) {
		l := strings.TrimSpace(line)
		if i := strings.Index(l, "Warning:"); i >= 0 {
			l = l[i:]
		}
		switch {
		case strings.HasPrefix(l, "Warning: Model issue"): // its second half is in ignoredParameters
		case strings.Contains(l, "singular matrix"), strings.Contains(l, "gmin"), strings.Contains(l, "No \".plot\""):
		case strings.HasPrefix(l, "Warning"), strings.HasPrefix(l, "Note: v"), strings.HasPrefix(l, "Note: i"), strings.HasPrefix(l, "Error: measure"):
			counts[clip(l)]++
		}
	}
	for _, l := range slices.Sorted(maps.Keys(counts)) {
		message := l
		if counts[l] > 1 {
			message = fmt.Sprintf("%s (%d times)", l, counts[l])
		}
		warnings = append(warnings, contract.Warning{Code: "simulator_warning", Message: message})
	}
	for _, node := range singularNodes(text) {
		if !strings.HasSuffix(node, "#branch") {
			floating = append(floating, node)
		}
	}
	if len(floating) > 0 {
		warnings = append(warnings, contract.Warning{Code: "floating_node", Message: fmt.Sprintf(
			"No direct current can reach %s: its voltage at the operating point is set by the simulator's own conductances (gmin), not by the circuit.", strings.Join(floating, ", "))})
	}
	if steps := strings.Count(text, "gmin stepping"); steps > 0 && len(floating) == 0 {
		warnings = append(warnings, contract.Warning{Code: "gmin_stepping", Message: "The operating point was found only by stepping gmin; compare it with a calculation by hand."})
	}
	if n := strings.Count(text, "source stepping"); n > 0 {
		warnings = append(warnings, contract.Warning{Code: "source_stepping", Message: "The operating point was found only by stepping the sources; there may be others."})
	}
	return warnings, floating
}
