package engine

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The filter closes what Landlock leaves open: sockets of every kind (UDP, and,
// but for an engine that says what it needs them for, the Unix sockets of other
// services), changes of mode, owner or attributes of
// files elsewhere, handles on other processes, and the kernel interfaces that
// no engine needs. A refused call fails with EPERM; the process lives on.

// Offsets in struct seccomp_data.
const (
	offsetNumber = 0
	offsetArch   = 4
	offsetArg0   = 16
)

func statement(code uint16, k uint32) unix.SockFilter { return unix.SockFilter{Code: code, K: k} }

func jumpEqual(k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: yes, Jf: no, K: k}
}

var (
	load   = uint16(unix.BPF_LD | unix.BPF_W | unix.BPF_ABS)
	answer = uint16(unix.BPF_RET | unix.BPF_K)
	deny   = statement(answer, unix.SECCOMP_RET_ERRNO|uint32(unix.EPERM))
	absent = statement(answer, unix.SECCOMP_RET_ERRNO|uint32(unix.ENOSYS))
	permit = statement(answer, unix.SECCOMP_RET_ALLOW)
)

var (
	filter       = sync.OnceValue(func() []unix.SockFilter { return makeFilter(deny) })
	socketFilter = sync.OnceValue(func() []unix.SockFilter {
		return makeFilter(statement(load, offsetArg0), jumpEqual(unix.AF_UNIX, 0, 1), permit, deny)
	})
)

// makeFilter makes the program; socket is what is done with that call.
func makeFilter(socket ...unix.SockFilter) []unix.SockFilter {
	f := []unix.SockFilter{
		// Another architecture's numbers mean other calls.
		statement(load, offsetArch), jumpEqual(auditArch, 1, 0), deny,
		statement(load, offsetNumber),
	}
	if runtime.GOARCH == "amd64" { // the x32 variant of the calls
		f = append(f, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, Jf: 1, K: 0x4000_0000}, deny)
	}
	// clone3 hides its flags in memory; its absence makes libraries use clone.
	f = append(f, jumpEqual(unix.SYS_CLONE3, 0, 1), absent)
	f = append(append(f, jumpEqual(unix.SYS_SOCKET, 0, uint8(len(socket)))), socket...)
	for _, number := range slices.Concat(deniedCalls, archDeniedCalls) {
		f = append(f, jumpEqual(uint32(number), 0, 1), deny)
	}
	return append(f,
		jumpEqual(unix.SYS_CLONE, 0, 3), // no user namespace: it would give privileges back
		statement(load, offsetArg0),
		unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, Jf: 1, K: unix.CLONE_NEWUSER},
		deny, permit)
}

var deniedCalls = []int{
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT,
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR,
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_FANOTIFY_INIT,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_FSOPEN, unix.SYS_FSMOUNT, unix.SYS_FSCONFIG,
	unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_UNSHARE, unix.SYS_SETNS,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_REBOOT,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_SYSLOG, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX, unix.SYS_VHANGUP,
	unix.SYS_MQ_OPEN, unix.SYS_SHMGET, unix.SYS_MSGGET, unix.SYS_SEMGET,
}

// installFilter confines the thread; sockets lets it make Unix sockets.
func installFilter(sockets bool) error {
	program := filter()
	if sockets {
		program = socketFilter()
	}
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, errno := unix.Syscall6(unix.SYS_PRCTL, unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&prog)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("install the filter: %w", errno)
	}
	return nil
}

// seccompWorks asks the kernel whether it has filters, without installing one:
// a null program is refused with EFAULT where it has, with EINVAL where not.
var seccompWorks = sync.OnceValue(func() bool {
	_, _, errno := unix.Syscall(unix.SYS_PRCTL, unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, 0)
	return errno == unix.EFAULT
})
