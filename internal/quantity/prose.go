package quantity

import (
	"regexp"
	"slices"
	"strings"
)

const (
	symbolText = `[A-Za-zµμΩΩ°º℃℉%"]+(?:\^\(?[+-]?\d\)?|\d|[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?`
	groupText  = `\(\s?` + symbolText + `(?:\s?[*·⋅×∙/.]\s?` + symbolText + `|\s` + symbolText + `|` + symbolText + `)*\s?\)(?:\^?-?\d|[²³])?`
)

var (
	unitText   = regexp.MustCompile(`^(?:1|` + symbolText + `)(?:(?:\s?/\s?|\s?[*·⋅∙]\s?|\.|-|\s+per\s+(?:(?:square|cubic)\s+)?)?(?:` + symbolText + `|` + groupText + `))*`)
	unitWords  = regexp.MustCompile(`(?i)^(?:deg(?:ree)?s?\.?\s*(?:celsius|centigrade|fahrenheit|kelvin|[cfk]\b)|pounds?[- ](?:of[- ])?force|(?:square|cubic)\s+\w+)`)
	apartText  = regexp.MustCompile(`^(?:((?i:` + prefixNames + `))[- ][A-Za-z]{3,}|([kKM])[- ](?:(?i:ohms?\b)|[ΩΩ]))`)
	afterForce = regexp.MustCompile(`^ m{1,2}\b`)
	afterSlash = regexp.MustCompile(`^ (?:K|degC|°C)\b`)
	notInches  = regexp.MustCompile(`^\s+(?:the|a|an|this|that|my|each|total|all|both|size|[+-]?[xyzXYZ]\b|direction|positive|negative|tension|compression|plane|length|width|height|diameter|steps|order|every|one|its|vertical|horizontal|axial|front|between)`)
)

// UnitAt reads the longest unit that text begins with, as it stands in a
// sentence ("N on top", "W/m^2/K to air"): every reading, and the bytes taken; 0
// when no unit stands there.
func UnitAt(text string) ([]Unit, int) {
	if m := unitWords.FindString(text); m != "" {
		if units, ok := ParseUnit(strings.ToLower(strings.Join(strings.Fields(m), " "))); ok {
			return units, len(m)
		}
	}
	if m := apartText.FindStringSubmatch(text); m != nil {
		prefix := m[1] + m[2]
		if units, n := UnitAt(prefix + text[len(prefix)+1:]); n > len(prefix) {
			return units, n + 1
		}
	}
	run := unitText.FindString(text[:min(len(text), 60)])
	for run != "" {
		if units, ok := ParseUnit(run); ok && endsWord(text, run) && !isWord(text, run) {
			return extend(text, run, units)
		}
		run = shorter(run)
	}
	return nil, 0
}

// shorter drops the last factor of a unit expression.
func shorter(run string) string {
	i := strings.LastIndexAny(run, "/*·⋅∙.- (")
	if i <= 0 {
		return ""
	}
	return strings.TrimRight(run[:i], "/*·⋅∙.- (")
}

func endsWord(text, run string) bool {
	rest := text[len(run):]
	if rest == "" {
		return true
	}
	c := rest[0]
	return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_'
}

// isWord says that what looks like a unit is a word of the sentence.
func isWord(text, run string) bool {
	if run == "in" {
		return notInches.MatchString(text[len(run):])
	}
	return run != "Pa" && slices.Contains(stopWords, run)
}

// extend takes in the factor behind a space where that is usual: N m, Pa s, W/m K.
func extend(text, run string, units []Unit) ([]Unit, int) {
	rest, pattern := text[len(run):], (*regexp.Regexp)(nil)
	switch {
	case units[0].Dim == force && run != "lbf":
		pattern = afterForce
	case units[0].Dim == pressure && strings.HasSuffix(run, "Pa"):
		pattern = regexp.MustCompile(`^ s\b`)
	case strings.Contains(run, "/"):
		pattern = afterSlash
	}
	if pattern != nil {
		if more := pattern.FindString(rest); more != "" {
			if longer, ok := ParseUnit(run + more); ok {
				return longer, len(run) + len(more)
			}
		}
	}
	return units, len(run)
}
