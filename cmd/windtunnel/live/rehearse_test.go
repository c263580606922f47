// SPDX-License-Identifier: Apache-2.0

package live

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/live/epp/epptest"
)

func runRehearse(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd := cli.NewRoot(NewRehearseCommand())
	cmd.SetArgs(append([]string{"rehearse"}, args...))
	cmd.SetOut(&out)
	cmd.SetErr(&bytes.Buffer{})
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

// TestARehearsalOfTheDefaultProfile wants of the engines' times only that they are there: the machine
// of a test may be busy.
func TestARehearsalOfTheDefaultProfile(t *testing.T) {
	out, err := runRehearse(t, "-f", loadFile(t), "--epp", epptest.Binary(t), "-o", "json",
		"--set", "pools[llama].replicas=3", "--ttft", "10", "--tpot", "10", "--decisions", "0.9")
	if err != nil {
		t.Fatal(err, out)
	}
	got := jsontest.Decode[rehearsal](t, []byte(out))
	d := got.Decisions
	if d.Equal+d.Tied+d.Different != 20 || d.NotRouted != 0 || !got.Within {
		t.Errorf("decisions: %+v", d)
	}
	if len(got.Figures) != 8 {
		t.Errorf("figures: %+v", got.Figures)
	}
}

// TestTheEPPGetsTheConfigurationAsItIsStated has the configuration of loadManifest, which an EPP
// completes by its defaults.
func TestTheEPPGetsTheConfigurationAsItIsStated(t *testing.T) {
	const stated = "kind: EndpointPickerConfig\napiVersion: llm-d.ai/v1alpha1\n"
	for name, tc := range map[string]struct {
		inline   string
		settings []compile.Setting
		as       bool
	}{
		"bare":           {inline: stated, as: true},
		"in a ConfigMap": {inline: "apiVersion: v1\nkind: ConfigMap\ndata:\n  epp.yaml: |\n    " + strings.ReplaceAll(strings.TrimSpace(stated), "\n", "\n    ") + "\n", as: true},
		"changed by --set": {
			inline: stated + "plugins: [{type: queue-scorer}]\nschedulingProfiles: [{name: default, plugins: [{pluginRef: queue-scorer}]}]\n",
			settings: []compile.Setting{
				{Path: "router.endpointPickerConfig.schedulingProfiles[default].plugins[queue-scorer].weight", Value: "7"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.ReplaceAll(loadManifest, strconv.Quote(stated), strconv.Quote(tc.inline))
			o := local.Options{Parallelism: 1, Files: []string{writeManifest(t, text)}, Settings: tc.settings}
			run, err := o.CompileOne(t.Context(), strings.NewReader(""), "-f")
			if err != nil {
				t.Fatal(err)
			}
			got, _, err := compile.PickerText(run.Plan)
			if err != nil {
				t.Fatal(err)
			}
			if (string(got) == stated) != tc.as || !tc.as && !strings.Contains(string(got), "weight: 7") {
				t.Errorf("the EPP gets\n%s", got)
			}
		})
	}
}

func TestRehearseRefusesWhatNoEPPDoes(t *testing.T) {
	text := strings.Replace(loadManifest, "    router: {", "    disruptions: [{pool: llama, at: 1s, kind: Fail}]\n    router: {", 1)
	_, err := runRehearse(t, "-f", writeManifest(t, text), "--epp", "/bin/false", "--set", "router.signals=Oracle")
	for _, want := range []string{
		"spec.scenario.disruptions: Forbidden: a rehearsal does not disturb replicas",
		"spec.scenario.router.signals: Forbidden: a real EPP reads metrics in intervals",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
	if code := cli.ExitCode(err); code != 2 {
		t.Errorf("exit code %d", code)
	}
}

// TestAnEPPThatEndsInTheMiddle has a program that ends some seconds after its start, and is named as one in the
// working folder.
func TestAnEPPThatEndsInTheMiddle(t *testing.T) {
	program := "#!/bin/sh\nexec timeout 3 " + epptest.Binary(t) + " \"$@\"\n"
	manifest := loadFile(t)
	t.Chdir(t.TempDir())
	if err := os.WriteFile("short-epp", []byte(program), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	_, err := runRehearse(t, "-f", manifest, "--epp", "short-epp", "--speed", "0.01")
	if want := "the EPP ended: exit status 124; the end of its log:\n"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the error is %v, want %q", err, want)
	}
	if code := cli.ExitCode(err); code != 2 {
		t.Errorf("exit code %d", code)
	}
}

func TestObjectivesArePriorities(t *testing.T) {
	for name, tc := range map[string]struct {
		priorities map[int]bool
		want       map[string]int
	}{
		"none":        {map[int]bool{0: true}, nil},
		"no requests": {map[int]bool{}, nil},
		"some":        {map[int]bool{0: true, 10: true, -3: true}, map[string]int{"priority-0": 0, "priority-10": 10, "priority--3": -3}},
	} {
		got, named := objectivesOf(tc.priorities)
		if diff := cmp.Diff(tc.want, got); diff != "" || (named == nil) != (tc.want == nil) {
			t.Errorf("%s: requests name them: %v; objectives (−want +got):\n%s", name, named != nil, diff)
		}
	}
}

// TestAllRequestsOfAnOpenLoopHaveAnObjective has one priority first come at 20 s, behind 20,000 requests of another.
func TestAllRequestsOfAnOpenLoopHaveAnObjective(t *testing.T) {
	for duration, want := range map[string]map[int]bool{"30s": {0: true, 7: true}, "15s": {0: true}} {
		text := strings.NewReplacer("{requests: 20}", "{duration: "+duration+"}", "process: Poisson, rate: \"200\"", "process: Constant, rate: \"1000\"").Replace(loadManifest)
		text = strings.Replace(text, "  replications:", `      - name: rare
        priority: 7
        arrivals: {process: Constant, rate: "0.05"}
        inputTokens: {distribution: Constant, mean: "10"}
        outputTokens: {distribution: Constant, mean: "4"}
  replications:`, 1)
		o := scenarioOptions{local: local.Options{Parallelism: 1, Files: []string{writeManifest(t, text)}}}
		served, err := o.load(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, served.priorities); diff != "" || len(served.lengths) != drawnRequests {
			t.Errorf("%s: %d lengths; priorities (−want +got):\n%s", duration, len(served.lengths), diff)
		}
	}
}

func TestWhichRolesAreWarnedOf(t *testing.T) {
	var said bytes.Buffer
	warnOfRoles(&said, []v1alpha1.Pool{{Role: v1alpha1.BothRole}, {Role: v1alpha1.DecodeRole}})
	if want := "warning: spec.scenario.pools[1].role: "; !strings.HasPrefix(said.String(), want) || strings.Count(said.String(), "\n") != 1 {
		t.Errorf("the warning is %q", said.String())
	}
}

func TestRehearseRefuses(t *testing.T) {
	nothing := filepath.Join(t.TempDir(), "nothing.json.gz")
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte("{}")); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	testfile.Write(t, nothing, packed.Bytes())
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"what is recorded, and an EPP":  {[]string{"--epp", "/bin/false", "--recorded", "/none"}, "--recorded is in place of --epp, --epp-arg and --record"},
		"what is recorded, and sent":    {[]string{"--recorded", "/none", "--log", "/none/log"}, "--recorded sends nothing: leave out --speed and --log"},
		"a recording of nothing":        {[]string{"--recorded", nothing}, "it has no field epp: --record writes it"},
		"a file that takes no record":   {[]string{"--epp", "/bin/false", "--record", "/none/record"}, "--record: the folder /none cannot be used: "},
		"a file that takes no log":      {[]string{"--epp", "/bin/false", "--log", "/none/log"}, "--log: the folder /none cannot be used: "},
		"no recording":                  {[]string{"--recorded", "/none"}, "--recorded: open /none: no such file or directory"},
		"a recording that is none":      {[]string{"--recorded", "live/rehearse.go"}, "--recorded live/rehearse.go: gzip: invalid header"},
		"a recording of more replicas":  {[]string{"--recorded", "live/testdata/rehearsals/precise-prefix.json.gz"}, "it is of 4 replicas, and the run has 1"},
		"a recording of fewer requests": {[]string{"-f", "live/testdata/rehearsals/default.yaml", "--name", "default", "--set", "horizon.requests=5001", "--recorded", "live/testdata/rehearsals/default.json.gz"}, "default.json.gz: it is of 5000 requests, and the run has 5001"},
		"no EPP":                        {nil, "the program of the EPP is required: --epp BINARY"},
		"a flag that is set":            {[]string{"--epp", "/bin/false", "--epp-arg=--v=4", "--epp-arg=--grpc-port=1"}, "--epp-arg[1]: Forbidden: a rehearsal sets --grpc-port: leave it out"},
		"a program that ends at once":   {[]string{"--epp", "/bin/echo", "--epp-arg=--v=4"}, " --v=4\n"},
		"a share above 1":               {[]string{"--epp", "/bin/false", "--decisions", "99"}, "--decisions 99: must be from 0 to 1"},
		"a limit below 0":               {[]string{"--epp", "/bin/false", "--tpot", "-0.1"}, "--tpot -0.1: must be at least 0"},
		"a limit that is no number":     {[]string{"--epp", "/bin/false", "--ttft", "NaN"}, "--ttft NaN: must be at least 0"},
		"a speed above 1":               {[]string{"--epp", "/bin/false", "--speed", "2"}, "--speed 2: must be from 0.01 to 1"},
		"a configuration that is none":  {[]string{"--epp", "/bin/false", "--epp-config", "/none"}, "--epp-config: open /none: no such file or directory"},
		"an EPP that is none":           {[]string{"--epp", "/none"}, "--epp: stat /none: no such file or directory"},
		"a program that does not serve": {[]string{"--epp", "/bin/false"}, "start the EPP /bin/false: it ended: exit status 1"},
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

func TestScoresInWords(t *testing.T) {
	for want, of := range map[string]map[int]float64{"": nil, " (0: 2.533, 10: 2.000)": {10: 2, 0: 38.0 / 15}} {
		if got := scores(of); got != want {
			t.Errorf("the scores %v are %q, want %q", of, got, want)
		}
	}
}
