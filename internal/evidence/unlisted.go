package evidence

import "slices"

// Contradicted says whether a check about a place itself failed, and not only one of the
// whole result.
func (e *Evidence) Contradicted(pointer string) bool {
	return slices.ContainsFunc(e.checks(), func(c Check) bool { return !c.Passed && c.Figure != "" && c.concerns(pointer) })
}

// At is what may be believed of a number of the output that is none of its figures,
// and why: nothing checks it, but a check that failed about its place speaks against
// it, and so does what the result was made from.
func (e *Evidence) At(pointer string) (Trust, []string) {
	var failed []string
	for _, c := range e.checks() {
		if !c.Passed && c.concerns(pointer) {
			failed = append(failed, c.failed())
		}
	}
	if len(failed) > 0 {
		return Suspect, failed
	}
	return Capped(Computed, nil, e.inputs)
}
