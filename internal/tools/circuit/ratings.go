package circuit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"atelier/internal/contract"
)

// Parts are bought as "1k 5% 0.25W" and "10u 16V", and the simulator takes the last
// number of a resistor, capacitor or inductor for its value. A tolerance or a rating is
// left out with a warning; any other second number is refused.
var (
	braced    = regexp.MustCompile(`\{[^{}]*\}|'[^']*'|"[^"]*"`)
	arguments = regexp.MustCompile(`([A-Za-z_])\([^()]*\)`)
	rated     = regexp.MustCompile(`(?i)^\+?(?:\d+/\d+|\d+\.?\d*|\.\d+)(?:%|[mk]?(w|watts?|v|vdc|vac|volts?|a|arms|amps?))$`)
	numeric   = regexp.MustCompile(`^[-+]?\.?\d`)
	unitAlone = regexp.MustCompile(`(?i)^(?:%|t|g|meg|mega|kilo|k|m|u|n|p|f|mil|(?:t|g|meg|mega|k|m|u|n|p)?(?:ohms?|r|f|h|v|a|w|hz|s|sec|farads?|henr(?:y|ies)|volts?|amps?|amperes?|watts?|hertz|seconds?))$`)
)

// valueNames are the parameters that are a device's value, and partNames those that
// the simulator reads without the sign =.
var (
	valueNames = map[byte][]string{'r': {"r", "resistance"}, 'c': {"c", "cap", "capacitance"}, 'l': {"l", "inductance"}}
	partNames  = []string{"tc", "tc1", "tc2", "temp", "dtemp", "ic", "ac", "scale", "w", "l", "m", "noisy", "nt"}
)

// altersLarge is the name of a resistor or a source in an alter command.
var altersLarge = regexp.MustCompile(`^@?[rvi]`)

// startLike is a rating that could be meant as the value to begin with: volts of a
// capacitor, amperes of an inductor.
type startLike struct {
	card
	token string
}

// isBreak says what separates the words of a card.
func isBreak(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("(),", r) }

// split parts a card behind its nodes.
func (e *element) split() (head, rest string) {
	rest = e.text
	for range 1 + len(e.nodes) {
		rest = strings.TrimLeftFunc(rest, isBreak)
		at := strings.IndexFunc(rest, isBreak)
		if at < 0 {
			return e.text, ""
		}
		rest = rest[at:]
	}
	return e.text[:len(e.text)-len(rest)], rest
}

// wordsOf are those of a part of a card up to its comment; an expression is one, {}.
func wordsOf(text string) []string {
	text = braced.ReplaceAllString(text, "{} ")
	return beforeComment(strings.FieldsFunc(equals.ReplaceAllString(text, "="), isBreak))
}

// beforeComment leaves out the comments $… and // of a card.
func beforeComment(words []string) []string {
	if at := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "$") || strings.HasPrefix(w, "//") }); at >= 0 {
		return words[:at]
	}
	return words
}

// checkSecond takes tolerances and ratings out of a device, and refuses what the
// simulator would read as a second value.
func (n *netlist) checkSecond(e *element) *contract.Error {
	if valueNames[e.kind()] == nil {
		return nil
	}
	e.tokens = beforeComment(e.tokens)
	head, rest := e.split()
	ratings, fault := n.ratings(e, wordsOf(braceless(rest))) // what a function is of is no word of its own
	if fault != nil || len(ratings) == 0 {
		return fault
	}
	written := e.card
	for _, token := range ratings {
		at := regexp.MustCompile(`(?:^|[\s}'"]|[\s,]*[,(])` + regexp.QuoteMeta(token) + `(?:\)|\s|,|$)`).FindStringIndex(rest)
		if at == nil {
			return invalid(e.number, e.text, "%q is a tolerance or a rating, which has no part in a simulation", token).WithHint("Leave it out.")
		}
		cut := strings.IndexAny(rest[at[0]:at[0]+1], "}'\"") + 1 // the end of an expression stays
		rest = rest[:at[0]+cut] + " " + rest[at[1]:]
		unit := strings.ToLower(rated.FindStringSubmatch(token)[1])
		if e.kind() == 'c' && strings.HasPrefix(unit, "v") || e.kind() == 'l' && strings.HasPrefix(unit, "a") {
			n.startLike = append(n.startLike, startLike{written, token})
		}
	}
	e.text = strings.TrimSpace(head + rest)
	e.tokens = beforeComment(tokens(e.text))
	replaceCard(n.lines, e.number-1+n.shift, e.text)
	n.warn("rating_left_out", fmt.Sprintf("Line %d: tolerances and ratings have no part in a simulation, so %s of %s was left out; the simulator would have taken it for the value.",
		e.number, strings.Join(ratings, " and "), strings.ToUpper(e.name)))
	return nil
}

// ratings are the words of a resistor, capacitor or inductor that say how good a part
// it is.
func (n *netlist) ratings(e *element, words []string) (found []string, fault *contract.Error) {
	value := "" // that has been read
	for i := 0; i < len(words); i++ {
		name, _, isParameter := strings.Cut(strings.ToLower(words[i]), "=")
		switch {
		case isParameter:
			if slices.Contains(valueNames[e.kind()], name) {
				value = words[i]
			}
			if name == "tc" && i+1 < len(words) && numeric.MatchString(words[i+1]) && !rated.MatchString(words[i+1]) {
				i++ // its second coefficient
			}
		case n.models[name]:
		case slices.Contains(partNames, name) && i+1 < len(words) && numeric.MatchString(words[i+1]):
			i++
		case words[i] != "{}" && !numeric.MatchString(words[i]):
			// The simulator knows what else a word can be, and says so where it does not;
			// of the name of a parameter alone it says nothing.
			if slices.Contains(append(partNames, valueNames[e.kind()]...), name) {
				return nil, invalid(e.number, e.text, "%q stands alone behind %s, and the simulator would drop it", words[i], value).
					WithHint("Write %s=number for that parameter, or no space before a unit.", name)
			}
		case rated.MatchString(words[i]) && (value != "" || strings.HasSuffix(words[i], "%")):
			if value == "" {
				return nil, invalid(e.number, e.text, "%q is a tolerance, but a value was expected before it", words[i]).WithHint("Write it as: %s", pattern[e.kind()])
			}
			found = append(found, words[i])
		case value != "":
			return nil, invalid(e.number, e.text, "%s has the values %s and %s; the simulator would take the last one", strings.ToUpper(e.name), value, words[i]).
				WithHint("Leave out what is no value, or put it behind a semicolon as a comment: %s ; %s. Coefficients have names: TC1=1m.", value, words[i])
		default:
			value = words[i]
		}
	}
	return found, nil
}

// apart refuses a unit that a space keeps from its number: the simulator takes the
// number alone, or the unit for something else. Where a bare number and a word may
// stand side by side, only numbers that are assigned count.
func apart(c card, words []string, assigned bool, isName func(string) bool) *contract.Error {
	for i := 1; i < len(words); i++ {
		at := strings.LastIndexByte(words[i-1], '=')
		number := words[i-1][at+1:]
		if _, ok := parseNumber(number); !ok || at < 0 && assigned || !unitAlone.MatchString(words[i]) || isName != nil && isName(strings.ToLower(words[i])) {
			continue
		}
		if at >= 0 && i+1 < len(words) && numeric.MatchString(words[i+1]) {
			continue // IS=1n N 1.8: the name of a parameter
		}
		write := number + words[i]
		switch {
		case strings.EqualFold(words[i], "f"):
			write = number + " alone for farads, since F is femto"
		case capitalM.MatchString(write):
			write += ", or " + number + "MEG for mega"
		}
		return invalid(c.number, c.text, "%q stands apart from its number, so the simulator would not read them as one value", words[i]).
			WithHint("Write no space before the unit: %s.", write)
	}
	return nil
}

// unitsApart looks for such units in a device.
func (n *netlist) unitsApart(e *element) *contract.Error {
	_, rest := e.split()
	assigned := strings.IndexByte("rclvifh", e.kind()) < 0 && (strings.IndexByte("eg", e.kind()) < 0 || len(e.nodes) < 4)
	if e.kind() == 'b' || e.kind() == 'k' {
		return nil
	}
	return apart(e.card, wordsOf(rest), assigned, func(word string) bool { return n.models[word] })
}

// checkUnits looks for such units in the analyses, which would run over other ranges,
// and in the values that devices are given between them.
func (r *request) checkUnits() *contract.Error {
	for _, c := range r.script.commands {
		word := firstWord(c.text)
		if !slices.Contains([]string{"tran", "ac", "dc", "noise", "alter", "altermod"}, word) {
			continue
		}
		if f := tokens(c.text); word == "alter" && len(f) > 1 && altersLarge.MatchString(f[1]) {
			r.net.warnOfMilli(card{c.number, c.text})
		}
		isSource := func(word string) bool { return r.net.device(word) != nil }
		if fault := apart(card{c.number, c.text}, wordsOf(c.text), false, isSource); fault != nil {
			return fault.At(r.commandField())
		}
	}
	return nil
}

// checkStarts refuses a rating that is as likely what a transient begins with.
func (r *request) checkStarts() *contract.Error {
	for _, c := range r.script.analyses() {
		if c.analysis != "tran" || !slices.Contains(strings.Fields(strings.ToLower(c.text)), "uic") || len(r.net.startLike) == 0 {
			continue
		}
		s := r.net.startLike[0]
		return invalid(s.number, s.text, "%q may be a rating or, since the transient begins with uic, the value to begin with", s.token).
			WithHint("Write IC=%s for the value to begin with, or leave a rating out.", s.token)
	}
	return nil
}
