// SPDX-License-Identifier: Apache-2.0

package start_test

import (
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/cmd/windtunnel/lint"
	"windtunnel.dev/windtunnel/cmd/windtunnel/run"
	"windtunnel.dev/windtunnel/cmd/windtunnel/start"
	"windtunnel.dev/windtunnel/cmd/windtunnel/sweep"
	"windtunnel.dev/windtunnel/cmd/windtunnel/trace"
)

var newRootCommand = cmdtest.Root(start.NewInitCommand, start.NewImportCommand, trace.NewCommand, lint.NewCommand, run.NewCommand, sweep.NewCommand)

var windtunnel, mustRun = cmdtest.Runners(newRootCommand)

func TestMain(m *testing.M) { cmdtest.Main(m) }
