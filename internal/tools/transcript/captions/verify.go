package captions

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// writtenLabel is a speaker's label at the beginning of a paragraph of a cleaned text.
var writtenLabel = regexp.MustCompile(`^[\p{Lu}\p{Lo}\p{N}][^:\n.?!]{0,40}(?:\.[^:\n?!]{0,30})?[:：] `)

// How far an edited passage may go from its source.
const (
	mostLost  = 0.08 // of the content words
	mostAdded = 0.08
	fewWords  = 2 // lost or added words that are always allowed
)

// Verify holds an edited passage against its source. reason is "" when it says
// the same: every number and every name is still there as often, none has come
// in, every note of words that could not be understood is there, and hardly a
// content word has gone or come. Else reason is one of empty, number_lost,
// number_invented, gap_lost, name_lost, name_invented, words_lost, words_invented,
// and what names the first such word.
func Verify(source, edited string) (reason, what string) {
	if strings.TrimSpace(edited) == "" {
		return "empty", "nothing came back"
	}
	from, to := facts(source), facts(edited)
	if w := missing(from.numbers, to.numbers); w != "" {
		return "number_lost", w
	}
	if w := missing(to.numbers, from.numbers); w != "" {
		return "number_invented", w
	}
	if w := missing(from.gaps, to.gaps); w != "" {
		return "gap_lost", w
	}
	for _, w := range slices.Sorted(maps.Keys(from.names)) {
		if to.words[w] == 0 {
			return "name_lost", w
		}
	}
	for _, w := range slices.Sorted(maps.Keys(to.names)) {
		if from.words[w] == 0 {
			return "name_invented", w
		}
	}
	if n, w := differing(from.content, to.content); n > fewWords && float64(n) > mostLost*float64(total(from.content)) {
		return "words_lost", fmt.Sprintf("%d words, e.g. %s", n, w)
	}
	if n, w := differing(to.content, from.content); n > fewWords && float64(n) > mostAdded*float64(total(from.content)) {
		return "words_invented", fmt.Sprintf("%d words, e.g. %s", n, w)
	}
	return "", ""
}

// evidence is what a passage says: how often each number, name and content
// word, and each note of words that were not understood.
type evidence struct {
	numbers, names, content, words, gaps map[string]int
}

func facts(text string) evidence {
	e := evidence{map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}}
	begins := true
	for _, w := range split(strings.ReplaceAll(text, "\n", " "), nil) {
		e.words[w.key]++
		if strings.ContainsAny(w.lead, "[(") && misheard(w.key) {
			e.gaps[w.key]++
		}
		for _, part := range strings.FieldsFunc(w.key, func(r rune) bool { return r == '-' || r == '/' }) {
			if part != w.key {
				e.words[part]++
			}
		}
		switch {
		case w.hasDigit():
			e.numbers[w.key]++
		case numberWords[w.key] && !vague[w.key]:
			e.numbers[w.key]++
		case w.capital() && !begins && w.key != "i" && !strings.HasPrefix(w.key, "i'"):
			e.names[strings.TrimSuffix(w.key, "'s")]++
			e.words[strings.TrimSuffix(w.key, "'s")]++
		}
		if utf8.RuneCountInString(w.key) >= 4 && !common(w.key) || strings.ContainsFunc(w.key, spaceless) {
			e.content[w.key]++
		}
		begins = w.ends() || strings.HasSuffix(w.trail, ":") || strings.ContainsAny(w.trail, `"”»`)
	}
	return e
}

// vague are number words that are more often articles or particles.
var vague = set("one oh um un uno una")

func common(w string) bool {
	for _, list := range functionWords {
		if list[w] {
			return true
		}
	}
	return false
}

// missing is the first word that b has less often than a; "" for none.
func missing(a, b map[string]int) string {
	for _, w := range slices.Sorted(maps.Keys(a)) {
		if b[w] < a[w] {
			return w
		}
	}
	return ""
}

func differing(a, b map[string]int) (n int, example string) {
	for _, w := range slices.Sorted(maps.Keys(a)) {
		if d := a[w] - b[w]; d > 0 {
			n += d
			if example == "" && strings.ContainsFunc(w, unicode.IsLetter) {
				example = w
			}
		}
	}
	return n, example
}

func total(counts map[string]int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}
