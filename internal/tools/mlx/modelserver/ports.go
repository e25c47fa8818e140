package modelserver

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// reserve takes the lock of a port, which one process of a user on a machine can
// hold; the system gives it back when the process dies, however it dies.
func reserve(folder string, port int) (*os.File, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(folder, strconv.Itoa(port)+".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, errReserved
		}
		return nil, err
	}
	return f, nil
}

var errReserved = errors.New("another process holds the lock of the port")

// locksFolder is the same for all processes of a user, whatever their data folders.
func locksFolder() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("atelier-ports-%d", os.Getuid()))
}

// free says that nothing listens on the port, on no address of this machine. It
// tries all of them, as some systems let a program listen on all addresses
// beside another that listens on one.
func free(port int) bool {
	for _, host := range []string{"127.0.0.1", "0.0.0.0"} {
		l, err := net.Listen("tcp4", net.JoinHostPort(host, strconv.Itoa(port)))
		if err != nil {
			return false
		}
		_ = l.Close()
	}
	for _, host := range []string{"::1", "::"} {
		l, err := net.Listen("tcp6", net.JoinHostPort(host, strconv.Itoa(port)))
		if errors.Is(err, unix.EADDRINUSE) {
			return false
		}
		if err == nil {
			_ = l.Close()
		} // else a machine without IPv6
	}
	return true
}

// awaitFree waits until the system has given the port back.
func awaitFree(port int, patience time.Duration) bool {
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		if free(port) {
			return true
		}
		if time.Now().After(end) {
			return false
		}
	}
}
