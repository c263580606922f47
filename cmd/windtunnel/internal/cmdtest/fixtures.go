// SPDX-License-Identifier: Apache-2.0

package cmdtest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// TraceManifest writes the ConfigMap that testdata/sweep.yaml refers to.
func TraceManifest(t testing.TB) string {
	t.Helper()
	var text bytes.Buffer
	if err := trace.WriteMooncake(&text, 200, 1); err != nil {
		t.Fatal(err)
	}
	raw, err := yaml.Marshal(corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Name: "traces"},
		Data:       map[string]string{"small.jsonl": text.String()},
	})
	if err != nil {
		t.Fatal(err)
	}
	return TempFile(t, "traces.yaml", string(raw))
}

// Mooncake is a trace with batches of one timestamp.
func Mooncake(t testing.TB) string {
	t.Helper()
	var text bytes.Buffer
	if err := trace.WriteMooncake(&text, 200, 1); err != nil {
		t.Fatal(err)
	}
	return TempFile(t, "trace.jsonl", text.String())
}

// GatesSample is the sample with gates, with edits of its text.
func GatesSample(t testing.TB, replacements ...string) string {
	t.Helper()
	raw := TextOf(t, "../../config/samples/policysweep-gates.yaml")
	text := strings.Replace(raw, "requests: 1200", "requests: 300", 1)
	for i := 0; i < len(replacements); i += 2 {
		if !strings.Contains(text, replacements[i]) {
			t.Fatalf("the sample holds no %q", replacements[i])
		}
		text = strings.ReplaceAll(text, replacements[i], replacements[i+1])
	}
	return TempFile(t, "sweep.yaml", text)
}

// WriteFiles makes a folder of files.
func WriteFiles(t testing.TB, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

const tinyRun = `apiVersion: sim.windtunnel.dev/v1alpha1
kind: SimulationRun
metadata: {name: NAME}
spec:
  scenario:
    horizon: {requests: 20}
    pools:
    - {name: llama, model: meta-llama/Llama-3.1-8B-Instruct, accelerator: h100-sxm}
    router:
      endpointPickerConfig: {file: epp.yaml}
    workload:
      clients:
      - name: chat
        arrivals: {rate: "RATE"}
        inputTokens: {distribution: Constant, mean: "100"}
        outputTokens: {distribution: Constant, mean: "10"}
`

// TinyRun is a run of a few requests, over a router in the file epp.yaml.
func TinyRun(name, rate string) string {
	return strings.NewReplacer("NAME", name, "RATE", rate).Replace(tinyRun)
}

// TinySweep varies the rate of a tiny run.
func TinySweep(name, rate string) string {
	text := strings.Replace(TinyRun(name, rate), "kind: SimulationRun", "kind: PolicySweep", 1)
	return text + `  parameters:
  - {name: replicas, path: "pools[llama].replicas", values: ["1", "2"]}
  objectives:
  - {metric: ttft.p99, direction: Minimize}
`
}

// SmallPicker is a configuration with one scorer.
const SmallPicker = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins: [{type: prefix-cache-scorer}]\n"

// PoissonSample is a sample with one pool.
const PoissonSample = "../../config/samples/simulationrun-poisson.yaml"

// Clockwork has a request every second, and a replica takes 1.5 s for each, one at a time:
// 1 ms + 1000 prompt tokens × 1.499 ms. Requests go to replicas in turn.
const Clockwork = `apiVersion: sim.windtunnel.dev/v1alpha1
kind: SimulationRun
metadata: {name: clockwork}
spec:
  scenario:
    horizon: {requests: 200}
    pools:
    - name: pool
      model: meta-llama/Llama-3.1-8B-Instruct
      accelerator: h100-sxm
      engine: {maxNumSeqs: 1}
      costPerReplicaHour: "2.5"
      latency:
        model: linear
        linear: {baseMicroseconds: "1000", perPrefillTokenMicroseconds: "1499", perDecodeTokenMicroseconds: "1"}
    router:
      policies:
        routing: {policy: round-robin}
    workload:
      clients:
      - name: clock
        arrivals: {process: Constant, rate: "1"}
        inputTokens: {distribution: Constant, mean: "1000"}
        outputTokens: {distribution: Constant, mean: "1"}
  gates:
  - {name: fast, metric: e2e.max, operator: AtMost, value: 2s, confidence: "0.95"}
`

// RequestsOf runs a verb with --requests and returns the file.
func RequestsOf(t testing.TB, windtunnel func(testing.TB, ...string) (string, error), args ...string) (file []byte, stdout string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "requests.parquet")
	stdout, err := windtunnel(t, append(args, "--requests", name)...)
	if err != nil && !cli.IsResult(err) {
		t.Fatal(err)
	}
	file, err = os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Dir(name) + "/*"); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	return file, stdout
}

// ReadRequests reads such a file.
func ReadRequests(t testing.TB, file []byte) []result.RequestRow {
	t.Helper()
	rows, err := parquet.Read[result.RequestRow](bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Golden compares got with a file under testdata.
func Golden(t testing.TB, name, got string) {
	t.Helper()
	golden.Check(t, filepath.Join("testdata", name), got)
}

// PublishedReports is the folder with the schema and the example of llm-d-benchmark.
func PublishedReports(t testing.TB) string {
	t.Helper()
	data := os.Getenv("WINDTUNNEL_DATA")
	if data == "" {
		t.Skip("WINDTUNNEL_DATA names no folder with the published schema")
	}
	return filepath.Join(data, "benchmark-report")
}

// FirstLine is the first line of an output.
func FirstLine(out string) string {
	line, _, _ := strings.Cut(out, "\n")
	return line
}

// TooLong is a pool whose context is shorter than every request.
func TooLong(t testing.TB, manifest string) string {
	t.Helper()
	raw := TextOf(t, manifest)
	text := strings.Replace(raw, "replicas: 2\n", "replicas: 2\n      engine: {maxModelLen: 20}\n", 1)
	if text == raw {
		t.Fatalf("%s has no pool of 2 replicas", manifest)
	}
	return TempFile(t, "too-long.yaml", text)
}

// IsMyChangeSafe is the sweep of docs/first-sweep.md with one value to try in addition to the baseline,
// 3, and a gate of a subject.
func IsMyChangeSafe(t testing.TB, value, subject string) string {
	t.Helper()
	readme := TextOf(t, "../../docs/first-sweep.md")
	manifest := Between(t, readme, "apiVersion: sim.windtunnel.dev/v1alpha1\nkind: PolicySweep\nmetadata:\n  name: my-first", "```\n")
	text := "apiVersion: sim.windtunnel.dev/v1alpha1\nkind: PolicySweep\nmetadata:\n  name: my-first" + manifest
	text = strings.Replace(text, `range: {min: "0", max: "5", step: "1"}`, `values: ["`+value+`"]`, 1)
	if !strings.Contains(text, "values:") {
		t.Fatal("the sweep of docs/first-sweep.md has no such range")
	}
	text += "  gates:\n  - {name: no-worse, metric: ttft.p99, operator: AtMost, versusBaseline: 5%, confidence: \"0.95\"" + subject + "}\n"
	return TempFile(t, "sweep.yaml", text)
}

// Between is what of a text lies between two others.
func Between(t testing.TB, text, start, end string) string {
	t.Helper()
	_, rest, begun := strings.Cut(text, start)
	found, _, ended := strings.Cut(rest, end)
	if !begun || !ended {
		t.Fatalf("there is no text from %q to %q", start, end)
	}
	return found
}

// MeasuredReport is a report with units other than Windtunnel's.
const MeasuredReport = "../../pkg/report/benchmark/testdata/measured.yaml"

// Samples is the folder of the samples.
const Samples = "../../config/samples"
