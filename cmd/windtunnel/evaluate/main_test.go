// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
)

var newRootCommand = cmdtest.Root(NewCommand, NewServeCommand)

var windtunnel, mustRun = cmdtest.Runners(newRootCommand)

func TestMain(m *testing.M) { cmdtest.Main(m) }
