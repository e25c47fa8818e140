package contract

import (
	"strings"

	"atelier/internal/evidence"
)

// Caveat is the line that goes with the summary of a suspect result wherever the
// summary stands alone, as in the content of a chat: the word, and the first
// reason. It is "" for any other result. The planner's answers word it alike.
func (r *Result) Caveat() string {
	if r == nil || r.Status == StatusError {
		return ""
	}
	trust, reasons := r.Trust()
	if trust != evidence.Suspect {
		return ""
	}
	line := "Evidence: " + string(evidence.Suspect) + "."
	if len(reasons) > 0 {
		line += " " + strings.Join(strings.Fields(reasons[0]), " ")
	}
	return line
}

// Headline is the summary with its caveat, on one line: what a list of jobs or steps
// shows of a result.
func (r *Result) Headline() string {
	return strings.TrimSpace(r.Summary + " " + r.Caveat())
}
