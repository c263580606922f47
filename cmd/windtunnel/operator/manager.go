// SPDX-License-Identifier: Apache-2.0

// Package operator has the verbs that run in the pods of the operator: worker and propose, and
// manager, which becomes a program of its own.
package operator

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"
)

// managerFile is the name of the program of the operator.
const managerFile = "windtunnel-manager"

// NewManagerCommand is the verb manager. ADR 50 says why it is another program.
func NewManagerCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "manager",
		Short: "Run the operator",
		Long: "Run the operator: the program " + managerFile + ", which lies beside this one.\n" +
			"windtunnel manager --help lists its flags.",
		DisableFlagParsing: true,
		RunE:               func(_ *cobra.Command, args []string) error { return becomeManager(args) },
	}
}

// becomeManager replaces this process by the operator.
func becomeManager(args []string) error {
	own, err := os.Executable()
	if err == nil {
		own, err = filepath.EvalSymlinks(own) // which os.Executable does on Linux only
	}
	if err != nil {
		return fmt.Errorf("find %s: %w", managerFile, err)
	}
	file := filepath.Join(filepath.Dir(own), managerFile)
	err = syscall.Exec(file, append([]string{file}, args...), os.Environ())
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the operator is a program of its own, and there is no %s: the image has it, and make build builds it", file)
	}
	return fmt.Errorf("run %s: %w", file, err)
}
