package captions

import (
	"strings"
	"testing"
)

// meant are sentences whose doubled words, letters, units and corrections are part of what
// is said: each is grammatical, or means something else without them. They stay as they are.
var meant = []string{
	// a unit stands behind its number: micrometre, ampere-hour, microhenry, hectometre
	"The wavelength is 10 um. The battery is 5 Ah.", "It is 5 um thick, and the coil has 3 uH.", "They are 4 hm and 5 mm long.", "They are ten um thick.",
	// letters that are spelled, quantities, marks, names, gates
	"My code is A A B B 4 7, spelled a a r o n in the book.", "This is A A transpose, and it equals x x plus y y.", "The grades of the class were A-, A-, B-.", "It is spelled a- a- r- o- n.",
	"They saw The The in the town.", "This is an AND AND gate.", "It was after World War I I think.",
	// negations and numbers
	"The switch is not not closed.", "It is not, not closed.", "They sold twenty, twenty of them.", "They sold two two of them.",
	// pronouns, verbs and particles that end one clause and begin another
	"I told you you were right.", "I told you, you were right.", "I told you you're right.", "They gave it it was said.", "That is what it is is it?", "What it is, is this.",
	"You log in in the morning.", "You log in, in the morning.", "They come in in 5 minutes.", "He turned it on on the day.", "Will will will it to Will.", "It was what it was was it not?",
	"They know that that is so.", "It is made of of course the same.", "So did I I think.", "What you do you do well.", "When it rains, it rains hard.", "If you go, you go alone.",
	"I know I know nothing of it.", "What is, what is not is in the book.", "It went over and over and then again.", "They went on and on and on.",
	// words that a speaker corrects himself with
	"Set it to 50, I mean, 500 volts.", "Turn left, I mean, right.", "It was 50. I mean, it was 500 volts.", "Set it to 50. I mean, 500 volts.",
}

func TestWhatIsMeantStays(t *testing.T) {
	for _, said := range meant {
		given := "Xx: " + strings.TrimSpace(inEnglish) + "\n\nYy: " + said
		if got, report := Clean(given); got != given {
			t.Errorf("%v\ngiven %q\ngot   %q", report.Languages, given, got)
		}
	}
	for tail, list := range map[string][]string{
		inGerman:     {"Was wir haben haben wir.", "Er kommt um um acht zu essen.", "Es ist nicht nicht wahr.", "Das sagt von von der Leyen.", "Er macht mit mit dem Hut."},
		inFrench:     {"C'est la politique de de Gaulle.", "Ce que c'est c'est la vie.", "Son son est bon.", "Il en parle en en riant."},
		inSpanish:    {"Se para para ver, y como como quiero.", "Son 50, o sea, 500 voltios."},
		inPortuguese: {"São 50, quer dizer, 500 volts."},
	} {
		for _, said := range list {
			given := "Xx: " + strings.TrimSpace(tail) + "\n\nYy: " + said
			if got, report := Clean(given); got != given {
				t.Errorf("%v\ngiven %q\ngot   %q", report.Languages, given, got)
			}
		}
	}
}

// Capitals hide whether "5 UH" is microhenries or a hesitation: it stays, also when the
// text is cleaned again.
func TestUnitsThatCapitalsHideStay(t *testing.T) {
	const given = "THE FILM IS 10 UM THICK AND THE COIL IS 5 UH. THE BATTERY OF IT IS 5 AH."
	const want = "The film is 10 um thick and the coil is 5 UH. The battery of it is 5 Ah."
	if got, _ := Clean(given); got != want {
		t.Errorf("%s", got)
	}
}

// What no grammar doubles goes still: an article has no noun without the second one, and
// a clause that is begun again at the beginning of a sentence says the same once.
func TestStuttersGo(t *testing.T) {
	for given, want := range map[string]string{
		"I I think of of the the bridge and and the river.":       "I think of the bridge and the river.",
		"It's it's on the on the hill, because because we we go.": "It's on the hill, because we go.",
		"We went, we went to the, the shop.":                      "We went to the shop.",
		"It was a, a bridge, and I, I saw it.":                    "It was a bridge, and I saw it.",
		"We had 5 uh bridges and, um, 6 of them.":                 "We had 5 bridges and 6 of them.",
		"So, I mean, we won. I mean, it was late.":                "So, we won. It was late.",
	} {
		head := "Xx: " + strings.TrimSpace(inEnglish) + "\n\nYy: "
		if got, _ := Clean(head + given); got != head+want {
			t.Errorf("given %q\ngot   %q\nwant  %q", given, got, want)
		}
	}
}
