package captions

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	// changes marks where another speaker begins, inside a line too.
	changes = regexp.MustCompile(`(?:^|\s)>{2,3}(?:\s|$)`)
	label   = regexp.MustCompile(`^(?:\[([^\[\]:]{1,40})\]|([\p{Lu}\p{Lo}][^:：\[\]()?!]{0,40}?(?: \([^():\[\]?!]{1,30}\))?))\s*[:：](?:\s+|$)`)
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
		spoken := untrailed(parts[i].text)
		opening = finished(spoken) || spoken == ""
	}
	return parts
}

// labelledShare is how many lines begin with a label in a text where every such
// label is a speaker's.
const labelledShare = 0.3

func startsUpper(text string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, ` "'“«¿¡([-–—`))
	return unicode.IsUpper(r)
}

// countLabels is how often each possible label begins a line.
func countLabels(pieces []piece) map[string]int {
	n := map[string]int{}
	all := 0
	for _, p := range pieces {
		if !strings.ContainsAny(p.text, ":：") {
			continue
		}
		if m := label.FindStringSubmatch(undashed(p.text)); m != nil && titled(spokenName(m[1]+m[2])) {
			n[m[1]+m[2]]++
			all++
		}
	}
	if all >= 2 && float64(all) >= labelledShare*float64(len(pieces)) {
		for name := range n {
			n[name] = max(n[name], 2)
		}
	}
	return n
}

// spokenName is a label without what stands in brackets after it: "WOMAN (OVER
// PHONE)".
func spokenName(label string) string {
	name, _, _ := strings.Cut(label, "(")
	return strings.TrimSpace(name)
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
	if soundTag(name, true) || unheard(strings.ToLower(name)) || !titled(spokenName(name)) {
		return
	}
	if names[m[1]+m[2]] >= 2 || p.dash || m[1] != "" || shout(spokenName(name)) || p.paragraph || opening && !strings.Contains(name, " ") {
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
		if strings.ContainsFunc(w, unicode.IsDigit) && !numbered(words, i) {
			return false
		}
	}
	return strings.ContainsFunc(name, unicode.IsLetter)
}

// numbered says whether a number may stand in a name: Speaker 1, SPEAKER_00, P3.
func numbered(words []string, i int) bool {
	if i > 0 && strings.Trim(words[i], "0123456789#") == "" {
		return speakers[strings.ToLower(words[i-1])]
	}
	name := strings.ToLower(strings.TrimRight(words[i], "0123456789"))
	return len(words) == 1 && (speakers[strings.TrimRight(name, "_-")] || utf8.RuneCountInString(name) == 1 && name >= "a" && name <= "z")
}

var speakers = set("speaker person participant interviewer interviewee student man woman voice guest caller user host sprecher sprecherin intervenant locuteur orateur hablante orador persona voz relatore spreker")

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
		const wordsOfALine = 8
		t.words = slices.Grow(t.words, wordsOfALine*len(lines))
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
