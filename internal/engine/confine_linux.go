package engine

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// confine restricts the calling thread, and so what it forks from then on, as
// far as this machine can. Nothing of it can be undone.
func confine(p *policy, level Level) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	if os.Geteuid() == 0 {
		dropCapabilities()
	}
	if level.LandlockABI > 0 {
		if err := landlock(p, level.LandlockABI); err != nil {
			return fmt.Errorf("landlock: %w", err)
		}
	}
	if level.Seccomp {
		if err := installFilter(p.sockets); err != nil {
			return fmt.Errorf("seccomp: %w", err)
		}
	}
	return nil
}

// dropCapabilities takes from root's children all privileges but that of reading
// and writing files of other users, within what Landlock leaves.
func dropCapabilities() {
	for c := uintptr(0); c <= 63; c++ {
		if c == unix.CAP_DAC_OVERRIDE || c == unix.CAP_DAC_READ_SEARCH {
			continue
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); errors.Is(err, unix.EINVAL) {
			return // above the last capability of this kernel
		}
	}
}

const (
	fileRights = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_READ_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	readRights   = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	deviceRights = readRights | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	// No symbolic links, sockets, pipes or devices: what reads the folder after
	// the engine must not be led astray.
	writeRights = readRights | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR |
		unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE
)

// handled are the rights that a Landlock version knows; they are denied unless a
// rule gives them.
func handled(abi int) unix.LandlockRulesetAttr {
	a := unix.LandlockRulesetAttr{Handled_access_fs: 1<<13 - 1}
	if abi >= 2 {
		a.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi >= 3 {
		a.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= 4 {
		a.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if abi >= 5 {
		a.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= 6 {
		a.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	return a
}

// landlock restricts the calling thread alone, unlike the go-landlock package,
// which restricts the whole process.
func landlock(p *policy, abi int) error {
	attr := handled(abi)
	size := unsafe.Offsetof(attr.Quiet_access_fs) // each version knows a longer structure
	switch {
	case abi < 4:
		size = unsafe.Offsetof(attr.Handled_access_net)
	case abi < 6:
		size = unsafe.Offsetof(attr.Scoped)
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return errno
	}
	defer unix.Close(int(fd))
	write := uint64(writeRights)
	if p.sockets {
		write |= unix.LANDLOCK_ACCESS_FS_MAKE_SOCK
	}
	for _, group := range []struct {
		paths  []string
		rights uint64
	}{
		{p.write, write},
		{p.read, readRights},
		{p.execute, readRights | unix.LANDLOCK_ACCESS_FS_EXECUTE},
		{p.devices, deviceRights},
		{p.scratch, unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE},
	} {
		for _, path := range group.paths {
			if err := allow(int(fd), path, group.rights&attr.Handled_access_fs); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// allow adds a rule; a path that does not exist on this machine is left out.
func allow(ruleset int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOTDIR) {
			return nil
		}
		return err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= fileRights
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// landlockABI is the version that the running kernel has; 0 for none.
var landlockABI = sync.OnceValue(func() int {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
})

// setLimits sets the kernel's own limits; the watchdog holds the finer ones.
// RLIMIT_AS is left alone, since renderers and OpenMP reserve far more addresses
// than they use; RLIMIT_DATA stops what would outrun the watchdog.
func setLimits(pid int, b bounds) {
	cpu := uint64(b.cpu.Seconds()) + 1
	set := func(resource int, soft, hard uint64) {
		_ = unix.Prlimit(pid, resource, &unix.Rlimit{Cur: soft, Max: hard}, nil)
	}
	set(unix.RLIMIT_CORE, 0, 0)
	set(unix.RLIMIT_CPU, cpu, cpu+1)
	set(unix.RLIMIT_FSIZE, uint64(b.file), uint64(b.file))
	set(unix.RLIMIT_DATA, uint64(2*b.memory+512*mib), uint64(2*b.memory+512*mib))
	set(unix.RLIMIT_NOFILE, 1024, 1024)
	if os.Geteuid() != 0 { // the kernel counts all of a user's threads, and root's never
		set(unix.RLIMIT_NPROC, uint64(systemThreads()+64*b.processes), uint64(systemThreads()+64*b.processes))
	}
}
