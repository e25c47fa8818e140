package contract

import (
	"strings"

	"atelier/internal/evidence"
)

// Caveat is the line that goes with the summary of a suspect result wherever the
// summary stands alone, as in the content of a chat: the word, and the first
// reason. It is "" for any other result. The planner's answers word it alike.
func (r *Result) Caveat() string {
	if r == nil || r.Status == StatusError || r.Evidence == nil || r.Evidence.Trust() != evidence.Suspect {
		return ""
	}
	line := "Evidence: " + string(evidence.Suspect) + "."
	if reasons := r.Evidence.Reasons(); len(reasons) > 0 {
		line += " " + strings.Join(strings.Fields(reasons[0]), " ")
	}
	return line
}
