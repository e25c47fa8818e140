package modelserver

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

const zombie = 5 // SZOMB of <sys/proc.h>

// identify reads the identity of a process that runs; a zombie does not.
func identify(pid int) (Identity, bool) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid || info.Proc.P_stat == zombie {
		return Identity{}, false
	}
	begun := info.Proc.P_starttime
	return Identity{pid, fmt.Sprintf("%d.%06d", begun.Sec, begun.Usec)}, true
}

// awaitEnd leaves the waiting to whoever reaps the child.
func awaitEnd(pid int) {
	for {
		if _, alive := identify(pid); !alive {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// watch closes the channel when the process has ended; nil when it is not there.
func watch(id Identity) <-chan struct{} {
	if now, alive := identify(id.PID); !alive || now != id {
		return nil
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		for {
			if now, alive := identify(id.PID); !alive || now != id {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
	}()
	return gone
}

// started cannot be told here: other processes' environments are not readable.
func started(string) (Identity, bool) { return Identity{}, false }
