package mcp

import (
	"io"
	"strings"
	"testing"
)

type discard struct{ io.Writer }

func (discard) Close() error { return nil }

// An id is taken until its response, or until it is known that none will come.
func TestAnIDIsFreeBehindItsResponse(t *testing.T) {
	f := newLineFilter(io.NopCloser(strings.NewReader("")), discard{io.Discard}, 1000)
	line := []byte(`{"jsonrpc":"2.0","id":7,"method":"ping"}`)
	for range 2 {
		if err := f.take(line); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(string(f.pending), "\n"); got != 1 {
			t.Fatalf("%d lines are passed on", got)
		}
		f.pending = nil
		if _, err := f.writer().Write([]byte(`{"jsonrpc":"2.0","id":7,"result":{}}`)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.take(line); err != nil {
		t.Fatal(err)
	}
	f.pending = nil
	f.forget([]byte("7"))
	if err := f.take(line); err != nil || len(f.pending) == 0 {
		t.Errorf("%v: a call that gets no response keeps its id", err)
	}
}
