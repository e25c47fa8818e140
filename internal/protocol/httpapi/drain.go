package httpapi

import (
	"io"
	"net/http"
	"time"
)

// A client that writes its whole request before it reads (Python's urllib is one)
// sees a reset in the place of a 413 when the connection is closed while it
// still writes. So the rest of a body that was not wanted is read, within bounds.
const (
	mostDrained  = 64 << 20
	longestDrain = 5 * time.Second
)

// watched is a body that remembers whether it was read to its end.
type watched struct {
	io.ReadCloser
	ended bool
}

func (b *watched) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.ended = b.ended || err != nil
	return n, err
}

// watch puts a watched body in the place of the request's; nil where it has none.
func watch(r *http.Request) *watched {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	b := &watched{ReadCloser: r.Body}
	r.Body = b
	return b
}

// drain reads what a route has left of its request. A client that waits for
// 100 Continue has not sent it yet.
func drain(w http.ResponseWriter, r *http.Request, b *watched) {
	if b == nil || b.ended || r.Header.Get("Expect") != "" {
		return
	}
	control := http.NewResponseController(w)
	if control.SetReadDeadline(time.Now().Add(longestDrain)) != nil {
		return // not a connection of ours
	}
	_, _ = io.CopyN(io.Discard, b, mostDrained) // whatever comes of it, the answer stands
	_ = control.SetReadDeadline(time.Time{})    // it was settable a moment ago
}
