package study

import (
	"encoding/json"
	"fmt"

	"atelier/internal/contract"
	"atelier/internal/quantity"
)

// Natural frequencies up to a limit. The solver takes a number of modes: it is asked again
// for more until one lies above the limit.

const (
	firstModes = 10
	mostModes  = 50 // of fea.solve
)

// upTo is the frequency to which an analysis is wanted; 0 for none.
func (a Analysis) upTo() (float64, error) {
	raw, given := a.Options["up_to"]
	if !given || a.Type != "modal" {
		return 0, nil
	}
	v, err := siOf(raw, quantity.Frequency)
	if err == nil && v <= 0 {
		err = contract.Errorf(contract.CodeInvalidInput, "a highest frequency of %g Hz is not above 0", v)
	}
	return v, err
}

// modesUpTo puts the number of modes that is tried into the place of the limit.
func (s *solver) modesUpTo() error {
	a := s.study.Analyses[s.name]
	limit, err := a.upTo()
	if err != nil {
		return contract.AsError(err).At("/analyses/" + escape(s.name) + "/options/up_to")
	}
	if limit == 0 {
		return nil
	}
	delete(s.config, "up_to")
	if _, given := s.config["modes"]; !given {
		s.config["modes"] = firstModes
	}
	if n := s.modes[s.name]; n > 0 {
		s.config["modes"] = n
		s.resolv.Assume("No mode of those before lay above %s: more are computed.", quantity.Frequency.Format(limit))
	}
	return nil
}

// moreModes says how many modes an analysis needs that has not come to its limit; 0 for no
// more.
func (e *execution) moreModes(name string, result *contract.Result) int {
	limit, err := e.study.Analyses[name].upTo()
	if err != nil || limit == 0 || result == nil {
		return 0
	}
	var out struct {
		Modes []struct {
			Frequency float64 `json:"frequency"`
		} `json:"modes"`
	}
	if json.Unmarshal(result.OutputJSON(), &out) != nil || len(out.Modes) == 0 || out.Modes[len(out.Modes)-1].Frequency > limit {
		return 0
	}
	if len(out.Modes) >= mostModes {
		last := &e.run.Steps[len(e.run.Steps)-1]
		last.Notes = append(last.Notes, fmt.Sprintf("The %d modes that are computed at most end at %s: there may be more below %s.", mostModes, quantity.Frequency.Format(out.Modes[len(out.Modes)-1].Frequency), quantity.Frequency.Format(limit)))
		return 0
	}
	return min(2*len(out.Modes), mostModes)
}
