// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/cmd/windtunnel/lint"
	"windtunnel.dev/windtunnel/cmd/windtunnel/results"
	"windtunnel.dev/windtunnel/cmd/windtunnel/run"
	"windtunnel.dev/windtunnel/cmd/windtunnel/start"
)

var newRootCommand = cmdtest.Root(NewCommand, NewSizeCommand, NewPromoteCommand, run.NewCommand, lint.NewCommand, results.NewCommand, start.NewInitCommand)

var windtunnel, mustRun = cmdtest.Runners(newRootCommand)

func TestMain(m *testing.M) { cmdtest.Main(m) }
