// SPDX-License-Identifier: Apache-2.0

// Command windtunnel simulates clusters that serve large language models. The
// commands run and sweep simulate on this machine; manager and worker are the
// operator on a Kubernetes cluster.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/operator"
	"windtunnel.dev/windtunnel/internal/ballast"
	"windtunnel.dev/windtunnel/internal/printable"
	"windtunnel.dev/windtunnel/pkg/fence"
	"windtunnel.dev/windtunnel/pkg/worker"
	"windtunnel.dev/windtunnel/pkg/workload/trace/parquetfile"
)

func main() {
	fence.Serve(parquetfile.Codec{})
	root, drop := newCommand(os.Args[0]), func() {}
	prepare := root.PersistentPreRun
	root.PersistentPreRun = func(cmd *cobra.Command, args []string) {
		prepare(cmd, args)
		// A manager simulates nothing and lives long: what counts there is memory.
		if cmd.Name() != operator.ManagerVerb {
			drop = ballast.Load()
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := root.ExecuteContext(ctx)
	if err != nil && ctx.Err() != nil && !errors.Is(err, worker.ErrStopped) {
		err = cli.Interrupted(err)
	}
	stop()
	drop()
	printError(os.Stderr, err)
	os.Exit(cli.ExitCode(err))
}

// printError prints an error, unless the output reports it already.
func printError(stderr io.Writer, err error) {
	if err != nil && !errors.As(err, new(cli.ReportedError)) {
		fmt.Fprintln(stderr, "windtunnel:", printable.Text(err.Error()))
	}
}
