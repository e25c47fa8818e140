package plan

import (
	"regexp/syntax"
	"unicode/utf8"
)

// firstBytes are the bytes that a match of an expression can begin with, so that
// most of the vocabulary need not be tried at a place. The expressions are those
// of the program, in ASCII.
func firstBytes(expression string) (set [256]bool) {
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		panic("plan: " + err.Error())
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		panic("plan: " + err.Error())
	}
	seen := map[uint32]bool{}
	var walk func(pc uint32)
	walk = func(pc uint32) {
		if seen[pc] {
			return
		}
		seen[pc] = true
		in := prog.Inst[pc]
		switch in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			walk(in.Out)
			walk(in.Arg)
		case syntax.InstCapture, syntax.InstEmptyWidth, syntax.InstNop:
			walk(in.Out)
		case syntax.InstRune, syntax.InstRune1:
			for b := range utf8.RuneSelf {
				set[b] = set[b] || in.MatchRune(rune(b))
			}
		default: // anything, or an empty match
			for b := range set {
				set[b] = true
			}
		}
	}
	walk(uint32(prog.Start))
	return set
}
