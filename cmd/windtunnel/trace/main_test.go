// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/cmd/windtunnel/run"
)

var newRootCommand = cmdtest.Root(NewCommand, run.NewCommand)

var windtunnel, mustRun = cmdtest.Runners(newRootCommand)

func TestMain(m *testing.M) { cmdtest.Main(m) }
