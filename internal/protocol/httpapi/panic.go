package httpapi

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"

	"atelier/internal/contract"
)

// answer knows whether a handler has begun to answer.
type answer struct {
	http.ResponseWriter
	begun bool
}

func (a *answer) WriteHeader(status int) {
	a.begun = true
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(p []byte) (int, error) {
	a.begun = true
	return a.ResponseWriter.Write(p)
}

// ReadFrom lets files go out by sendfile still.
func (a *answer) ReadFrom(r io.Reader) (int64, error) {
	a.begun = true
	return io.Copy(a.ResponseWriter, r)
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// guarded serves a request; a panic becomes an internal_error in the route's
// envelope. Where the answer has begun already the connection is cut, so that
// the caller does not take a part for the whole.
func (route Route) guarded(serve Handler, envelope Envelope, w http.ResponseWriter, r *http.Request) {
	a := &answer{ResponseWriter: w}
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if p == http.ErrAbortHandler {
			panic(p)
		}
		log := route.log
		if log == nil {
			log = slog.Default()
		}
		log.Error("panic in a route", "path", route.Path, "request", RequestID(r), "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		if a.begun {
			panic(http.ErrAbortHandler)
		}
		envelope(w, r, []*contract.Error{contract.Errorf(contract.CodeInternal, "the server failed at this request (%s)", RequestID(r)).
			WithHint("It is a fault of the program; its log tells more under this id.")})
	}()
	if err := serve(a, r); err != nil {
		envelope(a, r, contract.ErrorsOf(err))
	}
}
