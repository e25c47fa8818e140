package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"atelier/internal/contract"
	"atelier/internal/protocol/httpapi"
	"atelier/internal/tools"
)

// storage is where rows, contents and job folders lie; every command that runs
// tools has it.
type storage struct {
	Data      string   `help:"Data folder: database, artifacts, uploads, logs." env:"ATELIER_DATA" default:"${data}" type:"path"`
	Database  string   `help:"SQLite file or postgres:// URL. Default: atelier.db in the data folder." env:"ATELIER_DATABASE"`
	Artifacts string   `help:"Storage of artifacts and uploads: file:// or s3:// URL. Default: the data folder." env:"ATELIER_ARTIFACTS"`
	Root      []string `help:"Folder from which tools may read files. Default: the current folder." env:"ATELIER_ROOT" type:"path" sep:":"`
	Engines   string   `help:"Folder of the native engines. Default: .engines beside the program or in the current folder." env:"ATELIER_ENGINES" type:"path"`
	Threads   int      `help:"Processor threads of one engine." env:"ATELIER_THREADS" default:"${threads}"`
	outsideFlags
	backendFlags
	webFlags
	searchFlags
	transcriptFlags
	LogLevel string `help:"debug, info, warn or error." env:"ATELIER_LOG_LEVEL" enum:"debug,info,warn,error" default:"info"`
}

// narrowing is which tools are shown and can be called.
type narrowing struct {
	Toolset string   `help:"What clients see that ask for no tools: standard (studies, find_tool, call_tool, files; all others can be called), or all." env:"ATELIER_TOOLSET" enum:"standard,all" default:"standard"`
	Family  []string `help:"Serve only the tools of these families (or of a server name such as web-fetch)." env:"ATELIER_FAMILY"`
	Tool    []string `help:"Serve only these tools: names or aliases, * and ? stand for any characters. Added to --family." env:"ATELIER_TOOL"`
	// The fixtures of the MCP conformance suite.
	Conformance bool `hidden:"" env:"ATELIER_CONFORMANCE"`
}

func (n narrowing) selection() contract.Selection {
	return contract.Selection{Families: n.Family, Tools: n.Tool}
}

// standard is what clients are shown that ask for nothing; the zero value shows all, as where
// the operator has chosen tools.
func (n narrowing) standard(o outsideFlags) contract.Selection {
	if _, all := o.folders(); all || n.Toolset == "all" || n.fixtures() || !n.selection().Empty() {
		return contract.Selection{}
	}
	return tools.Standard
}

// keeping is how long and how much is kept.
type keeping struct {
	KeepJobs      time.Duration `help:"How long finished jobs with their artifacts are kept." env:"ATELIER_KEEP_JOBS" default:"720h"`
	KeepFiles     time.Duration `help:"How long uploaded files are kept." env:"ATELIER_KEEP_FILES" default:"720h"`
	KeepSessions  time.Duration `help:"How long sessions are kept after their last change." env:"ATELIER_KEEP_SESSIONS" default:"720h"`
	QuotaBytes    int64         `help:"Largest total size of artifacts and uploads in bytes; 0 for no limit." env:"ATELIER_QUOTA_BYTES" default:"0"`
	SweepInterval time.Duration `help:"How often expired records are removed." env:"ATELIER_SWEEP_INTERVAL" default:"10m"`
}

func variables() map[string]string {
	data := ".atelier"
	if home, err := os.UserHomeDir(); err == nil {
		data = filepath.Join(home, ".local", "share", "atelier")
	}
	return map[string]string{"data": data, "threads": fmt.Sprint(min(runtime.NumCPU(), 8))}
}

// fill completes what was not given, and makes the data folder.
func (s *storage) fill() error {
	if err := s.complete(); err != nil {
		return err
	}
	if err := os.MkdirAll(s.ownFiles(), 0o700); err != nil {
		return fmt.Errorf("the data folder %s cannot be used: %w; choose another with --data or ATELIER_DATA", s.Data, err)
	}
	return nil
}

func (s *storage) complete() error {
	if s.Database == "" {
		s.Database = filepath.Join(s.Data, "atelier.db")
	}
	if s.Artifacts == "" {
		s.Artifacts = "file://" + filepath.ToSlash(s.Data)
	}
	if len(s.Root) == 0 {
		cwd, err := os.Getwd()
		if err != nil {
			return err
		}
		s.Root = []string{cwd}
	}
	for _, folder := range s.Root {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return fmt.Errorf("--root %s is not a folder: name one from which tools may read files", folder)
		}
	}
	s.Root = append(s.Root, s.ownFiles())
	if s.Engines == "" {
		s.Engines = findEngines()
	}
	return nil
}

// ownFiles is the part of the data folder that file arguments may name; the
// database and the contents beside it they may not.
func (s *storage) ownFiles() string { return filepath.Join(s.Data, "files") }

func (s *storage) workDir() string { return filepath.Join(s.Data, "work") }

func findEngines() string {
	candidates := []string{".engines"}
	if exe, err := os.Executable(); err == nil {
		dir := filepath.Dir(exe)
		candidates = append(candidates, filepath.Join(dir, ".engines"), filepath.Join(dir, "..", ".engines"))
	}
	for _, c := range candidates {
		if abs, err := filepath.Abs(c); err == nil {
			if info, err := os.Stat(abs); err == nil && info.IsDir() {
				return abs
			}
		}
	}
	abs, _ := filepath.Abs(candidates[0])
	return abs
}

// checkAddress refuses to open the server to a network without a token.
func checkAddress(addr, token string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("--addr %q is not host:port, such as 127.0.0.1:8080: %w", addr, err)
	}
	if httpapi.Loopback(host) || token != "" {
		return nil
	}
	return fmt.Errorf("--addr %s can be reached from the network, and no token is set: choose one with --token (or ATELIER_TOKEN), or listen on 127.0.0.1", addr)
}
