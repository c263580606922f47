// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/cmd/windtunnel/results"
	"windtunnel.dev/windtunnel/cmd/windtunnel/run"
	"windtunnel.dev/windtunnel/cmd/windtunnel/sweep"
)

var newRootCommand = cmdtest.Root(NewCommand, run.NewCommand, sweep.NewCommand, results.NewReportCommand)

var windtunnel, mustRun = cmdtest.Runners(newRootCommand)

func TestMain(m *testing.M) { cmdtest.Main(m) }
