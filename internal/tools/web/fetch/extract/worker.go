package extract

import (
	"bufio"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"
)

// workerArg is the only argument with which the running binary is started to
// read pages. The work is done in init, as that of engine/nsinit, so that any
// program that imports this package can serve, a test's too.
const workerArg = "__page"

func init() {
	if len(os.Args) == 2 && os.Args[1] == workerArg {
		serve()
		os.Exit(0)
	}
}

// answer is a document and what it took. Its text and its raw page are the parts
// of the message.
type answer struct {
	Document Document
	CPU      time.Duration
}

// task is a request and its limits. The page is the part of the message.
type task struct {
	Request Request
	Time    time.Duration
	Memory  int64
}

// serve reads pages from standard input until it ends. The process can open
// nothing: no file, no connection, no process.
func serve() {
	start := dataSize()
	confineSelf()
	debug.SetGCPercent(400) // small pages need no collection; the limit below holds large ones
	var memory runtime.MemStats
	in, out := bufio.NewReaderSize(os.Stdin, 64<<10), bufio.NewWriterSize(os.Stdout, 64<<10)
	for limited := false; ; {
		var t task
		parts, err := receive(in, &t, 1)
		if err != nil {
			return
		}
		if t.Request.Body = parts[0]; !limited {
			debug.SetMemoryLimit(t.Memory * 3 / 4)
			limitMemory(start, t.Memory)
			limited = true
		}
		// The parent ends a page that takes too long; should the parent be gone
		// meanwhile, this does.
		watch := time.AfterFunc(t.Time+5*time.Second, func() { os.Exit(3) })
		before := processorTime()
		a := answer{Document: Read(t.Request)}
		a.CPU = processorTime() - before
		watch.Stop()
		text, raw := []byte(a.Document.Text), []byte(a.Document.Raw)
		a.Document.Text, a.Document.Raw = "", ""
		if send(out, a, text, raw) != nil {
			return
		}
		parts, t, a, text, raw = nil, task{}, answer{}, nil, nil
		if runtime.ReadMemStats(&memory); memory.HeapSys-memory.HeapReleased > keptMemory {
			debug.FreeOSMemory()
		}
	}
}

// keptMemory is how much heap a process that waits may keep.
const keptMemory = 40 << 20

// processorTime is what this process has used so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
