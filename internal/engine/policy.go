package engine

import (
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// policy is what one process may touch. Everything else of the file system is
// invisible to it, and so is the network.
type policy struct {
	write   []string // folders: read, write, make and remove files; nothing there can be executed
	read    []string // files and folders
	execute []string // programs, and folders in which programs may be executed
	devices []string
	sockets bool     // may make Unix sockets in its folders
	scratch []string // folders: read and write files, but not make, remove or list them
}

// systemRead is what a dynamically linked program needs of a Unix system.
var systemRead = []string{
	"/usr", "/lib", "/lib32", "/lib64", "/nix/store",
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload", "/etc/localtime",
	"/etc/alternatives", "/etc/fonts", "/etc/glvnd", "/etc/egl", "/etc/drirc", "/etc/OpenCL",
	"/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/sys/devices/system/cpu", "/sys/devices/system/node",
	"/dev/random", "/dev/urandom",
}

var systemDevices = []string{"/dev/null", "/dev/zero", "/dev/full"}

// loaders start dynamically linked programs; the kernel must be able to execute them.
var loaders = []string{"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1", "/lib/ld-musl-x86_64.so.1", "/lib/ld-musl-aarch64.so.1"}

func newPolicy(spec *Spec, prog program, dir string, inputs []string) policy {
	p := policy{
		write:   []string{dir},
		read:    append(append(append([]string{}, systemRead...), prog.read...), spec.Read...),
		execute: append(append([]string{prog.path}, prog.others...), loaders...),
		devices: append(append([]string{}, systemDevices...), spec.Devices...),
		scratch: prog.scratch, sockets: spec.UnixSockets,
	}
	p.read = append(p.read, inputs...)
	if spec.Proc {
		p.read = append(p.read, "/proc")
	}
	if prog.script {
		p.execute = append(append(p.execute, "/usr", "/bin", "/lib", "/lib64"), prog.read...)
	}
	return p
}

// bounds are the limits that the kernel and the watchdog hold a process to.
type bounds struct {
	time      time.Duration
	cpu       time.Duration // all threads together
	memory    int64         // bytes resident, all processes together
	file      int64         // bytes of one file
	disk      int64         // bytes of the job's folder
	files     int           // number of files in the job's folder
	processes int
	text      int64 // bytes on stdout and stderr together, what is cut from the log too
}

const (
	mib           = int64(1) << 20
	maxResultLine = 8 << 20
)

func environment(spec *Spec, prog program, dir, token string, threads int, memory int64) []string {
	n := strconv.Itoa(threads)
	env := []string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + dir, "TMPDIR=" + dir, tokenVariable + "=" + token,
		"ATELIER_MEMORY_MB=" + strconv.FormatInt(memory/mib, 10), // so that an engine can plan with it
		"OMP_NUM_THREADS=" + n, "OMP_WAIT_POLICY=passive", "OPENBLAS_NUM_THREADS=" + n, "LP_NUM_THREADS=" + n,
	}
	if prog.preload != "" {
		env = append(env, "LD_PRELOAD="+prog.preload)
	}
	return append(env, spec.Env...)
}

// tokenVariable marks every process of a job, so that one that left its group
// and its parent can still be found where there is no process namespace.
const tokenVariable = "ATELIER_ENGINE_JOB"

// folderSize adds up the regular files below a folder, and stops counting after most of them.
func folderSize(dir string, most int) (bytes int64, files int) {
	_ = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // what vanishes while we look is no longer there to be counted
		}
		if files++; files > most {
			return filepath.SkipAll
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	return bytes, files
}
