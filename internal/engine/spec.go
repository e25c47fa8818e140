package engine

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"atelier/internal/contract"
)

// Spec registers an engine: how it is started and what it may touch beside its
// own program and the system's libraries.
type Spec struct {
	Name    string
	Title   string
	Licence string
	// Driver is the program: a path relative to the engines' root
	// ("mfem/bin/mfem-driver"), an absolute path, or with System a name that is
	// looked up in PATH.
	Driver string
	System bool
	Args   []string // before Job.Args; for the protocol alone where Job.Args is nil
	// Warm is how many processes wait ahead of their job, started with Args and
	// WarmArgs; 0 starts each when it is needed.
	Warm     int
	WarmArgs []string
	Env      []string // NAME=value, beside PATH, LANG, TMPDIR and the thread counts
	Read     []string // further paths that it may read
	Devices  []string // device files or folders that it may use
	Proc     bool     // may read /proc, as language runtimes want to
	// Preload is a library below the engines' root that is loaded into the
	// program where it is installed; it replaces tmpfile(). Where it is not, the
	// program may use nameless files in /tmp.
	Preload string
	// UnixSockets lets it make Unix sockets in its folder, to speak with its own
	// child; it must give that up before it runs anything that is not its own.
	UnixSockets bool
	// Programs are names of further programs that it may run as its own children,
	// looked up in PATH; one that is not installed is left out.
	Programs []string
	// Processes is the most processes that it may have at once.
	Processes int
	Hint      string // how to install it
}

// Builtin are the engines of the program.
func Builtin() []Spec {
	hint := func(name string) string { return "Run `make engines` (or `engines/install.sh " + name + "`)." }
	return []Spec{
		{Name: "mfem", Title: "MFEM finite element driver", Licence: "BSD-3-Clause", Driver: "mfem/bin/mfem-driver", Programs: []string{"ccx"}, Processes: 8, Hint: hint("mfem")},
		{Name: "ngspice", Title: "ngspice circuit simulator", Licence: "BSD-3-Clause", Driver: "ngspice", System: true, Preload: "ngspice/lib/tmpfile.so", Processes: 2, Hint: hint("ngspice")},
		{Name: "occt", Title: "OpenCASCADE CAD kernel", Licence: "LGPL-2.1 with exception", Driver: "occt/bin/occt-driver", Processes: 8, Hint: hint("occt")},
		{Name: "netgen", Title: "Netgen mesher", Licence: "LGPL-2.1", Driver: "netgen/bin/netgen-driver",
			Env: []string{"PYTHONDONTWRITEBYTECODE=1"}, Proc: true, Processes: 16, Hint: hint("netgen")},
		{Name: "gmsh", Title: "Gmsh mesher", Licence: "GPL-2.0-or-later", Driver: "gmsh/bin/gmsh-driver",
			Env: []string{"PYTHONDONTWRITEBYTECODE=1"}, Proc: true, Processes: 16, Hint: "It is optional: engines/install.sh gmsh."},
		{Name: "truck", Title: "Truck CAD kernel", Licence: "Apache-2.0", Driver: "truck/bin/truck-driver", Proc: true, Processes: 8, Hint: hint("truck")},
		{Name: "vtk", Title: "VTK renderer", Licence: "BSD-3-Clause", Driver: "vtk/bin/vtk-driver", Warm: 1, WarmArgs: []string{"--warm"},
			Env:  []string{"VTK_DEFAULT_OPENGL_WINDOW=vtkEGLRenderWindow", "PYTHONDONTWRITEBYTECODE=1"},
			Read: []string{"/sys"}, Devices: []string{"/dev/dri", "/dev/nvidiactl", "/dev/nvidia0", "/dev/nvidia-modeset"}, Proc: true, Processes: 32, Hint: hint("vtk")},
		{Name: "notebook", Title: "Jupyter kernel", Licence: "BSD-3-Clause", Driver: "notebook/bin/notebook-driver", Warm: 1, WarmArgs: []string{"--warm"},
			Env: []string{"PYTHONDONTWRITEBYTECODE=1"}, Read: []string{"/etc/debian_version", "/etc/os-release", "/etc/lsb-release"}, UnixSockets: true, Processes: 64, Hint: hint("notebook")},
	}
}

// program is an engine as it was found on this machine.
type program struct {
	path    string
	script  bool     // started through an interpreter, so it may execute what it can read
	read    []string // its own folder, and those of the interpreter it was built on
	preload string   // the library to load into it
	scratch []string // folders in which it may use nameless files
	others  []string // programs that it may run
}

// locate finds the engine's program, or says with missing_dependency what to do.
func (s *Spec) locate(root string) (program, error) {
	missing := func(format string, args ...any) error {
		return contract.Errorf(contract.CodeMissingDependency, format, args...).WithHint("%s", s.Hint).With("engine", s.Name)
	}
	path := s.Driver
	switch {
	case s.System:
		found, err := exec.LookPath(s.Driver)
		if err != nil {
			return program{}, missing("the engine %s is not installed: there is no program %q in PATH", s.Name, s.Driver)
		}
		path = found
	case !filepath.IsAbs(path):
		path = filepath.Join(root, path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return program{}, missing("the engine %s is not installed", s.Name)
	}
	if !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return program{}, missing("the engine %s is broken: its program cannot be executed", s.Name)
	}
	p := program{path: path, script: isScript(path), read: []string{path}}
	if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
		p.read = append(p.read, real)
	}
	if s.Preload != "" {
		library := filepath.Join(root, s.Preload)
		if _, err := os.Stat(library); err == nil {
			p.preload, p.read = library, append(p.read, library)
		} else {
			p.scratch = []string{"/tmp"}
		}
	}
	for _, name := range s.Programs {
		if found, err := exec.LookPath(name); err == nil {
			p.others = append(p.others, found)
		}
	}
	if !s.System && !filepath.IsAbs(s.Driver) {
		own := filepath.Join(root, s.Name)
		p.read = append(append(p.read, own), pythonHomes(own)...)
	}
	return p, nil
}

func isScript(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [2]byte
	n, _ := f.Read(head[:])
	return string(head[:n]) == "#!"
}

// pythonHomes are the installations behind the virtual environments of an
// engine: their standard library lies outside of the environment.
func pythonHomes(dir string) []string {
	var homes []string
	for _, pattern := range []string{"pyvenv.cfg", "*/pyvenv.cfg"} {
		files, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, file := range files {
			if home := pythonHome(file); home != "" {
				homes = append(homes, home)
			}
		}
	}
	return homes
}

func pythonHome(config string) string {
	f, err := os.Open(config)
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		key, value, ok := strings.Cut(lines.Text(), "=")
		if ok && strings.TrimSpace(key) == "home" {
			home := strings.TrimSpace(value)
			// A version manager's shim folder holds launchers, not the installation.
			if real, err := filepath.EvalSymlinks(filepath.Join(home, "python3")); err == nil {
				home = filepath.Dir(real)
			}
			if prefix := filepath.Dir(home); prefix != "/" && prefix != "/usr" {
				return prefix
			}
		}
	}
	return ""
}
