// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// bothFiles is a folder with the sample that varies an autoscaler and a weight, and with the
// two files of its ConfigMap, which the sweep names as files. replacements change the sweep.
func bothFiles(t *testing.T, replacements ...string) (folder string, files map[string]string) {
	t.Helper()
	raw := cmdtest.TextOf(t, filepath.Join(cmdtest.Samples, "policysweep-hpa-routing.yaml"))
	first, sweep, ok := strings.Cut(raw, "\n---\n")
	var cm corev1.ConfigMap
	if err := yaml.Unmarshal([]byte(first+"\n"), &cm); err != nil || !ok {
		t.Fatal(ok, err)
	}
	folder, files = t.TempDir(), cm.Data
	files["sweep.yaml"] = sweep
	for i := 0; i < len(replacements); i += 2 {
		if !strings.Contains(files["sweep.yaml"], replacements[i]) {
			t.Fatalf("the sample lacks %q", replacements[i])
		}
	}
	files["sweep.yaml"] = strings.NewReplacer(append(replacements,
		"configMapRef: {name: hpa-routing, key: epp.yaml}", "file: epp.yaml",
		"configMapRef: {name: hpa-routing, key: hpa.yaml}", "file: hpa.yaml")...).Replace(files["sweep.yaml"])
	for name, text := range files {
		testfile.Write(t, filepath.Join(folder, name), []byte(text))
	}
	t.Chdir(folder)
	return folder, files
}

// onlyBest has the sweep try the best point beside the baseline.
func onlyBest(more ...string) []string {
	return append([]string{`["6", "10", "14"]`, `["14"]`, `["120", "300"]`, `["120"]`, `["2", "3"]`, `["3"]`, `["0", "3"]`, `["3"]`}, more...)
}

// The files stay as they are, but for the values of the best point. Goodput of 99 % takes
// a third replica at a target of 14, so that all four values change.
func TestPromoteWritesTheConfigurationAndTheManifest(t *testing.T) {
	folder, files := bothFiles(t)
	out := mustRun(t, "sweep", "-f", "sweep.yaml", "--promote", "epp.yaml", "--promote-scaler", "llama=hpa.yaml")
	want := maps.Clone(files)
	for _, line := range []struct{ file, old, new string }{
		{"epp.yaml", "prefix-cache-scorer, weight: 0}     # not", "prefix-cache-scorer, weight: 3}     # not"},
		{"hpa.yaml", "minReplicas: 2 ", "minReplicas: 3 "},
		{"hpa.yaml", `averageValue: "6" `, `averageValue: "14" `},
		{"hpa.yaml", "stabilizationWindowSeconds: 300\n", "stabilizationWindowSeconds: 120\n"},
	} {
		if strings.Count(want[line.file], line.old) != 1 {
			t.Fatalf("%q does not stand once in %s", line.old, line.file)
		}
		want[line.file] = strings.Replace(want[line.file], line.old, line.new, 1)
	}
	if diff := cmp.Diff(want, cmdtest.ContentsIn(t, folder)); diff != "" {
		t.Errorf("(−want +got):\n%s", diff)
	}
	const point = " target=14 window=120 least=3 prefix=3\n"
	for _, line := range []string{
		"windtunnel: epp.yaml has the EPP configuration of" + point,
		"windtunnel: hpa.yaml has the HorizontalPodAutoscaler of scaler llama at" + point,
	} {
		if !strings.Contains(out, line) {
			t.Errorf("it does not say %q, but\n%s", line, out)
		}
	}
	if strings.Contains(out, "outside of") || strings.Contains(out, "the sweep varies") {
		t.Errorf("it says that something is left:\n%s", out)
	}
	mustRun(t, "lint", "epp.yaml", "hpa.yaml")
}

// The report has the changed lines of a manifest, whether a flag writes the manifest or not.
func TestTheReportHasTheChangesOfTheManifest(t *testing.T) {
	bothFiles(t, onlyBest()...)
	mustRun(t, "sweep", "-f", "sweep.yaml", "--report", "report.md")
	report := testfile.Read(t, "report.md")
	for _, want := range []string{"In the HorizontalPodAutoscaler of scaler llama:\n\n```diff\n", "\n-  minReplicas: 2 ", "\n+  minReplicas: 3 "} {
		if !strings.Contains(string(report), want) {
			t.Errorf("it lacks %q:\n%s", want, report)
		}
	}
}

// What is varied and not written is said, with its value and how to write it.
func TestPromoteSaysWhatIsLeft(t *testing.T) {
	for name, tc := range map[string]struct {
		flags, said []string
		changed     string
	}{
		"the manifest": {[]string{"--promote", "epp.yaml"}, []string{
			"windtunnel: the sweep varies the HorizontalPodAutoscaler of scaler llama: --promote-scaler llama=FILE writes the manifest too\n",
			"windtunnel: set this outside of the EPP configuration: scalers[llama].horizontalPodAutoscaler.spec.minReplicas = 3\n",
		}, "epp.yaml"},
		"the EPP configuration": {[]string{"--promote-scaler", "llama=hpa.yaml"}, []string{
			"windtunnel: the sweep varies the EPP configuration: --promote FILE writes the configuration too\n",
			"windtunnel: set this outside of the written files: router.endpointPickerConfig.schedulingProfiles[default].plugins[prefix-cache-scorer].weight = 3\n",
		}, "hpa.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			folder, files := bothFiles(t, onlyBest()...)
			out := mustRun(t, append([]string{"sweep", "-f", "sweep.yaml"}, tc.flags...)...)
			for _, line := range tc.said {
				if !strings.Contains(out, line) {
					t.Errorf("it does not say %q, but\n%s", line, out)
				}
			}
			for name, text := range cmdtest.ContentsIn(t, folder) {
				if (text != files[name]) != (name == tc.changed) {
					t.Errorf("%s is\n%s", name, text)
				}
			}
		})
	}
}

func TestPromoteWritesAllFilesOrNone(t *testing.T) {
	both := []string{"--promote", "epp.yaml", "--promote-scaler", "llama=hpa.yaml"}
	for name, tc := range map[string]struct {
		replacements, flags []string
		code                int
		want                string
	}{
		"a gate does not pass":    {onlyBest(`versusBaseline: "-10%"`, `versusBaseline: "-90%"`), both, cli.ExitFailed, "no file written because not all gates pass"},
		"the baseline is best":    {onlyBest("direction: Minimize", "direction: Maximize"), both, cli.ExitFailed, "no file written: the baseline ranks first"},
		"a folder is absent":      {nil, []string{"--promote", "epp.yaml", "--promote-scaler", "llama=absent/hpa.yaml"}, cli.ExitBadInput, "--promote-scaler llama: the folder absent cannot be used"},
		"a file cannot be made":   {onlyBest(), []string{"--promote", "epp.yaml", "--promote-scaler", "llama=" + strings.Repeat("a", 250)}, cli.ExitBadInput, "no file written: "},
		"a scaler is unknown":     {nil, []string{"--promote", "epp.yaml", "--promote-scaler", "lama=hpa.yaml"}, cli.ExitBadInput, `--promote-scaler lama: no scaler of this name has a manifest; those with a manifest are "llama"`},
		"a scaler has no file":    {nil, []string{"--promote", "epp.yaml", "--promote-scaler", "llama"}, cli.ExitBadInput, "must be NAME=FILE"},
		"a scaler is named twice": {nil, []string{"--promote-scaler", "llama=a.yaml", "--promote-scaler", "llama=b.yaml"}, cli.ExitBadInput, "names scaler llama twice"},
		"one file for both":       {nil, []string{"--promote", "epp.yaml", "--promote-scaler", "llama=./epp.yaml"}, cli.ExitBadInput, "have the same file ./epp.yaml"},
		"a file of another kind":  {nil, []string{"--promote", "epp.yaml", "--promote-scaler", "llama=sweep.yaml"}, cli.ExitBadInput, "sweep.yaml holds PolicySweep, and the sweep would replace the file by HorizontalPodAutoscaler: to edit the file, name the file as horizontalPodAutoscaler.file of scaler llama"},
	} {
		t.Run(name, func(t *testing.T) {
			folder, files := bothFiles(t, tc.replacements...)
			out, err := windtunnel(t, append([]string{"sweep", "-f", "sweep.yaml"}, tc.flags...)...)
			if err != nil {
				out += err.Error()
			}
			if cli.ExitCode(err) != tc.code || !strings.Contains(out, tc.want) {
				t.Errorf("exit code %d, want %d and %q:\n%s", cli.ExitCode(err), tc.code, tc.want, out)
			}
			if diff := cmp.Diff(files, cmdtest.ContentsIn(t, folder)); diff != "" {
				t.Errorf("files change:\n%s", diff)
			}
		})
	}
}

func TestAScalerWithAPolicyHasNoManifestToPromote(t *testing.T) {
	_, err := windtunnel(t, "sweep", "-f", cmdtest.GatesSample(t), "--promote-scaler", "llama="+filepath.Join(t.TempDir(), "hpa.yaml"))
	if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), "--promote-scaler llama: no scaler of the scenario has a manifest") {
		t.Errorf("exit code %d: %v", cli.ExitCode(err), err)
	}
}
