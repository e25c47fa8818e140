package captions

import (
	"regexp"
	"strconv"
	"strings"
)

// cue is what a caption shows at one time.
type cue struct {
	from, to float64 // seconds
	lines    []string
}

// untimed says that it is the text before the first time.
func (c *cue) untimed() bool { return c.from == 0 && c.to == 0 }

var (
	clock     = `((?:\d{1,3}:)?\d{1,2}:\d{2}(?:[.,]\d{1,3})?)`
	unpadded  = `((?:\d{1,3}:)?\d{1,2}:\d{1,2}(?:[.,]\d{1,3})?)`
	timing    = regexp.MustCompile(`^\s*` + unpadded + `\s*-->\s*` + unpadded + `(?:\s.*)?$`)
	oneDigit  = regexp.MustCompile(`:\d(?:[:.,\s]|$)`) // as Teams writes times
	timingSBV = regexp.MustCompile(`^\s*(\d{1,2}:\d{2}:\d{2}\.\d{3}),(\d{1,2}:\d{2}:\d{2}\.\d{3})\s*$`)
	digits    = regexp.MustCompile(`^\s*\d+\s*$`)
)

// timed reads a line that says from when to when a cue is shown.
func timed(line string) (from, to float64, sbv, ok bool) {
	if !strings.Contains(line, ":") { // most lines
		return 0, 0, false, false
	}
	if strings.Contains(line, "-->") {
		if m := timing.FindStringSubmatch(line); m != nil {
			return seconds(m[1]), seconds(m[2]), false, true
		}
		return 0, 0, false, false
	}
	if m := timingSBV.FindStringSubmatch(line); m != nil {
		return seconds(m[1]), seconds(m[2]), true, true
	}
	return 0, 0, false, false
}

func seconds(text string) float64 {
	total := 0.0
	for _, part := range strings.Split(strings.ReplaceAll(text, ",", "."), ":") {
		n, _ := strconv.ParseFloat(part, 64) // the pattern lets only numbers through
		total = total*60 + n
	}
	return total
}

// captions reads SRT, WebVTT and SBV; ok is false for any other text.
func (s *state) captions(lines []string) (format string, cues []cue, ok bool) {
	vtt := len(lines) > 0 && strings.HasPrefix(lines[0], "WEBVTT") && (len(lines[0]) == 6 || lines[0][6] == ' ' || lines[0][6] == '\t')
	format = FormatSRT
	if vtt {
		format = FormatVTT
	}
	skipping := vtt // the header, and blocks that are not shown
	blank := true
	for i, line := range lines {
		from, to, sbv, isTime := timed(line)
		switch {
		case isTime:
			if sbv {
				format = FormatSBV
			}
			s.count(Timestamps, 1)
			s.oneDigit = s.oneDigit || oneDigit.MatchString(line)
			cues = append(cues, cue{from: from, to: to})
			skipping = false
		case strings.TrimSpace(line) == "":
			skipping = false
		case vtt && blank && hiddenBlock(line):
			skipping = true
		case skipping:
		case s.identifies(lines, i, blank, vtt, len(cues)):
			s.count(CueNumbers, 1)
		case len(cues) > 0:
			c := &cues[len(cues)-1]
			c.lines = append(c.lines, line)
		default: // text before the first cue
			cues = append(cues, cue{lines: []string{line}})
		}
		blank = strings.TrimSpace(line) == ""
	}
	return format, cues, vtt || s.removed[Timestamps] > 0
}

func hiddenBlock(line string) bool {
	for _, name := range []string{"NOTE", "STYLE", "REGION"} {
		if rest, ok := strings.CutPrefix(line, name); ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			return true
		}
	}
	return false
}

// identifies says whether line i is the name of the cue whose times follow: a
// number, or in WebVTT any line after an empty one.
func (s *state) identifies(lines []string, i int, blank, vtt bool, seen int) bool {
	if i+1 >= len(lines) {
		return false
	}
	if _, _, _, next := timed(lines[i+1]); !next {
		return false
	}
	if !digits.MatchString(lines[i]) {
		return vtt && blank
	}
	n, err := strconv.Atoi(strings.TrimSpace(lines[i]))
	return blank || err == nil && (n == seen+1 || n == seen)
}

// fewestHeads is from how many cues on a first line is taken for a name because
// every cue has one and they recur.
const fewestHeads = 4

// headed says whether every cue begins with a line that names its speaker, as in
// the transcripts of Teams.
func (s *state) headed(cues []cue) bool {
	names, n := map[string]bool{}, 0
	for _, c := range cues {
		if len(c.lines) == 0 || c.untimed() {
			continue
		}
		name, _, _ := strings.Cut(c.lines[0], "(")
		if len(c.lines) < 2 || !titled(strings.ReplaceAll(name, ",", "")) || finished(c.lines[0]) {
			return false
		}
		names[c.lines[0]] = true
		n++
	}
	return n > 0 && (s.oneDigit || n >= fewestHeads && 2*len(names) <= n)
}

// Roll-up captions show a line again while the next one comes in. They are told
// by how often that happens.
const (
	rollUpShare  = 0.3
	rollUpPairs  = 2
	rollUpGap    = 2.0 // s; after a longer pause a line is said again, not shown again
	repeatedText = 4   // words of a whole cue that is shown twice without a pause
)

// unrolled takes away what a cue repeats of the one before it.
func (s *state) unrolled(cues []cue) []cue {
	pairs, overlapping := 0, 0
	for i := 1; i < len(cues); i++ {
		if cues[i].from-cues[i-1].to > rollUpGap || len(cues[i].lines) == 0 || len(cues[i-1].lines) == 0 {
			continue
		}
		pairs++
		if n, grown := overlap(cues[i-1].lines, cues[i].lines); n > 0 || grown {
			overlapping++
		}
	}
	rolls := overlapping >= rollUpPairs && float64(overlapping) >= rollUpShare*float64(pairs)
	out := make([]cue, len(cues))
	copy(out, cues)
	for i := 1; i < len(cues); i++ {
		if cues[i].from-cues[i-1].to > rollUpGap {
			continue
		}
		n, grown := overlap(cues[i-1].lines, cues[i].lines)
		switch {
		case rolls && grown:
			before := &out[i-1]
			if len(before.lines) > 0 {
				before.lines = before.lines[:len(before.lines)-1]
				s.count(DuplicateLines, 1)
			}
		case rolls || whole(cues[i-1], cues[i], n):
			out[i].lines = cues[i].lines[n:]
			s.count(DuplicateLines, n)
		}
	}
	return out
}

// whole says whether a cue of some length is the one before it once more.
func whole(a, b cue, same int) bool {
	return same > 0 && same == len(b.lines) && same == len(a.lines) && b.from-a.to < 0.05 &&
		len(strings.Fields(strings.Join(b.lines, " "))) >= repeatedText
}

// overlap is how many lines at the end of a stand at the beginning of b too.
// grown says that the last line of a goes on in the first one of b, as captions
// do that come word by word.
func overlap(a, b []string) (n int, grown bool) {
	for k := min(len(a), len(b)); k > 0; k-- {
		same := true
		for i := range k {
			if a[len(a)-k+i] != b[i] {
				same = false
				break
			}
		}
		if same {
			return k, false
		}
	}
	if len(a) == 1 && len(b) >= 1 && strings.HasPrefix(b[0], a[0]+" ") {
		return 0, true
	}
	return 0, false
}
