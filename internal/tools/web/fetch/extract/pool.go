package extract

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// What becomes of pages that were made to harm.
var (
	ErrTime    = errors.New("reading the page took too long")
	ErrMemory  = errors.New("reading the page took too much memory")
	ErrCrashed = errors.New("reading the page broke its reader")
	ErrClosed  = errors.New("the reader of pages was closed")
)

// PoolOptions are the limits of the processes that read pages.
type PoolOptions struct {
	Workers int           // at once; 0: one per processor, 2 to 4
	Time    time.Duration // of one page; 0: 10 s
	Memory  int64         // of one process, beyond what it starts with; 0: 64 MiB
	Program string        // "": the running binary; it must import this package
}

const (
	pagesPerWorker = 500             // then another begins, with a fresh heap
	idleAge        = 2 * time.Minute // then an unused one ends
	largePage      = 256 << 10       // bytes; such pages are read one at a time
)

// Pool reads pages in processes of its own, each used again until a page has
// harmed it. They are started when they are needed.
type Pool struct {
	o      PoolOptions
	places chan struct{}
	large  chan struct{}

	mu     sync.Mutex
	idle   []*worker
	closed bool
}

// NewPool makes a pool; it starts nothing.
func NewPool(o PoolOptions) (*Pool, error) {
	if o.Workers <= 0 {
		o.Workers = max(2, min(runtime.NumCPU(), 4))
	}
	if o.Time <= 0 {
		o.Time = 10 * time.Second
	}
	if o.Memory <= 0 {
		o.Memory = 64 << 20
	}
	if o.Program == "" {
		var err error
		if o.Program, err = os.Executable(); err != nil {
			return nil, fmt.Errorf("path of this program: %w", err)
		}
	}
	return &Pool{o: o, places: make(chan struct{}, o.Workers), large: make(chan struct{}, 1)}, nil
}

// Read reads a page and says how much processor time it took. The error is
// ErrTime, ErrMemory, ErrCrashed, ErrClosed, or that of the context.
func (p *Pool) Read(ctx context.Context, r Request) (Document, time.Duration, error) {
	if len(r.Body) > largePage {
		if err := enter(ctx, p.large); err != nil {
			return Document{}, 0, err
		}
		defer func() { <-p.large }()
	}
	if err := enter(ctx, p.places); err != nil {
		return Document{}, 0, err
	}
	defer func() { <-p.places }()
	w, err := p.acquire()
	if err != nil {
		return Document{}, 0, err
	}
	a, err := w.read(ctx, task{r, p.o.Time, p.o.Memory})
	if err != nil {
		w.end()
		return Document{}, 0, err
	}
	p.give(w)
	return a.Document, a.CPU, nil
}

func enter(ctx context.Context, places chan struct{}) error {
	select {
	case places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (p *Pool) acquire() (*worker, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	if n := len(p.idle); n > 0 {
		w := p.idle[n-1]
		p.idle = p.idle[:n-1]
		w.bored.Stop()
		return w, nil
	}
	return start(p.o.Program)
}

func (p *Pool) give(w *worker) {
	w.pages++
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || w.pages >= pagesPerWorker {
		go w.end()
		return
	}
	w.bored = time.AfterFunc(idleAge, func() { p.drop(w) })
	p.idle = append(p.idle, w)
}

func (p *Pool) drop(w *worker) {
	p.mu.Lock()
	found := false
	for i, other := range p.idle {
		if other == w {
			p.idle = append(p.idle[:i], p.idle[i+1:]...)
			found = true
			break
		}
	}
	p.mu.Unlock()
	if found {
		w.end()
	}
}

// Close ends the processes that wait; those at work end with their page.
func (p *Pool) Close() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	for _, w := range idle {
		w.bored.Stop()
		w.end()
	}
}

// worker is one process that reads pages.
type worker struct {
	process *exec.Cmd
	stdin   io.WriteCloser
	in      *bufio.Writer
	out     *bufio.Reader
	said    *tail
	pages   int
	bored   *time.Timer
}

func start(program string) (*worker, error) {
	c := exec.Command(program, workerArg)
	c.Env = []string{"GOMAXPROCS=1", "GOTRACEBACK=none", "TZ=UTC"}
	c.Dir = "/"
	w := &worker{process: c, said: &tail{}}
	c.Stderr = w.said
	var err error
	if w.stdin, err = c.StdinPipe(); err != nil {
		return nil, fmt.Errorf("reader of pages: %w", err)
	}
	stdout, err := c.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("reader of pages: %w", err)
	}
	if err := c.Start(); err != nil {
		return nil, fmt.Errorf("reader of pages: %w", err)
	}
	w.in, w.out = bufio.NewWriterSize(w.stdin, 64<<10), bufio.NewReaderSize(stdout, 64<<10)
	return w, nil
}

// read gives the process a page and waits for its answer. After an error the
// process is of no further use.
func (w *worker) read(ctx context.Context, t task) (answer, error) {
	var a answer
	done := make(chan error, 1)
	go func() {
		body := t.Request.Body
		t.Request.Body = nil
		if err := send(w.in, t, body); err != nil {
			done <- err
			return
		}
		parts, err := receive(w.out, &a, 2)
		if err == nil {
			a.Document.Text, a.Document.Raw = string(parts[0]), string(parts[1])
		}
		done <- err
	}()
	clock := time.NewTimer(t.Time)
	defer clock.Stop()
	select {
	case err := <-done:
		if err == nil {
			return a, nil
		}
		w.end()
		return answer{}, w.diagnosis()
	case <-clock.C:
		w.kill(done)
		return answer{}, ErrTime
	case <-ctx.Done():
		w.kill(done)
		return answer{}, context.Cause(ctx)
	}
}

// kill ends the process at work, and waits for its answer's end.
func (w *worker) kill(done <-chan error) {
	_ = w.process.Process.Kill() // it may have ended by itself
	<-done
}

// end ends the process and reaps it.
func (w *worker) end() {
	w.stdin.Close()
	_ = w.process.Process.Kill()
	_ = w.process.Wait() // killed, or whatever ended it; diagnosis tells
}

// diagnosis says what ended a process that gave no answer.
func (w *worker) diagnosis() error {
	said := w.said.String()
	// The collector of Go 1.26 faults where it gets no memory for its queues (mgcmark).
	for _, sign := range []string{"out of memory", "cannot allocate memory", "pthread_create failed", "stack overflow", "stack exceeds", "makeslice", "too large", "mgcmark"} {
		if strings.Contains(said, sign) {
			return ErrMemory
		}
	}
	if said == "" {
		return ErrCrashed
	}
	return fmt.Errorf("%w: %.300s", ErrCrashed, said)
}

// tail keeps the beginning of what a process says, where the runtime tells why
// it ends.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[:min(len(p), 2048-len(t.text))]...)
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}
