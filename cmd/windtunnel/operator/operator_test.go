// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/worker"
)

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
