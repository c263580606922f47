// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/worker"
)

func TestPagesOfAManagerNeedAnAddress(t *testing.T) {
	cmd := NewManagerCommand()
	cmd.SetArgs([]string{"--image", "x", "--dashboard"})
	err := cmd.ExecuteContext(t.Context())
	if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), "--dashboard needs --web-bind-address") {
		t.Errorf("error %v", err)
	}
}

// TestABadWorkerInputHasAnExitCodeOfItsOwn keeps bad input apart from the ends of processes
// that another try may not repeat.
func TestABadWorkerInputHasAnExitCodeOfItsOwn(t *testing.T) {
	t.Setenv("JOB_COMPLETION_INDEX", "first")
	cmd := NewWorkerCommand()
	cmd.SetArgs([]string{})
	err := cmd.ExecuteContext(t.Context())
	if got := cli.ExitCode(err); got != worker.BadInputExitCode {
		t.Errorf("exit code %d of %v, want %d", got, err, worker.BadInputExitCode)
	}
}
