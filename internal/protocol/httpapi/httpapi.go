// Package httpapi is what every HTTP protocol shares: the routing table, the gate
// (Host, Origin, token, content type, size), request ids, JSON bodies and the
// error envelope. It knows no route of its own.
package httpapi

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"atelier/internal/contract"
)

// Handler serves one route; an error it returns is written in the route's envelope.
type Handler func(w http.ResponseWriter, r *http.Request) error

// Envelope writes an error in the shape that a protocol's clients parse.
type Envelope func(w http.ResponseWriter, r *http.Request, errs []*contract.Error)

// Method is one method of a route: what serves it, and its description.
type Method struct {
	Serve Handler
	Doc   *Operation
}

// Methods of a route by name: GET, POST …
type Methods map[string]Method

// Protocol is one protocol: its routes, and the schemas that their descriptions
// refer to as #/components/schemas/<name>.
type Protocol interface {
	Routes() []Route
	Schemas() map[string]Schema
}

// Route is one path with its methods.
type Route struct {
	Path     string // a ServeMux pattern without a method
	Methods  Methods
	Envelope Envelope // nil: ErrorObject
	// AnyBody lets bodies other than JSON through (uploads), and lifts the size
	// limit, which the handler then sets itself.
	AnyBody bool
	// Open lets callers without the token in: a browser sends none with a page.
	Open bool

	maxBody int64
	log     *slog.Logger
}

// Mux serves the routes behind the gate. A path that no route has is a 404, a
// method that a route lacks a 405 with Allow, both in an envelope.
func Mux(gate *Gate, routes ...Route) http.Handler {
	mux := http.NewServeMux()
	for _, route := range routes {
		route.maxBody, route.log = gate.MaxBodyBytes, gate.Log
		mux.Handle(route.Path, route)
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		ErrorObject(w, r, []*contract.Error{contract.Errorf(contract.CodeNotFound, "no route is %s %s", r.Method, r.URL.Path).
			WithHint("GET /v1/tools lists the tools.")})
	})
	return gate.wrap(mux, func(r *http.Request) bool {
		handler, _ := mux.Handler(r)
		route, ok := handler.(Route)
		return ok && route.Open
	})
}

func (route Route) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	envelope := route.Envelope
	if envelope == nil {
		envelope = ErrorObject
	}
	defer drain(w, r, watch(r))
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	served, ok := route.Methods[method]
	if !ok {
		w.Header().Set("Allow", strings.Join(route.allowed(), ", "))
		envelope(w, r, []*contract.Error{contract.Errorf(contract.CodeMethodNotAllowed, "%s is not a method of %s", r.Method, route.Path).
			WithHint("Use %s.", strings.Join(route.allowed(), ", "))})
		return
	}
	fault := checkKey(r)
	if fault == nil {
		fault = route.checkBody(w, r)
	}
	if fault != nil {
		envelope(w, r, []*contract.Error{fault})
		return
	}
	route.guarded(served.Serve, envelope, w, r)
}

func (route Route) allowed() []string {
	var methods []string
	for m := range route.Methods {
		methods = append(methods, m)
		if m == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
	}
	slices.Sort(methods)
	return methods
}

// ErrorObject is the plain envelope: {"error":{"code","message","details"}}.
// Of a rate limit it also tells when to come back.
func ErrorObject(w http.ResponseWriter, r *http.Request, errs []*contract.Error) {
	ErrorAs(w, errs[0].Code, contract.HTTPStatus(errs), errs, nil)
}

// ErrorAs is the plain envelope with a tool's own status for the errors, and
// what the dialect of the tool wants beside it.
func ErrorAs(w http.ResponseWriter, code string, status int, errs []*contract.Error, beside map[string]any) {
	first := errs[0]
	details := map[string]any{}
	for k, v := range first.Details {
		details[k] = v
	}
	if first.Field != "" {
		if _, given := details["field"]; !given {
			details["field"] = first.Field
		}
	}
	if first.Hint != "" {
		details["hint"] = first.Hint
	}
	if len(errs) > 1 {
		details["errors"] = errs
	}
	body := map[string]any{"code": code, "message": first.Message}
	if len(details) > 0 {
		body["details"] = details
	}
	RetryAfter(w, errs)
	envelope := map[string]any{"error": body}
	maps.Copy(envelope, beside)
	JSON(w, status, envelope)
}

// RetryAfter sets the header of a refusal for lack of places.
func RetryAfter(w http.ResponseWriter, errs []*contract.Error) {
	if errs[0].Code == contract.CodeTooManyRequests {
		w.Header().Set("Retry-After", "1")
	}
}

// JSON writes a value as the whole response.
func JSON(w http.ResponseWriter, status int, value any) {
	buf := buffers.Get().(*bytes.Buffer)
	buf.Reset()
	defer func() {
		if buf.Cap() <= largestKept {
			buffers.Put(buf)
		}
	}()
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		http.Error(w, `{"error":{"code":"`+contract.CodeInternal+`","message":"the response could not be encoded"}}`, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(buf.Bytes()) // a client that went away is no fault of ours
}

var buffers = sync.Pool{New: func() any { return &bytes.Buffer{} }}

// largestKept bounds the buffers that wait for their next use.
const largestKept = 64 << 10

// ReadJSON decodes a body into a struct. Strict refuses unknown fields; those that
// differ from a field in their case alone are refused in any case.
func ReadJSON(r *http.Request, into any, strict bool) error {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return BodyFault(err)
	}
	return decode(raw, into, strict)
}

func decode(raw []byte, into any, strict bool) error {
	if string(bytes.TrimSpace(raw)) == "null" { // which decodes into anything
		return contract.Errorf(contract.CodeInvalidRequest, "the body is null; a JSON object was expected")
	}
	if fault := contract.Body(raw, into, !strict); fault != nil {
		return fault
	}
	return nil
}

// ReadCall is ReadJSON for a body that has the arguments of a tool in one of its fields.
// A key of theirs that stands twice and text that is no Unicode are left to the tool's
// contract, so that they have the place and the code of every other fault in arguments.
func ReadCall(r *http.Request, into any, strict bool, arguments string) error {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return BodyFault(err)
	}
	fault := decode(raw, into, strict)
	if fault == nil || !strings.HasPrefix(contract.AsError(fault).Field, "/"+arguments+"/") {
		return fault
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return fault
	}
	fields[arguments] = json.RawMessage("{}")
	rest, err := json.Marshal(fields)
	if err != nil {
		return fault
	}
	if fault := decode(rest, into, strict); fault != nil {
		return fault
	}
	if json.Unmarshal(raw, into) != nil {
		return fault
	}
	return nil
}

// BodyFault tells why a body could not be read.
func BodyFault(err error) *contract.Error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return contract.Errorf(contract.CodePayloadTooLarge, "the body is larger than %d bytes", tooLarge.Limit).
			WithHint("Send large files with POST /v1/files and name them as file:<id>.")
	}
	return contract.Errorf(contract.CodeInvalidRequest, "the body could not be read: %w", err)
}

// RequestID is the caller's X-Request-Id or the one that the gate made.
func RequestID(r *http.Request) string { return r.Header.Get(requestIDHeader) }

func newRequestID() string { return "req_" + strings.ToLower(rand.Text()) }
