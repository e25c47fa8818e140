package captions

import (
	"slices"
	"strings"
	"unicode"
)

// longestTag is the most words that a sound tag has.
const longestTag = 8

// untagged takes sound tags out of the lines of one turn: [Music], (laughs),
// *applause*. A tag may go over a line's end.
func (s *state) untagged(lines []string) []string {
	text := strings.Join(lines, "\n")
	if !strings.ContainsAny(text, "[(*（【") {
		return lines
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		end, square := 0, false
		if strings.IndexByte("[(*\xef\xe3", text[i]) >= 0 { // the last two begin （ and 【
			end, square = bracket(text, i)
		}
		if end > 0 && soundTag(strings.Trim(text[i:end], "[]()*（）【】"), square) {
			s.count(SoundTags, 1)
			b.WriteByte(' ')
			i = end
			if i < len(text) && strings.ContainsRune(".,;:", rune(text[i])) && (b.Len() < 2 || strings.HasSuffix(b.String()[max(0, b.Len()-2):], "\n ")) {
				i++ // the punctuation of a tag that stood alone
			}
			continue
		}
		b.WriteByte(text[i])
		i++
	}
	var kept []string
	for _, line := range strings.Split(b.String(), "\n") {
		if strings.TrimSpace(line) != "" {
			kept = append(kept, line)
		}
	}
	return kept
}

var brackets = [][2]string{{"[", "]"}, {"(", ")"}, {"*", "*"}, {"（", "）"}, {"【", "】"}}

// bracket finds the end of the bracket that begins at i; 0 for none. square
// says that it is one of those in which little else than tags stands.
func bracket(text string, i int) (end int, square bool) {
	const most = 120 // bytes
	rest := text[i:min(len(text), i+most)]
	for _, pair := range brackets {
		open, closing := pair[0], pair[1]
		if !strings.HasPrefix(rest, open) {
			continue
		}
		at := strings.Index(rest[len(open):], closing)
		if at <= 0 || open != "*" && strings.Contains(rest[len(open):len(open)+at], open) {
			return 0, false
		}
		return i + len(open) + at + len(closing), open == "[" || open == "【"
	}
	return 0, false
}

// untrailed takes sound tags, and notes of what was not understood, off the end
// of a line.
func untrailed(line string) string {
	for {
		line = strings.TrimRight(line, " ")
		at := strings.LastIndexAny(line, "[(")
		if at < 0 {
			return line
		}
		end, square := bracket(line, at)
		if end != len(line) || !soundTag(line[at+1:end-1], square) && !unheard(strings.ToLower(line[at+1:end-1])) {
			return line
		}
		line = line[:at]
	}
}

// soundTag says whether what stands in brackets is a sound. In square brackets
// one word of the vocabulary is enough, in others every word must be of it. A
// note that something was said and not understood is none: the words that are
// missing may turn the meaning, so that the reader has to know of them.
func soundTag(inside string, square bool) bool {
	inside = strings.ToLower(strings.TrimSpace(inside))
	if unheard(inside) {
		return false
	}
	if babble(tagWords(inside)) || square && strings.Trim(inside, "_ \u00a0.…-") == "" {
		return true // [indistinct chatter]; [ __ ]: a word that the service hides
	}
	words := tagWords(inside)
	if len(words) == 0 || len(words) > longestTag {
		return false
	}
	sounds, around, other := 0, 0, 0
	for _, w := range words {
		switch {
		case soundWords[w] || soundStem(w):
			sounds++
		case soundContext[w] || strings.Trim(w, "0123456789") == "":
			around++
		default:
			other++
		}
	}
	if sounds == 0 && other+around > 0 {
		return square && len(words) >= 2 && len(words) <= 5 && other+around == len(words) && strings.HasSuffix(words[len(words)-1], "ing") && !strings.ContainsFunc(inside, unicode.IsDigit)
	}
	return other == 0 || square
}

func tagWords(inside string) []string {
	return strings.FieldsFunc(inside, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",.;:!?-–—'’/", r) })
}

// unheard says whether a note in brackets, in small letters, tells of words that
// could not be understood, be it because several spoke at once.
func unheard(inside string) bool {
	words := tagWords(inside)
	return len(words) <= longestTag && slices.ContainsFunc(words, misheard) && !babble(words)
}

func misheard(w string) bool {
	return unheardWords[w] || slices.ContainsFunc(unheardStems, func(stem string) bool { return strings.HasPrefix(w, stem) })
}

// babble says whether a note is of a crowd that nobody is meant to understand,
// and not of words that it drowned.
func babble(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return crowdWords[w] }) && slices.ContainsFunc(words, misheard) && !slices.Contains(words, "over")
}

// unheardStems and unheardWords are what transcribers write in the languages
// whose fillers are known.
var unheardStems = strings.Fields(`inaud unintellig inintel indistin crosstalk overlapp garbl incomprehens incompréhens incompreens incomprens
	unverständl unverstaendl unhörbar undeutlich durcheinander überlapp ininteligib ininteligív inudibil imperceptív imperceptib sovrappo
	onverstaanbaar onhoorbaar onduidelijk solapa sobrepo superpos chevauch`)

var (
	unheardWords = set(`cross unclear unv udl indecipherable inentendible indescifrable incompris incomprise inaudito indecifrável`)
	crowdWords   = set(`chatter chattering conversations murmur murmurs murmuring announcement announcements singing
		gemurmel stimmengewirr brouhaha murmullo murmullos brusio burburinho geroezemoes`)
)

// soundStem knows the forms of the commonest sounds: laughs, laughing, laughter.
func soundStem(w string) bool {
	for _, stem := range []string{
		"laugh", "chuckl", "giggl", "applau", "clapp", "cheer", "cough", "sneez", "sniff", "sigh", "groan", "gasp", "scream", "shriek", "sob", "weep", "whistl",
		"hum", "mumbl", "murmur", "whisper", "snor", "yawn", "bark", "meow", "chirp", "howl", "thud", "beep", "buzz", "creak", "rustl", "clatter",
		"silenc",
		"lach", "gelächter", "applaus", "beifall", "klatsch", "jubel", "husten", "hustet", "seufz", "räusper", "kicher", "schmunzel", "schnauf", "weint", "geräusch",
		"rire", "riant", "applaudiss", "rumeur", "soupir", "soupire", "toux", "tousse", "musique", "chuchot", "bruit", "brouhaha",
		"risa", "risas", "aplaus", "carcajad", "suspir", "tos", "tose", "música", "ruido", "murmullo", "grit", "silencio",
		"risate", "ride", "applaus", "musica", "tosse", "sospir", "rumore", "gelach", "gelach", "applaus", "muziek", "lacht", "zucht", "hoest", "palmas", "suspir",
	} {
		if rest, ok := strings.CutPrefix(w, stem); ok && len(rest) <= 7 && (len(stem) > 3 || len(rest) <= 1) {
			return true
		}
	}
	return false
}

var soundWords = set(`music musik sound sounds noise noises sfx static ringing rings wailing wails slams slamming knocking knock honking honks
	siren sirens thunder explosion gunshot gunshots footsteps crying cries singing ovation bell bells pause blank_audio blank audio silence
	audience crowd chatter chattering speaking background foreground panting ding clears
	tic tac klingelt klingeln piept gesang stille atmet husten schritte donner sirene
	sonnerie rires pleure pleurs silence klaxon sirène toux
	risa risas risos tos llanto timbre sirena canto aplausos
	音楽 拍手 笑 笑い 笑声 音乐 掌声 笑声 موسيقى تصفيق ضحك музыка аплодисменты смех смеется смеётся`)

var soundContext = set(`a an the in on at of to and with by from as her his their its he she they it both all is are
	soft softly loud loudly upbeat dramatic tense gentle cheerful sad slow fast quiet quietly faint faintly light lightly heavy heavily deep deeply nervously
	playing plays continues stops starts ends fades begins intro outro theme opening closing distant instrumental classical electronic piano guitar
	door phone wind dog cat car engine bird birds baby man woman men women people child children bell alarm horn water rain throat foreign language video
	leise laut lauter dramatische sanfte fröhliche ruhige im hintergrund publikum alle beide telefon tür sich er sie es aus dem der die das und wind hund auto
	douce légère forte générique dans le la les de du des public foule salle porte téléphone en fond et un une il elle
	suave fuerte de del la el los las público puerta teléfono camión fondo y en un una alegre dramática risas
	di del della il lo la pubblico porta sottofondo op de het publiek achtergrond e do da ao fundo`)
