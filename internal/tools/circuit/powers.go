package circuit

import (
	"fmt"
	"regexp"
	"strings"
)

// The simulator takes powers of the base's magnitude, but not everywhere: in the
// expressions of sources x^y, x**y and pow(x,y) are |x|^y and pwr(x,y) keeps the sign;
// in parameters and in braces x^y, x**y and pwr(x,y) are |x|^y, and pow(x,y) is itself.
var (
	powerSign    = regexp.MustCompile(`\^|\*\*`)
	evenExponent = regexp.MustCompile(`^\s*\(?\s*\d*[02468](?:\.0*)?\s*(?:$|[^\w.\s])`)
	plainBase    = regexp.MustCompile(`(?:^|[^\w.)])\d[\w.]*\s*$`)
	positiveBase = regexp.MustCompile(`(?i)\b(?:abs|sqrt|exp|cosh)$`)
	powFunction  = regexp.MustCompile(`(?i)\b(pow|pwr)\s*\(`)
)

// foldsSign says whether a power in an expression could be of a negative base and lose
// its sign: not one with an even number as its exponent, nor of a plain number. of is
// the function that loses it, too.
func foldsSign(text, of string) bool {
	_, _, _, _, found := losing(text, of)
	return found
}

// notNegative says whether what ends here is plainly no negative number.
func notNegative(text string) bool {
	text = strings.TrimSpace(text)
	if plainBase.MatchString(text) {
		return true
	}
	depth := 0
	for i := len(text) - 1; i >= 0 && strings.HasSuffix(text, ")"); i-- {
		switch text[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return positiveBase.MatchString(text[:i])
			}
		}
	}
	return false
}

// argumentsOf splits what stands behind the opening parenthesis of a function of two.
func argumentsOf(text string) (first, second string) {
	depth, comma := 0, -1
	for i, r := range text {
		switch {
		case r == '(':
			depth++
		case r == ')' && depth == 0:
			if comma < 0 {
				return text[:i], ""
			}
			return text[:comma], text[comma+1 : i]
		case r == ')':
			depth--
		case r == ',' && depth == 0:
			comma = i
		}
	}
	return text, ""
}

// warnOfPowers tells how the simulator takes the powers of a source.
func (n *netlist) warnOfPowers(e *element) {
	switch {
	case strings.IndexByte("beg", e.kind()) >= 0:
		if foldsSign(e.text, "pow") {
			n.warn("power_of_magnitude", fmt.Sprintf("Line %d: in a source the simulator takes x^y, x**y and pow(x,y) as |x|^y, so (-3)^3 is +27; where the base can be negative write x*x*x, or pwr(x,y), which keeps the sign of x.", e.number))
		}
	default:
		n.warnOfPowersIn(e.card)
	}
}

// warnOfPowersIn tells it of the expressions of parameters and of values in braces.
func (n *netlist) warnOfPowersIn(c card) {
	if foldsSign(c.text, "pwr") {
		n.warn("power_of_magnitude", fmt.Sprintf("Line %d: in parameters and braces the simulator takes x^y, x**y and pwr(x,y) as |x|^y, so (-3)**3 is +27; where the base can be negative write pow(x,y).", c.number))
	}
}

// warnOfPowersOf tells it of a function, which may stand in either.
func (n *netlist) warnOfPowersOf(c card) {
	if foldsSign(c.text, "pow") || foldsSign(c.text, "pwr") {
		n.warn("power_of_magnitude", fmt.Sprintf("Line %d: the simulator takes x^y and x**y as |x|^y, pow(x,y) so in sources, and pwr(x,y) so in parameters; where the base can be negative write x*x*x.", c.number))
	}
}
