package captions

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// word is what stands between two spaces: the core, and the punctuation around
// it. The core is never empty.
type word struct {
	lead, core, trail string
	key               string // the core in lower case, with a plain apostrophe
	eol               bool   // the last one of its line
	tight             bool   // no space follows: a dash joins it to the next word
	gone              bool
	back              int  // of a word that is gone: two more than the index of the one before it; 0 where that is not known
	afterFiller       bool // a filler stood before it
}

// turn is what one speaker says without a break, or a paragraph.
type turn struct {
	speaker string // as the transcript names him; "" for none
	dash    bool   // somebody else speaks, who has no name
	loud    bool   // it is in capitals throughout, which then say nothing
	words   []word
}

const (
	leading  = `"'“”„‘«‹([{¿¡*…`
	trailing = `.,;:?!"'”“’»›)]}…-–—*`
)

// split makes words of a line. Punctuation that stands alone goes with the word
// before it, or after it where it opens something (French spacing).
func split(line string, into []word) []word {
	pending := ""
	start := len(into)
	fields := strings.Fields(line)
	for i := 0; i < len(fields); i++ {
		field, rest := atDash(fields[i])
		if rest != "" {
			fields[i] = rest // the next round goes on with it
			i--
		}
		core := strings.TrimRight(strings.TrimLeft(field, leading), trailing)
		if core == "" {
			switch {
			case strings.ContainsAny(field, "«¿¡“„([{") || len(into) == start:
				pending += field + " "
			default:
				into[len(into)-1].trail += " " + field
			}
			continue
		}
		at := strings.Index(field, core)
		w := word{lead: pending + field[:at], core: core, trail: field[at+len(core):]}
		w.key, w.tight = key(core), rest != ""
		pending = ""
		into = append(into, w)
	}
	if len(into) > start {
		last := &into[len(into)-1]
		last.eol = true
		if pending != "" {
			last.trail += " " + strings.TrimSpace(pending)
		}
	}
	return into
}

// atDash parts a field after a long dash between two letters: "and—and".
func atDash(field string) (first, rest string) {
	for _, dash := range []string{"—", "–", "--"} {
		at := strings.Index(field, dash)
		if at <= 0 {
			continue
		}
		end := at + len(dash)
		before, _ := utf8.DecodeLastRuneInString(field[:at])
		after, _ := utf8.DecodeRuneInString(field[end:])
		if unicode.IsLetter(before) && unicode.IsLetter(after) {
			return field[:end], field[end:]
		}
	}
	return field, ""
}

func key(core string) string {
	return strings.ReplaceAll(strings.ToLower(core), "’", "'")
}

func (w *word) setCore(core string) { w.core, w.key = core, key(core) }

func (w *word) hasDigit() bool { return strings.ContainsFunc(w.core, unicode.IsDigit) }

func (w *word) capital() bool {
	r, _ := utf8.DecodeRuneInString(w.core)
	return unicode.IsUpper(r) || unicode.IsTitle(r)
}

// small says whether it begins with a small letter; scripts without case have none.
func (w *word) small() bool {
	r, _ := utf8.DecodeRuneInString(w.core)
	return unicode.IsLower(r)
}

func (w *word) letters() bool {
	for _, r := range w.core {
		if !unicode.IsLetter(r) && r != '\'' && r != '’' {
			return false
		}
	}
	return true
}

// comma says whether a pause, and nothing stronger, follows the word.
func (w *word) comma() bool { return strings.TrimSpace(w.trail) == "," }

// paused says whether what follows may be a new start of the same: nothing, a
// comma, a dash or dots stand between.
func (w *word) paused() bool {
	switch strings.TrimSpace(w.trail) {
	case "", ",", "-", "--", "–", "—", "...", "…", ",-", ",–", "-,":
		return true
	}
	return false
}

// ends says whether a sentence may end after the word.
func (w *word) ends() bool { return strings.ContainsAny(w.trail, ".?!…") }

// full says whether a sentence does end after it, so that a capital must follow.
func (w *word) full() bool {
	t := strings.TrimSpace(w.trail)
	if t == "" || strings.HasSuffix(t, "...") || strings.HasSuffix(t, "…") {
		return false
	}
	switch t[len(t)-1] {
	case '?', '!':
		return true
	case '.':
		return !w.abbreviation()
	}
	return false
}

// abbreviation says whether a full stop after the word may belong to it:
// initials, "e.g.", "Dr.", and German ordinals such as "14.".
func (w *word) abbreviation() bool {
	if w.hasDigit() {
		return len(w.core) <= 2
	}
	return strings.Contains(w.core, ".") || utf8.RuneCountInString(w.core) < 2 && w.letters() || abbreviations[w.key]
}

// compact takes the words out that are gone.
func (t *turn) compact() {
	kept := t.words[:0]
	for _, w := range t.words {
		if !w.gone {
			w.back = 0
			kept = append(kept, w)
		}
	}
	t.words = kept
}

// before and after find the next word that is still there; -1 for none.
func (t *turn) before(i int) int {
	for i--; i >= 0 && t.words[i].gone; {
		if back := t.words[i].back; back > 0 {
			i = back - 2
		} else {
			i--
		}
	}
	return max(i, -1)
}

func (t *turn) after(i int) int {
	for i++; i < len(t.words); i++ {
		if !t.words[i].gone {
			return i
		}
	}
	return -1
}

// opens says whether a sentence begins with word i.
func (t *turn) opens(i int) bool {
	p := t.before(i)
	return p < 0 || t.words[p].full() || t.words[i].capital() && strings.HasSuffix(t.words[p].trail, ".")
}

// merged joins neighbouring turns of one named speaker.
func merged(turns []turn) []turn {
	kept := turns[:0]
	for _, t := range turns {
		if n := len(kept); n > 0 && t.speaker != "" && kept[n-1].speaker == t.speaker {
			kept[n-1].words = append(kept[n-1].words, t.words...)
			continue
		}
		kept = append(kept, t)
	}
	return kept
}

// render writes the turns down.
func render(turns []turn) string {
	var b strings.Builder
	for i, t := range turns {
		if i > 0 {
			b.WriteString("\n\n")
		}
		switch {
		case t.speaker != "":
			b.WriteString(t.speaker + ": ")
		case t.dash:
			b.WriteString("– ")
		}
		for k := range t.words {
			w := &t.words[k]
			if k > 0 && !t.words[k-1].tight && !glued(&t.words[k-1], w) {
				b.WriteByte(' ')
			}
			b.WriteString(w.lead)
			b.WriteString(w.core)
			b.WriteString(w.trail)
		}
	}
	return b.String()
}

// glued says whether two words of a script without spaces meet at the end of a
// line, which is no boundary there.
func glued(a, b *word) bool {
	if !a.eol {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(a.core + a.trail)
	first, _ := utf8.DecodeRuneInString(b.lead + b.core)
	return spaceless(last) && spaceless(first)
}

func spaceless(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer) ||
		(r >= 0x3000 && r <= 0x303F) || (r >= 0xFF00 && r <= 0xFFEF)
}
