package contract

import (
	"context"
	"io"
)

// MostUnpacked is how much a file of some size may unpack to: text is seldom packed
// to less than a twentieth, and what is made to fill a disk to a thousandth.
func MostUnpacked(size int64) int64 { return 64<<20 + 200*size }

// Cancellable reads until the context ends, whose error it then gives.
func Cancellable(ctx context.Context, r io.Reader) io.Reader { return cancellable{ctx, r} }

type cancellable struct {
	ctx context.Context
	r   io.Reader
}

func (c cancellable) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
