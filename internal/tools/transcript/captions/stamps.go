package captions

import (
	"math"
	"regexp"
	"strings"
)

// stamp is a time that a line begins with, or that follows a name.
type stamp struct {
	at    float64 // seconds, of minutes and seconds where there are two numbers
	words int     // said until the next one
}

// clocks says which times of a text without cues tell when something was said.
// All others are part of what was said: scores, an agenda, departures.
type clocks struct {
	leading bool // those that lines begin with
	named   bool // those behind a name that stands alone in its line
}

func readClocks(lines []string) clocks {
	var lead, behind []stamp
	var current *stamp
	all, labels, first, headed := 0, 0, false, true
	for _, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		all++
		if at := strings.IndexByte(line, ':'); at >= 0 {
			if m := leads(line, at); m != "" {
				rest := line[strings.Index(line, m)+len(m):]
				lead = append(lead, stamp{at: seconds(m)})
				current, first = &lead[len(lead)-1], first || all == 1
				if l := label.FindStringSubmatch(strings.TrimSpace(rest)); l != nil && titled(spokenName(l[1]+l[2])) {
					labels++
				}
				current.words = saidIn(rest)
				continue
			}
			if m := named.FindStringSubmatch(line); m != nil && titled(m[1]) {
				headed = headed && (len(behind) == 0 || behind[len(behind)-1].words > 0)
				behind = append(behind, stamp{at: seconds(m[2])})
				current, first = &behind[len(behind)-1], first || all == 1
				continue
			}
		}
		if current != nil {
			current.words += saidIn(line)
		}
	}
	const fewest = 3
	n := len(behind)
	return clocks{
		leading: len(lead) >= fewest && 5*len(lead) >= 2*all && recorded(lead, first, 2*labels > len(lead)),
		named:   n > 0 && headed && behind[n-1].words > 0 && recorded(behind, first, true),
	}
}

var firstClock = regexp.MustCompile(clock)

// leads is the time that a line begins with, or consists of; "" for none. The
// first colon is at colon.
func leads(line string, colon int) string {
	if colon >= 8 || !alone.MatchString(line) && !leadTime.MatchString(line) {
		return ""
	}
	return firstClock.FindString(line)
}

// saidIn is how many words a line has without its tags; two characters of a
// script without spaces count as one.
func saidIn(line string) int {
	n, dense := 0, 0
	for _, w := range strings.Fields(strings.Join((&state{removed: map[string]int{}}).untagged([]string{line}), " ")) {
		if k := len([]rune(w)); strings.ContainsFunc(w, spaceless) {
			dense += k
			continue
		}
		n++
	}
	return n + (dense+1)/2
}

// What the times of a recording look like.
const (
	atTheStart = 30.0 // s; a recording begins about zero
	roundTimes = 5.0  // s; an agenda, a timetable has multiples of it
	slowest    = 0.25 // words a second, pauses included
	fastest    = 8.0
)

// recorded says whether times are those of a recording that runs: they never fall,
// begin at zero or with the text and are not all round, and what was said between
// them takes about as long. wall says that they may also be hours and minutes.
func recorded(stamps []stamp, first, wall bool) bool {
	said, took, round := 0, 0.0, true
	for i, s := range stamps {
		round = round && math.Mod(s.at, roundTimes) == 0
		if i == 0 {
			continue
		}
		step := s.at - stamps[i-1].at
		if step < 0 {
			return false
		}
		if words := stamps[i-1].words; words > 0 {
			said, took = said+words, took+step
		}
	}
	if stamps[0].at > atTheStart && (!first || round || len(stamps) < 2) {
		return false
	}
	spoken := func(seconds float64) bool {
		return float64(said) >= slowest*seconds && float64(said) <= fastest*(seconds+1)
	}
	return said == 0 || spoken(took) || wall && spoken(60*took)
}
