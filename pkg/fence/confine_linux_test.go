// SPDX-License-Identifier: Apache-2.0

//go:build linux && (amd64 || arm64)

package fence

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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
	const zone = "/usr/share/zoneinfo/Europe/Berlin"
	_, missing := os.Stat(zone)
	if err := confine(&request{Bytes: 512 << 20, CPU: time.Minute}); err != nil {
		t.Fatal(err)
	}
	if _, err := unix.Read(left, make([]byte, 1)); !errors.Is(err, unix.EBADF) {
		t.Errorf("a file that was open before: %v", err)
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
		"a program": func() error {
			_, err := syscall.ForkExec(program(), nil, nil)
			return err
		},
		"a process":      func() error { return syscall.PtraceAttach(os.Getppid()) },
		"a folder":       func() error { return os.Mkdir(filepath.Join(folder, "new"), 0o700) },
		"a file to move": func() error { return os.Rename(folder, folder+"2") },
	} {
		if err := do(); !errors.Is(err, syscall.EPERM) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, do := range map[string]func() error{
		"a file to read": func() error {
			_, err := os.Open("/etc/passwd")
			return err
		},
		"a file to write": func() error {
			_, err := os.Create(filepath.Join(folder, "new"))
			return err
		},
		"the files of a folder": func() error {
			_, err := os.ReadDir("/")
			return err
		},
		"the memory of its parent": func() error {
			_, err := os.Open(fmt.Sprintf("/proc/%d/environ", os.Getppid()))
			return err
		},
	} {
		if err := onNewThread(do); hasLandlock() && !errors.Is(err, syscall.EACCES) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if text, err := os.ReadFile(zone); missing == nil && (err != nil || len(text) == 0) {
		t.Errorf("a time zone: %v", err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1, Max: 1}); err == nil && os.Getuid() != 0 {
		t.Error("a limit was raised")
	}
	for i := 0; ; i++ {
		if _, err := unix.Dup(0); err != nil {
			if i > maxFiles || !errors.Is(err, syscall.EMFILE) {
				t.Errorf("%d files: %v", i, err)
			}
			break
		}
	}
}

// onNewThread does something on a thread that did not exist when the process was confined.
func onNewThread(do func() error) error {
	done := make(chan error)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	go func() {
		runtime.LockOSThread() // and the thread ends with the goroutine
		done <- do()
	}()
	return <-done
}

// hasLandlock reports whether the kernel has it, and Go can use it.
func hasLandlock() bool {
	_, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	_, _, all := syscall.AllThreadsSyscall(unix.SYS_GETPID, 0, 0, 0)
	return errno == 0 && all == 0
}
