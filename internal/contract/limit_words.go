package contract

import (
	"regexp"
	"slices"
)

// LimitWords says how the callers of one protocol ask for a limit: inside the
// program, in jobs and in hints it is limits.<name>.
type LimitWords func(name string) string

// InContext are the words where limits stand in the context of a call.
func InContext(name string) string { return "context.limits." + name }

var limitName = regexp.MustCompile(`\blimits\.([a-z]+(?:_[a-z]+)+)\b`)

// Result is the result with its hints in these words. What it was made from is
// kept as it is: a job is read by several protocols.
func (w LimitWords) Result(r *Result) *Result {
	if r == nil || len(r.Errors) == 0 {
		return r
	}
	worded := *r
	worded.Errors = slices.Clone(r.Errors)
	for i, e := range worded.Errors {
		worded.Errors[i] = w.Error(e)
	}
	return &worded
}

// Error is likewise an error.
func (w LimitWords) Error(e *Error) *Error {
	if e == nil || !limitName.MatchString(e.Hint) {
		return e
	}
	worded := *e
	worded.Hint = limitName.ReplaceAllStringFunc(e.Hint, func(found string) string { return w(limitName.FindStringSubmatch(found)[1]) })
	return &worded
}
