package engine

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// children lists the direct children of a process.
func children(pid int) []int {
	base := "/proc/" + strconv.Itoa(pid) + "/task"
	threads, err := os.ReadDir(base)
	if err != nil {
		return nil
	}
	var found []int
	for _, t := range threads {
		list, err := os.ReadFile(base + "/" + t.Name() + "/children")
		if err != nil {
			continue
		}
		for _, field := range strings.Fields(string(list)) {
			if n, err := strconv.Atoi(field); err == nil {
				found = append(found, n)
			}
		}
	}
	return found
}

var pageSize = int64(os.Getpagesize())

// maxCounted bounds the walk over a process tree that grows while it is walked.
const maxCounted = 4096

// measure walks process trees: resident bytes and number of processes.
func measure(roots []int) (resident int64, processes int) {
	queue := roots
	for len(queue) > 0 && processes < maxCounted {
		pid := queue[0]
		queue = queue[1:]
		statm, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
		if err != nil {
			continue
		}
		processes++
		if f := bytes.Fields(statm); len(f) > 1 {
			pages, _ := strconv.ParseInt(string(f[1]), 10, 64)
			resident += pages * pageSize
		}
		queue = append(queue, children(pid)...)
	}
	return resident, processes
}

// systemThreads is the number of threads on the machine, an upper bound of what
// this user has.
func systemThreads() int {
	load, _ := os.ReadFile("/proc/loadavg")
	f := strings.Fields(string(load))
	if len(f) < 4 {
		return 4096
	}
	_, total, _ := strings.Cut(f[3], "/")
	n, _ := strconv.Atoi(total)
	return n
}

// adoptOrphans makes this process the parent of what its engines leave behind,
// where there is no namespace to hold it.
func adoptOrphans() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// endOrphans kills and reaps the processes that carry a job's token in their
// environment and were left to this process. It stops first, then kills, so that
// one that keeps forking cannot outrun it; what a killed one leaves in its turn
// becomes a child of this process and is found in the next round.
func endOrphans(token string) {
	pending := map[int]bool{} // killed, not yet reaped
	clean := 0
	for range 500 {
		found := tokenBearers(token)
		for _, pid := range found {
			_ = unix.Kill(pid, unix.SIGSTOP)
		}
		for _, pid := range found {
			_ = unix.Kill(pid, unix.SIGKILL)
			pending[pid] = true
		}
		for pid := range pending {
			if reaped, err := unix.Wait4(pid, nil, unix.WNOHANG, nil); reaped == pid || err == unix.ECHILD {
				delete(pending, pid)
			}
		}
		if len(found) > 0 || len(pending) > 0 {
			clean = -2 // a process has no environment for a moment while it starts another program
		} else if clean++; clean > 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// tokenBearers are the children of this process with the token.
func tokenBearers(token string) []int {
	mark := []byte(tokenVariable + "=" + token + "\x00")
	var found []int
	for _, pid := range children(os.Getpid()) {
		env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
		if err == nil && bytes.Contains(append(env, 0), mark) {
			found = append(found, pid)
		}
	}
	return found
}
