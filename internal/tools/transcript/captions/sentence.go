package captions

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// abbreviations end with a full stop that ends no sentence.
var abbreviations = set(`mr mrs ms dr prof st vs etc cf no vol pp approx dept est fig inc ltd co corp jr sr rev gen sen gov capt lt sgt col hon ave blvd rd mt ft
	jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun
	bzw usw ca nr str hr fr evtl ggf inkl vgl dipl ing mio mrd tel abs art mme mlle mm av env ex sra srta ud uds sres dra núm pág ej aprox sig dott ing avv bijv enz dhr mevr`)

func capitalised(core string) string {
	r, size := utf8.DecodeRuneInString(core)
	return string(unicode.ToTitle(r)) + core[size:]
}

// sentenceCase begins sentences with capitals. Of a turn in capitals it keeps
// those of names and abbreviations that are known.
func (s *state) sentenceCase(t *turn, lang string, shouted bool) {
	if shouted {
		s.lower(t, lang)
	}
	for i := range t.words {
		w := &t.words[i]
		if lang == "en" {
			englishI(w)
		}
		if i == 0 || sentenceOver(&t.words[i-1]) && (w.lead == "" || strings.ContainsAny(w.lead, `"“«¿¡`)) {
			if plainWord(w.core) && !strings.ContainsAny(w.lead, "[(") {
				w.setCore(capitalised(w.core))
			}
		}
	}
}

// sentenceOver says whether a capital must follow. After a quotation the
// sentence around it may go on.
func sentenceOver(w *word) bool {
	last, _ := utf8.DecodeLastRuneInString(w.trail)
	return w.full() && (last == '.' || last == '?' || last == '!')
}

// plainWord says whether a word begins like any other: not iPhone, not an
// address, not a file.
func plainWord(core string) bool {
	r, _ := utf8.DecodeRuneInString(core)
	if !unicode.IsLower(r) || strings.ContainsAny(core, "@/\\_:=#") || strings.HasPrefix(core, "www.") {
		return false
	}
	if dot := strings.IndexByte(core, '.'); dot > 0 && !strings.Contains(core, "..") && len(core) > 3 {
		return false
	}
	return !strings.ContainsFunc(core, func(r rune) bool { return unicode.IsUpper(r) || unicode.IsDigit(r) })
}

func englishI(w *word) {
	if w.core == "i" || strings.HasPrefix(w.core, "i'") || strings.HasPrefix(w.core, "i’") {
		switch rest := strings.TrimLeft(w.core[1:], "'’"); rest {
		case "", "m", "ve", "d", "ll", "s":
			w.core = "I" + w.core[1:]
		}
	}
}

const (
	capsLetters = 20   // cased letters that a text needs before it counts as in capitals
	capsShare   = 0.85 // of them
)

func casedLetters(words []word) (upper, all int) {
	for i := range words {
		for _, r := range words[i].core {
			switch {
			case unicode.IsUpper(r):
				upper++
				all++
			case unicode.IsLower(r):
				all++
			}
		}
	}
	return upper, all
}

// allCaps says whether a whole text is in capitals, as live captions are.
func allCaps(turns []turn) bool {
	upper, all := 0, 0
	for _, t := range turns {
		u, a := casedLetters(t.words)
		upper, all = upper+u, all+a
	}
	return all >= capsLetters && float64(upper) >= capsShare*float64(all)
}

// shouted says it of one turn, of at least six words.
func (t *turn) shouted() bool {
	upper, all := casedLetters(t.words)
	return len(t.words) >= 6 && all >= capsLetters && upper == all
}

// lower makes a turn in capitals small, but for names and abbreviations.
func (s *state) lower(t *turn, lang string) {
	for i := range t.words {
		w := &t.words[i]
		upper := w.core
		small := strings.ToLower(w.core)
		switch name, known := s.nameOf(small); {
		case known:
			w.setCore(name)
		case measured(t.words[:i], small) != "":
			w.setCore(measured(t.words[:i], small))
		case initialism(upper, lang), small == "uh" && t.unit(i): // a hesitation, or microhenries
		case strings.ContainsAny(upper, "0123456789") && utf8.RuneCountInString(upper) <= 5 && !ordinal(small):
		default:
			w.setCore(small)
		}
	}
	s.phrasesOfNames(t)
}

// units are symbols that letters of one size hide. Where two prefixes differ by size
// alone, the larger one is meant: what is in megapascals is seldom in millipascals.
var units = func() map[string]string {
	m := map[string]string{}
	for _, symbol := range strings.Fields(`Hz kHz MHz GHz THz Pa hPa kPa MPa GPa N kN MN Nm kNm J kJ MJ W kW MW GW Wh kWh MWh GWh V kV mV A mA Ah mAh kA F µF nF pF
		dB km cm mm nm µm kg mg kt kB MB GB TB Mbit Gbit`) {
		m[strings.ToLower(symbol)] = symbol
	}
	for _, word := range []string{"a", "pa", "f", "n", "v", "j", "w"} {
		delete(m, word) // words and letters
	}
	return m
}()

// measured is the spelling of a unit in small letters: of one that follows a number,
// or ends one; "" for no unit.
func measured(before []word, small string) string {
	number := strings.TrimRight(small, "abcdefghijklmnopqrstuvwxyzµ")
	if number != "" {
		if symbol, ok := units[small[len(number):]]; ok && strings.ContainsAny(number, "0123456789") {
			return number + symbol
		}
		return ""
	}
	if n := len(before); n > 0 && before[n-1].hasDigit() && before[n-1].trail == "" {
		return units[small]
	}
	return ""
}

// ordinal knows 1st, 31ST and 90s, which are no abbreviations.
func ordinal(small string) bool {
	rest := strings.TrimLeft(small, "0123456789.,:")
	switch rest {
	case "", "st", "nd", "rd", "th", "s", "am", "pm", "h", "x", "km", "kg", "m", "cm", "mm", "'s":
		return true
	}
	return false
}

// initialism says whether a word in a text of capitals is an abbreviation:
// letters with stops, or no vowel among two to five letters.
func initialism(upper, lang string) bool {
	small := strings.ToLower(upper)
	if parts := strings.Split(strings.TrimSuffix(upper, "."), "."); len(parts) > 1 {
		if small == "a.m" || small == "p.m" || small == "e.g" || small == "i.e" || small == "z.b" || small == "d.h" || small == "u.a" {
			return false
		}
		for _, p := range parts {
			if utf8.RuneCountInString(p) != 1 {
				return false
			}
		}
		return true
	}
	n := utf8.RuneCountInString(upper)
	return n >= 2 && n <= 5 && (&word{core: upper}).letters() && !strings.ContainsAny(small, "aeiouyäöüáéíóúàèìòùâêîôûœæ'’") &&
		!abbreviations[small] && !set("hm hmm shh pst brr tsk nth km kg cm mm mph kmh")[small] && !functionWords[lang][small]
}
