package captions

import (
	"strings"
	"unicode/utf8"
)

// hesitations are sounds, not words, in the language of the text. What is a word
// in another language stands only under its own ("um" and "er" are German
// words, "um" a Portuguese one); "mm" is a unit.
var hesitations = map[string]map[string]bool{
	"":   set(`umm ummm uhm uhmm hmm hmmm mmm mmmm ähm ähmm äh ähh euh euhh ehm erm öhm`),
	"en": set(`um uh uhh er err erm uhm hm eh`),
	"de": set(`äh ähm äm öh öhm ehm hm ähem mh`),
	"fr": set(`euh heu euhh hum hm`),
	"es": set(`eh ehh em emm ehm`),
	"it": set(`ehm eh uhm mh`),
	"pt": set(`hum ahn hã éé eh`),
	"nl": set(`eh uh ehm uhm euh hm um`),
}

// phrases are words that fill a gap only where pauses stand around them: between
// two commas, at the beginning of a sentence before a comma, or at its end after
// one. Anywhere else they mean something: "you know the answer", "I like it".
var phrases = map[string][]string{
	"en": {"you know", "i mean", "like"},
	"de": {"also", "halt", "ne", "sozusagen", "weißt du", "wissen sie", "sag ich mal", "quasi", "gell"},
	"fr": {"ben", "bah", "hein", "quoi", "genre", "du coup", "tu vois", "vous voyez", "tu sais", "vous savez", "en fait"},
	"es": {"este", "o sea", "digamos", "sabes", "pues eso"},
	"it": {"cioè", "tipo", "insomma", "diciamo"},
	"pt": {"tipo", "né", "sabe", "quer dizer", "tá"},
	"nl": {"zeg maar", "weet je", "hè"},
}

// inner are phrases that are taken out between commas and at the end, but at
// the beginning of a sentence mean what they say ("O sea, no viene").
var inner = set(`quoi hein halt ne gell en_fait du_coup o_sea digamos sabes quasi tá sabe né`)

// asking are phrases that a clause may depend on, which begins with one of asked.
var (
	asking = set(`weißt_du wissen_sie weet_je tu_sais vous_savez tu_vois vous_voyez you_know sabes sabe`)
	asked  = set(`was wie wo wer wen wem wann warum wieso weshalb ob dass wohin woher womit wat hoe waar wie wanneer waarom dat que quoi qui où comment pourquoi si ce what how where who when why whether that qué quién cómo dónde cuándo quem onde`)
)

// openers are words after which a comma stays when a filler behind it goes.
var openers = set(`so well yes no now okay ok also ja nein gut nun alors oui non bueno sí bien then`)

// fillers takes hesitations and filling phrases out of a turn.
func (s *state) fillers(t *turn, lang string) {
	if lang == "" && t.onlySounds() {
		lang = "en"
	}
	for i := range t.words {
		if !t.words[i].gone && t.hesitates(i, lang) {
			t.drop(i, i, lang, false)
			s.count(Fillers, 1)
		}
	}
	for changed := true; changed; { // "you know, I mean, like,": one makes way for the next
		changed = false
		t.compact()
		for i := range t.words {
			if t.words[i].gone {
				continue
			}
			if end := t.phrase(i, lang); end >= 0 && t.fills(i, end, lang) {
				t.drop(i, end, lang, true)
				s.count(Fillers, 1)
				changed = true
			}
		}
	}
}

// surnames are hesitations that are family names too.
var surnames = set(`er um eh`)

// onlySounds says whether a turn without a language is nothing but hesitations.
func (t *turn) onlySounds() bool {
	for i := range t.words {
		if key := t.words[i].key; !hesitations["en"][key] && !hesitations[""][key] {
			return false
		}
	}
	return true
}

func (t *turn) hesitates(i int, lang string) bool {
	w := &t.words[i]
	if !hesitations[lang][w.key] && !hesitations[""][w.key] {
		return false
	}
	if w.lead != "" && strings.ContainsAny(w.lead, `"“«„`) && strings.ContainsAny(w.trail, `"”»“`) {
		return false // the word is spoken of
	}
	if strings.ContainsAny(w.trail, ":") || w.core == "ER" {
		return false // a label; an abbreviation (ER)
	}
	if n := t.after(i); surnames[w.key] && w.trail == "" && w.core == capitalised(w.key) && n >= 0 && t.words[n].capital() && t.words[n].core != "I" && !functionWords[lang][t.words[n].key] {
		return false // "Er Wei", "Um Hong-gil": who hesitates there makes a pause
	}
	if t.nameOrAnswer(i) {
		return false
	}
	return !t.unit(i)
}

// unit says whether a hesitation may be a unit, since a number stands right before it:
// "10 um" (micrometres), "3 uH", "5 hm", "2 Eh".
func (t *turn) unit(i int) bool {
	w := &t.words[i]
	if i == 0 || t.words[i-1].gone || strings.TrimSpace(t.words[i-1].trail) != "" || utf8.RuneCountInString(w.key) != 2 {
		return false
	}
	if prev := t.words[i-1].key; !t.words[i-1].hasDigit() {
		return w.core == "um" && numberWords[prev] && !vague[prev] // "ten um thick"
	}
	return w.core != "uh" && !strings.ContainsAny(w.key, "äö")
}

// answers are the second halves of "uh huh", "mm hmm": a yes, not a hesitation.
var answers = set(`huh hm hmm`)

// nameOrAnswer says whether a hesitation is part of a name, as a capital inside a
// sentence shows ("Uh Huh Her"), or of an answer in two words.
func (t *turn) nameOrAnswer(i int) bool {
	w := &t.words[i]
	p, n := t.before(i), t.after(i)
	if w.trail == "" && n >= 0 && answers[t.words[n].key] {
		return true
	}
	if p < 0 {
		return false
	}
	prev := &t.words[p]
	if prev.trail == "" && !prev.eol && answers[w.key] && (prev.key == "mm" || hesitations["en"][prev.key] || hesitations[""][prev.key]) {
		return true
	}
	if w.core != capitalised(w.key) || w.lead != "" || prev.eol {
		return false
	}
	return prev.trail == "" || prev.comma() && w.trail == ""
}

// phrase finds the filling phrase that begins at word i; the index of its last
// word, or -1.
func (t *turn) phrase(i int, lang string) int {
	for _, p := range phrases[lang] {
		first, rest, more := strings.Cut(p, " ")
		if t.words[i].key != first {
			continue
		}
		end := i
		for more && end >= 0 {
			if t.words[end].trail != "" {
				end = -1
				break
			}
			if end = t.after(end); end < 0 {
				break
			}
			first, rest, more = strings.Cut(rest, " ")
			if t.words[end].key != first {
				end = -1
			}
		}
		if end >= 0 {
			return end
		}
	}
	return -1
}

// fills says whether pauses stand around the words i to end, and none of them
// is quoted.
func (t *turn) fills(i, end int, lang string) bool {
	first, last := &t.words[i], &t.words[end]
	if first.lead != "" || strings.ContainsAny(last.trail, `"”»:;…`) {
		return false
	}
	p, n := t.before(i), t.after(end)
	begins := t.opens(i)
	paused := p >= 0 && strings.HasSuffix(strings.TrimSpace(t.words[p].trail), ",")
	ends := last.full() || n < 0
	name := t.name(i, end)
	if n >= 0 && asking[name] && asked[t.words[n].key] {
		return false // "Weißt du, was ich meine?"
	}
	if correcting[name] && n >= 0 && t.corrects(p, n, begins, lang) {
		return false
	}
	switch {
	case begins && ends:
		return false // "Like?" "You know?" is an answer
	case begins:
		return last.comma() && !inner[name]
	case paused && ends:
		return name != "also" && name != "like" && name != "este" && name != "tipo"
	case paused:
		return last.comma()
	}
	return false
}

// correcting are phrases that a speaker corrects himself with.
var correcting = set(`i_mean o_sea cioè quer_dizer`)

// corrects says whether such a phrase between the words p and n may put what follows in
// the place of what was said: "50, I mean, 500 volts", "left, I mean, right". It does not
// where it stands before a clause and behind nothing but "so" and the like.
func (t *turn) corrects(p, n int, begins bool, lang string) bool {
	if p < 0 {
		return false
	}
	if t.words[p].key == t.words[n].key {
		return false // it goes on as it was
	}
	if !begins && !openers[t.words[p].key] && !conjunctions[t.words[p].key] {
		return true
	}
	if begins && !clauses[lang][t.words[n].key] {
		return true
	}
	for k, far := n, 0; k >= 0 && far < longestCorrection; k, far = t.after(k), far+1 {
		if t.words[k].hasDigit() || numberWords[t.words[k].key] && !functionWords[lang][t.words[k].key] {
			return true
		}
		if t.words[k].full() {
			break
		}
	}
	return false
}

const longestCorrection = 8 // words to a number that may be the right one

func (t *turn) name(i, end int) string {
	keys := []string{t.words[i].key}
	for i < end {
		if i = t.after(i); i >= 0 {
			keys = append(keys, t.words[i].key)
		}
	}
	return strings.Join(keys, "_")
}

// drop takes the words i to end out, and leaves the punctuation as it would
// stand had they not been said. Around a phrase there are commas only because of
// it, unless a clause begins after it.
func (t *turn) drop(i, end int, lang string, phrase bool) {
	first, last := t.words[i], t.words[end]
	p, n := t.before(i), t.after(end)
	for k := i; k <= end; k++ {
		t.words[k].gone, t.words[k].back = true, p+2
	}
	if n >= 0 {
		t.words[n].afterFiller = true
		lead := opening(first.lead, last.trail)
		t.words[n].lead = lead + t.words[n].lead
		if strings.ContainsAny(lead, `"“„«‘`) && first.capital() && plainWord(t.words[n].core) {
			t.words[n].setCore(capitalised(t.words[n].core))
		}
	}
	if p < 0 {
		return
	}
	prev := &t.words[p]
	if last.eol {
		prev.eol = true
	}
	prev.trail += closing(first.lead, last.trail)
	stop := strings.IndexAny(last.trail, ".?!…")
	switch {
	case stop >= 0 && !prev.ends():
		mark := strings.Trim(last.trail[stop:], `"'”»)] `)
		if strings.Contains(first.lead, "¿") {
			mark = "."
		}
		prev.trail = strings.TrimRight(prev.trail, ",;: ") + mark
	case prev.comma() && n >= 0 && (functionWords[lang][prev.key] || conjunctions[prev.key]) && !openers[prev.key]:
		prev.trail = ""
	case prev.comma() && phrase && n >= 0 && !openers[prev.key] && !clauses[lang][t.words[n].key] && !conjunctions[t.words[n].key]:
		prev.trail = ""
	case prev.comma() && n < 0:
		prev.trail = ""
	}
}

var conjunctions = set(`and but or so und aber oder et mais ou y e pero o en maar of mas`)

// clauses are words with which a clause begins.
var clauses = map[string]map[string]bool{
	"en": set(`i i'm i've i'll i'd we you he she they it it's there this because if when who which while so then`),
	"de": set(`ich wir ihr er sie es man weil dass wenn der die das ob da`),
	"fr": set(`je j'ai nous vous il elle on ils elles ce c'est qui que parce si quand`),
	"es": set(`yo él ella nosotros que quien porque si cuando no`),
	"it": set(`io noi che perché se`), "pt": set(`eu nós ele ela que porque se`), "nl": set(`ik wij hij zij dat omdat als`),
}

// opening is what the words that go leave of quotes and brackets that they
// open, closing of those that they close.
func opening(lead, trail string) string {
	if strings.ContainsAny(trail, `"”»’)]“`) {
		return ""
	}
	return lead
}

func closing(lead, trail string) string {
	if lead != "" {
		return ""
	}
	out := ""
	for _, r := range trail {
		if strings.ContainsRune(`"”»)]“`, r) {
			out += string(r)
		}
	}
	return out
}
