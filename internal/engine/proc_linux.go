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

// becomeSubreaper makes this process the parent of what its engines leave behind,
// where there is no namespace to hold it.
func becomeSubreaper() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// endOrphans kills and reaps what a job left to this process: the processes that
// carry its token in their environment, and the dead of the sessions that they
// and the job's first process led. It stops first, then kills, so that one that
// keeps forking cannot outrun it; what a killed one leaves in its turn becomes a
// child of this process and is found in the next round.
func endOrphans(token string, leader int) {
	job := map[int]bool{leader: true} // all of the job's processes seen so far
	clean := 0
	for range 500 {
		alive, dead := orphans(token, job)
		for _, pid := range alive {
			_ = unix.Kill(pid, unix.SIGSTOP)
			job[pid] = true
		}
		for _, pid := range alive {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
		for _, pid := range dead {
			_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil)
		}
		if len(alive)+len(dead) > 0 {
			clean = -2 // a process has no environment for a moment while it starts another program
		} else if clean++; clean > 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// orphans are the children of this process that belong to a job.
func orphans(token string, job map[int]bool) (alive, dead []int) {
	mark := []byte(tokenVariable + "=" + token + "\x00")
	for _, pid := range children(os.Getpid()) {
		zombie, session := state(pid)
		switch {
		case zombie && (job[pid] || job[session]):
			dead = append(dead, pid)
		case zombie:
		case job[pid]:
			alive = append(alive, pid) // killed, on its way
		default:
			env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
			if err == nil && bytes.Contains(append(env, 0), mark) {
				alive = append(alive, pid)
			}
		}
	}
	return alive, dead
}

// state reads whether a process is a zombie, and its session.
func state(pid int) (zombie bool, session int) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false, 0
	}
	// The name stands in parentheses and may hold anything.
	f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(f) < 4 {
		return false, 0
	}
	session, _ = strconv.Atoi(f[3])
	return f[0] == "Z", session
}
