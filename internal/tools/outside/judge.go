package outside

import (
	"bytes"
	"encoding/json"
	"fmt"

	"atelier/internal/contract"
)

// judge computes the trust of a result from the checks that its program made. A
// failed check makes it suspect and none outvotes it; without checks the figures
// are only computed. A program that checks itself is believed as far as
// "converged": what is verified has been held against something else.
func judge(raw json.RawMessage) (*contract.Evidence, error) {
	e := &contract.Evidence{Trust: contract.Computed, Reasons: []string{}, Checks: []contract.Check{}}
	if len(raw) > 0 {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&e.Checks); err != nil {
			return nil, err
		}
	}
	if len(e.Checks) == 0 {
		e.Checks, e.Reasons = []contract.Check{}, []string{"the program made no check"}
		return e, nil
	}
	e.Trust = contract.Converged
	for _, c := range e.Checks {
		if c.Name == "" || c.Unit == "" {
			return nil, fmt.Errorf("a check needs a name and a unit (1 for a ratio or a count)")
		}
		if !c.OK {
			e.Trust = contract.Suspect
			e.Reasons = append(e.Reasons, fmt.Sprintf("the check %s failed", c.Name))
		}
	}
	if e.Trust == contract.Converged {
		e.Reasons = append(e.Reasons, fmt.Sprintf("%d of the program's own checks hold", len(e.Checks)))
	}
	return e, nil
}
