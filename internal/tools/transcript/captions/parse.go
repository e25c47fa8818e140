package captions

import (
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// piece is a line of what is said, with what is known of its speaker.
type piece struct {
	speaker   string
	dash      bool // another speaker begins, without a name
	paragraph bool // a new paragraph begins
	text      string
}

// parse finds the format and reads the turns.
func (s *state) parse(text string) (string, []turn) {
	text = strings.TrimPrefix(text, "\ufeff")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u200b", "", "\ufeff", "").Replace(text)
	lines := strings.Split(text, "\n")
	format, cues, ok := s.captions(lines)
	var pieces []piece
	if ok {
		pieces = s.shown(cues)
	} else {
		s.removed = map[string]int{} // a number before something that is no time is no cue number
		format, pieces = FormatPlain, s.parseText(lines)
	}
	return format, s.turns(s.labelled(pieces, ok))
}

var (
	tag      = regexp.MustCompile(`</?(?i:[ibus]|c|em|strong|ruby|rt)(?:\.[^\s<>]*)?\s*/?>|</?(?i:v|lang|font|span)(?:[.\s][^<>\n]*)?>|<(?:\d{1,2}:)?\d{2}:\d{2}\.\d{3}>|<br\s*/?>`)
	voice    = regexp.MustCompile(`<v(?:\.[^\s<>]*)?\s+([^<>]+)>`)
	override = regexp.MustCompile(`\{\\[^{}\n]*\}|\{[yYfFcCsS]:[^{}\n]*\}`)
	nested   = regexp.MustCompile(`&(?:amp;)+`)
	entity   = regexp.MustCompile(`&#?\w+;`)
)

// unmarked takes entities, tags and musical notes out of a line.
func (s *state) unmarked(line string) string {
	if strings.Contains(line, "&") && entity.MatchString(line) {
		line = html.UnescapeString(nested.ReplaceAllString(line, "&"))
	}
	for strings.ContainsAny(line, "<{") { // what is left of a tag may be one
		less := override.ReplaceAllString(tag.ReplaceAllString(line, ""), "")
		if less == line {
			break
		}
		s.count(Markup, 1)
		line = less
	}
	if strings.ContainsAny(line, "♪♫♬♩🎵🎶") {
		s.count(SoundTags, 1)
		line = strings.Map(func(r rune) rune {
			if strings.ContainsRune("♪♫♬♩🎵🎶", r) {
				return -1
			}
			return r
		}, line)
	}
	return strings.Map(func(r rune) rune {
		if r == '\u200e' || r == '\u202a' || r == '\u202c' || (unicode.IsControl(r) && r != '\t') {
			return -1
		}
		return r
	}, line)
}

// paragraphGap is the pause after which captions begin a new paragraph, where a
// sentence has ended.
const paragraphGap = 4.0 // s

// shown makes the lines of captions plain.
func (s *state) shown(cues []cue) []piece {
	voices := make([][]string, len(cues))
	heads := s.headed(cues)
	for i := range cues {
		c := &cues[i]
		speaker := ""
		kept := c.lines[:0]
		if heads && len(c.lines) > 0 && !c.untimed() {
			speaker, c.lines = strings.Join(strings.Fields(c.lines[0]), " "), c.lines[1:]
			kept = c.lines[:0]
		}
		for _, line := range c.lines {
			if m := voice.FindStringSubmatch(html.UnescapeString(line)); m != nil {
				speaker = strings.Join(strings.Fields(m[1]), " ")
			}
			line = strings.Join(strings.Fields(s.unmarked(line)), " ")
			if line != "" {
				kept = append(kept, line)
				voices[i] = append(voices[i], speaker)
			}
		}
		c.lines = kept
	}
	var pieces []piece
	for i, c := range s.unrolled(cues) {
		skip := len(cues[i].lines) - len(c.lines)
		for k, line := range c.lines {
			p := piece{text: line}
			if v := voices[i]; skip >= 0 && k+skip < len(v) {
				p.speaker = v[k+skip]
			}
			if k == 0 && i > 0 && c.from-cues[i-1].to >= paragraphGap && len(pieces) > 0 && finished(pieces[len(pieces)-1].text) {
				p.paragraph = true
			}
			pieces = append(pieces, p)
		}
	}
	return pieces
}

// finished says whether a line ends a sentence.
func finished(line string) bool {
	return strings.HasSuffix(strings.TrimRight(line, `"”»' )]`), ".") || strings.ContainsAny(tail(line, 4), "?!…。？！")
}

// tail is the end of a text, at most n characters.
func tail(s string, n int) string {
	at := len(s)
	for range n {
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	return s[at:]
}

var (
	bracketed = regexp.MustCompile(`^\s*[\[(<]\s*` + clock + `(?:\s*(?:-->|-|–|—)\s*` + clock + `)?\s*[\])>]\s*(?:[-–—]\s+)?`)
	inline    = regexp.MustCompile(`\s*\[\s*` + clock + `(?:\s*(?:-->|-|–|—)\s*` + clock + `)?\s*\]`)
	alone     = regexp.MustCompile(`^\s*` + clock + `(?:\s*(?:-->|-|–|—)\s*` + clock + `)?\s*$`)
	leadTime  = regexp.MustCompile(`^\s*` + clock + `\s+`)
	named     = regexp.MustCompile(`^\s*(\p{Lu}[\p{L}\p{M}.'’ -]{0,40}?)\s*[,:-]?\s+[\[(]?` + clock + `[\])]?\s*:?\s*$`)
	namedText = regexp.MustCompile(`^(\p{Lu}[\p{L}\p{M}\d.'’ -]{0,40}?)\s*[\[(]\s*` + clock + `\s*[\])]\s*:\s*`)
)

// parseText reads text without cues: lines with or without times and speakers.
func (s *state) parseText(lines []string) []piece {
	times := readClocks(lines)
	var pieces []piece
	paragraph := false
	for _, line := range lines {
		line = s.unmarked(line)
		if strings.TrimSpace(line) == "" {
			paragraph = true
			continue
		}
		p := piece{paragraph: paragraph}
		line, p.speaker = s.unstamped(line, times)
		if strings.TrimSpace(line) == "" && p.speaker == "" {
			continue
		}
		p.text = strings.Join(strings.Fields(line), " ")
		paragraph = false
		pieces = append(pieces, p)
	}
	return pieces
}

// unstamped takes the time off a line, and names the speaker of a line that has
// nothing but a name and a time.
func (s *state) unstamped(line string, times clocks) (rest, speaker string) {
	if !strings.Contains(line, ":") {
		return line, ""
	}
	cut := func(pattern *regexp.Regexp) {
		if less := pattern.ReplaceAllString(line, ""); less != line {
			s.count(Timestamps, 1)
			line = less
		}
	}
	if strings.ContainsAny(line, "[(<") {
		cut(bracketed)
		cut(inline)
		if m := namedText.FindStringSubmatch(line); m != nil {
			s.count(Timestamps, 1)
			return line[len(m[0]):], m[1]
		}
	}
	if times.leading {
		if alone.MatchString(line) {
			cut(alone)
		} else {
			cut(leadTime)
		}
	}
	if m := named.FindStringSubmatch(line); times.named && m != nil && titled(m[1]) {
		s.count(Timestamps, 1)
		return "", m[1]
	}
	return line, ""
}
