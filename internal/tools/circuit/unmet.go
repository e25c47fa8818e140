package circuit

import (
	"fmt"
	"regexp"
	"strings"

	"atelier/internal/evidence"
)

var (
	whenPattern  = regexp.MustCompile(`(?i)\b(?:when|trig|targ)\s+(\S+?\([^()]*\)|\S+?)\s*(?:=|\s+val\s*=)\s*(\S+)`)
	countPattern = regexp.MustCompile(`(?i)\b(?:rise|fall|cross)\s*=\s*\S+`)
)

// unmet says of a measurement that found nothing what did not happen; "" for one
// with a value.
func (r *reading) unmet() string {
	if r.value != nil {
		return ""
	}
	m := whenPattern.FindStringSubmatch(r.command)
	if m == nil {
		return fmt.Sprintf("%s: the simulator found no value for %q in the run.", r.key, clip(r.command))
	}
	text := fmt.Sprintf("%s: %s never reaches %s in the run", r.key, m[1], m[2])
	if count := countPattern.FindString(r.command); count != "" {
		text += fmt.Sprintf(" for %s", count)
	}
	if strings.Contains(strings.ToLower(r.command), "targ") {
		text = fmt.Sprintf("%s: of %q at least one is never reached in the run", r.key, clip(r.command))
	}
	if p, ok := parseProbe(m[1]); ok && r.over != nil && !r.over.complex {
		if v, has := p.of(r.over); has {
			lo, hi := bounds(v.re)
			text += fmt.Sprintf("; %s goes from %s to %s", m[1], format5(lo), format5(hi))
		}
	}
	return text + "."
}

// unmet fails the measurements that found nothing: without them the answer is not
// whole.
func (j *judgement) unmet() {
	for i := range j.readings {
		r := &j.readings[i]
		why := r.unmet()
		if outside, _ := r.outside(); why == "" || outside != "" {
			continue // told already
		}
		j.Check(evidence.Holds("measurement_found", evidence.Bounds, r.at, false, why+" Lengthen the analysis, or measure at a level that is reached."))
	}
}
