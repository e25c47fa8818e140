// Package nsinit makes the running binary able to serve as the first process of
// an engine's process namespace. That process does nothing but live: when it is
// killed, or when its parent dies and takes it along, the kernel kills every
// other process of the namespace at once, those that left their group and
// session too.
//
// The work is done in init, and the package imports almost nothing, so that it
// runs before the costly initialisation of the rest of a large program: Go
// initialises packages by dependency, then by import path.
package nsinit

import (
	"os"
	"os/signal"
	"syscall"
)

// Arg is the only argument with which the binary is started as such a process.
const Arg = "__sandbox"

func init() {
	if Wanted() {
		Wait()
	}
}

// Wanted says whether this process was started as the first of a namespace.
func Wanted() bool { return len(os.Args) == 2 && os.Args[1] == Arg && os.Getpid() == 1 }

// Wait lives until it is killed, or until its standard input ends: that is a pipe
// whose other end only the server holds. The death signal alone would not do,
// since a server can die before the new process has asked for that signal.
// Ignoring SIGCHLD makes the kernel reap the orphans of the namespace.
func Wait() {
	signal.Ignore(syscall.SIGCHLD)
	var nothing [1]byte
	for {
		if n, err := syscall.Read(0, nothing[:]); n == 0 && err != syscall.EINTR {
			os.Exit(0)
		}
	}
}
