// SPDX-License-Identifier: Apache-2.0

package live

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
)

func TestWhatAnEPPIs(t *testing.T) {
	for name, want := range map[string]bool{
		"ghcr.io/team/epp:v1": true, "epp@sha256:0123": true,
		"bin/epp": false, "/bin/false": false, "ghcr.io/team/epp": false,
	} {
		if got := isImage(name); got != want {
			t.Errorf("%s is an image: %t", name, got)
		}
	}
}

func TestARehearsalOnAClusterKeepsTheFlagsOfTheManifest(t *testing.T) {
	run := &v1alpha1.SimulationRun{}
	measure(run, "epp:v1", []string{"--v=4"})
	measure(run, "epp:v2", []string{"--v=5"})
	if diff := cmp.Diff(&v1alpha1.LiveExecution{Image: "epp:v2", Args: []string{"--v=4", "--v=5"}}, run.Spec.Execution.Live); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestARehearsalOnAClusterRefuses(t *testing.T) {
	t.Setenv("KUBECONFIG", "/dev/null")
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"no cluster":            {[]string{"--epp", "epp:v1"}, "there is no cluster: set --kubeconfig or KUBECONFIG"},
		"a setting":             {[]string{"--epp", "epp:v1", "--set", "horizon.requests=1"}, "leave out --set: it has no effect on an EPP in a cluster"},
		"limits of bundles":     {[]string{"--epp", "epp:v1", "--program-limits", "callSteps=1"}, "leave out --program-limits: it has no effect"},
		"a namespace of a file": {[]string{"--epp", "/bin/false", "-n", "team"}, "leave out --namespace"},
	} {
		_, err := runRehearse(t, append([]string{"-f", loadFile(t)}, tc.args...)...)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: the error is %v, want %q", name, err, tc.want)
		}
		if code := cli.ExitCode(err); code != 2 {
			t.Errorf("%s: exit code %d", name, code)
		}
	}
}
