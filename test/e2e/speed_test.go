// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

const (
	trials        = 1000
	trialRequests = 2000
	// podsForRate is how many pods tell how fast the node starts them: a
	// thousand would tell the same, ten times later.
	podsForRate = 100
	minSpeedUp  = 20
)

var measure = flag.Bool("speed", false, "measure how much faster a sweep is than one pod a trial; minutes on a node that has nothing else to do")

// usesOwnCluster reports whether the cluster is one of hack/cluster.
func usesOwnCluster() bool { return os.Getenv("CLUSTER") != "existing" }

// TestSpeed sets a sweep of a thousand trials beside the same trials as one pod
// each.
func TestSpeed(t *testing.T) {
	if !*measure {
		t.Skip("a measurement, for -speed to ask for: on a busy node it says little")
	}
	ns := newNamespace(t)
	sweep := storm("fast", 100, trials/100, trialRequests, 2, "requests: {cpu: 100m}")
	began := time.Now()
	ns.apply(t, sweep)
	ns.wait(t, "Complete", "policysweep/fast")
	took := time.Since(began)
	o := ns.get(t, "policysweep/fast")
	o.checkComplete(t)
	if o.Status.Results.Rows != trials {
		t.Fatalf("%d rows, want %d", o.Status.Results.Rows, trials)
	}

	began = time.Now()
	ns.apply(t, onePodATrial(t, sweep))
	ns.wait(t, "Complete", "job/one-pod-a-trial")
	pods := time.Since(began)
	perPod := pods.Seconds() / podsForRate
	speedUp := perPod * trials / took.Seconds()
	t.Logf("%d trials of %d requests: %.1f s as a sweep; as one pod each %.2f pods a second (%d pods in %.1f s), so %.0f s: %.0f times as long",
		trials, trialRequests, took.Seconds(), 1/perPod, podsForRate, pods.Seconds(), perPod*trials, speedUp)
	if speedUp < minSpeedUp {
		t.Errorf("the sweep is %.1f times as fast, want %d", speedUp, minSpeedUp)
	}
}

// onePodATrial is a Job whose pods simulate one trial of the sweep each, without
// the operator.
func onePodATrial(t *testing.T, sweep []byte) []byte {
	t.Helper()
	var o map[string]any
	if err := yaml.Unmarshal(sweep, &o); err != nil {
		t.Fatal(err)
	}
	run, err := yaml.Marshal(map[string]any{
		"apiVersion": o["apiVersion"], "kind": "SimulationRun",
		"metadata": map[string]any{"name": "one"},
		"spec":     map[string]any{"scenario": o["spec"].(map[string]any)["scenario"]},
	})
	if err != nil {
		t.Fatal(err)
	}
	indented := strings.ReplaceAll(strings.TrimSpace(string(run)), "\n", "\n    ")
	return []byte(`
apiVersion: v1
kind: ConfigMap
metadata: {name: one}
data:
  run.yaml: |
    ` + indented + `
---
apiVersion: batch/v1
kind: Job
metadata: {name: one-pod-a-trial}
spec:
  completionMode: Indexed
  completions: 100
  parallelism: 16
  template:
    spec:
      restartPolicy: Never
      automountServiceAccountToken: false
      securityContext: {runAsNonRoot: true, runAsUser: 65532, seccompProfile: {type: RuntimeDefault}}
      containers:
      - name: trial
        image: windtunnel:dev
        args: [run, -f, /run/trial/run.yaml]
        securityContext: {allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}
        volumeMounts: [{name: trial, mountPath: /run/trial}]
      volumes: [{name: trial, configMap: {name: one}}]
`)
}
