package statistics

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/internal/stat"
)

// eventWords are pairs of words of which the second is the event: what is asked for,
// or what is more. They are compared in lower case.
var eventWords = [][2]string{
	{"no", "yes"}, {"n", "y"}, {"false", "true"}, {"f", "t"}, {"0", "1"}, {"failure", "success"}, {"fail", "success"}, {"failed", "success"},
	{"failed", "succeeded"}, {"fail", "pass"}, {"failed", "passed"}, {"negative", "positive"}, {"neg", "pos"}, {"-", "+"}, {"absent", "present"},
	{"off", "on"}, {"low", "high"}, {"bad", "good"}, {"control", "case"}, {"healthy", "sick"}, {"alive", "dead"}, {"survived", "died"},
	{"nein", "ja"}, {"non", "oui"}, {"no", "sí"}, {"no", "si"}, {"não", "sim"}, {"nee", "ja"}, {"nej", "ja"}, {"nie", "tak"}, {"нет", "да"},
	{"falsch", "wahr"}, {"niedrig", "hoch"}, {"negativ", "positiv"},
}

// inOrder puts two sorted levels of a target into order, the event second: as their words
// tell, else without regard to case.
func inOrder(a, b string) (other, event string) {
	low := [2]string{strings.ToLower(strings.TrimSpace(a)), strings.ToLower(strings.TrimSpace(b))}
	switch {
	case slices.Contains(eventWords, low):
		return a, b
	case slices.Contains(eventWords, [2]string{low[1], low[0]}):
		return b, a
	case low[0] > low[1] && !stat.IsNumber(a):
		return b, a
	}
	return a, b
}

// eventSays names the event of a logistic regression, and what the quoted features do
// to its odds.
func (r *fitted) eventSays() string {
	if r.in.Operation != logisticOperation || r.glm == nil {
		return ""
	}
	event := r.model.event
	if event == "" {
		event = "1"
	}
	text := fmt.Sprintf(" The event is %s = %s (%.6g of %.6g).", r.in.Target, event, r.glm.Events, r.glm.N)
	var parts []string
	for _, name := range r.significant() {
		b := r.coef[slices.Index(r.names, name)]
		if how := "raises"; len(parts) < shownTerms && number(b).defined() {
			if b < 0 {
				how = "lowers"
			}
			parts = append(parts, fmt.Sprintf("%s %s its odds (by a factor of %.3g per unit)", name, how, math.Exp(b)))
		}
	}
	if len(parts) == 0 {
		return text
	}
	return text + " " + strings.Join(parts, "; ") + "."
}
