package quantity

import "fmt"

// Error is a text or a number that is not the quantity that was wanted. Where it
// stood is for the caller to add.
type Error struct {
	Message  string
	Expected string // "a force, such as 500 N"
	Actual   string
	Hint     string // what to do

}

func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + " " + e.Hint
}

// WithHint returns the error with the sentence that says what to do.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

func fault(format string, args ...any) *Error {
	return &Error{Message: fmt.Sprintf(format, args...)}
}
