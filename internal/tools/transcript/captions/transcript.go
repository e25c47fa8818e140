// Package captions turns captions and transcripts of speech into text that
// reads well: SubRip (SRT), WebVTT, SubViewer (SBV), plain text, with and
// without speakers. It takes away what nobody said (timestamps, cue numbers,
// markup, sound tags, lines that roll-up captions show again) and what a person
// who cleans a transcript takes away (hesitations, false starts, stuttered
// words), and mends broken lines and sentence case. It adds no word, and every
// content word, number, name and turn of a speaker stays. Where it is not sure
// whether a word is a filler, it stays. Text in a language that it does not know
// keeps all its words.
package captions

import "maps"

// Formats that Clean tells apart.
const (
	FormatSRT   = "srt"
	FormatVTT   = "vtt"
	FormatSBV   = "sbv"
	FormatPlain = "plain"
)

// Kinds of what is removed, as Report.Removed counts them.
const (
	Timestamps     = "timestamps"
	CueNumbers     = "cue_numbers"
	Markup         = "markup"
	SoundTags      = "sound_tags"
	DuplicateLines = "duplicate_lines" // of roll-up captions
	Fillers        = "fillers"
	FalseStarts    = "false_starts" // words that were broken off
	Repeats        = "repeats"      // words and phrases that were said twice in a row
)

// Report says what Clean found and did.
type Report struct {
	Format    string         `json:"format"`
	Languages []string       `json:"languages"` // ISO 639-1, that of most words first; empty when none is known
	Turns     int            `json:"turns"`     // paragraphs of the result
	Words     int            `json:"words"`     // of the result
	Removed   map[string]int `json:"removed"`   // by kind
	AllCaps   bool           `json:"all_caps"`  // the text was in capitals throughout
}

// passes bounds how often the result is cleaned again: taking a word away can
// bring two equal ones together. Two are enough for nearly every text.
const passes = 4

// Clean cleans a transcript. The result is empty when nothing was said in it,
// and cleaning it again changes nothing. Turns are paragraphs, parted by an
// empty line: "Name: text", or "– text" of a speaker without a name.
func Clean(text string) (string, Report) {
	out, report := once(text)
	for range passes {
		again, more := once(out)
		if again == out {
			break
		}
		for kind, n := range more.Removed {
			report.Removed[kind] += n
		}
		report.Turns, report.Words = more.Turns, more.Words
		out = again
	}
	return out, report
}

// state is what one pass counts.
type state struct {
	removed  map[string]int
	oneDigit bool              // times of cues are not padded to two digits
	learned  map[string]string // names of this transcript: lower case to their own
}

func (s *state) count(kind string, n int) {
	if n > 0 {
		s.removed[kind] += n
	}
}

func once(text string) (string, Report) {
	s := &state{removed: map[string]int{}, learned: map[string]string{}}
	format, turns := s.parse(text)
	doc := documentLanguage(turns)
	shouted := allCaps(turns)
	if shouted {
		s.learnNames(turns)
	}
	counts := map[string]int{}
	kept := turns[:0]
	for _, t := range turns {
		lang := t.language(doc)
		t.loud = shouted || t.shouted()
		s.fillers(&t, lang)
		s.repair(&t, lang)
		t.compact()
		if len(t.words) == 0 {
			continue
		}
		s.sentenceCase(&t, lang, t.loud)
		counts[lang] += len(t.words)
		kept = append(kept, t)
	}
	kept = merged(kept)
	report := Report{Format: format, Languages: ranked(counts), Turns: len(kept), Removed: maps.Clone(s.removed), AllCaps: shouted}
	for _, t := range kept {
		report.Words += len(t.words)
	}
	return render(kept), report
}
