package runner

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/quantity"
)

// mostStated is how many quantities are told behind a summary.
const mostStated = 8

// attributed tells whose words the summary of a program from outside is: what the server
// says of its figures, and how far they may be believed, stands behind them.
func attributed(next Runner) Runner {
	return func(ctx context.Context, req *Request) *contract.Result {
		result := next(ctx, req)
		if !result.OwnWords || result.Status == contract.StatusError {
			return result
		}
		result.Summary = req.Tool.Contract.Name + " says: " + strings.TrimSpace(result.Summary)
		if result.Evidence != nil {
			result.Behind = statedFigures(result.Evidence)
		}
		return result
	}
}

// statedFigures are the quantities of a result with their trust, in one sentence.
func statedFigures(e *evidence.Evidence) string {
	var list []string
	for _, q := range e.Quantities() {
		name := q.Name
		if strings.ContainsFunc(name, unicode.IsNumber) { // 2 mm is the value of "sag at 500 mm"
			name = strconv.Quote(name)
		}
		text := name + " undefined"
		if q.Value != nil {
			text = name + " " + quantity.Number(*q.Value)
			if q.Unit != "1" {
				text += " " + q.Unit
			}
		}
		if q.Error != nil {
			text += fmt.Sprintf(" ± %.2g", *q.Error)
		}
		list = append(list, fmt.Sprintf("%s (%s)", text, q.Trust()))
	}
	if len(list) == 0 {
		return fmt.Sprintf(" No quantity is stated (%s).", e.Trust())
	}
	return " Stated: " + contract.Listed(list, mostStated) + "."
}
