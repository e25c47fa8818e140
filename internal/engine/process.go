package engine

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"atelier/internal/contract"
)

const (
	termGrace   = 250 * time.Millisecond // between SIGTERM and SIGKILL
	answerGrace = 2 * time.Second        // between the answer and the end of the process
	drainGrace  = 5 * time.Second        // for the pipes after the end of the process, on a busy machine too
)

// process is one engine process, from its start to its end.
type process struct {
	name   string
	child  *child
	stdin  *os.File
	stdout *os.File
	stderr *os.File
	bounds bounds

	out, err     *tailBuffer
	conversation *conversation
	readers      sync.WaitGroup
	watcher      sync.WaitGroup
	written      atomic.Int64 // bytes read from stdout and stderr
	peak         atomic.Int64 // most resident bytes seen

	mu      sync.Mutex
	verdict *contract.Error // why we ended it; nil when it ended by itself
}

// boundsOf derives what a job may use from the limits of its call.
func boundsOf(call *contract.Call, spec *Spec, threads int) bounds {
	l, d := call.Limits, contract.DefaultLimits()
	or := func(v, def int64) int64 {
		if v > 0 {
			return v
		}
		return def
	}
	limit := time.Duration(or(l.TimeoutMS, d.TimeoutMS)) * time.Millisecond
	artifact := or(l.MaxArtifactBytes, d.MaxArtifactBytes)
	b := bounds{
		time: limit, cpu: limit*time.Duration(threads+1) + 5*time.Second,
		memory: or(l.MemoryMB, d.MemoryMB) * mib,
		// An artifact above its limit is to be refused with its size, not cut off,
		// so there is room above the limit.
		file: 2*artifact + 64*mib, disk: artifact*min(or(l.MaxArtifacts, d.MaxArtifacts), 8) + 64*mib, files: int(100*or(l.MaxArtifacts, d.MaxArtifacts)) + 1000,
		text: 4*(or(l.MaxStdoutBytes, d.MaxStdoutBytes)+or(l.MaxStderrBytes, d.MaxStderrBytes)) + 2*maxResultLine,
	}
	if b.processes = spec.Processes; b.processes <= 0 {
		b.processes = 8
	}
	return b
}

// start starts the engine's process in a folder. Nothing is read from it yet.
func (h *LocalHost) start(spec *Spec, prog program, args []string, dir string, inputs []string, b bounds) (*process, error) {
	var ends [6]*os.File // read and write end of stdin, stdout, stderr
	closeAll := func(files ...*os.File) {
		for _, f := range files {
			if f != nil {
				f.Close()
			}
		}
	}
	for i := 0; i < 6; i += 2 {
		var err error
		if ends[i], ends[i+1], err = os.Pipe(); err != nil {
			closeAll(ends[:]...)
			return nil, err
		}
	}
	token := newToken()
	c, err := startChild(&childSpec{
		path: prog.path, args: args, env: environment(spec, prog, dir, token, h.threads, b.memory), dir: dir,
		stdio:  [3]*os.File{ends[0], ends[3], ends[5]},
		policy: newPolicy(spec, prog, dir, inputs), bounds: b, token: token, self: h.self, level: h.level,
	})
	closeAll(ends[0], ends[3], ends[5])
	if err != nil {
		closeAll(ends[1], ends[2], ends[4])
		return nil, err
	}
	return &process{name: spec.Name, child: c, stdin: ends[1], stdout: ends[2], stderr: ends[4], bounds: b}, nil
}

// serve gives the process its job and waits until it and all its descendants
// are gone.
func (s *process) serve(ctx context.Context, call *contract.Call, dir string, protocol bool, request []byte) (*Reply, error) {
	s.listen(call, protocol)
	s.readers.Go(func() {
		_, _ = s.stdin.Write(request) // an engine that does not read its request fails by itself
		s.stdin.Close()
	})
	s.watcher.Go(func() { s.watch(dir) })
	deadline := time.NewTimer(s.bounds.time)
	defer deadline.Stop()
	select {
	case <-s.child.done:
	case <-ctx.Done():
		s.stop(stopped(ctx, call), true)
	case <-deadline.C:
		s.stop(timedOut(call), true)
	}
	<-s.child.done
	s.watcher.Wait()
	s.drain()
	return s.conclude(protocol)
}

// listen begins to read what the process writes.
func (s *process) listen(call *contract.Call, protocol bool) {
	s.out, s.err = newTailBuffer(call.Limits.MaxStdoutBytes), newTailBuffer(call.Limits.MaxStderrBytes)
	report := call.Report
	if report == nil {
		report = func(contract.Event) {}
	}
	s.conversation = &conversation{report: report, text: s.out, answer: func() { time.AfterFunc(answerGrace, s.child.kill) }}
	s.readers.Go(func() {
		if protocol {
			s.conversation.follow(s.stdout, s.count)
		} else {
			s.copy(s.out, s.stdout)
		}
	})
	s.readers.Go(func() { s.copy(s.err, s.stderr) })
}

func (s *process) copy(to io.Writer, from io.Reader) {
	chunk := make([]byte, 64<<10)
	for {
		n, err := from.Read(chunk)
		s.count(n)
		_, _ = to.Write(chunk[:n])
		if err != nil {
			return
		}
	}
}

func (s *process) count(n int) {
	if total := s.written.Add(int64(n)); total > s.bounds.text {
		s.stop(contract.Errorf(contract.CodeOutputFlood, "the engine %s wrote more than %d bytes of text and was ended", s.name, s.bounds.text), false)
	}
}

// stop ends the process for a reason; the first reason counts. Gently means that
// it is asked first.
func (s *process) stop(reason *contract.Error, gently bool) {
	s.mu.Lock()
	first := s.verdict == nil
	if first {
		s.verdict = reason
	}
	s.mu.Unlock()
	if first && gently {
		s.child.terminate()
		time.AfterFunc(termGrace, s.child.kill)
		return
	}
	s.child.kill()
}

// drain waits for the rest of the output. All writers are dead by now; should a
// pipe have escaped to a process that is not, it is closed on our side.
func (s *process) drain() {
	read := make(chan struct{})
	go func() { s.readers.Wait(); close(read) }()
	select {
	case <-read:
	case <-time.After(drainGrace):
		s.stdin.Close()
	}
	s.stdout.Close()
	s.stderr.Close()
	<-read
}

// abandon ends a process that got no job.
func (s *process) abandon() {
	s.child.kill()
	<-s.child.done
	s.stdin.Close()
	s.stdout.Close()
	s.stderr.Close()
}

func stopped(ctx context.Context, call *contract.Call) *contract.Error {
	if cause, ok := context.Cause(ctx).(*contract.Error); ok {
		return contract.Errorf(cause.Code, "%s", cause.Message).WithHint("%s", cause.Hint)
	}
	if ctx.Err() == context.DeadlineExceeded {
		return timedOut(call)
	}
	return contract.Errorf(contract.CodeCancelled, "the job was cancelled")
}

func timedOut(call *contract.Call) *contract.Error {
	return contract.Errorf(contract.CodeTimeout, "%s did not finish within %d ms", call.Tool, call.Limits.TimeoutMS).
		WithHint("Ask for more time with limits.timeout_ms, or make the problem smaller.")
}

func (s *process) log() contract.Log {
	log := contract.Log{ExitCode: s.child.status.code}
	log.Stdout, log.StdoutLost = s.out.text()
	log.Stderr, log.StderrLost = s.err.text()
	return log
}

// conclude says what became of the job.
func (s *process) conclude(protocol bool) (*Reply, error) {
	log := s.log()
	if fault := s.fault(protocol); fault != nil {
		fault.Log = &log
		return nil, fault
	}
	reply := &Reply{}
	if protocol {
		var err error
		if reply, err = s.conversation.final.reply(); err != nil {
			return nil, s.withLog(contract.Errorf(contract.CodeInvalidToolOutput, "the engine %s gave an answer that does not fit the protocol: %w", s.name, err))
		}
		if s.child.status.code != 0 {
			reply.Ending = s.ending()
			reply.Warnings = append(reply.Warnings, contract.Warning{Code: "engine_exit",
				Message: fmt.Sprintf("The engine %s answered, and then ended with %s.", s.name, s.ending())})
		}
	}
	if reply.Metrics == nil {
		reply.Metrics = map[string]any{}
	}
	if peak := s.peak.Load(); peak > 0 {
		reply.Metrics["peak_memory_mb"] = float64(peak/(mib/10)) / 10
	}
	reply.Metrics["cpu_seconds"] = float64(s.child.status.cpu.Milliseconds()) / 1000
	reply.Log = log
	return reply, nil
}

func (s *process) withLog(e *contract.Error) *contract.Error {
	log := s.log()
	e.Log = &log
	return e
}
