package circuit

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/internal/contract"
)

// checkMeasurements refuses a name that is measured twice, of which one value would
// be lost, and a window without extent.
func (r *request) checkMeasurements() *contract.Error {
	seen := map[string]bool{}
	for _, c := range r.script.commands {
		name, ok := measured(c)
		if !ok {
			continue
		}
		if seen[name] {
			return contract.Errorf(contract.CodeInvalidInput, "two meas commands are called %q, and only one value could be told", name).At(r.commandField()).
				WithHint("Give each measurement a name of its own.").With("line", c.number)
		}
		seen[name] = true
		if fault := r.checkWindow(c, name); fault != nil {
			return fault
		}
	}
	return nil
}

// warnOfLosses tells what is written and not done, or done and not returned.
func (r *request) warnOfLosses() {
	for _, c := range r.script.commands {
		f := strings.Fields(strings.ToLower(c.text))
		switch {
		case c.analysis == "tran" && !slices.Contains(f, "uic"):
			if names := r.net.startingValues(); len(names) > 0 {
				r.net.warn("initial_condition_unused", fmt.Sprintf(
					"IC of %s counts only with uic in the tran command; without it the transient begins at the operating point.", strings.Join(names, ", ")))
			}
		case c.analysis == "dc":
			r.warnOfSweepEnd(f)
		case f[0] == "let" || f[0] == "print" && len(vectorNames(c.text)) == 0 && !slices.Contains(f, "all"):
			r.net.warn("not_returned", fmt.Sprintf("What %q computes stands in the log alone; probes and meas commands are returned as figures.", clip(c.text)))
		}
	}
}

// ownUIC says whether the netlist has a transient begin with its initial conditions.
func (n *netlist) ownUIC() bool {
	return slices.ContainsFunc(n.cards, func(c card) bool {
		f := strings.Fields(strings.ToLower(c.text))
		return f[0] == ".tran" && slices.Contains(f, "uic")
	})
}

// warnOfUnrun tells which cards of the netlist are not run, since something else says
// what is: of an analysis, the measurements of its kind are, and uic stays.
func (r *request) warnOfUnrun(by, kind string) {
	run := map[string]bool{}
	for _, c := range r.script.commands {
		run[c.text] = true
	}
	var cards []string
	for _, c := range r.net.ownAnalyses() {
		if !run[c.text] {
			cards = append(cards, fmt.Sprintf("line %d, %q", c.number, clip(c.text)))
		}
	}
	if len(cards) == 0 {
		return
	}
	kept := ""
	if kind == "tran" && r.net.ownUIC() {
		kept = " Its uic is kept."
	}
	r.net.warn("cards_not_run", fmt.Sprintf("Not run are the cards of %s, since %s says what is.%s", strings.Join(cards[:min(len(cards), 8)], " and "), by, kept))
}

// startingValues names the devices with an IC.
func (n *netlist) startingValues() []string {
	var names []string
	for i := range n.elements {
		e := &n.elements[i]
		if strings.IndexByte("clqdmjz", e.kind()) >= 0 && slices.ContainsFunc(e.tokens, func(t string) bool { return strings.HasPrefix(t, "ic=") }) {
			names = append(names, strings.ToUpper(e.name))
		}
	}
	return names[:min(len(names), 10)]
}

// warnOfSweepEnd tells that the steps of a dc sweep do not meet its end.
func (r *request) warnOfSweepEnd(f []string) {
	start, ok1 := at(f, 2)
	stop, ok2 := at(f, 3)
	step, ok3 := at(f, 4)
	if !ok1 || !ok2 || !ok3 || step == 0 {
		return
	}
	steps := (stop - start) / step
	if whole := math.Floor(steps + 1e-6); steps-whole > 1e-6 {
		r.net.warn("sweep_ends_before", fmt.Sprintf("Steps of %s from %s do not meet %s: the sweep ends at %s.", f[4], f[2], f[3], format5(start+whole*step)))
	}
}

// undefinedTotals tells of integrated noise that the simulator did not find.
func (o *outcome) undefinedTotals() []contract.Warning {
	if len(o.undefined) == 0 {
		return nil
	}
	return []contract.Warning{{Code: "total_undefined", Message: fmt.Sprintf(
		"The simulator found no finite %s; the spectrum stands. Its interpolation fails on very steep flanks: sweep with fewer points, or leave the flank out of the range.", strings.Join(o.undefined, ", "))}}
}
