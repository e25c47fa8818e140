//go:build linux

package extract

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// dataSize is what this process has mapped for writing, which is what RLIMIT_DATA
// counts: the runtime reserves much of it ahead, and keeps what it has once used.
func dataSize() int64 {
	content, err := os.ReadFile("/proc/self/statm")
	fields := strings.Fields(string(content))
	if err != nil || len(fields) < 6 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[5], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// confineSelf lets this process open no further files and sockets, start no
// processes (that takes a pipe) and write no files.
func confineSelf() {
	for _, resource := range []int{unix.RLIMIT_NOFILE, unix.RLIMIT_FSIZE, unix.RLIMIT_CORE} {
		_ = unix.Setrlimit(resource, &unix.Rlimit{}) // lowering a limit is always allowed
	}
	_ = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
}

// limitMemory has the kernel refuse what goes beyond; the runtime then ends the
// process. The size is beyond what was there at the start. The race detector's own tables do not fit, so under it nothing is set.
func limitMemory(start, bytes int64) {
	if !raceDetector && start > 0 {
		bytes += start
		_ = unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: uint64(bytes), Max: uint64(bytes)})
	}
}
