package plan

import "regexp"

// use marks what stands from start to end as used by the plan.
func (l *lexer) use(start, end int) {
	for i := max(0, start); i < end && i < len(l.used); i++ {
		l.used[i] = true
	}
}

// isUsed says whether every byte from start to end is used by the plan.
func (l *lexer) isUsed(start, end int) bool {
	for i := start; i < end; i++ {
		if !l.used[i] {
			return false
		}
	}
	return true
}

// useAll marks every match of an expression, and says whether there is one.
func (l *lexer) useAll(exp *regexp.Regexp) bool {
	found := exp.FindAllStringIndex(l.text, -1)
	for _, m := range found {
		l.use(m[0], m[1])
	}
	return len(found) > 0
}

// before marks what an expression finds directly before a place; the expression
// ends in $. Its groups come back, nil where it finds nothing.
func (l *lexer) before(at int, exp *regexp.Regexp) []string {
	from := max(0, at-60)
	m := exp.FindStringSubmatchIndex(l.text[from:at])
	if m == nil {
		return nil
	}
	l.use(from+m[0], at)
	return groups(l.text[from:], m)
}

// behind marks what an expression, which begins with ^, finds directly behind a
// place.
func (l *lexer) behind(at int, exp *regexp.Regexp) []string {
	m := exp.FindStringSubmatchIndex(l.text[at:])
	if m == nil {
		return nil
	}
	l.use(at, at+m[1])
	return groups(l.text[at:], m)
}

func groups(text string, m []int) []string {
	out := make([]string, len(m)/2)
	for i := range out {
		if m[2*i] >= 0 {
			out[i] = text[m[2*i]:m[2*i+1]]
		}
	}
	return out
}
