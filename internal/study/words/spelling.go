package words

import (
	"slices"
	"strings"
	"unicode/utf8"

	"atelier/internal/agent/materials"
	"atelier/internal/contract"
	"atelier/internal/material"
)

// spelled are words that the lexicon has and that this one differs from in a slip of a key:
// the first letter is the same, and one letter is lacking, too many, another or exchanged.
// Only words that mean something are put right, and the reading says so.
func spelled(word, language string) (right string, concepts []string) {
	low := strings.ToLower(word)
	if n := utf8.RuneCountInString(low); n < 4 {
		return "", nil
	}
	for _, index := range lexicon()[language].exact {
		for _, e := range index {
			known := e.words[0]
			if len(e.words) != 1 || slices.Contains(e.concepts, "filler") || len(known) < 5 || known[0] != low[0] {
				continue
			}
			least := 6
			if len(known) == len(low)+1 {
				least = 4 // a letter is lacking
			}
			if len(low) == len(known) && !exchanged(low, known) {
				continue // section is no slip of suction
			}
			if len(low) < 6 && !slippedVowel(low, known) {
				continue // a timer is no timber
			}
			if len(low) >= least && contract.Distance(low, known) == 1 && (right == "" || known < right) {
				right, concepts = known, e.concepts
			}
		}
	}
	return right, concepts
}

// metals are names of materials that are looked for where a word is misspelt.
var metals = []string{"aluminium", "aluminum", "titanium", "stainless", "copper", "concrete"}

// corrected puts slips right, and finds the materials whose names look like a part of a
// circuit: C45.
func (r *reader) corrected(nodes []*node) {
	tables := slices.ContainsFunc(r.in.Files, func(f File) bool { return isTableFile(f.Name) })
	for _, n := range nodes {
		if n.kind == "unit" {
			n.use()
			r.assume("Figures are told in SI units with usual prefixes, not in %s.", "Größen werden in SI-Einheiten mit üblichen Vorsätzen angegeben, nicht in %s.", n.text)
		}
		if n.kind != "word" {
			continue
		}
		if strings.ContainsAny(n.text, "0123456789") {
			if row, _ := material.Find(n.text); row != nil {
				if m, ok := materials.Find(row.Name); ok {
					n.kind, n.val = "material", m
				}
			}
			continue
		}
		if tables {
			continue
		}
		if right, concepts := spelled(n.text, r.language); right != "" {
			r.assume("%q is read as %q.", "%q wird als %q gelesen.", n.text, right)
			n.kind, n.also = concepts[0], concepts[1:]
			continue
		}
		for _, name := range metals {
			if low := strings.ToLower(n.text); len(low) > 6 && low[0] == name[0] && contract.Distance(low, name) == 1 {
				if m, ok := materials.Find(name); ok {
					r.assume("%q is read as %q.", "%q wird als %q gelesen.", n.text, name)
					n.kind, n.val = "material", m
				}
			}
		}
	}
}

// exchanged says whether two words of one length have the same letters.
func exchanged(a, b string) bool {
	x, y := []byte(a), []byte(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// slippedVowel says whether a short word lacks a vowel or a doubled letter of another; where
// any letter else is lacking, the two are as likely two words.
func slippedVowel(short, known string) bool {
	if len(known) != len(short)+1 {
		return false
	}
	for i := range known {
		if known[:i]+known[i+1:] == short {
			return strings.ContainsRune("aeiou", rune(known[i])) || i > 0 && known[i] == known[i-1]
		}
	}
	return false
}
