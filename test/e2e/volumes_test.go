// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/experiment"
)

const (
	traceImage = "windtunnel-traces:dev"
	traceClaim = "traces"
	// traceFile is where the trace lies in a volume.
	traceFile = "2026/day.jsonl.gz"
)

// replay is a sweep over the trace of a volume.
func replay(name, source, sha256 string) []byte {
	return []byte(strings.NewReplacer("NAME", name, "SOURCE", source, "SHA256", sha256).Replace(`
apiVersion: sim.windtunnel.dev/v1alpha1
kind: PolicySweep
metadata: {name: NAME}
spec:
  scenario:
    horizon: {requests: 500}
    pools:
    - {name: llama, model: meta-llama/Llama-3.1-8B-Instruct, accelerator: h100-sxm, replicas: 2}
    router:
      endpointPickerConfig:
        inline: |
          apiVersion: llm-d.ai/v1alpha1
          kind: EndpointPickerConfig
          plugins:
          - type: queue-scorer
          - type: prefix-cache-scorer
          schedulingProfiles:
          - name: default
            plugins:
            - {pluginRef: queue-scorer, weight: 2}
            - {pluginRef: prefix-cache-scorer, weight: 1}
    workload:
      trace: {format: Mooncake, SOURCE, sha256: SHA256}
  parameters:
  - {name: replicas, path: "pools[llama].replicas", values: ["1", "2", "4"]}
  objectives:
  - {metric: ttft.p99, direction: Minimize}
  execution: {shards: 2, resources: {requests: {cpu: 100m}}}
`))
}

// TestTraceOnAClaim replays a trace from a volume that a claim is bound to.
func TestTraceOnAClaim(t *testing.T) {
	t.Parallel()
	if !usesOwnCluster() {
		t.Skip("the cluster is somebody else's: no folder here is on its nodes")
	}
	folder, sha256 := writeTrace(t)
	ns := newNamespace(t)
	ns.apply(t, claim(t, ns, folder))
	checkReplay(t, ns, folder, traceClaim, sha256, "persistentVolumeClaim: {claimName: "+traceClaim+", path: "+traceFile+"}")
}

// TestTraceInAnImage replays a trace from an image that holds nothing else.
func TestTraceInAnImage(t *testing.T) {
	t.Parallel()
	folder, sha256 := writeTrace(t)
	archive := filepath.Join(t.TempDir(), "image.tar")
	writeFile(t, archive, packImage(t, traceImage, folder))
	node(t, "load-image", archive)
	ns := newNamespace(t)
	checkReplay(t, ns, folder, traceImage, sha256, "image: {reference: "+traceImage+", path: "+traceFile+", pullPolicy: Never}")
}

// checkReplay replays a volume's trace, holds the rows against a laptop's, to which a
// folder stands for the volume, and has another trace refused.
func checkReplay(t *testing.T, ns namespace, folder, volume, sha256, source string) {
	t.Helper()
	manifest := replay("replay", source, sha256)
	other := experiment.Digest([]byte("another trace"))
	ns.apply(t, manifest)
	ns.apply(t, replay("other", source, other))
	ns.wait(t, "Complete", "policysweep/replay")
	ns.get(t, "policysweep/replay").checkComplete(t)

	state := filepath.Join(t.TempDir(), "state")
	if _, err := commandWithInput(manifest, root+"/bin/windtunnel", "sweep", "-f", "-", "--state", state, "--volume", volume+"="+folder); err != nil {
		t.Fatal(err)
	}
	local, cluster := windtunnel(t, "results", "-f", state), windtunnel(t, "results", "replay", "-n", string(ns))
	if diff := cmp.Diff(local, cluster); diff != "" || strings.Count(local, "\n") < 4 {
		t.Errorf("rows on the cluster differ (-local +cluster):\n%s", diff)
	}

	ns.wait(t, "Failed", "policysweep/other")
	failed := ns.get(t, "policysweep/other").condition("Failed").Message
	for _, want := range []string{"bad input: trace", other} {
		if !strings.Contains(failed, want) {
			t.Errorf("no word of %q when another trace is there than was asked for: %s", want, failed)
		}
	}
	if strings.Contains(failed, sha256) {
		t.Errorf("the reader learns the digest of the file that is there: %s", failed)
	}
}

// writeTrace writes a compressed trace into a folder that everybody may read, and
// returns the digest that trace inspect prints.
func writeTrace(t *testing.T) (folder, sha256 string) {
	t.Helper()
	folder = t.TempDir()
	plain, packed := filepath.Join(t.TempDir(), "day.jsonl"), filepath.Join(folder, traceFile)
	windtunnel(t, "trace", "generate", "--requests", "500", "-o", plain)
	content := testfile.Read(t, plain)
	var compressed bytes.Buffer
	z := gzip.NewWriter(&compressed)
	if _, err := z.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Dir(packed), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, packed, compressed.Bytes())
	told := regexp.MustCompile(`sha256 +([0-9a-f]{64})`).FindStringSubmatch(windtunnel(t, "trace", "inspect", packed))
	if told == nil {
		t.Fatal("trace inspect prints no sha256")
	}
	return folder, told[1]
}

func writeFile(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(name, content, 0o644); err != nil { // containers have another user
		t.Fatal(err)
	}
}

// claim is a claim that is bound to a folder of the node.
func claim(t *testing.T, ns namespace, folder string) []byte {
	t.Helper()
	t.Cleanup(func() {
		if _, err := command("kubectl", "delete", "persistentvolume", string(ns), "--wait=false"); err != nil {
			t.Error(err)
		}
	})
	return []byte(strings.NewReplacer("VOLUME", string(ns), "CLAIM", traceClaim, "FOLDER", folder).Replace(`
apiVersion: v1
kind: PersistentVolume
metadata: {name: VOLUME}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadOnlyMany]
  storageClassName: ""
  claimRef: {namespace: VOLUME, name: CLAIM}
  hostPath: {path: FOLDER, type: Directory}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: CLAIM}
spec:
  accessModes: [ReadOnlyMany]
  storageClassName: ""
  volumeName: VOLUME
  resources: {requests: {storage: 1Gi}}
`))
}

// packImage packs a folder into an image of one layer, as a docker-archive.
func packImage(t *testing.T, name, folder string) []byte {
	t.Helper()
	layer := packTar(t, os.DirFS(folder))
	config := jsontest.Encode(t, map[string]any{
		"os": "linux", "architecture": runtime.GOARCH, "config": map[string]any{},
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + experiment.Digest(layer)}},
	})
	manifest := jsontest.Encode(t, []any{map[string]any{"Config": "config.json", "RepoTags": []string{name}, "Layers": []string{"layer.tar"}}})
	return packTar(t, fstest.MapFS{
		"manifest.json": {Data: manifest}, "config.json": {Data: config}, "layer.tar": {Data: layer},
	})
}

func packTar(t *testing.T, files fs.FS) []byte {
	t.Helper()
	var packed bytes.Buffer
	out := tar.NewWriter(&packed)
	if err := errors.Join(out.AddFS(files), out.Close()); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}
