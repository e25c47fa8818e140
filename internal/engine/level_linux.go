package engine

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// DetectLevel finds out, once, what this machine can do.
var DetectLevel = sync.OnceValue(func() Level {
	l := Level{System: runtime.GOOS + " " + kernelRelease(), LandlockABI: landlockABI(), Seccomp: seccompWorks()}
	l.ProcessNamespace = canUnshare(unix.CLONE_NEWPID | unix.CLONE_NEWIPC)
	l.NetNamespaces = canUnshare(unix.CLONE_NEWNET)
	most, err := os.ReadFile("/proc/sys/user/max_user_namespaces")
	l.UserNamespaces = err == nil && strings.TrimSpace(string(most)) != "0"
	l.Bubblewrap, _ = exec.LookPath("bwrap")
	return l
})

func kernelRelease() string {
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	return strings.TrimSpace(string(release))
}

// canUnshare tries on a thread that is thrown away.
func canUnshare(flags int) bool {
	result := make(chan error, 1)
	var try func()
	try = func() {
		runtime.LockOSThread()
		if unix.Gettid() == unix.Getpid() { // the main thread must stay as it is
			inner := make(chan struct{})
			go func() { defer close(inner); try() }()
			<-inner
			runtime.UnlockOSThread()
			return
		}
		result <- unix.Unshare(flags)
		runtime.Goexit()
	}
	go try()
	return <-result == nil
}
