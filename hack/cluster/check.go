// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
)

// unsupportedHostError says why this machine cannot run a node.
type unsupportedHostError struct{ error }

// check finds out whether this machine lets us run containers, before anything
// is built for it.
func check() error {
	if runtime.GOOS != "linux" {
		return unsupportedHostError{fmt.Errorf("a node needs Linux, this is %s", runtime.GOOS)}
	}
	if os.Geteuid() != 0 {
		return unsupportedHostError{errors.New("a node needs root: it makes cgroups, mounts and a bridge")}
	}
	hierarchies := cgroupHierarchies()
	if len(hierarchies) == 0 {
		return unsupportedHostError{errors.New("a node needs cgroups: none are mounted below /sys/fs/cgroup")}
	}
	for _, hierarchy := range hierarchies {
		probe := filepath.Join(hierarchy, cgroupRoot+"-probe")
		if err := os.Mkdir(probe, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
			return unsupportedHostError{fmt.Errorf("a node needs cgroups of its own: %w", err)}
		}
		if err := syscall.Rmdir(probe); err != nil {
			return unsupportedHostError{fmt.Errorf("remove %s: %w", probe, err)}
		}
	}
	isolated := exec.Command("true")
	isolated.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID | syscall.CLONE_NEWUTS | syscall.CLONE_NEWIPC,
	}
	if err := isolated.Run(); err != nil {
		return unsupportedHostError{fmt.Errorf("a node needs namespaces, this machine forbids them: %w", err)}
	}
	return nil
}
