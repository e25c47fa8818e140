package httpapi

import (
	"bytes"
	"net/http"
	"sync"

	"atelier/internal/contract"
)

var buffers = sync.Pool{New: func() any { return &bytes.Buffer{} }}

// largestKept bounds the buffers that wait for their next use.
const largestKept = 64 << 10

// Encoded writes what a value's own encoder makes of it as the whole response.
func Encoded(w http.ResponseWriter, status int, encode func(*bytes.Buffer) error) {
	buf := buffers.Get().(*bytes.Buffer)
	buf.Reset()
	defer func() {
		if buf.Cap() <= largestKept {
			buffers.Put(buf)
		}
	}()
	if err := encode(buf); err != nil {
		notEncoded(w)
		return
	}
	buf.WriteByte('\n')
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(buf.Bytes()) // a client that went away is no fault of ours
}

func notEncoded(w http.ResponseWriter) {
	http.Error(w, `{"error":{"code":"`+contract.CodeInternal+`","message":"the response could not be encoded"}}`, http.StatusInternalServerError)
}
