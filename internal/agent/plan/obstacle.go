package plan

import (
	"fmt"
	"regexp"
	"strings"

	"atelier/internal/shape"
)

// otherTongues are the words for the circuits in other languages, and the English ones.
var otherTongues = []struct {
	word    *regexp.Regexp
	english string
}{
	{regexp.MustCompile(`tiefpass|tiefpaß|passe-bas|pas[ao]s? ?ba(?:jos?|ss[oi])|filtro pasa ?bajos?`), "low-pass"},
	{regexp.MustCompile(`hochpass|hochpaß|passe-haut|pas[ao]s? ?alt[oi]s?`), "high-pass"},
	{regexp.MustCompile(`spannungsteiler|diviseur|divisor|partitore`), "voltage divider"},
	{regexp.MustCompile(`widerstand|widerstände|résistances?|resistencias?|resistenz[ae]`), "resistor"},
	{regexp.MustCompile(`kondensator|condensateur|condensador|condensatore`), "capacitor"},
	{regexp.MustCompile(`grenzfrequenz|fréquence de coupure|frecuencia de corte|frequenza di taglio`), "cutoff frequency"},
}

// obstacle says what stood in the way of reading a circuit, where that is known; it ends
// in a space then.
func (s *schematic) obstacle() string {
	for _, t := range otherTongues {
		if m := t.word.FindString(s.text); m != "" {
			return fmt.Sprintf("Requests are read in English, in which %q is %q. ", m, t.english)
		}
	}
	var parts, loads []string
	for _, p := range s.parts {
		said := fmt.Sprintf("%q", s.cased[p.start:p.end])
		if p.role == "load" {
			loads = append(loads, said)
		} else {
			parts = append(parts, said)
		}
	}
	low, high, divider := lowPass.MatchString(s.text), highPass.MatchString(s.text), dividing.MatchString(s.text)
	switch {
	case len(loads) > 1:
		return fmt.Sprintf("There are two loads, %s, and one is read. ", shape.List(loads))
	case len(parts) > 2:
		return fmt.Sprintf("There are %d parts, %s; read are two, and a third that is said to be the load, as in \"load of 10 kOhm\". ", len(parts), shape.List(parts))
	case len(parts) == 1:
		return fmt.Sprintf("Of the parts only %s is read, and two are needed. ", parts[0])
	case len(parts) == 0:
		return ""
	case low && high || divider && (low || high):
		return "More than one kind of circuit is named. "
	case !low && !high && !divider:
		return fmt.Sprintf("It is not said how %s are connected. ", shape.List(parts))
	}
	return fmt.Sprintf("%s do not make the circuit that is named. ", strings.ToUpper(shape.List(parts)[:1])+shape.List(parts)[1:])
}
