package engine

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

var archDeniedCalls []int // no call beside the common ones
