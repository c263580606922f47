// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
)

func TestNothingServedIsReportedFirstAndFails(t *testing.T) {
	run, sweep, trace := cmdtest.TooLong(t, "testdata/run.yaml"), cmdtest.TooLong(t, "testdata/sweep.yaml"), cmdtest.TraceManifest(t)
	const why = "every request was rejected: exceedsModelLength"
	for name, tc := range map[string]struct {
		args        []string
		first, last string // what is printed first, and the error
	}{
		"run":     {[]string{"run", "-f", run, "--configmap", trace}, "Nothing was served: " + why, why},
		"compare": {[]string{"compare", run, run, "--configmap", trace}, run + ": nothing was served: " + why, why},
		"sweep":   {[]string{"sweep", "-f", sweep, "--configmap", trace}, "", "no point served anything: too many points failed"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := windtunnel(t, tc.args...)
			if cli.ExitCode(err) != cli.ExitFailed || err == nil || !strings.Contains(err.Error(), tc.last) || !strings.Contains(err.Error(), why) {
				t.Errorf("exit code %d: %v", cli.ExitCode(err), err)
			}
			before, _, found := strings.Cut(out, tc.first)
			if !found || strings.Count(before, "\n") > 2 {
				t.Errorf("does not begin with %q:\n%s", tc.first, out)
			}
		})
	}
}
