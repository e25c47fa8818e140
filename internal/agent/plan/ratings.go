package plan

import (
	"fmt"
	"regexp"
	"strings"

	"atelier/internal/quantity"
)

// kindsOfParts are what parts are made of and sold as, beside their ratings.
const kindsOfParts = `(?:x[4-8][p-v]|c0g|cog|np0|y5v|z5u|mkp|mkt|mks|mlcc|smd|ceramic|film|foil|electrolytic|tantalum|polyester|polypropylene|metal|carbon|thick|thin|wirewound)`

var (
	ratingGap    = regexp.MustCompile(`^(?: ?([/(@])| ?-)? ?(?:(` + kindsOfParts + `)[ ,/-]*)*$`)
	ratingBefore = regexp.MustCompile(`\b(?:rated|ratings?|withstand(?:s|ing)?|max(?:imum)?\.?)(?: (?:voltage|current))?(?: ?(?:of|at|for|to|is|:|=))* ?$`)
	ratingBehind = regexp.MustCompile(`^[ -]?(?:(?:rated|ratings?|types?|max(?:imum)?)\b|(?:(?:` + kindsOfParts + `)[ -])*(?:resistor|capacitor|cap|inductor|coil|electrolytic)s?\b)`)
	sourceRated  = regexp.MustCompile(`\b(?:source|supply|battery|input|generator)(?: (?:is|was))?(?: of)? (?:rated|max(?:imum)?\.?)[^,;]*$|\b(?:in|out)put[^,;]{0,12}$`)
	ratedSource  = regexp.MustCompile(`^[ -]?(?:rated|max(?:imum)?|type) (?:source|supply|battery|input|step|jump)\b`)
	drivesBehind = regexp.MustCompile(`^ (?:dc |ac |rms )?(?:supply|source|input|battery|steps?|jumps?|cell|generator|signal|sine|at the input)\b|^ at \d[\d.]* ?[kmg]?(?:hz|hertz|rad)\b`)
	anySource    = regexp.MustCompile(`\bcut-?off|\bcorner|\b-?3 ?db\b|\bbandwidth\b|\btime constant|\bgain\b|\bphase\b`)
)

// ratings takes the voltages and currents that belong to a part, 100 nF/63 V, out of
// those of the source, and tells that they are not used.
func (s *schematic) ratings() {
	var end int // of the latest part or rating
	var of *part
	for i := range s.items {
		it := &s.items[i]
		if it.class != classQuantity || it.err != nil {
			continue
		}
		for _, p := range s.parts {
			if p.end <= it.start && p.end > end {
				end, of = p.end+len(nounBehind.FindString(s.text[p.end:])), p
			}
		}
		volts := it.is(quantity.Voltage)
		next := s.partAt(it.end)
		behind := of != nil && end <= it.start && ratingGap.MatchString(s.text[end:it.start])
		switch {
		case !volts && !it.is(quantity.Current):
			if behind && (it.is(quantity.Power) || strings.HasSuffix(s.text[it.start:it.end], "%")) {
				end = it.end // one more may follow
			}
			continue
		case !s.rated(it) && !behind && next == nil:
			continue
		case s.rated(it) || !volts:
		default:
			if !behind {
				of, end = next, it.end
			}
			sure, source := s.ratingOf(of, it, behind, end)
			if source {
				continue
			}
			if !sure {
				s.plan.ask(it.start, "value", fmt.Sprintf("Is %q the rating of a part, or the voltage of the source? Write of a rating \"rated %[1]s\", of the other \"source of %[1]s\".", s.cased[it.start:it.end]), "RC low-pass with R = 1 kOhm and C = 1 uF, source of 5 V")
				return
			}
		}
		end = it.end
		s.rating(it)
	}
}

// rated says whether the words beside a quantity make it a rating.
func (s *schematic) rated(it *item) bool {
	before, after := s.text[:it.start], s.text[it.end:]
	switch {
	case ratingBefore.MatchString(before) && !sourceRated.MatchString(before):
		s.before(it.start, ratingBefore)
	case ratingBehind.MatchString(after) && !ratedSource.MatchString(after) && !chargedWord.MatchString(s.text):
		if m := ratingBehind.FindString(after); !nounBehind.MatchString(" " + m[1:]) {
			s.use(it.end, it.end+len(m))
		}
	default:
		return false
	}
	return true
}

// partAt is the part whose value stands behind a slash at a place: 63 V/100 nF.
func (s *schematic) partAt(at int) *part {
	for _, p := range s.parts {
		if p.kind != 'r' && p.start >= at && strings.TrimSpace(s.text[at:p.start]) == "/" {
			return p
		}
	}
	return nil
}

// ratingOf says whether a voltage beside the value of a part is surely its rating, and
// whether it is surely the source's.
func (s *schematic) ratingOf(of *part, it *item, behind bool, end int) (sure, source bool) {
	slash, mark := !behind, !behind
	if behind {
		m := ratingGap.FindStringSubmatch(s.text[end:it.start])
		slash = m[1] == "/" || m[1] == "@" || m[2] != ""
		mark = slash || m[1] == "(" && closing.MatchString(s.text[it.end:])
	}
	if drivesBehind.MatchString(s.text[it.end:]) || stepBefore.MatchString(s.text[:it.start]) || !mark && of.kind == 'r' {
		return false, true
	}
	if !slash && chargedWord.MatchString(s.text) {
		return false, false // the capacitor's charge, perhaps
	}
	other := anySource.MatchString(s.text) && !dividing.MatchString(s.text)
	for _, v := range s.volts {
		other = other || v.start != it.start && (supplyNamed.MatchString(s.text[:v.start]) || drivenBy.MatchString(s.text[:v.start]) || drivesBehind.MatchString(s.text[v.end:]))
	}
	return other || mark && of.kind != 'r', false
}

var (
	closing    = regexp.MustCompile(`^ ?[),/]`)
	drivenBy   = regexp.MustCompile(`\b(?:at|on|from) (?:an? )?$`)
	stepBefore = regexp.MustCompile(`\b(?:source|supply|step|input) of $`)
)

// rating takes a quantity as one that belongs to a part.
func (s *schematic) rating(it *item) {
	s.use(it.start, it.end)
	s.plan.leave(strings.TrimSpace(s.cased[it.start:it.end]))
	var volts []amount
	for _, v := range s.volts {
		if v.start != it.start {
			volts = append(volts, v)
		}
	}
	s.volts = volts
}
