// SPDX-License-Identifier: Apache-2.0

// Command windtunnel simulates clusters that serve large language models. The
// commands run and sweep simulate on this machine; worker is what runs in the pods
// of the operator on a Kubernetes cluster.
package main

import (
	"os"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/internal/headroom"
	"windtunnel.dev/windtunnel/pkg/fence"
	"windtunnel.dev/windtunnel/pkg/workload/trace/parquetfile"
)

func main() {
	fence.Serve(parquetfile.Codec{})
	headroom.Grow(100)
	os.Exit(cli.Execute(newCommand(os.Args[0])))
}
