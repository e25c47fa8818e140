package engine

import (
	"encoding/binary"
	"runtime"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// judged is what the kernel would make of a call: the same program in the
// virtual machine for packet filters, whose words are big-endian.
func judged(t *testing.T, program []unix.SockFilter, arch, number, argument uint32) uint32 {
	t.Helper()
	raw := make([]bpf.RawInstruction, len(program))
	for i, f := range program {
		raw[i] = bpf.RawInstruction{Op: f.Code, Jt: f.Jt, Jf: f.Jf, K: f.K}
	}
	instructions, decoded := bpf.Disassemble(raw)
	if !decoded {
		t.Fatal("the filter has an unknown instruction")
	}
	vm, err := bpf.NewVM(instructions)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 64)
	binary.BigEndian.PutUint32(data[offsetNumber:], number)
	binary.BigEndian.PutUint32(data[offsetArch:], arch)
	binary.BigEndian.PutUint32(data[offsetArg0:], argument)
	verdict, err := vm.Run(data)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(verdict)
}

func TestFilterJudgesCalls(t *testing.T) {
	const allowed, noSuchCall = unix.SECCOMP_RET_ALLOW, unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	refused := unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	type call struct {
		name                   string
		arch, number, argument uint32
		plain, sockets         uint32 // the verdicts without and with Unix sockets
	}
	calls := []call{
		{"read", auditArch, unix.SYS_READ, 0, allowed, allowed},
		{"openat", auditArch, unix.SYS_OPENAT, 0, allowed, allowed},
		{"Unix socket", auditArch, unix.SYS_SOCKET, unix.AF_UNIX, refused, allowed},
		{"internet socket", auditArch, unix.SYS_SOCKET, unix.AF_INET, refused, refused},
		{"thread", auditArch, unix.SYS_CLONE, unix.CLONE_VM | unix.CLONE_THREAD, allowed, allowed},
		{"user namespace", auditArch, unix.SYS_CLONE, unix.CLONE_NEWUSER | unix.CLONE_VM, refused, refused},
		{"clone3", auditArch, unix.SYS_CLONE3, 0, noSuchCall, noSuchCall},
		// Their numbers mean other calls: 26 is ptrace on i386, and what 26 is here is allowed.
		{"ptrace of i386", unix.AUDIT_ARCH_I386, 26, 0, refused, refused},
		{"socket of i386", unix.AUDIT_ARCH_I386, 359, 0, refused, refused},
		{"read of 32-bit ARM", unix.AUDIT_ARCH_ARM, 3, 0, refused, refused},
	}
	if runtime.GOARCH == "amd64" {
		calls = append(calls, call{"read of x32", auditArch, 0x4000_0000 | unix.SYS_READ, 0, refused, refused})
	}
	for _, number := range append(deniedCalls, archDeniedCalls...) {
		calls = append(calls, call{"denied", auditArch, uint32(number), 0, refused, refused})
	}
	for _, c := range calls {
		if got := judged(t, filter(), c.arch, c.number, c.argument); got != c.plain {
			t.Errorf("%s (%d): %#x, want %#x", c.name, c.number, got, c.plain)
		}
		if got := judged(t, socketFilter(), c.arch, c.number, c.argument); got != c.sockets {
			t.Errorf("%s (%d) with Unix sockets: %#x, want %#x", c.name, c.number, got, c.sockets)
		}
	}
}
