package contract

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// A reader of a call that has ended reads no further, and says why.
func TestCancellableStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := Cancellable(ctx, strings.NewReader("abcd"))
	if got, err := io.ReadAll(io.LimitReader(r, 2)); string(got) != "ab" || err != nil {
		t.Errorf("before: %q, %v", got, err)
	}
	cancel()
	if got, err := io.ReadAll(r); len(got) > 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("after: %q, %v", got, err)
	}
}
