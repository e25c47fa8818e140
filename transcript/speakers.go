package transcript

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	// changes marks where another speaker begins, inside a line too.
	changes = regexp.MustCompile(`(?:^|\s)>{2,3}(?:\s|$)`)
	label   = regexp.MustCompile(`^(?:\[([^\[\]:]{1,40})\]|([\p{Lu}\p{Lo}\p{N}][^:：\[\]()?!]{0,40}?))\s*[:：](?:\s+|$)`)
	dashed  = regexp.MustCompile(`^(?:[-–—]|[-–—]\s*>>)\s+[\p{Lu}\p{Lo}\p{N}"“«¿¡'’(\[♪…]`)
	tight   = regexp.MustCompile(`^[-–—][\p{Lu}¿¡«“"\[(]`)
)

// labelled splits lines where the speaker changes, and takes the labels off.
func (s *state) labelled(pieces []piece, captions bool) []piece {
	var parts []piece
	for _, p := range pieces {
		if !strings.Contains(p.text, ">>") {
			parts = append(parts, p)
			continue
		}
		last := 0
		for _, at := range append(changes.FindAllStringIndex(p.text, -1), []int{len(p.text), len(p.text)}) {
			inside := at[0] > 0 && at[0] < len(p.text)
			if inside && !captions && !startsUpper(p.text[at[1]:]) {
				continue // a shift in a line of code
			}
			if text := strings.TrimSpace(p.text[last:at[0]]); text != "" || last > 0 && p.dash {
				part := p
				part.text = text
				parts = append(parts, part)
			}
			p.dash, p.paragraph, last = true, false, at[1]
		}
	}
	names := countLabels(parts)
	opening := true
	for i := range parts {
		parts[i].mark(names, captions, opening)
		opening = finished(parts[i].text) || parts[i].text == ""
	}
	return parts
}

func startsUpper(text string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, ` "'“«¿¡([-–—`))
	return unicode.IsUpper(r)
}

// countLabels is how often each possible label begins a line.
func countLabels(pieces []piece) map[string]int {
	n := map[string]int{}
	for _, p := range pieces {
		if m := label.FindStringSubmatch(undashed(p.text)); m != nil {
			n[m[1]+m[2]]++
		}
	}
	return n
}

func undashed(text string) string {
	if dashed.MatchString(text) || tight.MatchString(text) {
		return strings.TrimLeft(text, "-–—> ")
	}
	return text
}

// mark finds the label or the dash at the beginning of a line. opening says
// whether a sentence may begin there.
func (p *piece) mark(names map[string]int, captions, opening bool) {
	if text := undashed(p.text); text != p.text && (opening || captions || p.paragraph || p.dash) {
		p.text, p.dash = text, true
	}
	m := label.FindStringSubmatch(p.text)
	if m == nil {
		return
	}
	name := strings.TrimSpace(m[1] + m[2])
	if soundTag(name, true) || !titled(name) {
		return
	}
	if names[m[1]+m[2]] >= 2 || p.dash || m[1] != "" || shout(name) || p.paragraph || opening && !strings.Contains(name, " ") {
		p.speaker, p.text = strings.Join(strings.Fields(name), " "), p.text[len(m[0]):]
	}
}

// titled says whether a text may be the name of a speaker: few words, each
// with a capital or a number, but for particles such as "de" and "von".
func titled(name string) bool {
	words := strings.Fields(name)
	if len(words) == 0 || len(words) > 5 {
		return false
	}
	for i, w := range words {
		r, _ := utf8.DecodeRuneInString(w)
		if unicode.IsLower(r) && (i == 0 || !particles[strings.ToLower(w)]) {
			return false
		}
		if strings.HasSuffix(w, ",") || strings.HasSuffix(w, ";") {
			return false
		}
	}
	return strings.ContainsFunc(name, unicode.IsLetter)
}

var particles = set("de del della di da do dos la le van von der den du el al bin ten ter zu zur und and et y e 1 2 3")

func shout(name string) bool {
	letters := 0
	for _, r := range name {
		if unicode.IsLower(r) {
			return false
		}
		if unicode.IsUpper(r) {
			letters++
		}
	}
	return letters >= 2
}

// turns joins the lines of each speaker, and takes sound tags out.
func (s *state) turns(pieces []piece) []turn {
	var turns []turn
	var lines []string
	flush := func() {
		if len(turns) == 0 {
			return
		}
		t := &turns[len(turns)-1]
		for _, line := range s.untagged(lines) {
			t.words = split(line, t.words)
		}
		lines = lines[:0]
	}
	for i, p := range pieces {
		fresh := i == 0 || p.dash || p.paragraph && !continues(pieces[i-1].text, p.text) ||
			p.speaker != "" && p.speaker != turns[len(turns)-1].speaker
		if fresh {
			flush()
			turns = append(turns, turn{speaker: p.speaker, dash: p.dash && p.speaker == ""})
		}
		if p.text != "" {
			lines = append(lines, p.text)
		}
	}
	flush()
	return turns
}

// continues says whether a paragraph goes on in the next one: a line that was
// broken in two.
func continues(a, b string) bool {
	r, _ := utf8.DecodeRuneInString(b)
	return unicode.IsLower(r) && !finished(a) && a != ""
}
