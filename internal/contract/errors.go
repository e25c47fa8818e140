package contract

import (
	"errors"
	"fmt"
	"strings"

	"atelier/internal/quantity"
)

// Error is the one error type: a stable code of the catalogue, a sentence, and
// what a person or a model needs to mend the call.
type Error struct {
	Code      string         `json:"code"`
	Message   string         `json:"message"`
	Field     string         `json:"field,omitempty"` // JSON pointer into the input: /config/bcs/0/attribute
	Expected  string         `json:"expected,omitempty"`
	Actual    string         `json:"actual,omitempty"`
	Hint      string         `json:"hint,omitempty"` // what to do
	Retryable bool           `json:"retryable,omitempty"`
	Details   map[string]any `json:"details,omitempty"`
	Log       *Log           `json:"-"` // the log tail of the engine that failed

	cause error
}

// Errorf makes an error of a catalogue code. An unknown code is a bug and
// becomes internal_error, so that no protocol ever shows a code nobody documented.
// %w keeps its cause.
func Errorf(code, format string, args ...any) *Error {
	wrapped := fmt.Errorf(format, args...)
	e := &Error{Code: code, Message: wrapped.Error(), cause: errors.Unwrap(wrapped)}
	if !Known(code) {
		e.Message = fmt.Sprintf("unknown error code %q: %s", code, e.Message)
		e.Code = CodeInternal
	}
	e.Retryable = Lookup(e.Code).Retryable
	return e
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Code + ": " + e.Message)
	if e.Field != "" {
		b.WriteString(" (at " + e.Field + ")")
	}
	if e.Hint != "" {
		if !strings.HasSuffix(b.String(), ".") {
			b.WriteString(".")
		}
		b.WriteString(" " + e.Hint)
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.cause }

// At returns the error with its JSON pointer.
func (e *Error) At(pointer string) *Error { e.Field = pointer; return e }

// WithHint returns the error with the sentence that says what to do.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// With returns the error with one more detail.
func (e *Error) With(key string, value any) *Error {
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	e.Details[key] = value
	return e
}

// AsError finds the *Error in a chain. What is no quantity is invalid_input, any
// other error is an internal_error.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	var q *quantity.Error
	if errors.As(err, &q) {
		e := Errorf(CodeInvalidInput, "%w", err)
		e.Message, e.Expected, e.Actual, e.Hint = q.Message, q.Expected, q.Actual, q.Hint
		return e.With("fault", FaultValue)
	}
	return Errorf(CodeInternal, "%w", err)
}

// Faults is several errors at once, as validation finds them.
type Faults []*Error

func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, e := range f {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "; ")
}

// ErrorsOf lists the errors that an error holds; at least one.
func ErrorsOf(err error) []*Error {
	var faults Faults
	if errors.As(err, &faults) && len(faults) > 0 {
		return faults
	}
	return []*Error{AsError(err)}
}
