package circuit

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/contract"
)

// Netlists come from other simulators and from the memory of people. What ngspice only
// refuses is told here with the form that it takes.

var undefinedPattern = regexp.MustCompile(`(?s)Netlist line no\. (\d+):\s*\n\s*Undefined (?:parameter|number) \[([^\]]*)\]`)

// undefined is the error of a word that stands where a number or a parameter is
// expected, at which the simulator ends.
func (n *netlist) undefined(text string) *contract.Error {
	m := undefinedPattern.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	number, _ := strconv.Atoi(m[1])
	number = max(number-n.shift, 1)
	line := n.lineText(number, m[2])
	fault := invalid(number, line, "%q is neither a number nor a .param of the netlist", m[2]).
		WithHint("Add .param %s=…, or correct the name.", m[2])
	if regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(m[2]) + `\s*\(`).MatchString(line) {
		fault = invalid(number, line, "the simulator has no function %q for parameters", m[2]).
			WithHint("Conditions are written x>1 ? 2 : 3, the number pi as 3.14159265, and a function of one's own as .func %s(x) {…}.", m[2])
	}
	for _, e := range n.elements {
		if e.number == number && slices.ContainsFunc(e.tokens, func(t string) bool { return strings.HasPrefix(t, "laplace") }) {
			fault.Message = fmt.Sprintf("line %d, %q: the simulator has no LAPLACE", number, clip(e.text))
			return fault.WithHint("Build the transfer function of R and C, or take its code model: A1 a b h1 and .model h1 s_xfer(num_coeff=[1] den_coeff=[1m 1] int_ic=[0 0]) is 1/(1+1m*s).")
		}
	}
	return fault
}

// exampleModels are of the kinds of devices that need a model.
var exampleModels = map[byte]string{
	'd': "D(IS=1e-14) for a diode", 'q': "NPN(IS=1e-14 BF=100) for a transistor, or PNP", 'm': "NMOS(VTO=1 KP=1m) for a MOSFET, or PMOS", 'j': "NJF(VTO=-2 BETA=1m) for a JFET, or PJF",
	'z': "NMF(VTO=-2 BETA=1m) for a MESFET", 's': "SW(VT=2.5 VH=0.1 RON=0.1 ROFF=1MEG) for a switch", 'w': "CSW(IT=1m IH=0.1m RON=0.1 ROFF=1MEG) for a switch", 'o': "LTRA(R=0 L=250n C=100p LEN=1) for a line",
}

// missingModel says how the model of a device at a line is written.
func (n *netlist) missingModel(number int, name string) string {
	for _, e := range n.elements {
		if example, ok := exampleModels[e.kind()]; ok && e.number == number {
			return fmt.Sprintf("Add a .model card, e.g. .model %s %s.", name, example)
		}
	}
	return fmt.Sprintf("Add a .model card for %s.", name)
}

// refusals are what the simulator says of a device of a kind, if its card has something.
var refusals = []struct {
	kinds, says, has, hint string
}{
	{"", "device already exists", "", "An earlier line has a device of this name: give every device a name of its own."},
	{"k", "unknown parameter", "", "K couples two inductors: write a line for each pair, such as K1 L1 L2 0.99, K2 L1 L3 0.99 and K3 L2 L3 0.99, with the coefficient at the end."},
	{"vicl", "unknown parameter (rser)", "", "There is no Rser: put a resistor in series."},
	{"vicl", "unknown parameter (rpar)", "", "There is no Rpar: put a resistor in parallel."},
	{"rcl", "unknown parameter (tol", "", "A tolerance has no part in a simulation: leave it out."},
	{"beg", "", "if(", "Write a condition as v(in)>1 ? 5 : 0; there is no if()."},
}

// refused adds what to write to an error of a device.
func (n *netlist) refused(fault *contract.Error, number int, reason string) {
	for _, e := range n.elements {
		for _, r := range refusals {
			if e.number == number && fault.Hint == "" && (r.kinds == "" || strings.IndexByte(r.kinds, e.kind()) >= 0) && strings.Contains(strings.ToLower(reason), r.says) && strings.Contains(strings.ToLower(e.text), r.has) {
				fault.WithHint("%s", r.hint)
			}
		}
	}
}

// labels are parameters of vendors' models that are words, and of no simulation.
var labels = regexp.MustCompile(`(?i)\s*\b(?:mfg|manufacturer|vendor|type|epi_type)\s*=\s*(?:"[^"]*"|[A-Za-z][^\s()=]*)`)

var semiconductors = []string{"d", "npn", "pnp", "nmos", "pmos", "njf", "pjf", "nmf", "pmf", "vdmos"}

// checkModel refuses models of other simulators, and leaves out the words in a model,
// at which the simulator would end.
func (n *netlist) checkModel(c *card, f []string) *contract.Error {
	if len(f) < 3 {
		return nil
	}
	if f[2] == "vswitch" || f[2] == "iswitch" {
		return invalid(c.number, c.text, "%s is a model of PSpice", strings.ToUpper(f[2])).
			WithHint("Write .model %s %s: VT (or IT) is the middle of the two thresholds, VH (or IH) half of their difference.", f[1], map[string]string{"vswitch": "SW(VT=… VH=… RON=… ROFF=…)", "iswitch": "CSW(IT=… IH=… RON=… ROFF=…)"}[f[2]])
	}
	if fault := checkIdealDiode(c, f); fault != nil {
		return fault
	}
	if found := labels.FindAllString(c.text, -1); len(found) > 0 && slices.Contains(semiconductors, f[2]) {
		for i := range found {
			found[i] = strings.TrimSpace(found[i])
		}
		c.text = labels.ReplaceAllString(c.text, " ")
		replaceCard(n.lines, c.number-1+n.shift, c.text)
		n.warn("label_left_out", fmt.Sprintf("Line %d: %s of the model %s has no part in a simulation and was left out.", c.number, strings.Join(found, ", "), f[1]))
	}
	return nil
}

// withoutCapacitance are the diode models in which a voltage can jump.
func (n *netlist) withoutCapacitance() []string {
	var names []string
	for _, c := range n.cards {
		f := tokens(c.text)
		if f[0] == ".model" && len(f) > 2 && f[2] == "d" && !slices.ContainsFunc(f, func(t string) bool {
			name, value, _ := strings.Cut(t, "=")
			v, _ := parseNumber(value)
			return (name == "cjo" || name == "cj0" || name == "cj" || name == "tt") && v > 0
		}) {
			names = append(names, f[1])
		}
	}
	return names[:min(len(names), 5)]
}

// stuck says what to do where the steps of a transient become too small.
func (n *netlist) stuck(step string) string {
	hint := "Give switching elements a finite rise time, add small capacitances to the nodes that jump, or loosen .options reltol."
	names := n.withoutCapacitance()
	if len(names) == 0 {
		return hint
	}
	node := "each node that only diodes and a floating source join"
	if m := troublePattern.FindStringSubmatch(step); m != nil && !strings.Contains(m[1], "#") {
		node = m[1]
	}
	return fmt.Sprintf("Diodes without capacitance make voltages jump, above all at nodes without a path to ground: add CJO=10p to the model %s, or a resistor of 1MEG from %s to ground. %s", strings.Join(names, ", "), node, hint)
}

var (
	partCurrent = regexp.MustCompile(`^i\(([rc][\w.]*)\)$`)
	functionOf  = regexp.MustCompile(`^(\w+)\(([vi])\(([^()]+)\)\)$`)
	// shortForms are the letters of functions of complex quantities.
	shortForms = map[string]string{"mag": "m", "abs": "m", "db": "db", "ph": "p", "phase": "p", "re": "r", "real": "r", "im": "i", "imag": "i"}
)

var operator = regexp.MustCompile(`[-+*/]`)

// computed says how a meas command takes what is no vector but computed from vectors;
// "" for the name of a vector.
func computed(name string) string {
	if m := partCurrent.FindStringSubmatch(name); m != nil {
		return fmt.Sprintf("A meas command takes the current of a part as @%s[i].", m[1])
	}
	if m := functionOf.FindStringSubmatch(name); m != nil {
		if form, ok := shortForms[m[1]]; ok {
			return fmt.Sprintf("A meas command takes it as %s%s(%s).", m[2], form, m[3])
		}
		return fmt.Sprintf("A meas command takes one vector: in control, write let d = %s behind the analysis, and then meas of d.", name)
	}
	write := name
	if inner, ok := strings.CutPrefix(name, "v("); ok && strings.Contains(name, ",") && strings.HasSuffix(name, ")") && strings.Count(name, "(") == 1 {
		a, b, _ := strings.Cut(strings.TrimSuffix(inner, ")"), ",")
		write = fmt.Sprintf("v(%s)-v(%s)", a, b)
	} else if strings.HasPrefix(name, "@") || !operator.MatchString(braceless(name)) {
		return ""
	}
	return fmt.Sprintf("A meas command takes one vector: in control, write let d = %s behind the analysis, and then meas of d.", write)
}

// braceless is a text without what its functions are of: names of nodes have signs.
func braceless(text string) string {
	for arguments.MatchString(text) {
		text = arguments.ReplaceAllString(text, "$1")
	}
	return text
}
