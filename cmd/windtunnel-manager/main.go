// SPDX-License-Identifier: Apache-2.0

// Command windtunnel-manager is the operator on a Kubernetes cluster. `windtunnel manager` becomes
// this program, which lies beside it.
package main

import (
	"os"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/manager"
	"windtunnel.dev/windtunnel/pkg/fence"
	"windtunnel.dev/windtunnel/pkg/workload/trace/parquetfile"
)

func main() {
	fence.Serve(parquetfile.Codec{})
	verb := manager.NewCommand()
	root := cli.NewRoot(verb)
	root.SetArgs(append([]string{verb.Name()}, os.Args[1:]...))
	os.Exit(cli.Execute(root))
}
