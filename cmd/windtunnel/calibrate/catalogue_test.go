// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// line returns the output's line that begins with a name, its columns set one
// space apart.
func line(t *testing.T, out, name string) string {
	t.Helper()
	for text := range strings.Lines(out) {
		if fields := strings.Fields(text); len(fields) > 0 && fields[0] == name {
			return strings.Join(fields, " ")
		}
	}
	t.Fatalf("no line begins with %s in\n%s", name, out)
	return ""
}

func TestCatalogueShowsKeyFigures(t *testing.T) {
	const llama = "meta-llama/Llama-3.1-8B-Instruct"
	out := mustRun(t, "catalogue", "llama-3.1-8b", "H100-SXM")
	if got, want := line(t, out, llama), llama+" 8.03 B 7.50 B 15.0 GiB 128.0 KiB 131072"; !strings.HasPrefix(got, want) {
		t.Errorf("the model's line is %q, want %q", got, want)
	}
	if got, want := line(t, out, "h100-sxm"), "h100-sxm 80.0 GiB 3.35 TB/s 989 TFLOPS"; !strings.HasPrefix(got, want) {
		t.Errorf("the accelerator's line is %q, want %q", got, want)
	}
	room := out[strings.Index(out, "KV blocks"):]
	if got, want := line(t, room, llama), llama+" 26312 (TP 1)"; got != want {
		t.Errorf("the room is %q, want %q", got, want)
	}
	if strings.Contains(out, "Qwen") {
		t.Errorf("nobody asked for Qwen in\n%s", out)
	}
}

func TestCatalogueReadsWhatItPrints(t *testing.T) {
	for _, words := range [][]string{nil, {"deepseek"}, {"l40s"}} {
		printed := mustRun(t, append([]string{"catalogue", "-o", "yaml"}, words...)...)
		again := mustRun(t, append([]string{"catalogue", "-o", "yaml", "--entries", cmdtest.TempFile(t, "own.yaml", printed)}, words...)...)
		if diff := cmp.Diff(printed, again); diff != "" {
			t.Errorf("%v (−printed +read and printed):\n%s", words, diff)
		}
	}
}

func TestCatalogueSaysWhereSharesComeFrom(t *testing.T) {
	own := cmdtest.TempFile(t, "own.yaml", `accelerators:
- name: rtx-4090
  memoryBytes: 25250627584
  memoryBandwidthBytesPerSecond: 1.008e12
  bf16FlopsPerSecond: 165e12
  linkBandwidthBytesPerSecond: 32e9
  memoryEfficiency: 0.7
  prefillEfficiency: 0.6
  decodeEfficiency: 0.5
`)
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"h100-sxm"}, "0.80 0.50/0.50 rounded from fits"},
		{[]string{"h200-sxm"}, "0.80 0.50/0.50 rounded from fits for h100-sxm"},
		{[]string{"rtx-4090"}, "0.84 0.89/0.89 fitted on Llama-3.1-8B at TP 1"},
		{[]string{"rtx-pro-6000"}, "0.82 0.60/0.60 fitted on Llama-3.1-8B at TP 1"},
		{[]string{"rtx-4090", "--entries", own}, "0.70 0.60/0.50 your own"},
	} {
		out := mustRun(t, append([]string{"catalogue"}, tc.args...)...)
		if got := line(t, out, tc.args[0]); !strings.HasSuffix(got, tc.want) {
			t.Errorf("%v: %q does not end with %q", tc.args, got, tc.want)
		}
	}
}

// The sample's config.json is what a model on Hugging Face has.
func TestCatalogueTakesAConfigOfHuggingFace(t *testing.T) {
	text := testfile.Read(t, filepath.Join(cmdtest.Samples, "simulationrun-catalogue.yaml"))
	var own corev1.ConfigMap
	if err := yaml.Unmarshal(text[:strings.Index(string(text), "\n---\n")], &own); err != nil {
		t.Fatal(err)
	}
	config := cmdtest.TempFile(t, "config.json", own.Data["config.json"])
	accelerators := cmdtest.TempFile(t, "accelerators.yaml", own.Data["accelerators.yaml"])
	out := mustRun(t, "catalogue", "--entries", accelerators, "--model", "my-org/my-model="+config, "my-")
	if got, want := line(t, out, "my-org/my-model"), "my-org/my-model 3.21 B"; !strings.HasPrefix(got, want) {
		t.Errorf("the model's line is %q, want %q", got, want)
	}
	line(t, out, "my-gpu")
}

func TestCatalogueListsWhatAManifestAdds(t *testing.T) {
	out := mustRun(t, "catalogue", "-f", filepath.Join(cmdtest.Samples, "simulationrun-catalogue.yaml"))
	for _, name := range []string{"my-org/my-model", "my-gpu", "h100-sxm"} {
		line(t, out, name)
	}
	name := cmdtest.Edited(t, filepath.Join(cmdtest.Samples, "simulationrun-catalogue.yaml"), "key: config.json", "key: config.yaml")
	_, err := windtunnel(t, "catalogue", "-f", name)
	if err == nil || !strings.Contains(err.Error(), "spec.scenario.catalogue[0].configMapRef: Not found") {
		t.Errorf("the error is %v", err)
	}
}

func TestAnUnknownModelIsAnsweredWithThoseOfTheManifestToo(t *testing.T) {
	name := cmdtest.Edited(t, filepath.Join(cmdtest.Samples, "simulationrun-catalogue.yaml"), "      model: my-org/my-model\n", "      model: my-modell\n")
	_, err := windtunnel(t, "run", "-f", name)
	if err == nil || !strings.Contains(err.Error(), `near to it are "my-org/my-model"`) {
		t.Errorf("the error is %v", err)
	}
}
