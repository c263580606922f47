// SPDX-License-Identifier: Apache-2.0

// Command windtunnel-live has the verbs that serve and send requests in real time. `windtunnel engine`
// becomes this program, which lies beside it.
package main

import (
	"os"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/live"
	"windtunnel.dev/windtunnel/pkg/fence"
	"windtunnel.dev/windtunnel/pkg/workload/trace/parquetfile"
)

func main() {
	fence.Serve(parquetfile.Codec{})
	os.Exit(cli.Execute(live.NewRoot()))
}
