// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"windtunnel.dev/windtunnel/internal/printable"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// Execute runs a command until it ends, or a signal ends it, prints its error and returns its
// exit code.
func Execute(root *cobra.Command) (code int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := root.ExecuteContext(ctx)
	if err != nil && ctx.Err() != nil && !errors.Is(err, worker.ErrStopped) {
		err = Interrupted(err)
	}
	PrintError(os.Stderr, err)
	return ExitCode(err)
}

// PrintError prints an error, unless the output reports it already.
func PrintError(stderr io.Writer, err error) {
	if err != nil && !errors.As(err, new(ReportedError)) {
		fmt.Fprintln(stderr, "windtunnel:", printable.Text(err.Error()))
	}
}
