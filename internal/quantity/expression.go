package quantity

import (
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// token of a unit expression: a symbol with its possible units and exponent, or
// one of the operators * / ( ) and the space.
type token struct {
	op    rune // 's' for a symbol
	units []Unit
	exp   int
}

var normalise = strings.NewReplacer(
	"µ", "u", "μ", "u", "·", "*", "⋅", "*", "×", "*", "∙", "*", "−", "-", "–", "-", "**", "^",
	"º", "°", "° C", "°C", "° F", "°F",
	"pound-force", "lbf", "pounds-force", "lbf", "pounds force", "lbf", "pounds of force", "lbf", "pound force", "lbf",
	" squared", "^2", " cubed", "^3", "square ", "sq_", "cubic ", "cu_",
)

// degrees are written in many ways.
var degrees = []struct {
	pattern *regexp.Regexp
	symbol  string
}{
	{regexp.MustCompile(`(?i)\bdeg(?:ree)?s?\.?\s*(?:celsius|centigrade|c)\b`), "degC"},
	{regexp.MustCompile(`(?i)\bdeg(?:ree)?s?\.?\s*(?:fahrenheit|f)\b`), "degF"},
	{regexp.MustCompile(`(?i)\bdeg(?:ree)?s?\.?\s*(?:kelvin|k)\b`), "K"},
}

// prefixNames are those that are spoken apart from their unit.
const prefixNames = `kilo|mega|meg|giga|milli|micro|nano|pico`

// apart are units whose prefix stands apart: kilo-ohm, mega ohm, 4.7K Ohm.
var apart = []struct {
	pattern *regexp.Regexp
	joined  string
}{
	{regexp.MustCompile(`(?i)\b(` + prefixNames + `)[- ]([a-z]{3,})`), "$1$2"},
	{regexp.MustCompile(`\b([kKM])[- ]((?i:ohms?\b)|[ΩΩ])`), "$1$2"},
}

func spelling(text string) string {
	text = strings.TrimSpace(text)
	for _, a := range apart {
		text = a.pattern.ReplaceAllString(text, a.joined)
	}
	for _, d := range degrees {
		text = d.pattern.ReplaceAllString(text, d.symbol)
	}
	return strings.TrimSpace(normalise.Replace(text))
}

var superscripts = map[rune]rune{'⁰': '0', '¹': '1', '²': '2', '³': '3', '⁴': '4', '⁵': '5', '⁶': '6', '⁷': '7', '⁸': '8', '⁹': '9', '⁻': '-'}

// ParseUnit reads a unit expression: products by *, ·, a space or a hyphen,
// quotients by / or per, powers as ^2, ² or 2, parentheses. It returns every
// reading, the most usual first: "W/m K" is W/(m·K), and also W·K/m.
func ParseUnit(text string) ([]Unit, bool) {
	tokens, ok := lex(text)
	if !ok || len(tokens) == 0 {
		return nil, false
	}
	var out []Unit
	for _, loose := range []bool{true, false} {
		choose(tokens, 0, func(picked []Unit) {
			p := parser{tokens: tokens, picked: picked, loose: loose}
			u, ok := p.expression()
			if ok && p.at == len(tokens) && !slices.ContainsFunc(out, u.equal) {
				out = append(out, u)
			}
		}, nil)
	}
	return out, len(out) > 0
}

// longest is the number of tokens in the longest unit expression that is read.
const longest = 16

// choose calls do with one unit for each token, over all combinations.
func choose(tokens []token, i int, do func([]Unit), picked []Unit) {
	if i == len(tokens) {
		do(picked)
		return
	}
	if tokens[i].op != 's' {
		choose(tokens, i+1, do, append(picked, Unit{}))
		return
	}
	for _, u := range tokens[i].units {
		choose(tokens, i+1, do, append(slices.Clone(picked), u))
	}
}

func lex(text string) ([]token, bool) {
	if len(text) > 100 {
		return nil, false
	}
	runes := []rune(spelling(text))
	var out []token
	for i := 0; i < len(runes); {
		r := runes[i]
		switch {
		case r == ' ':
			out = append(out, token{op: ' '})
			i++
		case r == '.' || r == '*' || r == '-' && i > 0:
			out = append(out, token{op: '*'})
			i++
		case strings.ContainsRune("/()", r):
			out = append(out, token{op: r})
			i++
		case r == '1' && (i+1 == len(runes) || runes[i+1] == '/'):
			out = append(out, token{op: 's', units: []Unit{one()}, exp: 1})
			i++
		case symbolRune(r):
			end := i
			for end < len(runes) && symbolRune(runes[end]) {
				end++
			}
			t, ok := word(string(runes[i:end]))
			if !ok {
				return nil, false
			}
			i = end
			if t[len(t)-1].op == 's' {
				t[len(t)-1].exp *= exponent(runes, &i)
			}
			if last := len(t) - 1; t[last].exp == 0 && t[last].op == 's' {
				return nil, false
			}
			out = append(out, t...)
		default:
			return nil, false
		}
	}
	return spaces(out), len(out) <= longest
}

func one() Unit { return Unit{factor: big.NewRat(1, 1)} }

func symbolRune(r rune) bool {
	return unicode.IsLetter(r) || r == '°' || r == '℃' || r == '℉' || r == '%' || r == '"' || r == '_'
}

// exponent reads ^2, ^-1, ^(2), ², or a plain 2 behind a symbol; 1 without one.
func exponent(runes []rune, i *int) int {
	j := *i
	caret := j < len(runes) && runes[j] == '^'
	if caret {
		j++
	}
	text := ""
	for ; j < len(runes); j++ {
		r, super := superscripts[runes[j]]
		if !super {
			r = runes[j]
		}
		if !unicode.IsDigit(r) && (r != '-' || text != "" || !caret && !super) {
			break
		}
		text += string(r)
	}
	if text == "" && !caret {
		return 1
	}
	*i = j
	n, err := strconv.Atoi(text)
	if err != nil || n > 9 || n < -9 {
		return 0
	}
	return n
}

// word reads a run of letters: a unit, "per", or two units written together.
func word(s string) ([]token, bool) {
	exp := 1
	if rest, found := strings.CutPrefix(s, "sq_"); found {
		s, exp = rest, 2
	} else if rest, found := strings.CutPrefix(s, "cu_"); found {
		s, exp = rest, 3
	}
	if strings.EqualFold(s, "per") {
		return []token{{op: '/'}}, true
	}
	if u, ok := symbols[s]; ok {
		t := []token{{op: 's', units: []Unit{u}, exp: exp}}
		if s == "mK" && exp == 1 { // W/mK means metre times kelvin, mK alone a millikelvin
			t[0].units = append(t[0].units, symbols["m"].times(symbols["K"], 1))
		}
		return t, true
	}
	if left, right, ok := pair(s); ok && exp == 1 {
		return []token{{op: 's', units: []Unit{left}, exp: 1}, {op: '*'}, {op: 's', units: []Unit{right}, exp: 1}}, true
	}
	if u, ok := fold(s); ok {
		return []token{{op: 's', units: []Unit{u}, exp: exp}}, true
	}
	return nil, false
}

// heads are units that are often written together with the next: Nm, Pas, kgK.
var heads = strings.Fields("kgf lbf kN MN mN N GPa MPa kPa mPa Pa kW W kA mA A V kJ J kg g mol m")

func pair(s string) (left, right Unit, ok bool) {
	for _, h := range heads {
		rest, found := strings.CutPrefix(s, h)
		if u, known := symbols[rest]; found && known {
			return symbols[h], u, true
		}
	}
	return
}

// stopWords are words of a sentence that would pass for units in the wrong case
// (at: attotesla) or unusual ones (as: attosecond).
var stopWords = strings.Fields("a am an as at in is it on of or if up to us by do no so st nd rd th the and per for pa")

// leastName is how long a symbol is that can only be a name: megohm, millivolts.
const leastName = 6

// fold accepts the wrong case where only one unit can be meant: KN, Mpa, HZ. A
// small m is left alone: mpa may be milli or mega, which is a billion apart.
func fold(s string) (Unit, bool) {
	low := strings.ToLower(s)
	if len(s) < 2 || slices.Contains(stopWords, low) && low != "pa" {
		return Unit{}, false
	}
	var found []Unit
	for _, c := range folded[low] {
		first := c[0]
		if first == 'm' && len(c) < leastName || first == 'M' && s[0] != 'M' || c == "Mm" || strings.IndexByte("aEfPpYZyznhd", first) >= 0 && c != "Pa" && c != "psi" {
			continue
		}
		if !slices.ContainsFunc(found, symbols[c].equal) {
			found = append(found, symbols[c])
		}
	}
	if len(found) != 1 {
		return Unit{}, false
	}
	return found[0], true
}

// spaces drops the spaces that are no product: beside an operator.
func spaces(in []token) []token {
	var out []token
	for i, t := range in {
		if t.op == ' ' {
			if i == 0 || i == len(in)-1 || in[i-1].op == ' ' || strings.ContainsRune("*/(", in[i-1].op) || strings.ContainsRune("*/)", in[i+1].op) {
				continue
			}
		}
		out = append(out, t)
	}
	return out
}

// parser multiplies the tokens out. loose: a product behind a slash belongs to
// the denominator, as in W/m K.
type parser struct {
	tokens []token
	picked []Unit
	at     int
	loose  bool
}

func (p *parser) expression() (Unit, bool) {
	product, alone, sign, terms := one(), Unit{}, 1, 0
	for p.at < len(p.tokens) && p.tokens[p.at].op != ')' {
		switch p.tokens[p.at].op {
		case '/':
			sign = -1
			p.at++
		case '*', ' ':
			if !p.loose {
				sign = 1
			}
			p.at++
		default:
			if !p.joined() && !p.loose {
				sign = 1
			}
		}
		u, exp, ok := p.term()
		if !ok {
			return Unit{}, false
		}
		product, terms = product.times(u, sign*exp), terms+1
		if terms == 1 && sign*exp == 1 {
			alone = u
		}
	}
	if terms == 1 && alone.factor != nil {
		return alone, true // keeps the zero point of a temperature that stands alone
	}
	return product, terms > 0
}

// joined says whether an operator stands before the current token.
func (p *parser) joined() bool {
	return p.at > 0 && strings.ContainsRune("*/ ", p.tokens[p.at-1].op)
}

func (p *parser) term() (Unit, int, bool) {
	if p.at >= len(p.tokens) {
		return Unit{}, 0, false
	}
	t := p.tokens[p.at]
	switch t.op {
	case 's':
		p.at++
		return p.picked[p.at-1], t.exp, true
	case '(':
		p.at++
		u, ok := p.expression()
		if !ok || p.at >= len(p.tokens) || p.tokens[p.at].op != ')' {
			return Unit{}, 0, false
		}
		p.at++
		return u, 1, true
	}
	return Unit{}, 0, false
}
