// SPDX-License-Identifier: Apache-2.0

//go:build !linux || (!amd64 && !arm64)

package fence

import (
	"os"
	"syscall"
)

// Missing says what the fence does not bound on this system; empty where it bounds all.
const Missing = "code in policy bundles runs in a process of its own, but this system bounds neither its memory nor its CPU time, and does not keep it from files and the network"

func program() string {
	name, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return name
}

func attributes() *syscall.SysProcAttr { return nil }

func confine(*request) error { return nil }

// nameless returns a file whose name is gone, or goes with the folder for temporary files.
func nameless() (*os.File, error) {
	file, err := os.CreateTemp("", "windtunnel-trace-")
	if err == nil {
		_ = os.Remove(file.Name()) // some systems keep it while it is open
	}
	return file, err
}
