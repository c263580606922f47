// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
)

// thereIs has the process told that there is so much memory.
func thereIs(t *testing.T, mebibytes int64) {
	t.Helper()
	before := debug.SetMemoryLimit(mebibytes << 20)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
}

// TestMemoryIsCheckedBeforehand: little too much is a warning, much too much is not
// started, and neither is bad input.
func TestMemoryIsCheckedBeforehand(t *testing.T) {
	folder := cmdtest.WriteFiles(t, map[string]string{"sweep.yaml": cmdtest.TinySweep("a", "2"), "epp.yaml": cmdtest.SmallPicker})
	sweep := []string{"sweep", "-f", filepath.Join(folder, "sweep.yaml"), "--parallelism", "1"}
	run := []string{"run", "-f", "testdata/run.yaml", "--name", "small", "--parallelism", "1"}
	for name, tc := range map[string]struct {
		args      []string
		mebibytes int64
		code      int
		stderr    string
		err       string
	}{
		"enough for a run":       {run, 4096, cli.ExitOK, "", ""},
		"a little less":          {run, 60, cli.ExitOK, "windtunnel: warning: SimulationRun small may take about 87 MiB", ""},
		"much too little":        {run, 20, cli.ExitFailed, "", "SimulationRun small: not started: it would take about 87 MiB"},
		"enough for a sweep":     {sweep, 4096, cli.ExitOK, "", ""},
		"a little less for it":   {sweep, 100, cli.ExitOK, "MiB of memory, but 100 MiB are available (GOMEMLIMIT): reduce --parallelism (1), the points, the seeds or the replicas", ""},
		"much too little for it": {sweep, 20, cli.ExitFailed, "", "PolicySweep a: not started: it would take about 1"},
	} {
		t.Run(name, func(t *testing.T) {
			thereIs(t, tc.mebibytes)
			root := newRootCommand()
			var stdout, stderr strings.Builder
			root.SetOut(&stdout)
			root.SetErr(&stderr)
			root.SetArgs(tc.args)
			err := root.ExecuteContext(t.Context())
			if cli.ExitCode(err) != tc.code || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("exit code %d, %v; want %d and %q", cli.ExitCode(err), err, tc.code, tc.err)
			}
			if got := stderr.String(); !strings.Contains(got, tc.stderr) || (tc.stderr == "") != (got == "") {
				t.Errorf("standard error %q, want %q", got, tc.stderr)
			}
			if (stdout.Len() == 0) != (tc.code == cli.ExitFailed) {
				t.Errorf("it prints %q", stdout.String())
			}
		})
	}
}
