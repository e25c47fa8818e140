package captions

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// functionWords are the commonest words of each language. They tell the
// language, and which words a speaker stumbles over rather than means twice.
var functionWords = map[string]map[string]bool{
	"en": set(`the a an and or but of to in on at for with from by as is are was were be been it it's he she they we you i i'm i've i'd i'll you're we're they're
		he's she's that's there's that this these those there here his her their our my your its who which what when where how if then so not don't didn't can could will would should
		do does did have has had about into than because just let's them us me him we've after before between over under up down out off only very more some any all no`),
	"de": set(`der die das ein eine einen einem einer eines und oder aber von zu zum zur im in am an auf für mit aus bei als ist sind war waren sein wird werden es er sie
		wir ihr ich du dass daß dies diese dieser dieses hier wer wie was wann wo wenn dann nicht kein keine kann können will würde sollte habe hat haben hatte hatten über
		auch noch nur schon man mir mich uns sich dem den des so da nach vor um mein meine gegen ohne durch unter bis seit wegen zwischen sehr`),
	"fr": set(`le la les l' un une des de du d' et ou mais à au aux dans sur en pour avec par comme est sont était étaient être été il elle ils elles on nous vous je j'ai
		tu que qui qu'il qu'on ce cet cette ces c'est c'était ça ici où quand comment si alors ne pas ai a ont avait plus y mon ma mes son sa ses notre votre leur se s'est me m'a te lui n'est d'un d'une sans sous chez vers entre depuis très n'a n'ai qu' quel quelle`),
	"es": set(`el la los las un una unos unas y o pero de del a al en por para con como es son era eran ser fue él ella ellos nosotros ustedes yo tú que quien qué este esta sin sobre entre desde hasta cuál qué hoy tan
		estos estas ese esa eso aquí donde cuando cómo si no se lo le les me te nos mi su sus ha han había hay más muy ya porque entonces está están`),
	"it": set(`il lo la gli le un una uno e o ma di del della dei delle a al alla in nel nella su per con come è sono era erano essere lui lei loro noi voi io tu che chi questo questa
		quello qui dove quando se allora non si mi ti ci ha hanno aveva più anche perché da dal dalla mio mia suo c'è senza tra fra sul sulla molto cosa`),
	"pt": set(`o a os as um uma uns umas e ou mas de do da dos das em no na nos nas por para com como é são era eram ser foi ele ela eles nós você vocês eu que quem isso este esta
		aqui onde quando se então não me te lhe meu minha seu sua há mais muito já também ao à porque está estão`),
	"nl": set(`de het een en of maar van naar in op aan voor met uit bij als is zijn was waren wordt worden het hij zij ze we wij jullie ik je jij dat dit deze die hier wie wat wanneer waar hoe
		dan niet geen kan kunnen wil zou heeft hebben had ook nog maar al men mij ons zich er om mijn`),
}

const (
	fewHits    = 3    // function words that a language needs to be known at all
	ownHits    = 6    // and a turn in another language than the rest
	hitShare   = 0.15 // of the words: a text of a known language has more
	sampleSize = 40_000
)

// languagesOf are the languages that have a function word.
var languagesOf = func() map[string][]string {
	m := map[string][]string{}
	for lang, list := range functionWords {
		for w := range list {
			m[w] = append(m[w], lang)
		}
	}
	return m
}()

// hits counts the function words of each language; one that several have counts
// for all of them.
func hits(words []word, into map[string]int) {
	for i := range words {
		for _, lang := range languagesOf[words[i].key] {
			into[lang]++
		}
	}
}

// documentLanguage is the language of most of the text; "" when it is none of
// the known ones.
func documentLanguage(turns []turn) string {
	n := map[string]int{}
	words, latin := 0, 0
	for _, t := range turns {
		sample := t.words[:min(len(t.words), sampleSize-words)]
		hits(sample, n)
		words += len(sample)
		for i := range sample {
			if r := []rune(sample[i].key)[0]; unicode.Is(unicode.Latin, r) {
				latin++
			}
		}
		if words >= sampleSize {
			break
		}
	}
	lang := ranked(n)
	if len(lang) == 0 || n[lang[0]] < fewHits || float64(n[lang[0]]) < hitShare*float64(latin) {
		return ""
	}
	return lang[0]
}

// language is that of a turn: the document's, unless the turn is clearly in
// another one.
func (t *turn) language(doc string) string {
	n := map[string]int{}
	hits(t.words[:min(len(t.words), sampleSize)], n)
	best := ranked(n)
	if len(best) == 0 || best[0] == doc || n[best[0]] < ownHits || n[best[0]] < 2*n[doc] {
		if doc == "" && len(best) > 0 && n[best[0]] >= ownHits && float64(n[best[0]]) >= hitShare*float64(len(t.words)) {
			return best[0]
		}
		return doc
	}
	return best[0]
}

// ranked lists the keys by their counts, without the empty one.
func ranked(n map[string]int) []string {
	list := slices.Sorted(maps.Keys(n))
	list = slices.DeleteFunc(list, func(l string) bool { return l == "" })
	slices.SortStableFunc(list, func(a, b string) int { return n[b] - n[a] })
	return list
}
