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
	// Free takes the block's memory back once it is done with; nil where nobody
	// wants it.
	Free func()
}

func (b Block) free() {
	if b.Free != nil {
		b.Free()
	}
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
	next := 0
	return Ordered(ctx, func() (int, bool, error) {
		next++
		return next - 1, next <= n, nil
	}, work, func(v T) error {
		merge(v)
		return nil
	})
}

// result is what became of an item, and task an item with the place for that.
type result[T any] struct {
	value T
	err   error
}

type task[In, Out any] struct {
	in  In
	out chan result[Out]
}

// Ordered takes items one after the other, works on them on all processors, and
// hands the results to merge in the order of the items. The first error ends it.
// Few results wait at a time, whatever the number of items.
func Ordered[In, Out any](ctx context.Context, take func() (item In, more bool, err error), work func(In) (Out, error), merge func(Out) error) error {
	ctx, cancel := context.WithCancel(ctx)
	workers := runtime.GOMAXPROCS(0)
	tasks, queue := make(chan task[In, Out]), make(chan chan result[Out], workers)
	all := false
	var wait sync.WaitGroup
	wait.Go(func() {
		defer close(queue)
		defer close(tasks)
		all = feed(ctx, take, tasks, queue)
	})
	for range workers {
		wait.Go(func() {
			for t := range tasks {
				v, err := work(t.in)
				t.out <- result[Out]{v, err}
			}
		})
	}
	defer wait.Wait()
	defer cancel()
	for out := range queue {
		select {
		case r := <-out:
			if r.err != nil {
				return r.err
			}
			if err := merge(r.value); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if !all {
		return ctx.Err()
	}
	return nil
}

// feed hands out the items; true when that were all.
func feed[In, Out any](ctx context.Context, take func() (In, bool, error), tasks chan<- task[In, Out], queue chan<- chan result[Out]) (all bool) {
	for ctx.Err() == nil {
		in, more, err := take()
		if !more && err == nil {
			return true
		}
		out := make(chan result[Out], 1)
		select {
		case queue <- out:
		case <-ctx.Done():
			return false
		}
		if err != nil {
			out <- result[Out]{err: err}
			return false
		}
		select {
		case tasks <- task[In, Out]{in, out}:
		case <-ctx.Done():
			return false
		}
	}
	return false
}
