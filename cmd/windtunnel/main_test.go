// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/pkg/fence"
	"windtunnel.dev/windtunnel/pkg/workload/trace/parquetfile"
)

var windtunnel, mustRun = cmdtest.Runners(newRootCommand)

// Standard error does not repeat what the output says.
func TestErrorsArePrintedOnce(t *testing.T) {
	var complaint strings.Builder
	cli.PrintError(&complaint, cli.Reported(errors.New("told")))
	cli.PrintError(&complaint, errors.New("broken"))
	if complaint.String() != "windtunnel: broken\n" {
		t.Errorf("standard error says %q", complaint.String())
	}
}

// TestMain lets the program of the tests be the child of its fences.
func TestMain(m *testing.M) {
	fence.Serve(parquetfile.Codec{})
	m.Run()
}
