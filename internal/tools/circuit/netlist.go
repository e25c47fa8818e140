package circuit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"atelier/internal/contract"
)

// netlist is a circuit as the caller wrote it, read far enough to refuse what is
// dangerous or senseless before the simulator sees it.
type netlist struct {
	lines    []string  // physical lines; .control blocks are blanked out, .end removed
	shift    int       // lines put before the caller's first one
	elements []element // all element cards, those of subcircuits too
	cards    []card    // dot cards
	control  []card    // the lines of .control blocks
	models   map[string]bool
	vdmos    map[string]bool // power MOSFETs, which have no bulk
	pchannel map[string]bool // models whose currents the simulator keeps with the other sign
	subckts  map[string]bool
	// functions are those of .func cards.
	functions map[string]bool
	seeded    string              // the card that makes random values the same in every run
	ports     map[string][]string // of subcircuits
	warnings  []contract.Warning
	// startLike are ratings that were left out.
	startLike []startLike
	// polesKnown says that the simulator found all natural frequencies.
	polesKnown bool
}

// card is a logical line: continuations are joined.
type card struct {
	number int // of its first physical line, as the caller counts
	text   string
}

// element is a device with the nodes that it joins.
type element struct {
	card
	name   string // lower case, with its letter: r1
	tokens []string
	nodes  []string
	inner  bool   // inside a subcircuit
	sub    string // its name
}

func (e *element) kind() byte { return e.name[0] }

// dotCards are the cards that describe circuits and analyses; every other one
// either reaches outside the netlist or is not known.
var dotCards = map[string]bool{
	".ac": true, ".dc": true, ".elseif": true, ".else": true, ".end": true, ".endif": true, ".ends": true,
	".func": true, ".global": true, ".ic": true, ".if": true, ".meas": true, ".measure": true, ".model": true, ".nodeset": true,
	".noise": true, ".op": true, ".opt": true, ".option": true, ".options": true, ".param": true, ".plot": true, ".print": true,
	".probe": true, ".pz": true, ".save": true, ".sens": true, ".subckt": true, ".temp": true, ".tf": true, ".title": true,
	".tran": true, ".width": true, ".csparam": true,
}

// fileModels are the code models that open files.
var fileModels = map[string]bool{"filesource": true, "d_source": true, "d_state": true, "table2d": true, "table3d": true, "d_process": true, "d_cosim": true}

// measurable are the analyses that .meas cards are of.
var measurable = []string{"tran", "ac", "dc", "op", "noise", "sp"}

// notRun are cards that this simulator knows and that are not carried out here;
// leaving them out in silence would answer another question.
var notRun = map[string]string{
	".four":    "Leave it out, or use a transient and meas commands; there is no Fourier analysis here.",
	".fourier": "Leave it out, or use a transient and meas commands; there is no Fourier analysis here.",
	".disto":   "Leave it out, or use a transient; there is no distortion analysis here.",
	".step":    "Simulate once for each value, or change a device between analyses in control: op, alter r1=2k, op.",
}

var equals = regexp.MustCompile(`\s*=\s*`)

var filePattern = regexp.MustCompile(`(?i)\b[a-z_]*file\s*=`)

func forbidden(field string, number int, line, why string) *contract.Error {
	return contract.Errorf(contract.CodeControlForbidden, "line %d, %q: %s", number, clip(strings.TrimSpace(line)), why).At(field).
		With("line", number).With("text", clip(strings.TrimSpace(line)))
}

func invalid(number int, line, format string, args ...any) *contract.Error {
	return contract.Errorf(contract.CodeNetlistInvalid, "line %d, %q: %s", number, clip(strings.TrimSpace(line)), fmt.Sprintf(format, args...)).
		At("/netlist").With("line", number).With("text", clip(strings.TrimSpace(line)))
}

func clip(s string) string {
	if r := []rune(s); len(r) > 120 {
		return string(r[:119]) + "…"
	}
	return s
}

// parseNetlist reads a netlist and refuses what must not run.
func parseNetlist(text string) (*netlist, *contract.Error) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	n := &netlist{lines: strings.Split(strings.TrimRight(text, "\n \t"), "\n"), models: map[string]bool{}, vdmos: map[string]bool{}, pchannel: map[string]bool{}, subckts: map[string]bool{}, functions: map[string]bool{}, ports: map[string][]string{}}
	for i, line := range n.lines {
		if fault := checkCharacters("/netlist", i+1, line); fault != nil {
			return nil, fault
		}
		n.lines[i] = micro.ReplaceAllString(line, "${1}u")
	}
	cards, fault := n.logical()
	if fault != nil {
		return nil, fault
	}
	for _, c := range cards {
		n.define(c)
	}
	if fault := n.title(&cards); fault != nil {
		return nil, fault
	}
	var inside []string // the subcircuits that are open
	for _, c := range cards {
		if fault := n.addCard(c, &inside); fault != nil {
			return nil, fault
		}
	}
	for _, check := range []func() *contract.Error{n.checkCouplings, n.checkMultiples} {
		if fault := check(); fault != nil {
			return nil, fault
		}
	}
	n.seed()
	return n, n.checkGround()
}

func checkCharacters(field string, number int, line string) *contract.Error {
	if strings.Contains(line, "`") {
		return forbidden(field, number, line, "a backquote runs a command of the system")
	}
	if strings.HasPrefix(strings.TrimSpace(line), "*#") {
		return forbidden(field, number, line, "*# hides a command in a comment")
	}
	if strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "*ng_script") {
		return forbidden(field, number, line, "*ng_script makes the simulator run the lines as commands").
			WithHint("Write the circuit alone; commands go into control.")
	}
	for _, r := range line {
		if r == unicode.ReplacementChar || (unicode.IsControl(r) && r != '\t') {
			return invalid(number, line, "it has a character that is not text").At(field)
		}
	}
	return nil
}

// logical joins continuation lines, takes comments away and lifts the .control
// blocks out. The first physical line is kept even where it is a comment, since
// it is the title.
func (n *netlist) logical() ([]card, *contract.Error) {
	var cards []card
	inControl := 0
	for i, line := range n.lines {
		bare := stripComment(line)
		word := firstWord(bare)
		switch {
		case word == ".control":
			inControl = i + 1
			n.lines[i] = "*"
		case word == ".endc":
			inControl = 0
			n.lines[i] = "*"
		case inControl > 0:
			n.lines[i] = "*"
			if bare != "" {
				n.control = append(n.control, card{i + 1, bare})
			}
		case word == ".end":
			n.lines = n.lines[:i]
			return cards, nil
		case strings.HasPrefix(bare, "+") && len(cards) > 0:
			cards[len(cards)-1].text += " " + strings.TrimSpace(bare[1:])
		case bare != "" || i == 0:
			cards = append(cards, card{i + 1, bare})
		}
	}
	if inControl > 0 {
		return nil, contract.Errorf(contract.CodeNetlistInvalid, "the .control of line %d has no .endc", inControl).At("/netlist").With("line", inControl)
	}
	return cards, nil
}

func stripComment(line string) string {
	s := strings.TrimSpace(line)
	if strings.HasPrefix(s, "*") {
		return ""
	}
	if i := strings.IndexByte(s, ';'); i >= 0 {
		s = s[:i]
	}
	if i := strings.Index(s, "$ "); i > 0 && (s[i-1] == ' ' || s[i-1] == '\t') {
		s = s[:i]
	}
	return strings.TrimSpace(s)
}

func firstWord(s string) string {
	if f := strings.Fields(s); len(f) > 0 {
		return strings.ToLower(f[0])
	}
	return ""
}

// define notes models and subcircuits before anything refers to them.
func (n *netlist) define(c card) {
	f := tokens(c.text)
	if len(f) < 2 {
		return
	}
	switch f[0] {
	case ".model":
		n.models[f[1]] = true
		n.vdmos[f[1]] = len(f) > 2 && f[2] == "vdmos"
		n.pchannel[f[1]] = len(f) > 2 && (slices.Contains([]string{"pmos", "pjf", "pmf"}, f[2]) || f[2] == "vdmos" && slices.Contains(f, "pchan"))
	case ".subckt":
		n.subckts[f[1]] = true
	case ".func":
		n.functions[defines(c.text)] = true
	}
}

// addCard sorts one card in, and refuses it where it reaches outside.
func (n *netlist) addCard(c card, inside *[]string) *contract.Error {
	if filePattern.MatchString(c.text) {
		return forbidden("/netlist", c.number, c.text, "a parameter names a file")
	}
	if fault := n.checkDialect(c); fault != nil {
		return fault
	}
	if !strings.HasPrefix(c.text, ".") {
		e, fault := n.element(c)
		if fault != nil {
			return fault
		}
		if depth := len(*inside); depth > 0 {
			e.inner, e.sub = true, (*inside)[depth-1]
		}
		fault = n.checkValues(&e)
		n.elements = append(n.elements, e)
		return fault
	}
	if fault := asciiOnly(c); fault != nil {
		return fault
	}
	word := firstWord(c.text)
	if slices.Contains(ignored, word) {
		replaceCard(n.lines, c.number-1+n.shift, "*")
		return nil
	}
	if !dotCards[word] {
		return unknownCard(c, word)
	}
	f := tokens(c.text)
	switch {
	case word == ".temp" && len(f) > 2:
		return invalid(c.number, c.text, "one run has one temperature").
			WithHint("Write .temp %s here, and simulate again with .temp %s.", f[1], strings.Join(f[2:], ", with .temp "))
	case strings.HasPrefix(word, ".meas") && len(f) > 2 && !slices.Contains(measurable, f[1]):
		return invalid(c.number, c.text, "the kind of analysis is missing behind %s", word).
			WithHint("Write it as: .meas tran %s; the kinds are %s.", strings.TrimSpace(c.text[len(word):]), strings.Join(measurable, ", "))
	case word == ".tran":
		written := c.text
		if fault := n.giveStep(&c); fault != nil {
			return fault
		}
		if c.text != written {
			replaceCard(n.lines, c.number-1+n.shift, c.text)
		}
	case word == ".ends":
		*inside = (*inside)[:max(len(*inside)-1, 0)]
	case word == ".model" && len(f) > 2 && fileModels[f[2]]:
		return forbidden("/netlist", c.number, c.text, fmt.Sprintf("the model %s reads or runs files", f[2]))
	case word == ".param" || word == ".subckt":
		if word == ".subckt" && len(f) > 1 {
			*inside = append(*inside, f[1])
			n.ports[f[1]] = portsOf(f)
		}
		if fault := checkParameters(c); fault != nil {
			return fault
		}
		n.warnOfMilli(c)
		n.warnOfPowersIn(c)
	case word == ".model":
		if len(f) > 2 && strings.HasSuffix(f[2], "sw") {
			n.warnOfMilli(c)
		}
		n.warnOfPowersIn(c)
		if fault := apart(c, wordsOf(c.text), true, nil); fault != nil {
			return fault
		}
		if fault := n.checkModel(&c, f); fault != nil {
			return fault
		}
	case word == ".func":
		n.warnOfMilli(c)
		n.warnOfPowersOf(c)
	}
	n.cards = append(n.cards, c)
	return nil
}

// unknownCard is the error of a card that is not carried out.
func unknownCard(c card, word string) *contract.Error {
	if slices.Contains([]string{".include", ".inc", ".incl", ".lib", ".control", ".endc", ".exec", ".pss"}, word) {
		return forbidden("/netlist", c.number, c.text, fmt.Sprintf("%s reaches outside the netlist", word)).
			WithHint("Write the models and subcircuits into the netlist itself.")
	}
	if why, ok := notRun[word]; ok {
		return invalid(c.number, c.text, "%s is not run here", word).WithHint("%s", why)
	}
	fault := invalid(c.number, c.text, "%s is not a card that is known here", word)
	known := make([]string, 0, len(dotCards))
	for k := range dotCards {
		known = append(known, k)
	}
	if near := contract.Nearest(word, known); near != "" {
		fault.WithHint("Did you mean %s?", near)
	}
	return fault
}

// tokens splits a card, lower case; "a = b" becomes one token.
func tokens(text string) []string {
	text = equals.ReplaceAllString(strings.ToLower(text), "=")
	return strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("(),", r) })
}

// nodeCount is how many of the tokens after the name are nodes; 0 for the kinds
// whose number varies or that have none.
var nodeCount = map[byte]int{
	'r': 2, 'c': 2, 'l': 2, 'v': 2, 'i': 2, 'd': 2, 'b': 2, 'f': 2, 'h': 2, 'w': 2, 'q': 3, 'j': 3, 'z': 3,
	'm': 4, 'e': 4, 'g': 4, 's': 4, 't': 4, 'o': 4, 'y': 4, 'u': 3,
}

func (n *netlist) element(c card) (element, *contract.Error) {
	f := tokens(c.text)
	if len(f) == 0 {
		return element{}, invalid(c.number, c.text, "it is empty")
	}
	e := element{card: c, name: f[0], tokens: f}
	if k := f[0][0]; k < 'a' || k > 'z' {
		return e, invalid(c.number, c.text, "a device's name begins with the letter of its kind (R, C, L, V, …)")
	}
	count := nodeCount[e.kind()]
	switch e.kind() {
	case 'k', 'a', 'p', 'n': // coupling, code models, and devices that name nodes freely
		if e.kind() != 'k' {
			e.nodes = f[1:]
		}
		return e, nil
	case 'x':
		last := len(f)
		for i, token := range f {
			if strings.Contains(token, "=") || token == "params:" {
				last = i
				break
			}
		}
		if last < 3 {
			return e, invalid(c.number, c.text, "a subcircuit call needs its nodes and the subcircuit's name")
		}
		e.nodes = f[1 : last-1]
		return e, nil
	case 'e', 'g':
		if len(f) > 3 && (strings.Contains(f[3], "=") || slices.Contains([]string{"poly", "vol", "cur", "value", "table", "laplace"}, f[3])) {
			count = 2
		}
	case 'm':
		if len(f) > 4 && n.vdmos[f[4]] {
			count = 3
		} else if len(f) == 5 && n.models[f[4]] {
			return e, invalid(c.number, c.text, "a MOSFET has four nodes, and only three stand before its model").
				WithHint("Write drain, gate, source and bulk; the bulk is usually joined to the source: %s %s %s %s %s %s", strings.ToUpper(f[0]), f[1], f[2], f[3], f[3], f[4])
		}
	}
	if count == 0 {
		return e, invalid(c.number, c.text, "there is no device kind %q", strings.ToUpper(f[0][:1]))
	}
	if len(f) < 1+count || (len(f) < 2+count && e.kind() != 'v' && e.kind() != 'i') {
		return e, invalid(c.number, c.text, "%s needs a name, %d nodes and a value or model", strings.ToUpper(f[0][:1]), count).
			WithHint("Write it as: %s", pattern[e.kind()])
	}
	e.nodes = f[1 : 1+count]
	return e, nil
}

var pattern = map[byte]string{
	'r': "R1 node1 node2 1k", 'c': "C1 node1 node2 1u", 'l': "L1 node1 node2 1m", 'v': "V1 plus minus DC 1", 'i': "I1 from to DC 1m",
	'd': "D1 anode cathode model", 'q': "Q1 collector base emitter model", 'm': "M1 drain gate source bulk model", 'j': "J1 drain gate source model",
	'z': "Z1 drain gate source model", 'e': "E1 out+ out- in+ in- gain", 'g': "G1 out+ out- in+ in- transconductance", 'f': "F1 out+ out- Vsource gain",
	'h': "H1 out+ out- Vsource transresistance", 'b': "B1 plus minus V=expression", 's': "S1 n1 n2 c+ c- model", 'w': "W1 n1 n2 Vsource model",
	't': "T1 a+ a- b+ b- Z0=50 TD=1n", 'o': "O1 a+ a- b+ b- model", 'y': "Y1 a+ a- b+ b- model", 'u': "U1 n1 n2 common model",
}

// checkGround refuses a circuit without node 0: it would have no reference.
func (n *netlist) checkGround() *contract.Error {
	if len(n.elements) == 0 {
		return contract.Errorf(contract.CodeNetlistInvalid, "the netlist has no devices").At("/netlist").
			WithHint("Line 1 is the title; devices begin on line 2.")
	}
	for _, e := range n.elements {
		if slices.Contains(e.nodes, "0") || slices.Contains(e.nodes, "gnd") {
			return nil
		}
	}
	return contract.Errorf(contract.CodeNoGround, "no device is joined to node 0, so no voltage is defined").At("/netlist").
		WithHint("Name the reference node 0. The netlist's nodes are: %s.", strings.Join(n.nodes(), ", "))
}

// nodes lists the nodes of the top level, sorted, at most 40.
func (n *netlist) nodes() []string {
	var all []string
	for _, e := range n.elements {
		if !e.inner {
			all = append(all, e.nodes...)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return all[:min(len(all), 40)]
}

// device finds a device of the top level by its lower-case name.
func (n *netlist) device(name string) *element {
	for i := range n.elements {
		if !n.elements[i].inner && n.elements[i].name == name {
			return &n.elements[i]
		}
	}
	return nil
}
