// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/experiment"
)

func TestTraceGenerateAndInspect(t *testing.T) {
	name := filepath.Join(t.TempDir(), "trace.jsonl")
	mustRun(t, "trace", "generate", "--requests", "300", "-o", name)
	if out := mustRun(t, "trace", "inspect", name); !strings.Contains(out, "requests             300\n") {
		t.Errorf("inspect prints\n%s", out)
	}
	if first, second := mustRun(t, "trace", "generate", "--requests", "50"), mustRun(t, "trace", "generate", "--requests", "50"); first != second {
		t.Error("the same seed gives another trace")
	}
}

func TestTheRequestsOfAServeGenFolderAreWritten(t *testing.T) {
	folder := filepath.Join("..", "..", "pkg", "workload", "servegen", "testdata", "day")
	name := filepath.Join(t.TempDir(), "day.csv")
	mustRun(t, "trace", "generate", "--servegen", folder, "--requests", "500", "-o", name)
	if out := mustRun(t, "trace", "inspect", name); !strings.Contains(out, "format               Vidur\nrequests             500\n") {
		t.Errorf("inspect prints\n%s", out)
	}
	fromFolder := testfile.Read(t, filepath.Clean(name))
	archive := serveGenArchive(t, folder)
	for file, text := range map[string]string{"day.tar": archive, "day.tar.gz": cmdtest.Gzipped(t, archive)} {
		if got := mustRun(t, "trace", "generate", "--servegen", cmdtest.TempFile(t, file, text), "--requests", "500"); got != string(fromFolder) {
			t.Errorf("%s has other requests than its folder", file)
		}
	}
	_, err := windtunnel(t, "trace", "generate", "--servegen", t.TempDir(), "-o", name+".2")
	if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), "is a folder, but no ServeGen folder: there is no chunk-*-trace.csv") {
		t.Errorf("an empty folder: exit code %d, %v", cli.ExitCode(err), err)
	}
	if _, err := windtunnel(t, "trace", "generate", "--servegen", folder, "-f", "testdata/run.yaml"); cli.ExitCode(err) != cli.ExitBadInput {
		t.Errorf("two sources: exit code %d, %v", cli.ExitCode(err), err)
	}
	if _, err := os.Stat(name + ".2"); err == nil {
		t.Error("a folder that cannot be read leaves a trace")
	}
}

// serveGenArchive packs a folder as the program tar does.
func serveGenArchive(t *testing.T, folder string) string {
	t.Helper()
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	if err := errors.Join(w.AddFS(os.DirFS(folder)), w.Close()); err != nil {
		t.Fatal(err)
	}
	return archive.String()
}

// A ServeGen folder, or an archive of it, is a source of a workload like any other trace.
func TestARunDrawsTheRequestsOfAServeGenFolder(t *testing.T) {
	folder := filepath.Join("..", "..", "pkg", "workload", "servegen", "testdata", "day")
	name := cmdtest.TempFile(t, "day.tar", serveGenArchive(t, folder))
	if out := mustRun(t, "trace", "inspect", name); !strings.Contains(out, "format               ServeGen\nrequests are drawn   under seed 1") {
		t.Errorf("inspect prints\n%s", out)
	}
	ofFile := func(file string) string {
		return cmdtest.TempFile(t, "run.yaml", `apiVersion: sim.windtunnel.dev/v1alpha1
kind: SimulationRun
metadata: {name: day}
spec:
  scenario:
    horizon: {duration: 1h}
    pools: [{name: a, model: meta-llama/Llama-3.1-8B-Instruct, accelerator: h100-sxm, replicas: 1}]
    router: {policies: {routing: {policy: round-robin}}}
    workload:
      trace: {format: ServeGen, file: `+file+`, slice: {from: 20m}, sample: "0.1"}
  replications: {seeds: [1, 2]}
`)
	}
	out := mustRun(t, "run", "-f", ofFile(name))
	if !strings.Contains(out, "ServeGen trace ") || !strings.Contains(out, ", slice from 20m0s on, sample of 0.1.") {
		t.Errorf("run prints\n%s", out)
	}
	whole, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	figures := func(out string) string { return out[:strings.Index(out, "Workload")] }
	if diff := cmp.Diff(figures(out), figures(mustRun(t, "run", "-f", ofFile(whole)))); diff != "" {
		t.Errorf("figures (-of the archive +of the folder):\n%s", diff)
	}
	if out := mustRun(t, "trace", "inspect", folder); !strings.Contains(out, "format               ServeGen\n") {
		t.Errorf("inspect of the folder prints\n%s", out)
	}
	if out, err := windtunnel(t, "trace", "convert", name, "--to", "Vidur"); cli.ExitCode(err) != cli.ExitBadInput || out != "" {
		t.Errorf("convert: exit code %d, %v\n%s", cli.ExitCode(err), err, out)
	}
}

func TestTheLogOfAGatewayIsDescribed(t *testing.T) {
	log := cmdtest.TempFile(t, "gateway.csv", "ts;in;out\r\n2026-03-01T10:00:05Z;10;20\r\n2026-03-01T10:00:01.5Z;30;40\r\n")
	columns := "time=ts,timeFormat=Timestamp,inputTokens=in,outputTokens=out,delimiter=Semicolon"
	out := mustRun(t, "trace", "inspect", log, "--order", "Sort", "--csv", columns)
	if !strings.Contains(out, "format               CSV\nrequests             2\n") || !strings.Contains(out, "span                 3.5s\n") {
		t.Errorf("inspect prints\n%s", out)
	}
	for _, bad := range [][]string{
		{"--csv", columns},
		{"--order", "Sort", "--csv", columns + ",weeks=a"},
		{"--order", "Down", "--csv", columns},
		{"--format", "CSV"},
		{"--order", "Sort"},
	} {
		if out, err := windtunnel(t, append([]string{"trace", "inspect", log}, bad...)...); cli.ExitCode(err) != cli.ExitBadInput || out != "" {
			t.Errorf("%v: exit code %d, %v\n%s", bad, cli.ExitCode(err), err, out)
		}
	}
}

// On a laptop, a folder replaces a volume that pods mount.
func TestATraceOfAVolumeIsReadFromAFolder(t *testing.T) {
	folder := t.TempDir()
	mustRun(t, "trace", "generate", "--requests", "120", "-o", filepath.Join(folder, "day.jsonl"))
	raw := testfile.Read(t, filepath.Join(folder, "day.jsonl"))
	run := builder.MakeRun("traced", "default").Scenario(builder.Requests(50), builder.TraceFile(v1alpha1.MooncakeTrace, "day.jsonl")).Obj()
	run.TypeMeta = metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "SimulationRun"}
	write := func(name string) string {
		t.Helper()
		text, err := yaml.Marshal(run)
		if err != nil {
			t.Fatal(err)
		}
		name = filepath.Join(folder, name)
		testfile.Write(t, name, text)
		return name
	}
	rows := func(args ...string) string {
		t.Helper()
		var out struct {
			Rows json.RawMessage `json:"rows"`
		}
		if err := json.Unmarshal([]byte(mustRun(t, append(args, "-o", "json")...)), &out); err != nil {
			t.Fatal(err)
		}
		return string(out.Rows)
	}
	want := rows("run", "-f", write("file.yaml"))
	trace := run.Spec.Scenario.Workload.Trace
	trace.File = nil
	trace.Image = &v1alpha1.ImageFile{Reference: "registry.example.org/traces:v1", Path: "day.jsonl"}
	trace.SHA256 = experiment.Digest(raw)
	manifest := write("image.yaml")
	if got := rows("run", "-f", manifest, "--volume", "registry.example.org/traces:v1="+folder); got != want {
		t.Errorf("rows from the image:\n%s\nfrom the file:\n%s", got, want)
	}
	said := mustRun(t, "trace", "generate", "-f", manifest, "--volume", "registry.example.org/traces:v1="+folder, "-o", filepath.Join(folder, "again.jsonl"))
	if !strings.HasPrefix(said, "50 requests of SimulationRun traced") {
		t.Errorf("trace generate says %q", said)
	}
	_, err := windtunnel(t, "run", "-f", manifest)
	if err == nil || !strings.Contains(err.Error(), "--volume registry.example.org/traces:v1=FOLDER") {
		t.Errorf("without the folder it says: %v", err)
	}
}
