package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// formulas puts a text in the place of each formula. Wikipedia and others hide the
// MathML beside a picture of it: the element that is made for both is replaced.
func formulas(tree *html.Node) {
	each(tree, func(n *html.Node) {
		if n.DataAtom != atom.Math {
			return
		}
		text := formula(n)
		place := n
		for p := n.Parent; p != nil; p = p.Parent {
			if class := attribute(p, "class"); p.Data == "mjx-container" || strings.Contains(class, "mwe-math-element") || class == "katex" || strings.HasPrefix(class, "katex ") {
				place = p
			}
		}
		if place.Parent != nil {
			place.Parent.InsertBefore(textNode(text), place)
			place.Parent.RemoveChild(place)
		}
	})
}

// formula is the TeX that a formula was written in, else its text on one line.
func formula(n *html.Node) string {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.Data == "annotation" && strings.Contains(attribute(d, "encoding"), "tex") {
			if text := strings.TrimSpace(contents(d)); text != "" {
				return "$" + text + "$"
			}
		}
	}
	if text := strings.TrimSpace(attribute(n, "alttext")); text != "" {
		return "$" + text + "$"
	}
	return strings.Join(strings.Fields(onLine(n)), " ")
}

// onLine writes MathML on one line, as 10⁶, (a+b)/(c) and sqrt(x).
func onLine(n *html.Node) string {
	if n.Type == html.TextNode {
		return strings.NewReplacer("\u2061", "", "\u2062", "", "\u2063", ", ", "\u2064", " ").Replace(strings.TrimSpace(n.Data))
	}
	var parts []string
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode || strings.TrimSpace(c.Data) != "" {
			parts = append(parts, onLine(c))
		}
	}
	two := func(i int) string {
		if i < len(parts) {
			return parts[i]
		}
		return ""
	}
	switch n.Data {
	case "annotation", "annotation-xml", "mphantom":
		return ""
	case "msup", "mover":
		return two(0) + raised(two(1), true, false, 0)
	case "msub", "munder":
		return two(0) + raised(two(1), false, false, 0)
	case "msubsup", "munderover":
		return two(0) + raised(two(1), false, false, 0) + raised(two(2), true, false, 0)
	case "mmultiscripts":
		return multiscripts(n)
	case "mfenced":
		return fenced(n, parts)
	case "mfrac":
		return "(" + two(0) + ")/(" + two(1) + ")"
	case "msqrt":
		return "sqrt(" + strings.Join(parts, "") + ")"
	case "mroot":
		return "root(" + two(1) + ", " + two(0) + ")"
	case "mtd":
		return strings.Join(parts, "") + " "
	case "mtr":
		return strings.Join(parts, "") + "; "
	case "mspace":
		return " "
	}
	joined := ""
	for i, p := range parts { // two numbers side by side are two
		if i > 0 && joined != "" && p != "" && digit(joined[len(joined)-1]) && digit(p[0]) {
			joined += " "
		}
		joined += p
	}
	return joined
}

// multiscripts writes scripts on both sides of a base, as ¹⁴₆C: pairs of a lower and an
// upper one follow the base, and after mprescripts those before it.
func multiscripts(n *html.Node) string {
	base, before, after := "", "", ""
	into, lower, has := &after, "", false
	for c, first := n.FirstChild, true; c != nil; c = c.NextSibling {
		switch {
		case c.Type != html.ElementNode:
		case first:
			base, first = onLine(c), false
		case c.Data == "mprescripts":
			*into += script(lower, false)
			into, lower, has = &before, "", false
		case !has:
			lower, has = onLine(c), true
		case into == &before: // a nucleus has its mass number above its charge
			before += script(onLine(c), true) + script(lower, false)
			lower, has = "", false
		default:
			after += script(lower, false) + script(onLine(c), true)
			lower, has = "", false
		}
	}
	*into += script(lower, false)
	return before + base + after
}

// script raises or lowers a text; one that is none stays so.
func script(text string, above bool) string {
	if text == "" {
		return ""
	}
	return raised(text, above, false, 0)
}

// fenced writes brackets that stand in attributes: parentheses and commas where none are.
func fenced(n *html.Node, parts []string) string {
	given := func(key, other string) string {
		for _, a := range n.Attr {
			if a.Key == key {
				return a.Val
			}
		}
		return other
	}
	separators := []rune(strings.Join(strings.Fields(given("separators", ",")), ""))
	text := given("open", "(")
	for i, p := range parts {
		if i > 0 && len(separators) > 0 {
			text += string(separators[min(i-1, len(separators)-1)]) + " "
		}
		text += p
	}
	return text + given("close", ")")
}

func digit(b byte) bool { return b >= '0' && b <= '9' }
