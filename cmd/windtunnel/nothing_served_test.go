// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
)

// tooLong is a pool whose context is shorter than every request.
func tooLong(t *testing.T, manifest string) string {
	t.Helper()
	raw, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(raw), "replicas: 2\n", "replicas: 2\n      engine: {maxModelLen: 20}\n", 1)
	if text == string(raw) {
		t.Fatalf("%s has no pool of 2 replicas", manifest)
	}
	return tempFile(t, "too-long.yaml", text)
}

func TestNothingServedIsReportedFirstAndFails(t *testing.T) {
	run, sweep, trace := tooLong(t, "testdata/run.yaml"), tooLong(t, "testdata/sweep.yaml"), traceManifest(t)
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
