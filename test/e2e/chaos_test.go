// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// storm is a sweep that takes long enough for something to happen to it: of
// points × seeds simulations of so many requests each.
func storm(name string, points, seeds, requests, shards int, limits string) []byte {
	var values []string
	for i := range points {
		values = append(values, fmt.Sprintf("%q", fmt.Sprint(i)))
	}
	return []byte(strings.NewReplacer(
		"NAME", name, "VALUES", strings.Join(values, ", "), "REQUESTS", fmt.Sprint(requests),
		"SEEDS", fmt.Sprint(seeds), "SHARDS", fmt.Sprint(shards), "LIMITS", limits,
	).Replace(`
apiVersion: sim.windtunnel.dev/v1alpha1
kind: PolicySweep
metadata: {name: NAME}
spec:
  scenario:
    horizon: {requests: REQUESTS}
    pools:
    - {name: llama, model: meta-llama/Llama-3.1-8B-Instruct, accelerator: h100-sxm, replicas: 4, kvCache: {blocks: 8192}}
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
      clients:
      - name: document
        copies: {count: 60, zipfExponent: "0.7"}
        arrivals: {rate: "12"}
        prefix: {group: document, tokens: 3000}
        inputTokens: {distribution: Constant, mean: "3200"}
        outputTokens: {distribution: Constant, mean: "100"}
  parameters:
  - name: prefix
    path: router.endpointPickerConfig.schedulingProfiles[default].plugins[prefix-cache-scorer].weight
    values: [VALUES]
  search: {maxTrials: 1000}
  replications: {count: SEEDS}
  objectives:
  - {metric: ttft.p99, direction: Minimize}
  execution: {shards: SHARDS, resources: {LIMITS}}
`))
}

// slow are resources with which a storm of a few seconds takes minutes: something
// that happens to it cannot come too late.
const slow = `requests: {cpu: 10m}, limits: {cpu: 50m}`

const (
	stormPoints   = 10
	stormSeeds    = 10
	stormRequests = 40_000
	stormShards   = 4
)

func chaosStorm(name string) []byte {
	return storm(name, stormPoints, stormSeeds, stormRequests, stormShards, "requests: {cpu: 100m}")
}

// undisturbed is the digest of the storm that nothing happens to.
var undisturbed = struct {
	sync.Once
	digest string
}{}

func undisturbedDigest(t *testing.T) string {
	t.Helper()
	undisturbed.Do(func() {
		ns := newNamespace(t)
		began := time.Now()
		ns.apply(t, chaosStorm("calm"))
		ns.wait(t, "Complete", "policysweep/calm")
		t.Logf("undisturbed, the sweep takes %.0f s", time.Since(began).Seconds())
		undisturbed.digest = ns.get(t, "policysweep/calm").Status.Results.Digest
	})
	if undisturbed.digest == "" {
		t.Fatal("the undisturbed sweep gave no results")
	}
	return undisturbed.digest
}

// runWithFault runs the storm, does something in its middle, and holds what came of
// it against the undisturbed one.
func runWithFault(t *testing.T, fault func(t *testing.T, ns namespace)) {
	t.Helper()
	want := undisturbedDigest(t)
	ns := newNamespace(t)
	ns.apply(t, chaosStorm("storm"))
	ns.eventually(t, "policysweep/storm", "running", running)
	fault(t, ns)
	o := ns.eventually(t, "policysweep/storm", "at an end", func(o *object) bool {
		return o.condition("Complete").Status == "True" || o.condition("Failed").Status == "True"
	})
	o.checkComplete(t)
	if o.Status.Results.Digest != want {
		t.Errorf("the results have the digest %s, undisturbed %s", o.Status.Results.Digest, want)
	}
}

// node is a command of hack/cluster; a test that needs it is not for a cluster of
// somebody else's.
func node(t *testing.T, args ...string) {
	t.Helper()
	if _, err := command(root+"/bin/cluster", args...); err != nil {
		t.Fatal(err)
	}
}

func TestKilledManager(t *testing.T) {
	runWithFault(t, func(t *testing.T, _ namespace) {
		system := namespace(systemNamespace)
		system.kubectl(t, "delete", "pods", "-l", "app.kubernetes.io/component=manager", "--grace-period=0", "--force")
		system.kubectl(t, "rollout", "status", manager, "--timeout=3m")
	})
}

// TestANewServiceAccount deletes the manager's ServiceAccount and creates it again.
// The token in the manager's pod is of the old account, and stays so when the
// container restarts: docs/operations.md tells to make a new pod.
func TestANewServiceAccount(t *testing.T) {
	runWithFault(t, func(t *testing.T, _ namespace) {
		system := namespace(systemNamespace)
		system.kubectl(t, "delete", "serviceaccount", "windtunnel-manager")
		if err := install(); err != nil {
			t.Fatal(err)
		}
		system.kubectl(t, "rollout", "restart", manager)
		system.kubectl(t, "rollout", "status", manager, "--timeout=3m")
	})
}

func TestKilledWorker(t *testing.T) {
	runWithFault(t, func(t *testing.T, ns namespace) {
		running := strings.Fields(ns.kubectl(t, "get", "pods", "--field-selector=status.phase=Running", "-o", "name"))
		if len(running) == 0 {
			t.Fatal("no worker runs")
		}
		ns.kubectl(t, "delete", running[0], "--grace-period=0", "--force")
	})
}

// TestStoppedWorkers has kubelets tell workers to stop. What they have done is kept,
// which is seen before anything runs again.
func TestStoppedWorkers(t *testing.T) {
	t.Run("suspended", func(t *testing.T) {
		runWithFault(t, func(t *testing.T, ns namespace) {
			time.Sleep(3 * time.Second)
			ns.kubectl(t, "patch", "policysweep/storm", "--type=merge", "-p", `{"spec":{"execution":{"suspend":true}}}`)
			o := ns.eventually(t, "policysweep/storm", "suspended with what was done", func(o *object) bool {
				return o.condition("Suspended").Status == "True" && o.Status.Progress.Completed > 0
			})
			t.Logf("suspended, it has done %d of %d simulations", o.Status.Progress.Completed, o.Status.Progress.Total)
			ns.kubectl(t, "patch", "policysweep/storm", "--type=merge", "-p", `{"spec":{"execution":{"suspend":false}}}`)
		})
	})
	t.Run("deleted", func(t *testing.T) {
		runWithFault(t, func(t *testing.T, ns namespace) {
			time.Sleep(3 * time.Second)
			running := strings.Fields(ns.kubectl(t, "get", "pods", "--field-selector=status.phase=Running", "-o", "name"))
			if len(running) == 0 {
				t.Fatal("no worker runs")
			}
			ns.kubectl(t, "delete", running[0])
		})
	})
}

// TestRestartedNode kills each part of the cluster without warning, and starts it
// again.
func TestRestartedNode(t *testing.T) {
	if !usesOwnCluster() {
		t.Skip("the cluster is somebody else's: its programs are not restarted")
	}
	for _, program := range []string{"kubelet", "containerd", "kube-controller-manager", "kube-apiserver", "etcd"} {
		t.Run(program, func(t *testing.T) {
			runWithFault(t, func(t *testing.T, _ namespace) {
				node(t, "kill", program)
				time.Sleep(3 * time.Second) // so that it is missed
				node(t, "start", program)
				node(t, "status")
			})
		})
	}
}

// TestTwoManagers runs a second manager that asks nobody for leave.
func TestTwoManagers(t *testing.T) {
	second := exec.Command(root+"/bin/windtunnel", "manager", "--image=windtunnel:dev",
		"--health-probe-bind-address=0", "--metrics-bind-address=0")
	if err := second.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := second.Process.Kill(); err != nil {
			t.Error("the second manager ended by itself")
		}
		second.Wait()
	}()
	runWithFault(t, func(*testing.T, namespace) {})
}

// hungryStorm is a sweep whose pods run out of memory.
func hungryStorm(name string) []byte {
	// All requests wait at once, so that no collection of garbage makes room.
	hungry := storm(name, 2, 2, 10*stormRequests, 2, `limits: {memory: 24Mi}`)
	return bytes.Replace(hungry, []byte(`rate: "12"`), []byte(`rate: "1000000"`), 1)
}

// TestOutOfMemory gives shards less memory than a simulation takes.
func TestOutOfMemory(t *testing.T) {
	t.Parallel()
	ns := newNamespace(t)
	ns.apply(t, hungryStorm("hungry"))
	o := ns.eventually(t, "policysweep/hungry", "at an end", func(o *object) bool {
		return o.condition("Failed").Status == "True" || o.condition("Complete").Status == "True"
	})
	if message := o.condition("Failed").Message; !strings.Contains(message, "OOM") && !strings.Contains(message, "memory") {
		t.Errorf("no condition says that memory ran out: %+v", o.Status.Conditions)
	}
}

// TestFullQuota lets a namespace have no pod: the condition says why, and once
// there is room the sweep goes on.
func TestFullQuota(t *testing.T) {
	t.Parallel()
	want := undisturbedDigest(t)
	ns := newNamespace(t)
	ns.kubectl(t, "create", "quota", "full", "--hard=pods=0")
	ns.apply(t, chaosStorm("storm"))
	ns.eventually(t, "policysweep/storm", "held by the quota", func(o *object) bool {
		return strings.Contains(o.condition("Ready").Message, "quota")
	})
	ns.kubectl(t, "delete", "quota", "full")
	ns.wait(t, "Complete", "policysweep/storm")
	if o := ns.get(t, "policysweep/storm"); o.Status.Results.Digest != want {
		t.Errorf("the results have the digest %s, undisturbed %s", o.Status.Results.Digest, want)
	}
}
