//go:build linux

package engine

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The test binary is its own engine: started with these words as arguments it
// misbehaves in one way, so that every fault can be shown without another program.
const engineWord = "misbehave"

func TestMain(m *testing.M) {
	SandboxMain()
	if len(os.Args) >= 3 && os.Args[1] == engineWord {
		misbehave(os.Args[2], os.Args[3:])
		os.Exit(0)
	}
	if len(os.Args) == 4 && os.Args[1] == serverWord {
		serveOne(os.Args[2], os.Args[3])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func say(line string) { fmt.Println(line) }

func result(output string) { say(`{"type":"result","output":` + output + `}`) }

// misbehave is what the engine does; how is the kind, args its parameters.
func misbehave(how string, args []string) {
	switch how {
	case "echo":
		echo()
	case "crash":
		fmt.Fprintln(os.Stderr, "about to crash")
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL) // Go turns SIGSEGV into an exit
		time.Sleep(time.Second)
	case "quit":
		os.Exit(3)
	case "hang":
		say(`{"type":"progress","fraction":0.5,"message":"half"}`)
		time.Sleep(time.Hour)
	case "deaf":
		signal.Ignore(syscall.SIGTERM)
		time.Sleep(time.Hour)
	case "flood":
		block := strings.Repeat("x", 1<<16)
		for {
			fmt.Println(block)
		}
	case "disk":
		fillDisk()
	case "files":
		for i := 0; ; i++ {
			_ = os.WriteFile(fmt.Sprintf("f%d", i), nil, 0o600)
		}
	case "memory":
		eatMemory()
	case "forks":
		forkBomb(args)
	case "orphan":
		orphan(args)
	case "probe":
		probe(args)
	case "talk":
		talk(args)
	case "answer":
		result(`{}`)
	case "answers":
		result(`{}`)
		result(`{}`)
	case "longline":
		result(`"` + strings.Repeat("y", maxResultLine) + `"`)
	case "linger":
		result(`{"ok":true}`)
		time.Sleep(time.Hour)
	case "error":
		say(`{"type":"error","code":"ERR_SINGULAR_SYSTEM","message":"nothing holds the body","field":"/config/bcs","hint":"Fix a face.","details":{"modes":6}}`)
		os.Exit(1)
	case "odd":
		say(`{"type":"error","code":"ERR_OF_ITS_OWN","message":"odd"}`)
	}
}

// echo answers with what it was asked, what it can read and where it is.
func echo() {
	var request strings.Builder
	chunk := make([]byte, 4096)
	for {
		n, err := os.Stdin.Read(chunk)
		request.Write(chunk[:n])
		if err != nil || strings.Contains(request.String(), "\n") {
			break
		}
	}
	input, _ := os.ReadFile("in/part.txt")
	_ = os.MkdirAll("out", 0o700)
	_ = os.WriteFile("out/made.txt", append([]byte("made of "), input...), 0o600)
	say("plain words")
	fmt.Fprintln(os.Stderr, "to stderr")
	say(fmt.Sprintf(`{"type":"result","output":{"request":%s,"input":%q},"artifacts":[{"name":"out/made.txt","primary":true}],"metrics":{"n":1},"warnings":[{"code":"w","message":"a warning"}]}`,
		strings.TrimSpace(request.String()), input))
}

func fillDisk() {
	block := make([]byte, 1<<20)
	for i := 0; ; i++ {
		f, err := os.Create(fmt.Sprintf("block%d", i))
		if err != nil {
			os.Exit(1)
		}
		for range 16 {
			if _, err := f.Write(block); err != nil {
				os.Exit(1)
			}
		}
		f.Close()
	}
}

func eatMemory() {
	var kept [][]byte
	for {
		block := make([]byte, 16<<20)
		for i := 0; i < len(block); i += 4096 {
			block[i] = 1
		}
		kept = append(kept, block)
		if len(kept) > 4096 {
			return
		}
	}
}

// forkBomb makes processes that make processes, to a depth, so that a failing
// test cannot take the machine down.
func forkBomb(args []string) {
	depth := args[0]
	if depth != "0" {
		for range 4 {
			cmd := exec.Command(os.Args[0], engineWord, "forks", string(depth[0]-1))
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			_ = cmd.Start()
		}
	}
	time.Sleep(time.Hour)
}

// orphan leaves a process behind that is in a session of its own and whose
// parent has ended, then answers.
func orphan(args []string) {
	if len(args) == 2 { // the middle one
		cmd := exec.Command(os.Args[0], engineWord, "hang")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		_ = cmd.Start()
		os.Exit(0)
	}
	cmd := exec.Command(os.Args[0], engineWord, "orphan", "x", "y")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	_ = cmd.Run()
	result(`{}`)
}

// talk tries sockets of every kind, and answers with what it got.
func talk(args []string) {
	var got []string
	if l, err := net.Listen("unix", "own.sock"); err == nil {
		got = append(got, "listen in its folder")
		l.Close()
	}
	if _, err := net.Listen("unix", args[1]); err == nil {
		got = append(got, "listen elsewhere")
	}
	for _, network := range []string{"tcp", "udp"} {
		if _, err := net.DialTimeout(network, args[0], time.Second); err == nil {
			got = append(got, network)
		}
	}
	result(fmt.Sprintf(`{"got":%q}`, strings.Join(got, "; ")))
}

// probe tries to get out, and answers with what succeeded.
func probe(args []string) {
	home, secret, address := args[0], args[1], args[2]
	var got []string
	try := func(name string, err error) {
		if err == nil {
			got = append(got, name)
		}
	}
	_, err := os.ReadFile("/etc/passwd")
	try("read /etc/passwd", err)
	_, err = os.ReadFile("/proc/1/environ")
	try("read /proc/1/environ", err)
	_, err = os.ReadDir(home)
	try("list home", err)
	_, err = os.ReadFile(secret)
	try("read a file beside the job", err)
	try("write beside the job", os.WriteFile(secret+".new", []byte("x"), 0o600))
	try("change a mode outside", os.Chmod(secret, 0o777))
	try("truncate outside", os.Truncate(secret, 0))
	try("write /tmp", os.WriteFile(filepath.Join("/tmp", "atelier-engine-probe"), nil, 0o600))
	try("write the input", os.WriteFile("in/part.txt", []byte("x"), 0o600))
	try("symbolic link", os.Symlink("/etc/passwd", "link"))
	_, err = net.DialTimeout("tcp", address, time.Second)
	try("tcp", err)
	_, err = net.Dial("udp", address)
	try("udp", err)
	if server, err := strconv.Atoi(args[3]); err == nil {
		try("signal the server", syscall.Kill(server, 0))
	}
	try("mount", syscall.Mount("none", ".", "tmpfs", 0, ""))
	_ = os.WriteFile("own", []byte("#!/bin/sh\n"), 0o700)
	try("run a file of its own", exec.Command("./own").Run())
	result(fmt.Sprintf(`{"escaped":%q}`, strings.Join(got, "; ")))
}
