// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/pkg/fence"
	"windtunnel.dev/windtunnel/pkg/workload/trace/parquetfile"
)

var windtunnel, mustRun = cmdtest.Runners(newRootCommand)

// TestMain lets the program of the tests be the child of its fences.
func TestMain(m *testing.M) {
	fence.Serve(parquetfile.Codec{})
	m.Run()
}
