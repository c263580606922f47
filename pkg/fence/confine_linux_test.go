// SPDX-License-Identifier: Apache-2.0

//go:build linux && (amd64 || arm64)

package fence

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// confinedVariable has this test run in a process that is to be confined.
const confinedVariable = "WINDTUNNEL_TEST_CONFINED"

// A process that is confined reaches nothing, whatever its code is.
func TestAConfinedProcessReachesNothing(t *testing.T) {
	if os.Getenv(confinedVariable) == "" {
		again := exec.Command(program(), "-test.run=^TestAConfinedProcessReachesNothing$", "-test.v")
		again.Env = []string{confinedVariable + "=" + t.TempDir()}
		if out, err := again.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	folder := os.Getenv(confinedVariable)
	left, err := unix.Open("/etc/passwd", unix.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := confine(&request{Bytes: 512 << 20, CPU: time.Minute}); err != nil {
		t.Fatal(err)
	}
	for name, do := range map[string]func() error{
		"a connection": func() error {
			_, err := net.Dial("tcp", "127.0.0.1:1")
			return err
		},
		"a listener": func() error {
			_, err := net.Listen("tcp", "127.0.0.1:0")
			return err
		},
		"a socket of this machine": func() error {
			_, err := net.Dial("unix", filepath.Join(folder, "socket"))
			return err
		},
		"a program":      func() error { return exec.Command(program()).Start() },
		"a process":      func() error { return syscall.PtraceAttach(os.Getppid()) },
		"a folder":       func() error { return os.Mkdir(filepath.Join(folder, "new"), 0o700) },
		"a file to move": func() error { return os.Rename(folder, folder+"2") },
	} {
		if err := do(); !errors.Is(err, syscall.EPERM) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := unix.Read(left, make([]byte, 1)); !errors.Is(err, unix.EBADF) {
		t.Errorf("a file that was open before: %v", err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1, Max: 1}); err == nil && os.Getuid() != 0 {
		t.Error("a limit was raised")
	}
	for i := 0; ; i++ {
		if _, err := os.Open("/dev/null"); err != nil {
			if i > maxFiles || !errors.Is(err, syscall.EMFILE) {
				t.Errorf("%d files: %v", i, err)
			}
			break
		}
	}
}
