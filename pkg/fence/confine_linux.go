// SPDX-License-Identifier: Apache-2.0

//go:build linux && (amd64 || arm64)

package fence

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Missing says what the fence does not bound on this system; empty where it bounds all.
const Missing = ""

// program is the program of this process, even where its file was replaced, or has no name.
func program() string { return "/proc/self/exe" }

// attributes have a child end with its parent, and keep signals of a terminal from it: its
// parent ends it.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}

// maxFiles is how many open files a child may have: its own, those of Go's runtime, and the
// rules of Landlock.
const maxFiles = 16

// maxThreads is how many threads Go's runtime may make. The kernel's limit counts those of all
// processes of a user, such as of the other pods of a node.
const maxThreads = 100

// confine limits this process for good.
func confine(r *request) error {
	if err := closeOthers(firstFile + len(r.Traces)); err != nil {
		return err
	}
	// A second before the kernel ends the process, Go's runtime does so, and says why.
	seconds := max(uint64(r.CPU.Seconds()), 1)
	if err := unix.Setrlimit(unix.RLIMIT_CPU, &unix.Rlimit{Cur: seconds, Max: seconds + 1}); err != nil {
		return fmt.Errorf("limit the CPU time: %w", err)
	}
	reserved, err := addressSpace()
	if err != nil {
		return err
	}
	for _, l := range []struct {
		resource int
		most     uint64
	}{
		// Go's runtime reserves address space, and maps memory there. RLIMIT_DATA counts what
		// is mapped, but lets one mapping of any size pass while there is something left: the
		// kernel takes it for one that replaces another. RLIMIT_AS sees that one when its
		// space is reserved.
		{unix.RLIMIT_DATA, uint64(r.Bytes)},
		{unix.RLIMIT_AS, reserved + uint64(r.Bytes) + arenaBytes},
		{unix.RLIMIT_NOFILE, uint64(maxFiles + len(r.Traces))},
		{unix.RLIMIT_FSIZE, 0},
		{unix.RLIMIT_CORE, 0},
	} {
		if err := limit(l.resource, l.most); err != nil {
			return err
		}
	}
	debug.SetMaxThreads(maxThreads)
	if err := lockFiles(); err != nil {
		return err
	}
	return filter()
}

// closeOthers closes the files from a number on that this process has from those who started
// its parent. Those of Go's runtime have no place in a file system, and stay.
func closeOthers(first int) error {
	const folder = "/proc/self/fd"
	files, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, file := range files {
		fd, err := strconv.Atoi(file.Name())
		if err != nil || fd < first {
			continue
		}
		if what, err := os.Readlink(filepath.Join(folder, file.Name())); err == nil && !strings.HasPrefix(what, "anon_inode:") {
			_ = unix.Close(fd) // the folder itself was among them, and is closed
		}
	}
	return nil
}

// arenaBytes are what Go's runtime reserves at least at a time.
const arenaBytes = 64 << 20

// addressSpace is how much of it this process has reserved.
func addressSpace() (uint64, error) {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	var pages uint64
	if _, err := fmt.Sscan(string(statm), &pages); err != nil {
		return 0, fmt.Errorf("read /proc/self/statm: %w", err)
	}
	return pages * uint64(os.Getpagesize()), nil
}

func limit(resource int, most uint64) error {
	if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: most, Max: most}); err != nil {
		return fmt.Errorf("limit %d to %d: %w", resource, most, err)
	}
	return nil
}

// nameless returns a file without a name in memory: the image of a worker has no folder to
// write to.
func nameless() (*os.File, error) {
	fd, err := unix.MemfdCreate("trace", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("make a file in memory: %w", err)
	}
	return os.NewFile(uintptr(fd), "trace"), nil
}
