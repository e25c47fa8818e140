package words

import (
	"slices"
	"strings"
)

// An answer to what an earlier sentence left open: "N of course" to the unit of its force,
// "downwards" to its direction. The earlier sentence is read again with the answer in its
// place.

// withEarlier reads a sentence as an answer; nil where it is none.
func withEarlier(answer string, in Context) *Reading {
	earlier := strings.TrimSpace(in.Earlier)
	if earlier == "" {
		return nil
	}
	in.Earlier, in.LastRun = "", false
	asked := readAlone(earlier, in)
	if len(asked.Questions)+len(asked.Unused) == 0 {
		return nil
	}
	var ways []string
	if unit := bareUnit(answer); unit != "" {
		for _, end := range bareNumbers(earlier) {
			ways = append(ways, earlier[:end]+" "+unit+earlier[end:])
		}
	} else {
		first := strings.TrimRight(earlier, " .?!")
		ways = []string{earlier + "\n" + answer, first + ", " + answer, answer + "\n" + earlier}
	}
	var found *Reading
	for _, way := range ways {
		r := readAlone(way, in)
		if !r.Runs() || len(r.Patch) == 0 {
			continue
		}
		if found != nil && string(found.Patch) != string(r.Patch) {
			return nil // it answers in two ways
		}
		found = r
	}
	if found != nil {
		found.Earlier = true
	}
	return found
}

// bareUnit is the unit that an answer consists of, but for words like "of course".
func bareUnit(answer string) string {
	text := strings.Trim(strings.TrimSpace(answer), ".!? ")
	for _, word := range strings.Fields(text) {
		rest := strings.TrimSpace(strings.Replace(text, word, "", 1))
		units, written, n := unitAt(" " + strings.Trim(word, ",.!"))
		if len(units) == 0 || n != len(strings.Trim(word, ",.!"))+1 {
			continue
		}
		r := &reader{text: rest, language: languageOf(text)}
		r.document()
		r.parse()
		if len(rest) == 0 || !slices.ContainsFunc(r.list, func(n *node) bool { return n.kind != "comma" && n.kind != "stop" }) {
			return written
		}
	}
	return ""
}

// bareNumbers are where the numbers without a unit end in a sentence.
func bareNumbers(sentence string) (ends []int) {
	r := &reader{text: sentence, language: languageOf(sentence)}
	for _, n := range lex(sentence, r.language == German, nil) {
		if a := n.amount(); n.kind == "amount" && len(a.units) == 0 && a.written == "" && a.slip == "" && a.doubt == "" {
			ends = append(ends, n.end)
		}
	}
	return ends
}
