// SPDX-License-Identifier: Apache-2.0

// Package beside has the verbs that are programs of their own, which lie beside the command's. So
// the command does not link what they need.
package beside

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"
)

// Names of the programs.
const (
	managerFile = "windtunnel-manager"
	liveFile    = "windtunnel-live"
)

// NewManagerCommand is the verb manager. ADR 50 says why it is another program.
func NewManagerCommand() *cobra.Command {
	return newVerb("manager", "Run the operator", managerFile, nil)
}

// NewEngineCommand is the verb engine.
func NewEngineCommand() *cobra.Command {
	return newVerb("engine", "Serve simulated replicas over HTTP in real time, as vLLM does", liveFile, []string{"engine"})
}

// NewLoadCommand is the verb load.
func NewLoadCommand() *cobra.Command {
	return newVerb("load", "Send the workload of a SimulationRun to servers, and measure the answers", liveFile, []string{"load"})
}

// NewRehearseCommand is the verb rehearse.
func NewRehearseCommand() *cobra.Command {
	return newVerb("rehearse", "Run a real EPP before simulated replicas, and compare it with the simulation", liveFile, []string{"rehearse"})
}

// newVerb makes a verb that becomes a program, whose arguments begin with first.
func newVerb(name, short, program string, first []string) *cobra.Command {
	return &cobra.Command{
		Use:   name,
		Short: short,
		Long: short + ": the program " + program + ", which lies beside this one.\n" +
			"windtunnel " + name + " --help lists its flags.",
		DisableFlagParsing: true,
		RunE:               func(_ *cobra.Command, args []string) error { return become(program, append(first, args...)) },
	}
}

// become replaces this process by a program.
func become(program string, args []string) error {
	own, err := os.Executable()
	if err == nil {
		own, err = filepath.EvalSymlinks(own) // which os.Executable does on Linux only
	}
	if err != nil {
		return fmt.Errorf("find %s: %w", program, err)
	}
	file := filepath.Join(filepath.Dir(own), program)
	err = syscall.Exec(file, append([]string{file}, args...), os.Environ())
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the verb is a program of its own, and there is no %s: the image has it, and make build builds it", file)
	}
	return fmt.Errorf("run %s: %w", file, err)
}
