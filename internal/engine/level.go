package engine

import "strings"

// Level says which means of confinement this machine has. All that are there
// are used for every engine.
type Level struct {
	System           string `json:"system"`            // GOOS and kernel
	LandlockABI      int    `json:"landlock_abi"`      // 0: files are not confined
	Seccomp          bool   `json:"seccomp"`           // false: the network is not closed
	ProcessNamespace bool   `json:"process_namespace"` // false: processes are tracked instead
	UserNamespaces   bool   `json:"user_namespaces"`   // reported only
	NetNamespaces    bool   `json:"net_namespaces"`    // reported only; seccomp closes the network
	Bubblewrap       string `json:"bubblewrap"`        // path of bwrap; reported only
}

// Name is full when files, network and processes are all confined by the
// kernel, partial when something is missing, and none when nothing is there.
func (l Level) Name() string {
	switch {
	case l.LandlockABI > 0 && l.Seccomp && l.ProcessNamespace:
		return "full"
	case l.LandlockABI > 0 || l.Seccomp || l.ProcessNamespace:
		return "partial"
	}
	return "none"
}

// Missing says in words what this machine lacks.
func (l Level) Missing() []string {
	var m []string
	if l.LandlockABI == 0 {
		m = append(m, "Landlock (Linux 5.13): engines can read and write what the server can")
	}
	if !l.Seccomp {
		m = append(m, "seccomp filters: engines can open network connections")
	}
	if !l.ProcessNamespace {
		m = append(m, "process namespaces (need CAP_SYS_ADMIN): processes are tracked, and killed one by one")
	}
	return m
}

func (l Level) String() string {
	if m := l.Missing(); len(m) > 0 {
		return l.Name() + "; missing " + strings.Join(m, "; ")
	}
	return l.Name()
}
