package openai

import (
	"net/http"
	"strconv"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/protocol/httpapi"
)

// shouldRetry is the header by which a server overrules the SDKs' own rule, which
// is to repeat after 408, 409, 429 and 5xx.
const shouldRetry = "x-should-retry"

// errorObject is what the SDKs parse.
type errorObject struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    string  `json:"code"`
}

func newErrorObject(errs []*contract.Error) errorObject {
	lines := make([]string, len(errs))
	for i, e := range errs {
		lines[i] = sentence(e)
	}
	object := errorObject{Message: strings.Join(lines, " "), Type: "invalid_request_error", Code: errs[0].Code}
	if at := contract.FieldPath(errs[0].Field); at != "" {
		object.Param = &at
	}
	switch status := contract.HTTPStatus(errs); {
	case status == http.StatusTooManyRequests:
		object.Type = "rate_limit_error"
	case status == http.StatusUnauthorized:
		object.Type = "authentication_error"
	case status >= 500:
		object.Type = "server_error"
	}
	return object
}

// sentence is the message and the hint; the place has a field of its own.
func sentence(e *contract.Error) string {
	text := strings.TrimSpace(e.Message)
	if last := len(text) - 1; last >= 0 && !strings.ContainsAny(text[last:], ".!?") {
		text += "."
	}
	return strings.TrimSpace(text + " " + e.Hint)
}

// Envelope writes the error object that the SDKs parse.
func Envelope(w http.ResponseWriter, r *http.Request, errs []*contract.Error) {
	httpapi.RetryAfter(w, errs)
	if seconds, ok := errs[0].Details["retry_after_s"].(int); ok {
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
	}
	if contract.HTTPStatus(errs) >= 500 && !errs[0].Retryable { // the SDKs would try twice more
		w.Header().Set(shouldRetry, "false")
	}
	httpapi.JSON(w, contract.HTTPStatus(errs), map[string]errorObject{"error": newErrorObject(errs)})
}
