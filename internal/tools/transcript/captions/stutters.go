package captions

import (
	"strings"
	"unicode/utf8"
)

// stutters are the words of which a double is never grammatical: articles and
// possessives, whose noun must follow, conjunctions, and prepositions that neither are
// parts of verbs nor end a clause. Everything else may be meant: "I told you you were
// right", "log in in the morning", "what it is is this", "not not closed".
var stutters = map[string]map[string]bool{
	"en": set(`the an our their its my your and or but because if than of i'm i've i'd i'll it's he's she's we've you're we're they're there's that's let's`),
	"de": set(`und oder weil wenn ob dass daß eine im am zum zur vom beim ins für ohne gegen seit wegen zwischen`),
	"fr": set(`le les des du et ou mais de aux dans ne je j'ai cette ces mon ma mes ses notre votre parce`),
	"es": set(`el los las un pero porque que si de del al en con por sin mis sus su tu`),
	"it": set(`il gli un ma di del della dei delle al alla nel nella con per perché`),
	"pt": set(`os as ou mas de do da dos das em na com por ao porque seu`),
	"nl": set(`de of maar omdat mijn`),
}

// speaking are pronouns that can only be a subject. Said twice they are a stutter where
// a clause begins with them, and the end of one and the beginning of another after a
// verb: "so did I I think".
var speaking = map[string]map[string]bool{
	"en": set(`i we he she they`), "de": set(`ich wir er`), "fr": set(`je il ils on`), "es": set(`yo nosotros`), "it": set(`io noi`), "pt": set(`eu nós`), "nl": set(`ik wij`),
}

// pausing are words that stand twice by grammar or as letters, but not after a pause: the
// first of a question, and those of one letter.
var (
	pausing = map[string]map[string]bool{
		"en": set(`how what when where who a`), "de": set(`wie was wann wo wer ein`), "fr": set(`comment quand où à y`), "es": set(`cómo qué cuándo dónde y o e`),
		"it": set(`come quando dove e o i`), "pt": set(`como quando onde e o a`), "nl": set(`hoe wat wanneer waar een`),
	}
	letterWords = set(`a à y o e i`)
)

// inverting are English words that a subject follows at the end of a clause: "so am I",
// "taller than he".
var inverting = set(`am are is was were do does did have has had can could will would shall should may might must as than nor neither don't doesn't didn't isn't wasn't aren't
	weren't can't couldn't won't wouldn't shouldn't hasn't haven't hadn't`)

// starting are conjunctions that a subject follows at the beginning of a clause.
var starting = set(`and but or so because if when that und aber oder dass daß weil wenn ob denn et mais ou y pero o porque e ma perché mas maar omdat`)

// wordAgain says whether word i, which is said twice, is a stutter for sure.
func (t *turn) wordAgain(i int, lang, pause string, later bool) bool {
	a, b := &t.words[i], &t.words[i+1]
	if t.spelled(i) || t.doubleName(i) {
		return false
	}
	paused := pause != "" || b.afterFiller
	switch {
	case lang == "de" && relative[a.key]:
		return t.articleAgain(i, pause, later)
	case lang == "de" && asks[a.key]:
		p := t.before(i)
		return pause == "" && later && p >= 0 && t.opens(p) && subjects[t.words[p].key] // a verb that is the second word ends no clause
	case speaking[lang][a.key]:
		return later && t.subjectAgain(i, lang)
	case pausing[lang][a.key]:
		return later && paused && (letterWords[a.key] || a.key == "ein" || t.opens(i))
	case a.key == "of" && later && t.words[i+2].key == "course", a.key == "my" && t.opens(i), a.key == "de" && lang != "es" && later && t.words[i+2].capital():
		return false // "it is made of of course", "My my!", "la politique de de Gaulle"
	}
	if lang == "de" && pause == "" && later && t.beginsGerman(i) {
		return true
	}
	return later && (stutters[lang][a.key] || paused && functionWords[lang][a.key] && !ending[a.key])
}

// ending are function words that a clause may end with, so that the same word may begin
// the next one after a comma: "I told you, you were right", "what it is, is this".
var ending = set(`in on up down out off over under by at for with from about into after before between you it that this these those her him them us me is are was were be been
	do does did have has had can could will would should not don't didn't can't no here there who which what when where how then so very only more some any all he's she's
	ist sind war waren sein wird werden es er sie wir ihr du dies diese dieser dieses hier wie was wann wo nicht kein keine kann können will würde sollte habe hat haben hatte hatten
	auch noch nur schon mir mich uns sich auf aus zu vor nach mit um über durch unter mein meine sehr ab ein
	sont était étaient être été il elle elles nous vous tu qui cet cette ici quand comment alors ne pas avait plus en y très ça c'est n'est s'est n'a n'ai quel quelle lui leur
	es son era eran ser él ella ellos nosotros ustedes yo tú este esta estos estas ese esa eso aquí donde cuando cómo no lo le les me te nos ha han había hay más muy ya está están hoy
	sono erano essere lei lui loro noi voi io questo questa quello qui dove se non si mi ti ci hanno aveva più anche molto cosa c'è è
	são eram foi ele eles você vocês eu isso aqui onde então não lhe meu minha há mais muito já também estão
	zijn wordt worden hij zij ze wij jullie ik je jij dat dit die wat niet geen kunnen wil zou heeft hebben had ook nog al mij ons zich er om aan voor uit bij naar van op`)

// separable are German prepositions that are parts of verbs as well, and what is said
// twice for effect.
var separable = set(`an auf aus ab ein mit zu vor nach um über unter durch nicht sehr so nur noch auch schon man sie`)

// beginsGerman says whether the German function word at i begins a clause, so that it
// cannot end one too.
func (t *turn) beginsGerman(i int) bool {
	key := t.words[i].key
	if key == "in" {
		return true // never part of a verb
	}
	p := t.before(i)
	return (functionWords["de"][key] || key == "hab" || key == "dann") && !separable[key] && (t.opens(i) || p >= 0 && coordinating[t.words[p].key])
}

var coordinating = set(`und oder aber`)

// articleAgain decides over German words that are pronouns and articles.
func (t *turn) articleAgain(i int, pause string, later bool) bool {
	if t.words[i+1].afterFiller {
		return later
	}
	if t.beginsClause(i) {
		return false
	}
	if pause != "," {
		return true
	}
	p := t.before(i)
	return p < 0 || later && !governs[t.words[p].key]
}

// subjectAgain says whether a clause begins with the pronoun at i.
func (t *turn) subjectAgain(i int, lang string) bool {
	p := t.before(i)
	if p < 0 || t.opens(i) || t.words[p].trail != "" {
		return true
	}
	prev := &t.words[p]
	if lang == "en" && !starting[prev.key] { // elsewhere the verb may come first
		return !inverting[prev.key] && (!prev.capital() || prev.key == t.words[i].key || functionWords[lang][prev.key]) // "World War I"
	}
	q := t.before(p)
	if !starting[prev.key] || q < 0 || t.opens(p) || t.words[q].trail != "" {
		return starting[prev.key]
	}
	return !conjunctions[prev.key] || !t.words[q].capital() && !speaking[lang][t.words[q].key] // "she and I"
}

// spelled says whether word i is a letter that is spelled or stands for a quantity: it
// has only one, and so has a word nearby, or a number stands there.
func (t *turn) spelled(i int) bool {
	key := t.words[i].key
	if utf8.RuneCountInString(key) != 1 {
		return false
	}
	for _, k := range []int{i - 2, i - 1, i + 2, i + 3} {
		if k < 0 || k >= len(t.words) || t.words[k].key == key {
			continue
		}
		if other := t.words[k].key; utf8.RuneCountInString(other) == 1 && other != "i" || t.words[k].hasDigit() {
			return true
		}
	}
	return key != "i" && !t.loud && t.words[i].capital() && t.words[i+1].capital()
}

// doubleName says whether the words at i and after it both have a capital that the
// beginning of a sentence does not explain: "The The", "an AND AND gate".
func (t *turn) doubleName(i int) bool {
	a, b := &t.words[i], &t.words[i+1]
	if !a.capital() || !b.capital() || a.key == "i" || strings.HasPrefix(a.key, "i'") || t.loud {
		return false
	}
	return !t.opens(i) || a.core == b.core
}

// phraseAgain says whether the n words from i, which are said twice, are a restart for
// sure: the phrase is left open, as it ends in an article or the like, or it is a clause
// that a sentence begins with, and there is a pause. "What you do you do well" is neither.
func (t *turn) phraseAgain(i, n int, lang string, paused, later bool) bool {
	a := t.words[i : i+n]
	same := true
	for k := range a {
		same = same && a[k].key == a[0].key
		if numberWords[a[k].key] && !functionWords[lang][a[k].key] || utf8.RuneCountInString(a[k].key) == 1 && !letterWords[a[k].key] {
			return false
		}
	}
	last := a[n-1].key
	open := stutters[lang][last] && !conjunctions[last] || lang == "de" && relative[last] || lang == "en" && last == "a"
	if same || !later {
		return false
	}
	if open {
		return true
	}
	function := false
	for k := range a {
		function = function || functionWords[lang][a[k].key]
	}
	if !paused || !function {
		return false
	}
	if !subjects[a[0].key] && !pronouns[a[0].key] && !speaking[lang][a[0].key] {
		return !ending[last] || pronouns[last] || last == "that"
	}
	p := t.before(i) // "if you go, you go alone" is no restart
	return t.opens(i) || t.opens(p) && (t.words[p].comma() || starting[t.words[p].key] && !framing[t.words[p].key])
}

// framing are conjunctions whose clause another one follows.
var framing = set(`if when because wenn weil si quand se quando cuando`)
