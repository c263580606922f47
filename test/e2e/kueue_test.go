// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

const (
	kueueFlavor = "windtunnel-e2e"
	// stormCPU is what the pods of one storm request together.
	stormCPU = "400m"
	// highPriority and lowPriority are Kueue's classes, of workloads and not of pods.
	highPriority, lowPriority = "windtunnel-e2e-high", "windtunnel-e2e-low"
)

// needsKueue skips a test on a cluster without Kueue, and creates what all queues
// share.
func needsKueue(t *testing.T) {
	t.Helper()
	if _, err := command("kubectl", "get", "crd", "clusterqueues.kueue.x-k8s.io"); err != nil {
		t.Skip("the cluster has no Kueue: make e2e KUEUE=1 installs it")
	}
	applyToCluster(t, `
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: FLAVOR}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: HIGH}
value: 1000
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: LOW}
value: 10
`, "FLAVOR", kueueFlavor, "HIGH", highPriority, "LOW", lowPriority)
}

// applyToCluster applies objects without a namespace, with the strings replaced.
func applyToCluster(t *testing.T, manifest string, oldNew ...string) {
	t.Helper()
	text := strings.NewReplacer(oldNew...).Replace(manifest)
	if _, err := commandWithInput([]byte(text), "kubectl", "apply", "-f", "-"); err != nil {
		t.Fatal(err)
	}
}

// newQueue is a namespace with a queue, which admits the pods of one storm at a time
// and borrows what other queues of the cohort do not use.
func newQueue(t *testing.T, cohort string) namespace {
	t.Helper()
	ns := newNamespace(t)
	applyToCluster(t, `
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: NAMESPACE}
spec:
  cohortName: COHORT
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: NAMESPACE}}
  preemption: {withinClusterQueue: LowerPriority, reclaimWithinCohort: Any}
  resourceGroups:
  - coveredResources: [cpu, memory]
    flavors:
    - name: FLAVOR
      resources:
      - {name: cpu, nominalQuota: CPU}
      - {name: memory, nominalQuota: 64Gi}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: team, namespace: NAMESPACE}
spec: {clusterQueue: NAMESPACE}
`, "NAMESPACE", string(ns), "COHORT", cohort, "FLAVOR", kueueFlavor, "CPU", stormCPU)
	t.Cleanup(func() {
		if _, err := command("kubectl", "delete", "clusterqueue", string(ns), "--wait=false"); err != nil {
			t.Error(err)
		}
	})
	return ns
}

// queuedStorm is a storm in the queue of its namespace.
func queuedStorm(name, priority string) []byte {
	labels := "metadata: {name: " + name + ", labels: {kueue.x-k8s.io/queue-name: team, kueue.x-k8s.io/priority-class: " + priority + "}}"
	return bytes.Replace(chaosStorm(name), []byte("metadata: {name: "+name+"}"), []byte(labels), 1)
}

// held says that the work waits for its queue.
func held(o *object) bool {
	return strings.Contains(o.condition("Ready").Message, "waits for queue team to admit it")
}

// checkDigests waits until the sweeps are complete, and holds their results
// against those of a sweep that met no queue.
func (ns namespace) checkDigests(t *testing.T, sweeps ...string) {
	t.Helper()
	ns.wait(t, "Complete", sweeps...)
	for _, name := range sweeps {
		o := ns.get(t, name)
		o.checkComplete(t)
		if got, want := o.Status.Results.Digest, undisturbedDigest(t); got != want {
			t.Errorf("%s: the results have the digest %s, undisturbed %s", name, got, want)
		}
	}
}

func TestKueueAdmitsOneAfterTheOther(t *testing.T) {
	needsKueue(t)
	undisturbedDigest(t)
	ns := newQueue(t, "admission")
	ns.apply(t, queuedStorm("first", lowPriority))
	ns.eventually(t, "policysweep/first", "running", running)
	ns.apply(t, queuedStorm("second", lowPriority))
	ns.eventually(t, "policysweep/second", "held by its queue", held)
	if first := ns.get(t, "policysweep/first"); !running(first) {
		t.Errorf("the first sweep does not run while the second waits: %+v", first.Status)
	}
	ns.checkDigests(t, "policysweep/first", "policysweep/second")
}

// A sweep that Kueue preempts keeps what it has done, queues again, and has the
// results of one that ran through.
func TestKueuePreempts(t *testing.T) {
	needsKueue(t)
	undisturbedDigest(t)
	ns := newQueue(t, "preemption")
	ns.apply(t, queuedStorm("low", lowPriority))
	ns.eventually(t, "policysweep/low", "running", running)
	time.Sleep(3 * time.Second) // so that there is something to keep
	ns.apply(t, queuedStorm("high", highPriority))
	kept := ns.eventually(t, "policysweep/low", "preempted with what was done", func(o *object) bool {
		return held(o) && o.Status.Progress.Completed > 0
	}).Status.Progress
	t.Logf("preempted, the sweep has done %d of %d simulations", kept.Completed, kept.Total)
	ns.eventually(t, "policysweep/high", "running", running)
	again := ns.eventually(t, "policysweep/low", "admitted again", func(o *object) bool { return !held(o) }).Status.Progress
	if again.Completed < kept.Completed {
		t.Errorf("admitted again, the sweep has done %d simulations, and had done %d", again.Completed, kept.Completed)
	}
	ns.checkDigests(t, "policysweep/high", "policysweep/low")
}

// Of two queues that share a cohort, one borrows what the other does not use, and
// gives it back when the other has work.
func TestKueueSharesFairly(t *testing.T) {
	needsKueue(t)
	undisturbedDigest(t)
	greedy, modest := newQueue(t, "fair-sharing"), newQueue(t, "fair-sharing")
	sweeps := []string{"policysweep/one", "policysweep/two"}
	greedy.apply(t, queuedStorm("one", lowPriority))
	greedy.apply(t, queuedStorm("two", lowPriority))
	for _, name := range sweeps {
		greedy.eventually(t, name, "running", running)
	}
	modest.apply(t, queuedStorm("mine", lowPriority))
	modest.eventually(t, "policysweep/mine", "running", running)
	heldBack := 0
	for _, name := range sweeps {
		if held(greedy.get(t, name)) {
			heldBack++
		}
	}
	if heldBack != 1 {
		t.Errorf("while the other queue runs its sweep, %d of the greedy queue's are held, want 1", heldBack)
	}
	modest.checkDigests(t, "policysweep/mine")
	greedy.checkDigests(t, sweeps...)
}
