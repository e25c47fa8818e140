package modelserver

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// bootID tells the runs of a machine apart: the time of a start counts from its
// boot.
var bootID = sync.OnceValue(func() string {
	raw, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(raw))
})

// identify reads the identity of a process that runs; a zombie does not.
func identify(pid int) (Identity, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return Identity{}, false
	}
	// The name stands in parentheses and may hold anything. proc(5): the state is
	// the 3rd field, the start in clock ticks after the boot the 22nd.
	f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(f) < 20 || f[0] == "Z" || f[0] == "X" {
		return Identity{}, false
	}
	return Identity{pid, bootID() + "/" + f[19]}, true
}

// awaitEnd returns when a child has ended, and leaves it to be reaped, so that
// its number stays its own.
func awaitEnd(pid int) {
	var info unix.Siginfo
	for {
		if err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT, nil); err != unix.EINTR {
			return
		}
	}
}

// watch closes the channel when the process has ended; nil when it is not there.
func watch(id Identity) <-chan struct{} {
	fd, err := unix.PidfdOpen(id.PID, 0)
	if err != nil {
		return nil
	}
	if now, alive := identify(id.PID); !alive || now != id { // the number was ours when the descriptor was made, or it is not
		_ = unix.Close(fd)
		return nil
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		defer unix.Close(fd)
		for {
			_, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1)
			if err != unix.EINTR {
				return
			}
		}
	}()
	return gone
}

// started finds the process that carries a token in its environment: one that
// was started just before its starter was killed.
func started(token string) (Identity, bool) {
	mark := []byte(tokenVariable + "=" + token + "\x00")
	found, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range found {
		env, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(append(env, 0), mark) {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if session, err := unix.Getsid(pid); err != nil || session != pid {
			continue // one of its children
		}
		if id, alive := identify(pid); alive {
			return id, true
		}
	}
	return Identity{}, false
}
