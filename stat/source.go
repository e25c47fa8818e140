package stat

import (
	"context"
	"runtime"
	"sync"
)

// BlockRows is the most rows of a block of a Source.
const BlockRows = 16384

// Block is a run of observations: the columns X, the response Y, and weights W
// (nil for none). All have the same length.
type Block struct {
	X [][]DD
	Y []DD
	W []DD
	// Row holds the number of each observation in its table; nil for none.
	Row []int64
}

// Source yields observations in blocks. Load is called from several goroutines.
type Source interface {
	Blocks() int
	// Load returns block i, which the caller may overwrite.
	Load(i int) (Block, error)
}

// Slices is a source of one series of blocks in memory.
type Slices []Block

// Blocks implements Source.
func (s Slices) Blocks() int { return len(s) }

// Load implements Source.
func (s Slices) Load(i int) (Block, error) {
	b := Block{X: make([][]DD, len(s[i].X)), Y: append([]DD(nil), s[i].Y...), W: append([]DD(nil), s[i].W...), Row: s[i].Row}
	for j, x := range s[i].X {
		b.X[j] = append([]DD(nil), x...)
	}
	return b, nil
}

// EachBlock runs work on the numbers 0 to n-1 on all processors and hands the
// results to merge in the order of the numbers. The first error ends it.
func EachBlock[T any](ctx context.Context, n int, work func(i int) (T, error), merge func(T)) error {
	type result struct {
		value T
		err   error
	}
	workers := min(runtime.GOMAXPROCS(0), n)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make([]chan result, n)
	for i := range results {
		results[i] = make(chan result, 1)
	}
	// Workers stay close to the merge, so that few partial results wait.
	tokens := make(chan struct{}, 4*max(workers, 1))
	next := make(chan int)
	var wait sync.WaitGroup
	wait.Go(func() {
		defer close(next)
		for i := range n {
			select {
			case tokens <- struct{}{}:
			case <-ctx.Done():
				return
			}
			select {
			case next <- i:
			case <-ctx.Done():
				return
			}
		}
	})
	for range workers {
		wait.Go(func() {
			for i := range next {
				v, err := work(i)
				results[i] <- result{v, err}
			}
		})
	}
	defer wait.Wait()
	defer cancel()
	for i := range n {
		select {
		case r := <-results[i]:
			if r.err != nil {
				return r.err
			}
			merge(r.value)
			<-tokens
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
