// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/cmd/windtunnel/run"
	"windtunnel.dev/windtunnel/cmd/windtunnel/sweep"
)

var newRootCommand = cmdtest.Root(NewCommand, NewCatalogueCommand, run.NewCommand, sweep.NewCommand)

var windtunnel, mustRun = cmdtest.Runners(newRootCommand)

func TestMain(m *testing.M) { cmdtest.Main(m) }
