package words

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/german"
)

// The lexicon: concepts with the words that say them, in English and German. Of a word with
// several concepts the patterns choose.
//
//go:embed lexicon.json
var lexiconFile []byte

// Languages.
const (
	English = "en"
	German  = "de"
)

// entry is a word, or several that stand together, with its concepts.
type entry struct {
	words    []string
	concepts []string
}

// dictionary of a language: entries by their first word, as written and by stem.
type dictionary struct{ exact, stems map[string][]*entry }

var lexicon = sync.OnceValue(func() map[string]*dictionary {
	var concepts map[string]map[string]string
	if err := json.Unmarshal(lexiconFile, &concepts); err != nil {
		panic(err)
	}
	out := map[string]*dictionary{}
	for _, language := range []string{English, German} {
		d := &dictionary{map[string][]*entry{}, map[string][]*entry{}}
		for concept, said := range concepts {
			if said[language] == "" {
				continue
			}
			for _, text := range strings.Split(said[language], "|") {
				words := apart(text)
				add(d.exact, words, concept)
				for i, w := range words {
					words[i] = stem(w, language)
				}
				add(d.stems, words, concept)
			}
		}
		out[language] = d
	}
	return out
})

// apart are the words of a text in small letters.
func apart(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ' ' || r == '-' })
}

func add(to map[string][]*entry, words []string, concept string) {
	for _, e := range to[words[0]] {
		if slices.Equal(e.words, words) {
			if !slices.Contains(e.concepts, concept) {
				e.concepts = append(e.concepts, concept)
				slices.Sort(e.concepts)
			}
			return
		}
	}
	to[words[0]] = append(to[words[0]], &entry{slices.Clone(words), []string{concept}})
}

// stem of a word in small letters.
func stem(word, language string) string {
	env := snowballstem.NewEnv(word)
	if language == German {
		german.Stem(env)
	} else {
		english.Stem(env)
	}
	return env.Current()
}

// languageOf a sentence: that of which it has more words as written.
func languageOf(text string) string {
	score := map[string]int{}
	for _, w := range wordsOf(text) {
		for language, d := range lexicon() {
			for _, e := range d.exact[w] {
				if len(e.words) == 1 && len(w) > 1 {
					score[language]++
				}
			}
		}
		if strings.ContainsAny(w, "äöüß") {
			score[German] += 2
		}
	}
	if score[German] > score[English] {
		return German
	}
	return English
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !(r == '_' || r >= 'a' && r <= 'z' || r > 127)
	})
}

// named gives the words of a sentence their concepts, the longest entries first.
func named(list []*node, language string) []*node {
	var out []*node
	for i := 0; i < len(list); {
		n := list[i]
		if n.kind != "word" {
			out = append(out, n)
			i++
			continue
		}
		length, concepts := conceptsAt(list[i:], language)
		if length == 0 {
			if parts := compound(n, language); parts != nil {
				out = append(out, parts...)
			} else {
				out = append(out, n)
			}
			i++
			continue
		}
		out = append(out, joined(list[i:i+length], concepts, language))
		i += length
	}
	return out
}

// joined are words that stand for one concept.
func joined(words []*node, concepts []string, language string) *node {
	n := &node{kind: concepts[0], also: concepts[1:], start: words[0].start, end: words[len(words)-1].end, text: words[0].text}
	if len(words) > 1 {
		n.kids = words
		for _, w := range words[1:] {
			n.text += " " + w.text
		}
	}
	last := strings.ToLower(words[len(words)-1].text)
	n.plural = language == English && strings.HasSuffix(last, "s") || language == German && pluralOf[last]
	return n
}

// pluralOf are the German plurals that matter.
var pluralOf = map[string]bool{"bohrungen": true, "löcher": true, "löchern": true, "schraubenlöcher": true, "flächen": true, "seiten": true, "enden": true, "schraubenlöchern": true, "schraublöcher": true, "schraublöchern": true, "bohrlöcher": true, "befestigungsbohrungen": true, "befestigungslöcher": true}

// conceptsAt finds the longest entry that words begin with: as written in the language of
// the sentence, by stems, then in the other language.
func conceptsAt(list []*node, language string) (length int, concepts []string) {
	other := German
	if language == German {
		other = English
	}
	for _, try := range []struct {
		language string
		stems    bool
	}{{language, false}, {language, true}, {other, false}} {
		index := lexicon()[try.language].exact
		if try.stems {
			index = lexicon()[try.language].stems
		}
		word := func(i int) string {
			w := strings.ReplaceAll(strings.ToLower(list[i].text), "’", "'")
			if _, whole := lexicon()[try.language].exact[w]; !whole {
				w = strings.TrimSuffix(w, "'s")
			}
			if try.stems {
				return stem(w, try.language)
			}
			return w
		}
		for _, e := range index[word(0)] {
			if len(e.words) <= length || len(e.words) > len(list) {
				continue
			}
			same := true
			for i := 1; i < len(e.words) && same; i++ {
				same = list[i].kind == "word" && word(i) == e.words[i]
			}
			if same {
				length, concepts = len(e.words), e.concepts
			}
		}
		if length > 0 && try.language == language && !try.stems && length > 1 {
			break
		}
		if length > 0 {
			return length, concepts
		}
	}
	return length, concepts
}

// links stand between the parts of a German compound.
var links = []string{"", "s", "n", "en", "es", "e"}

// compound splits a German word into two that the lexicon has: Stahlplatte.
func compound(n *node, language string) []*node {
	if language != German {
		return nil
	}
	low, d := strings.ToLower(n.text), lexicon()[German]
	if len(low) != len(n.text) {
		return nil
	}
	concepts := func(w string) []string {
		for _, index := range []map[string][]*entry{d.exact, d.stems} {
			key := w
			if _, exact := d.exact[w]; !exact {
				key = stem(w, German)
			}
			for _, e := range index[key] {
				if len(e.words) == 1 && !slices.Contains(e.concepts, "filler") {
					return e.concepts
				}
			}
		}
		return nil
	}
	for cut := len(low) - 4; cut >= 3; cut-- {
		second := concepts(low[cut:])
		if second == nil {
			continue
		}
		for _, link := range links {
			head, ok := strings.CutSuffix(low[:cut], link)
			if !ok || len(head) < 3 {
				continue
			}
			if first := concepts(head); first != nil {
				a := &node{kind: first[0], also: first[1:], start: n.start, end: n.start + cut, text: n.text[:cut]}
				b := &node{kind: second[0], also: second[1:], start: n.start + cut, end: n.end, text: n.text[cut:], plural: pluralOf[low[cut:]]}
				return []*node{a, b}
			}
		}
	}
	return nil
}
