// SPDX-License-Identifier: Apache-2.0

package run

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// rowsOf are the rows that a verb prints as JSON.
func rowsOf(t *testing.T, args ...string) string {
	t.Helper()
	out := jsontest.Decode[struct{ Rows json.RawMessage }](t, []byte(mustRun(t, append(args, "-o", "json")...)))
	return string(out.Rows)
}

func TestASettingGivesTheRowsOfAnEditedManifest(t *testing.T) {
	sample := testfile.Read(t, cmdtest.PoissonSample)
	const weight = "router.endpointPickerConfig.schedulingProfiles[default].plugins[queue-scorer].weight=5"
	for name, test := range map[string]struct {
		settings []string
		old, new string
	}{
		"a number of the scenario":   {[]string{"pools[llama].replicas=2"}, "replicas: 4", "replicas: 2"},
		"a path as errors print it":  {[]string{"spec.scenario.pools[llama].replicas=2"}, "replicas: 4", "replicas: 2"},
		"a weight of the EPP's file": {[]string{weight}, "- pluginRef: queue-scorer\n              weight: 2", "- pluginRef: queue-scorer\n              weight: 5"},
		"a field that is not there":  {[]string{"router.tieBreak=First"}, "    router:\n", "    router:\n      tieBreak: First\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(string(sample), test.old) {
				t.Fatalf("the sample lacks %q", test.old)
			}
			manifest := cmdtest.TempFile(t, "run.yaml", strings.Replace(string(sample), test.old, test.new, 1))
			args := []string{"run", "-f", cmdtest.PoissonSample}
			for _, s := range test.settings {
				args = append(args, "--set", s)
			}
			if diff := cmp.Diff(rowsOf(t, "run", "-f", manifest), rowsOf(t, args...)); diff != "" {
				t.Errorf("rows (-edited +set):\n%s", diff)
			}
		})
	}
}

func TestTheOutputNamesSettings(t *testing.T) {
	out := mustRun(t, "run", "-f", cmdtest.PoissonSample, "--set", "pools[llama].replicas=2")
	if want := "pools[llama].replicas is 2 by --set, in place of the manifest's value"; !strings.Contains(out, want) {
		t.Errorf("the output lacks %q:\n%s", want, out)
	}
}

func TestSettingsAreRefused(t *testing.T) {
	const sweep = "../../config/samples/policysweep-prefix-weight.yaml"
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"without a value":       {[]string{"run", "-f", cmdtest.PoissonSample, "--set", "pools[llama].replicas"}, "must be PATH=VALUE"},
		"a path that is wrong":  {[]string{"run", "-f", cmdtest.PoissonSample, "--set", "pools[llama].replica=2"}, `--set[pools[llama].replica]: Invalid value: "2": at "pools[llama].replica": no such field; there are`},
		"a path near to one":    {[]string{"run", "-f", cmdtest.PoissonSample, "--set", "pools[llama].replica=2"}, `; did you mean "replicas"?`},
		"a parameter above":     {[]string{"sweep", "-f", cmdtest.Edited(t, sweep, "path: router.", "path: spec.scenario.router.")}, "begins above the scenario, where paths begin: write router.endpointPickerConfig.schedulingProfiles[default].plugins[prefix-cache-scorer].weight"},
		"an entry that is not":  {[]string{"run", "-f", cmdtest.PoissonSample, "--set", "pools[mistral].replicas=2"}, `there is no entry [mistral]`},
		"a value of other kind": {[]string{"run", "-f", cmdtest.PoissonSample, "--set", "pools[llama].replicas=two"}, `--set[pools[llama].replicas]: Invalid value: "two": must be a whole number`},
		"a value out of range":  {[]string{"run", "-f", cmdtest.PoissonSample, "--set", "pools[llama].replicas=0"}, `spec.scenario.pools[0].replicas: Invalid value: 0: must be at least 1`},
		"a number of seconds":   {[]string{"run", "-f", cmdtest.PoissonSample, "--set", "horizon.duration=600"}, "such as 50ms: write its unit too, 600ms or 600s"},
		"twice":                 {[]string{"run", "-f", cmdtest.PoissonSample, "--set", "pools[llama].replicas=2", "--set", "pools[llama].replicas=4"}, `--set[pools[llama].replicas]: Duplicate value: "4"`},
		"what a sweep varies":   {[]string{"sweep", "-f", sweep, "--set", "router.endpointPickerConfig.schedulingProfiles[default].plugins[prefix-cache-scorer].weight=2"}, "of the sweep varies it"},
		"with a promotion":      {[]string{"sweep", "-f", sweep, "--set", "router.tieBreak=First", "--promote", "epp.yaml"}, "--set changes the scenario for one trial"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := windtunnel(t, test.args...)
			if err == nil || cli.ExitCode(err) != 2 || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want exit code 2 and %q; output:\n%s", err, test.want, out)
			}
		})
	}
}
