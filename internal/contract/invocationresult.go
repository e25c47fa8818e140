package contract

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"atelier/internal/evidence"
	"atelier/internal/jsonvalue"
)

// InvocationResult is a result as an invocation answers it (api/spec/invocation.md). Lists are never null.
type InvocationResult struct {
	Status           Status               `json:"status"`
	Summary          string               `json:"summary"`
	StructuredOutput json.RawMessage      `json:"structured_output"` // {} on an error
	Artifacts        []InvocationArtifact `json:"artifacts"`
	Warnings         []Warning            `json:"warnings"` // at least one of a partial result
	Errors           []InvocationError    `json:"errors"`   // at least one of an error
	Confidence       float64              `json:"confidence"`
}

// InvocationArtifact is an artifact with the absolute address of its content.
type InvocationArtifact struct {
	Name     string `json:"name"`
	MIMEType string `json:"mime_type"`
	URI      string `json:"uri"`
	SHA256   string `json:"sha256"` // 64 hex digits
}

// InvocationError is one fault. Field is the key of a top-level argument or envelope
// field, and below it a path: `config.bcs[0].attribute`. Pointer is the same
// place as a JSON pointer into the invocation.
type InvocationError struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Field   string         `json:"field,omitempty"`
	Pointer string         `json:"pointer,omitempty"`
	Details map[string]any `json:"details,omitempty"` // figures that help to mend the call: suggested_dx, job_id …
}

// invocationCodes are the words of api/spec/invocation.md for the kinds of faults.
var invocationCodes = map[string]string{
	FaultMissing: "MISSING_ARGUMENT", FaultUnknown: "UNKNOWN_ARGUMENT", FaultType: "INVALID_TYPE", FaultValue: "INVALID_VALUE",
}

// InvocationCode is the dialect's word for an error: that of its kind where it is a
// fault of an argument, else the catalogue's code in upper case. A code that
// the contract ties to arguments (invalid_port to /port) is such a fault too. The
// contract may be nil.
func (c *Contract) InvocationCode(e *Error) string {
	kind, _ := e.Details["fault"].(string)
	if word, ok := invocationCodes[kind]; ok {
		return word
	}
	if c != nil && e.Code != CodeInvalidRequest && c.fieldCode(e.Field) == e.Code {
		return invocationCodes[FaultValue]
	}
	return strings.ToUpper(e.Code)
}

// InvocationResult projects a result; uri gives an artifact's absolute address.
func (r *Result) InvocationResult(c *Contract, uri func(artifact string) string) InvocationResult {
	out := InvocationResult{
		Status: r.Status, Summary: r.Summary, StructuredOutput: json.RawMessage("{}"),
		Artifacts: make([]InvocationArtifact, len(r.Artifacts)), Warnings: make([]Warning, len(r.Warnings)), Errors: []InvocationError{},
	}
	for i, a := range r.Artifacts {
		out.Artifacts[i] = InvocationArtifact{cmp.Or(a.Label, a.Name), a.MIME, uri(a.Name), a.SHA256}
	}
	for i, w := range r.Warnings {
		out.Warnings[i] = Warning{strings.ToUpper(w.Code), w.Message}
	}
	if doubt := r.Caveat(); doubt != "" && r.Evidence != nil { // summaries of invocations are read alone
		out.Warnings = append(out.Warnings, Warning{"SUSPECT", doubt})
	}
	switch r.Status {
	case StatusError:
		out.Errors = c.invocationErrors(r.Errors, "/arguments")
		if len(out.Errors) == 0 {
			out.Errors = c.invocationErrors([]*Error{Errorf(CodeInternal, "the tool failed without an error")}, "")
		}
		return out
	case StatusPartial:
		if len(out.Warnings) == 0 {
			out.Warnings = []Warning{{"PARTIAL", "The result is incomplete."}}
		}
	}
	if raw := r.OutputJSON(); len(raw) > 0 {
		out.StructuredOutput = raw
	}
	// The dialect asks for a number: where nothing was checked it is that of a
	// result which ran and no more.
	out.Confidence = evidence.Computed.Confidence()
	if r.Confidence != nil {
		out.Confidence = *r.Confidence
	}
	return out
}

// RefusedInvocation is the answer to an invocation of which nothing ran: faults of its
// envelope, and of its arguments.
func RefusedInvocation(c *Contract, envelope, arguments []*Error) InvocationResult {
	errs := append(c.invocationErrors(envelope, ""), c.invocationErrors(arguments, "/arguments")...)
	summary := "The invocation was refused and nothing ran."
	switch len(errs) {
	case 0:
	case 1:
		summary += " " + errs[0].Message
	default:
		summary += fmt.Sprintf(" It has %d faults; the first: %s", len(errs), errs[0].Message)
	}
	return InvocationResult{Status: StatusError, Summary: summary, StructuredOutput: json.RawMessage("{}"),
		Artifacts: []InvocationArtifact{}, Warnings: []Warning{}, Errors: errs}
}

func (c *Contract) invocationErrors(errs []*Error, base string) []InvocationError {
	out := make([]InvocationError, len(errs))
	for i, e := range errs {
		message := e.Message
		if e.Hint != "" {
			message = strings.TrimRight(message, ".") + ". " + e.Hint
		}
		out[i] = InvocationError{Code: c.InvocationCode(e), Message: message, Field: FieldPath(e.Field)}
		switch {
		case strings.HasPrefix(e.Field, "/capture_selection"): // of the envelope, whoever found the fault
			out[i].Pointer = e.Field
		case e.Field != "":
			out[i].Pointer = base + e.Field
		}
		for k, v := range e.Details {
			if k == "fault" {
				continue
			}
			if out[i].Details == nil {
				out[i].Details = map[string]any{}
			}
			out[i].Details[k] = v
		}
	}
	return out
}

// FieldPath turns a JSON pointer into a path such as messages[0].role, as
// invocations and OpenAI write it. What is no pointer stays as it is.
func FieldPath(pointer string) string {
	path, ok := strings.CutPrefix(pointer, "/")
	if !ok {
		return pointer
	}
	var b strings.Builder
	for _, token := range strings.Split(path, "/") {
		token = jsonvalue.Unescape(token)
		if _, err := strconv.ParseUint(token, 10, 32); err == nil && b.Len() > 0 {
			b.WriteString("[" + token + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(token)
	}
	return b.String()
}
