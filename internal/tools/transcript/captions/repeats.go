package captions

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const longestPhrase = 5 // words of a phrase that is said again

// repair takes out words that were broken off, and what was said twice because
// of a new start.
func (s *state) repair(t *turn, lang string) {
	t.compact()
	s.joined(t, lang)
	if lang == "" {
		return // reduplication is grammar in many languages
	}
	t.compact()
	for changed := true; changed; {
		changed = false
		for i := 0; i < len(t.words); i++ {
			if t.words[i].gone {
				continue
			}
			if s.brokenOff(t, i, lang) {
				changed = true
				continue
			}
			s.stutter(&t.words[i], lang)
			if t.contracted(i, lang) {
				t.restart(i, 1)
				s.count(Repeats, 1)
				changed = true
				continue
			}
			for n := longestPhrase; n >= 1; n-- {
				if t.repeats(i, n, lang) {
					t.restart(i, n)
					s.count(Repeats, 1)
					changed = true
					break
				}
			}
		}
		t.compact()
	}
}

// joined puts words together that a line's end has parted.
func (s *state) joined(t *turn, lang string) {
	for i := 0; i+1 < len(t.words); i++ {
		w, next := &t.words[i], &t.words[i+1]
		if !w.eol || w.trail != "-" || next.lead != "" || w.hasDigit() || !w.letters() || suspended(t, i) || strings.HasPrefix(next.key, w.key) {
			continue
		}
		hyphen := "-"
		if r, _ := utf8.DecodeRuneInString(next.core); unicode.IsLower(r) && !hyphenFirst[w.key] && !hyphenNext[lang][next.key] || w.core == strings.ToUpper(w.core) && len(w.core) > 1 && !hyphenFirst[w.key] && !hyphenNext[lang][next.key] {
			hyphen = ""
		}
		next.lead, w.gone = w.lead, true
		next.setCore(w.core + hyphen + next.core)
		t.words[i].lead = ""
	}
}

// hyphenFirst are first parts of compounds that keep their hyphen, hyphenNext
// the second ones.
var hyphenFirst = set(`well self half high low long short full all non ex co semi part mid two three four five six seven eight nine ten twenty thirty forty fifty sixty seventy eighty ninety
	old new open hard soft double single one first second real real-time after-school up down in off on cross so-called state like
	après avant demi mi nord sud sous vice arc rendez week grand petit peut est c'est celui celle ceux tire porte`)

var hyphenNext = map[string]map[string]bool{
	"fr": set(`vous tu il elle on je nous ils elles ce moi toi là ci le la les y en lui leur t-il t-elle t-on être midi vous-même`),
	"en": set(`based like known free made old year up off to`),
	"pt": set(`se me te lhe nos o a os as`),
}

var joints = set(`and or to und oder bis sowie et ou à y o u e of en beziehungsweise bzw through but nor by`)

// suspended says whether word i shares its second part with another one:
// "pre- and post-test", "Vor- und Nachteile".
func suspended(t *turn, i int) bool {
	if strings.Contains(t.words[i].trail, ",") {
		return true
	}
	for k := i + 1; k <= i+2 && k < len(t.words); k++ {
		if joints[t.words[k].key] {
			return true
		}
		if !strings.HasPrefix(t.words[k].trail, "-") {
			break
		}
	}
	return false
}

var prefixes = set(`pre post anti non multi inter intra sub super semi re un over under micro macro nano bio eco geo ex co mid self prä anti pro`)

// brokenOff takes out a word that was not said to its end: "th- the", "rec- we
// received".
func (s *state) brokenOff(t *turn, i int, lang string) bool {
	w := &t.words[i]
	trail := strings.TrimSpace(w.trail)
	if trail != "-" && trail != "--" && trail != "-," && trail != "—" && trail != "–" || w.trail[0] == ' ' || !w.capital() && !w.small() || !w.letters() {
		return false
	}
	n := t.after(i)
	if n < 0 || t.dashedLetter(i, n) {
		return false
	}
	same := func(k int) bool { return k >= 0 && strings.HasPrefix(t.words[k].key, w.key) }
	goesOn := same(n)
	short := strings.HasPrefix(trail, "-") && trail != "--"
	if suspended(t, i) && !(goesOn && short) {
		return false
	}
	if !goesOn && short {
		for k, far := n, 0; k >= 0 && far < 3 && !goesOn; k, far = t.after(k), far+1 {
			goesOn = same(k) && len(t.words[k].key) > len(w.key)
		}
		fragment := utf8.RuneCountInString(w.key) <= 5 && !functionWords[lang][w.key] && !prefixes[w.key] && !hyphenFirst[w.key] && w.small()
		goesOn = goesOn || fragment
	}
	if !goesOn || !short && !same(n) {
		return false
	}
	if w.capital() && !t.words[n].capital() && t.opens(i) {
		t.words[n].setCore(capitalised(t.words[n].core))
	}
	t.words[n].lead = w.lead + t.words[n].lead
	w.gone = true
	s.count(FalseStarts, 1)
	return true
}

// dashedLetter says whether the letter at i, before the word n, is one of several: a mark
// ("A-, A-, B-"), or spelled ("a- r- o- n").
func (t *turn) dashedLetter(i, n int) bool {
	w, next := &t.words[i], &t.words[n]
	if utf8.RuneCountInString(w.key) != 1 || w.key == "i" {
		return false
	}
	return t.spelled(i) || w.capital() && next.key == w.key || utf8.RuneCountInString(next.key) == 1 && next.key != w.key && !letterWords[next.key]
}

// stutter mends a word with its first sound said before it: "w-we", "b-b-but".
// Once is taken for a stutter only before the commonest words: there are t-tests.
func (s *state) stutter(w *word, lang string) {
	parts := strings.Split(w.core, "-")
	if len(parts) < 2 {
		return
	}
	rest := parts[len(parts)-1]
	for _, p := range parts[:len(parts)-1] {
		if p == "" || prefixes[key(p)] || utf8.RuneCountInString(p) > 2 || !strings.HasPrefix(key(rest), key(p)) || !alphabetic(p) {
			return
		}
	}
	sure := len(parts) > 2 && utf8.RuneCountInString(rest) > 2 || functionWords[lang][key(rest)]
	if !sure || key(rest) == key(parts[0]) && key(rest) != "i" {
		return
	}
	if r, _ := utf8.DecodeRuneInString(parts[0]); unicode.IsUpper(r) {
		rest = capitalised(rest)
	}
	w.setCore(rest)
	s.count(FalseStarts, len(parts)-1)
}

func alphabetic(p string) bool {
	return !strings.ContainsFunc(p, func(r rune) bool { return !unicode.IsLetter(r) })
}

var numberWords = set(`zero one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion oh
	null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig hundert tausend
	zéro deux trois quatre cinq sept huit neuf dix vingt trente quarante cent mille
	cero uno dos tres cuatro cinco seis siete ocho nueve diez veinte cien mil due quattro cinque sei sette otto nove dieci
	um dois quatro oito een twee drie vijf zes zeven negen tien`)

// repeats says whether the n words from i are said again right after, as after
// a new start, and not for effect.
func (t *turn) repeats(i, n int, lang string) bool {
	if i+2*n > len(t.words) {
		return false
	}
	a, b := t.words[i:i+n], t.words[i+n:i+2*n]
	for k := range n {
		if a[k].gone || b[k].gone || a[k].key != b[k].key || a[k].hasDigit() || k > 0 && b[k].lead != "" || strings.ContainsAny(b[k].key, "@/") {
			return false
		}
		if k < n-1 && strings.TrimSpace(a[k].trail) != "" && a[k].trail != b[k].trail || !a[k].paused() {
			return false
		}
	}
	if strings.ContainsAny(b[0].lead, `"“«„`) || !closedSame(a) {
		return false
	}
	pause := strings.TrimSpace(a[n-1].trail)
	later := i+2*n < len(t.words) && !b[n-1].ends()
	if n == 1 {
		return t.wordAgain(i, lang, pause, later)
	}
	if n == 2 && (i+2*n < len(t.words) && t.words[i+2*n].key == a[0].key || i > 0 && t.words[i-1].key == a[1].key) {
		return false // step by step by step
	}
	if t.named(i, n, lang) || polite[a[0].key+" "+a[1].key] && n == 2 {
		return false
	}
	return t.phraseAgain(i, n, lang, pause != "" || b[0].afterFiller, later)
}

// polite are phrases that are said twice for emphasis.
var polite = map[string]bool{
	"thank you": true, "come on": true, "oh my": true, "no no": true, "of course": true, "all right": true, "on y": true, "allez allez": true, "vielen dank": true, "muchas gracias": true,
}

// contracted says whether an English pronoun is said again with its verb: "it
// it's". "That" may begin a clause, so it must stand at the beginning.
func (t *turn) contracted(i int, lang string) bool {
	if lang != "en" || i+1 >= len(t.words) || t.words[i].gone || t.words[i+1].gone {
		return false
	}
	a, b := &t.words[i], &t.words[i+1]
	rest, ok := strings.CutPrefix(b.key, a.key)
	if !ok || !strings.HasPrefix(rest, "'") || !a.paused() || strings.Contains(a.trail, "…") || strings.Contains(a.trail, "...") || b.lead != "" {
		return false
	}
	if speaking[lang][a.key] { // others may be an object: "I told you you're right"
		return t.subjectAgain(i, lang)
	}
	return (pronouns[a.key] || a.key == "that") && t.opens(i)
}

var pronouns = set(`i you he she it we they there`)

// relative are German words that are a pronoun and an article, so that grammar
// doubles them: "für die, die kommen", "der Mann, der der Frau half".
var (
	relative = set(`der die das dem den`)
	governs  = set(`für von mit an bei auf alle all denen und oder als wie gegen ohne über`)
	// introduces are words that a clause begins with, asks are verbs that a question does.
	introduces = set(`dass daß ob weil wenn wann was wer wie wo als obwohl nachdem bevor damit denn falls sobald solange`)
	// antecedents are pronouns that a relative clause follows, often without a comma.
	antecedents = set(`alle jene diejenigen derjenige dasjenige jemand niemand etwas nichts alles vieles manches einiges`)
	asks        = set(`ist sind war waren wäre hat hatte haben kann können will wird soll muss darf`)
)

// beginsClause says whether the German pronoun or article at i, which is said
// twice, may begin a clause and its double a noun: what may be meant stays.
func (t *turn) beginsClause(i int) bool {
	p := t.before(i)
	if t.words[i].comma() { // "Der, der der Frau half, ..."; "den, den du kennst"
		n := t.after(t.after(i))
		return n >= 0 && (relative[t.words[n].key] || subjects[t.words[n].key])
	}
	if n := t.after(t.after(i)); t.words[i].trail == "" && n >= 0 && relative[t.words[n].key] {
		return true // "Ich kenne die, die das machen", in captions without commas
	}
	if p < 0 || t.words[i].trail != "" {
		return false
	}
	prev := &t.words[p]
	switch {
	case prev.comma():
		return !openers[prev.key] && !conjunctions[prev.key]
	case prev.trail != "":
		return false
	case antecedents[prev.key]:
		return true
	case t.opens(p):
		return asks[prev.key] // "Ist das das Haus?"
	case governs[prev.key]: // "..., mit der der Mann kam"
		q := t.before(p)
		return q >= 0 && t.words[q].comma()
	}
	return introduces[prev.key] || prev.capital() && !functionWords["de"][prev.key]
}

// subjects are German pronouns, before which no article stands.
var subjects = set(`ich du er es wir ihr man mich dich sich uns euch mir dir ihm ihn ihnen`)

// named says whether the words are a name, which may be double.
func (t *turn) named(i, n int, lang string) bool {
	for k := i; k < i+n; k++ {
		if !t.words[k].capital() || functionWords[lang][t.words[k].key] {
			return false
		}
	}
	return lang != "de"
}

// closedSame says whether no quote or bracket is left open within the words.
func closedSame(words []word) bool {
	for i := range words {
		if strings.ContainsAny(words[i].trail, `"”»)]`) || i > 0 && words[i].lead != "" {
			return false
		}
	}
	return true
}

// restart takes out the first of two equal runs of n words.
func (t *turn) restart(i, n int) {
	a, b := &t.words[i], &t.words[i+n]
	if b.lead == "" {
		b.lead = a.lead
	}
	if a.capital() && !b.capital() {
		b.setCore(capitalised(b.core))
	}
	b.afterFiller = a.afterFiller
	for k := i; k < i+n; k++ {
		t.words[k].gone = true
	}
}
