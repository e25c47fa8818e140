//go:build linux

package extract

import "golang.org/x/sys/unix"

// confineSelf lets this process open no further files and sockets, start no
// processes (that takes a pipe) and write no files.
func confineSelf() {
	for _, resource := range []int{unix.RLIMIT_NOFILE, unix.RLIMIT_FSIZE, unix.RLIMIT_CORE} {
		_ = unix.Setrlimit(resource, &unix.Rlimit{}) // lowering a limit is always allowed
	}
	_ = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
}

// limitMemory has the kernel refuse what goes beyond; the runtime then ends the
// process. The race detector's own tables do not fit, so under it nothing is set.
func limitMemory(bytes int64) {
	if !raceDetector {
		_ = unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: uint64(bytes), Max: uint64(bytes)})
	}
}
