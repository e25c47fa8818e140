package circuit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"atelier/internal/contract"
)

// The simulator reads a number as far as it understands it and drops the rest in
// silence: 2,2k is 2, 2k2 is 2k, 1M is a thousandth. What a person most likely
// did not mean is refused or told here.
var (
	micro        = regexp.MustCompile(`(\d)[\x{00B5}\x{03BC}]`)
	decimalComma = regexp.MustCompile(`(?i)^[-+]?\d+,\d+(?:e[-+]?\d+)?[a-z]*$`)
	letterPoint  = regexp.MustCompile(`(?i)^([-+]?\d+)(r|meg|[tgkmunpf])(\d+)[a-z]*$`) // IEC 60062: 4k7, 4R7
	capitalM     = regexp.MustCompile(`^[-+]?(?:\d+\.?\d*|\.\d+)M(?:[Oo]hms?|[Hh]z)?$`)
	quoted       = regexp.MustCompile(`\{[^}]*\}|'[^']*'|"[^"]*"|\([^)]*\)`)
)

// checkValues refuses a device whose value would be read as another one, and one
// whose names the simulator would change.
func (n *netlist) checkValues(e *element) *contract.Error {
	if fault := asciiOnly(e.card); fault != nil {
		return fault
	}
	// Expressions and the lists of waveforms in parentheses have commas of their own.
	f := strings.Fields(equals.ReplaceAllString(quoted.ReplaceAllString(e.text, " () "), "="))
	for i, token := range f {
		name, value, isParameter := strings.Cut(token, "=")
		switch {
		case isParameter:
			if fault := misread(e.card, value, true); fault != nil {
				return fault
			}
		case i > len(e.nodes) && strings.IndexByte("rclviefgh", e.kind()) >= 0 && !n.models[strings.ToLower(name)]:
			// After the first value a source may list pairs with commas (PWL 0,0 1m,5).
			leading := i == 1+len(e.nodes) || strings.IndexByte("vi", e.kind()) < 0
			if before := strings.ToLower(f[i-1]); before == "dc" || before == "ac" {
				leading = true
			}
			if fault := misread(e.card, token, leading); fault != nil {
				return fault
			}
		}
	}
	for _, check := range []func(*element) *contract.Error{n.checkElementDialect, n.unitsApart} {
		if fault := check(e); fault != nil {
			return fault
		}
	}
	if fault := n.checkSecond(e); fault != nil {
		return fault
	}
	if strings.IndexByte("rvixbe", e.kind()) >= 0 {
		n.warnOfMilli(e.card)
	}
	n.warnOfPowers(e)
	n.warnOfParameters(e)
	return checkCoupling(e)
}

var farads = regexp.MustCompile(`(?i)^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?F$`)

// warnOfParameters tells of a resistor that is not the one written, and of farads
// that are none.
func (n *netlist) warnOfParameters(e *element) {
	if v, ok := e.value(); ok && e.kind() == 'r' && v == 0 {
		n.warn("zero_resistance", fmt.Sprintf("Line %d: %s of 0 Ohm is simulated as 1 mOhm. Join its nodes, or use a voltage source of 0 V.", e.number, strings.ToUpper(e.name)))
	}
	if e.kind() != 'c' {
		return
	}
	for _, token := range strings.Fields(e.text)[min(1+len(e.nodes), len(strings.Fields(e.text))):] {
		if _, value, ok := strings.Cut(token, "="); ok {
			token = value
		}
		if farads.MatchString(token) {
			n.warn("femto_not_farad", fmt.Sprintf("Line %d: %s is read as femto, so %s is 1e-15 of it; write the number alone for farads.", e.number, token, strings.ToUpper(e.name)))
		}
	}
}

// checkCoupling refuses a coupling that no two windings can have: it would make
// energy.
func checkCoupling(e *element) *contract.Error {
	if e.kind() != 'k' || len(e.tokens) < 4 {
		return nil
	}
	if k, ok := e.numberAt(len(e.tokens) - 1); ok && (k > 1 || k < -1) {
		return invalid(e.number, e.text, "a coupling of %g is beyond 1", k).WithHint("The coefficient of K is M/sqrt(L1*L2), from -1 to 1.")
	}
	return nil
}

// checkParameters holds a .param card to the same rule.
func checkParameters(c card) *contract.Error {
	for _, token := range strings.Fields(equals.ReplaceAllString(quoted.ReplaceAllString(c.text, " () "), "=")) {
		if _, value, ok := strings.Cut(token, "="); ok {
			if fault := misread(c, value, true); fault != nil {
				return fault
			}
		}
	}
	return apart(c, wordsOf(c.text), true, nil)
}

func misread(c card, value string, comma bool) *contract.Error {
	if comma && decimalComma.MatchString(value) {
		return invalid(c.number, c.text, "%q would be read as %s: a comma ends a value", value, value[:strings.IndexByte(value, ',')]).
			WithHint("Write %s for a decimal fraction, or no comma between thousands.", strings.Replace(value, ",", ".", 1))
	}
	if m := letterPoint.FindStringSubmatch(value); m != nil {
		letter := m[2]
		if strings.EqualFold(letter, "r") {
			letter = ""
		}
		return invalid(c.number, c.text, "%q would be read as %s%s: the simulator drops what follows the letter", value, m[1], letter).
			WithHint("Write %s.%s%s.", m[1], m[3], letter)
	}
	return nil
}

// asciiOnly refuses letters for which the simulator puts an underscore, so that
// two names become one.
func asciiOnly(c card) *contract.Error {
	for _, r := range c.text {
		if r > 126 {
			return invalid(c.number, c.text, "the character %q is not ASCII; the simulator would put underscores for it, and two names may become one", r).
				WithHint("Write names and values with letters of ASCII only, u for micro.")
		}
	}
	return nil
}

func (n *netlist) warn(code, message string) {
	if !slices.ContainsFunc(n.warnings, func(w contract.Warning) bool { return w.Code == code && w.Message == message }) {
		n.warnings = append(n.warnings, contract.Warning{Code: code, Message: message})
	}
}

// warnOfMilli tells of a card whose M would most likely be mega.
func (n *netlist) warnOfMilli(c card) {
	for _, token := range strings.FieldsFunc(c.text, func(r rune) bool { return strings.ContainsRune(" \t(),={}'\"*/+-", r) }) {
		if capitalM.MatchString(token) {
			n.warn("milli_not_mega", fmt.Sprintf("Line %d: %s is read as milli, not mega; mega is written MEG.", c.number, token))
		}
	}
}
