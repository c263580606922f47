// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/controllers"
	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
)

const replicasPath = "pools[llama].replicas"

// weights is a sweep of three points under two seeds.
func weights() *builder.SweepBuilder {
	return builder.MakeSweep("weights", "").Scenario(builder.Requests(50)).
		Values("replicas", replicasPath, "1", "2", "3").Baseline("replicas", "2").Seeds(1, 2)
}

// traced is a run of a trace that lies in a ConfigMap, and that ConfigMap.
func (p *platform) traced(t *testing.T) (*v1alpha1.SimulationRun, *corev1.ConfigMap) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trace.jsonl")
	p.verb(t, "trace", "generate", "--requests", "200", "--seed", "1", "-o", file)
	raw := testfile.Read(t, file)
	cm := &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Name: "traces"},
		Data:       map[string]string{"trace.jsonl": string(raw)},
	}
	run := builder.MakeRun("traced", "").Seeds(1, 2, 3).Shards(2).
		Scenario(builder.Requests(200), builder.TraceFrom(v1alpha1.MooncakeTrace, "traces", "trace.jsonl")).Obj()
	return run, cm
}

func TestARunGivesTheSameRowsAsOnALaptop(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	run, trace := p.traced(t)
	want := p.runLocally(t, run, trace)
	p.create(t, ns, trace)
	p.create(t, ns, run)
	p.until(t, run, v1alpha1.ConditionComplete)
	if diff := cmp.Diff(want.rows(t), p.rows(t, run)); diff != "" {
		t.Errorf("rows (-local +cluster):\n%s", diff)
	}
	status := jsontest.Decode[v1alpha1.SimulationRunStatus](t, want.Status)
	if diff := cmp.Diff(status.Metrics, run.Status.Metrics); diff != "" || len(status.Metrics) == 0 {
		t.Errorf("metrics (-local +cluster):\n%s", diff)
	}
	if status.PlanHash != run.Status.PlanHash || len(run.Status.Inputs) != 1 {
		t.Errorf("plan %s of inputs %v, want plan %s of one", run.Status.PlanHash, run.Status.Inputs, status.PlanHash)
	}
}

func TestASweepGivesTheSameRowsHoweverManyShards(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	want := p.runLocally(t, weights().Obj())
	status := jsontest.Decode[v1alpha1.PolicySweepStatus](t, want.Status)
	for _, shards := range []int32{1, 3} {
		ns := p.namespace(t)
		p.kubelet.set(ns, faults{end: func(_, _ int, e *ending) {
			if e.log != "" {
				t.Errorf("a worker that succeeds logs\n%s", e.log)
			}
		}})
		sweep := weights().Shards(shards).Obj()
		p.create(t, ns, sweep)
		p.until(t, sweep, v1alpha1.ConditionReady)
		if diff := cmp.Diff(want.rows(t), p.rows(t, sweep)); diff != "" {
			t.Errorf("%d shards: rows (-local +cluster):\n%s", shards, diff)
		}
		got := sweep.Status.DeepCopy()
		for _, part := range []struct {
			name      string
			want, got any
		}{
			{"best", status.Best, got.Best},
			{"baseline", status.Baseline, got.Baseline},
			{"paretoFront", status.ParetoFront, got.ParetoFront},
			{"planHash", status.PlanHash, got.PlanHash},
			{"stepTimes", status.StepTimes, got.StepTimes},
		} {
			if diff := cmp.Diff(part.want, part.got); diff != "" {
				t.Errorf("%d shards: %s (-local +cluster):\n%s", shards, part.name, diff)
			}
		}
		if jobs := p.jobs(t, ns); len(jobs) != 1 || *jobs[0].Spec.Completions != shards {
			t.Errorf("%d Jobs, want one of %d shards", len(jobs), shards)
		}
		if pods := p.pods(t, ns); len(pods) != int(shards) {
			t.Errorf("%d pods, want %d", len(pods), shards)
		}
	}
}

func TestChildrenAreDeletedWithTheirObject(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	sweep := weights().Shards(2).Obj()
	p.create(t, ns, sweep)
	p.until(t, sweep, v1alpha1.ConditionComplete)
	children := []client.Object{}
	for _, job := range p.jobs(t, ns) {
		children = append(children, &job)
	}
	for _, component := range []string{"plan", "round", "result", "index"} {
		for _, cm := range p.configMaps(t, ns, component) {
			if cm.Immutable == nil || !*cm.Immutable {
				t.Errorf("ConfigMap %s is not immutable", cm.Name)
			}
			children = append(children, &cm)
		}
	}
	if len(children) != 6 {
		t.Errorf("%d children, want a Job, its plan and round, two results and their index", len(children))
	}
	for _, child := range children {
		want := []metav1.OwnerReference{{
			APIVersion: "sim.windtunnel.dev/v1alpha1", Kind: "PolicySweep", Name: "weights", UID: sweep.UID, Controller: ptr.To(true),
		}}
		if child.GetLabels()[controllers.LabelComponent] != controllers.ComponentResult {
			want[0].BlockOwnerDeletion = ptr.To(true)
		}
		if diff := cmp.Diff(want, child.GetOwnerReferences()); diff != "" {
			t.Errorf("owners of %T %s (-want +got):\n%s", child, child.GetName(), diff)
		}
	}
	if len(sweep.Finalizers) > 0 {
		t.Errorf("finalizers %v keep the object", sweep.Finalizers)
	}
}

func TestABadInputFailsWithTheWorkersError(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	p.kubelet.set(ns, faults{hold: true})
	run, trace := p.traced(t)
	p.create(t, ns, trace)
	p.create(t, ns, run)
	eventually(t, func() string {
		if len(p.pods(t, ns)) == 0 {
			return "there is no pod yet"
		}
		return ""
	})
	lines := strings.SplitAfter(trace.Data["trace.jsonl"], "\n")
	edit(t, p, trace, func(cm *corev1.ConfigMap) { cm.Data["trace.jsonl"] = strings.Join(lines[:100], "") })
	p.kubelet.set(ns, faults{end: func(_, _ int, e *ending) {
		if strings.Count(e.log, "\n") != 1 || !strings.Contains(e.log, "or it has changed") {
			t.Errorf("it logs more than why it fails:\n%s", e.log)
		}
	}})
	failed := p.until(t, run, v1alpha1.ConditionFailed)
	if failed.Reason != v1alpha1.ReasonJobFailed || !strings.Contains(failed.Message, "bad input: trace") || !strings.Contains(failed.Message, "or it has changed") {
		t.Errorf("it failed with %s: %s", failed.Reason, failed.Message)
	}
	p.until(t, run, v1alpha1.ConditionStalled)
	for _, pod := range p.pods(t, ns) {
		if attemptOf(&pod) > 0 {
			t.Errorf("pod %s is a second attempt; a bad input stays bad", pod.Name)
		}
	}
}

func TestAShardThatDiesIsTriedAgain(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	p.kubelet.set(ns, faults{end: func(index, attempt int, e *ending) {
		if index == 1 && attempt < 2 {
			*e = ending{exitCode: 137, reason: "OOMKilled"}
		}
	}})
	want := p.runLocally(t, weights().Obj())
	sweep := weights().Shards(3).Obj()
	p.create(t, ns, sweep)
	p.until(t, sweep, v1alpha1.ConditionComplete)
	if diff := cmp.Diff(want.rows(t), p.rows(t, sweep)); diff != "" {
		t.Errorf("rows (-local +cluster):\n%s", diff)
	}
	if got := len(p.pods(t, ns)); got != 5 {
		t.Errorf("%d pods, want 3 and 2 more attempts", got)
	}
}

func TestAShardThatDiesTooOftenFailsTheSweep(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	p.kubelet.set(ns, faults{end: func(index, _ int, e *ending) {
		if index == 0 {
			*e = ending{exitCode: 137, reason: "OOMKilled"}
		}
	}})
	sweep := weights().Shards(2).Obj()
	p.create(t, ns, sweep)
	failed := p.until(t, sweep, v1alpha1.ConditionFailed)
	if failed.Reason != v1alpha1.ReasonJobFailed || !strings.Contains(failed.Message, "shard 0 failed: pod weights-") || !strings.Contains(failed.Message, "OOMKilled") || !strings.Contains(failed.Message, "exit code 137") {
		t.Errorf("it failed with %s: %s", failed.Reason, failed.Message)
	}
	if got := sweep.Status.Progress.Completed; got != 3 {
		t.Errorf("%d simulations are counted, want the 3 of the other shard", got)
	}
}

func TestWhatALostTerminationMessageNamedIsSimulatedAgain(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	p.kubelet.set(ns, faults{end: func(index, _ int, e *ending) {
		if index == 1 {
			e.message = ""
		}
	}})
	sweep := weights().Shards(2).Obj()
	p.create(t, ns, sweep)
	p.until(t, sweep, v1alpha1.ConditionComplete)
	jobs := p.jobs(t, ns)
	if len(jobs) != 1 || jobs[0].Labels[controllers.LabelAttempt] == "" {
		t.Errorf("%d Jobs are there, want the last attempt alone", len(jobs))
	}
	if got := sweep.Status.Results.Rows; got != 6 {
		t.Errorf("%d rows, want all 6", got)
	}
}

func TestAReplacedResultFailsTheSweep(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	// The results are replaced after the worker wrote them and before its pod
	// says that it did.
	p.kubelet.set(ns, faults{end: func(index, _ int, _ *ending) {
		if index != 1 {
			return
		}
		for _, cm := range p.configMaps(t, ns, "result") {
			if !strings.Contains(cm.Name, "-1-0-") {
				continue
			}
			_ = p.client.Delete(t.Context(), &cm)
			cm.ResourceVersion, cm.UID = "", ""
			var packed bytes.Buffer
			z := gzip.NewWriter(&packed)
			_, _ = z.Write(bytes.Replace(lines(t, &cm), []byte(`"goodput":`), []byte(`"goodput": `), 1)) // into memory
			_ = z.Close()
			cm.BinaryData[store.RowsKey] = packed.Bytes()
			_ = p.client.Create(t.Context(), &cm)
		}
	}})
	sweep := weights().Shards(2).Obj()
	p.create(t, ns, sweep)
	failed := p.until(t, sweep, v1alpha1.ConditionFailed)
	if failed.Reason != v1alpha1.ReasonResultCorrupt || !strings.Contains(failed.Message, "but the worker wrote") {
		t.Errorf("it failed with %s: %s", failed.Reason, failed.Message)
	}
}

// TestResultsDamagedAfterTheEnd deletes a result of a complete sweep, creates it with
// other bytes, and restores it.
func TestResultsDamagedAfterTheEnd(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	sweep := weights().Obj()
	p.create(t, ns, sweep)
	p.until(t, sweep, v1alpha1.ConditionComplete)
	name := p.chunks(t, sweep)[0].Name
	var chunk corev1.ConfigMap
	if err := p.client.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: name}, &chunk); err != nil {
		t.Fatal(err)
	}
	if err := p.client.Delete(t.Context(), &chunk); err != nil {
		t.Fatal(err)
	}
	p.untilDamaged(t, sweep, "ConfigMap "+name+", which held results, does not exist")
	p.untilEvent(t, ns, v1alpha1.ReasonResultsDamaged)

	again := func(rows []byte) *corev1.ConfigMap {
		cm := chunk.DeepCopy()
		cm.ResourceVersion, cm.UID = "", ""
		cm.BinaryData[store.RowsKey] = rows
		if err := p.client.Create(t.Context(), cm); err != nil {
			t.Fatal(err)
		}
		return cm
	}
	other := again([]byte("other bytes"))
	p.untilDamaged(t, sweep, "ConfigMap "+name+" has the digest")
	if err := p.client.Delete(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	again(chunk.BinaryData[store.RowsKey])
	p.untilDamaged(t, sweep, "")
}

// untilDamaged waits until condition ResultsDamaged says something of a complete
// sweep; "" is that there is no such condition.
func (p *platform) untilDamaged(t *testing.T, sweep *v1alpha1.PolicySweep, want string) {
	t.Helper()
	eventually(t, func() string {
		conditions := p.read(t, sweep).Status.Conditions
		if !meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionComplete) {
			return "the sweep is not complete any more"
		}
		damaged := meta.FindStatusCondition(conditions, v1alpha1.ConditionResultsDamaged)
		if (damaged == nil) != (want == "") || damaged != nil && !strings.Contains(damaged.Message, want) {
			return fmt.Sprintf("condition ResultsDamaged is %+v, want %q", damaged, want)
		}
		return ""
	})
}

func TestAMissingConfigMapIsWaitedFor(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	run, trace := p.traced(t)
	p.create(t, ns, run)
	stalled := p.until(t, run, v1alpha1.ConditionStalled)
	if stalled.Reason != v1alpha1.ReasonInputMissing || !strings.Contains(stalled.Message, "spec.scenario.workload.trace.configMapRef") || !strings.Contains(stalled.Message, "there is no ConfigMap traces") {
		t.Errorf("it stalls with %s: %s", stalled.Reason, stalled.Message)
	}
	p.create(t, ns, trace)
	p.until(t, run, v1alpha1.ConditionComplete)
}

func TestAnInvalidSpecIsReportedWithItsPath(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	sweep := weights().Scenario(builder.PickerConfig(`apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: crystal-ball-scorer
schedulingProfiles:
- name: default
  plugins:
  - pluginRef: crystal-ball-scorer
`)).Obj()
	p.create(t, ns, sweep)
	stalled := p.until(t, sweep, v1alpha1.ConditionStalled)
	if stalled.Reason != v1alpha1.ReasonInvalid || !strings.Contains(stalled.Message, "spec.scenario.router.endpointPickerConfig") || !strings.Contains(stalled.Message, "crystal-ball-scorer") {
		t.Errorf("it stalls with %s: %s", stalled.Reason, stalled.Message)
	}
	if jobs := p.jobs(t, ns); len(jobs) > 0 {
		t.Errorf("there are %d Jobs, want none", len(jobs))
	}
	edit(t, p, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Scenario = weights().Obj().Spec.Scenario })
	p.until(t, sweep, v1alpha1.ConditionComplete)
}

func TestAnEditWhileItRunsStartsAnew(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	sweep := weights().Shards(2).Obj()
	p.create(t, ns, sweep)
	p.until(t, sweep, v1alpha1.ConditionComplete)
	first := p.configMaps(t, ns, "result")
	p.kubelet.set(ns, faults{hold: true})
	edit(t, p, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Replications.Seeds = []int64{7} })
	p.until(t, sweep, v1alpha1.ConditionReconciling)
	eventually(t, func() string {
		if jobs := p.jobs(t, ns); len(jobs) != 1 || *jobs[0].Spec.Completions != 2 {
			return "the old Job is still there"
		}
		return ""
	})
	if got := p.configMaps(t, ns, "result"); len(got) != len(first) {
		t.Errorf("%d results are left while the new ones are made, want %d", len(got), len(first))
	}
	p.kubelet.set(ns, faults{})
	edit(t, p, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Replications.Seeds = []int64{7, 8} })
	p.until(t, sweep, v1alpha1.ConditionComplete)
	want := p.runLocally(t, weights().Seeds(7, 8).Obj())
	if diff := cmp.Diff(want.rows(t), p.rows(t, sweep)); diff != "" {
		t.Errorf("rows (-local +cluster):\n%s", diff)
	}
	eventually(t, func() string {
		var names []string
		for _, cm := range append(p.configMaps(t, ns, "result"), p.configMaps(t, ns, "plan")...) {
			names = append(names, cm.Name)
		}
		if len(names) != 3 || len(p.jobs(t, ns)) != 1 {
			return "more is left than the plan, its Job and its two results: " + strings.Join(names, " ")
		}
		return ""
	})
}

func TestSuspendAndResume(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	sweep := weights().Shards(2).Suspend(true).Obj()
	p.create(t, ns, sweep)
	p.until(t, sweep, v1alpha1.ConditionSuspended)
	time.Sleep(300 * time.Millisecond)
	if pods := p.pods(t, ns); len(pods) > 0 {
		t.Errorf("%d pods while suspended, want none", len(pods))
	}
	p.kubelet.set(ns, faults{hold: true})
	edit(t, p, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Execution.Suspend = false })
	p.until(t, sweep, v1alpha1.ConditionReconciling)
	eventually(t, func() string {
		if len(p.pods(t, ns)) != 2 {
			return "there are no pods"
		}
		return ""
	})
	edit(t, p, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Execution.Suspend = true })
	p.until(t, sweep, v1alpha1.ConditionSuspended)
	eventually(t, func() string {
		if len(p.pods(t, ns)) > 0 {
			return "pods outlive the suspension"
		}
		return ""
	})
	p.kubelet.set(ns, faults{})
	edit(t, p, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Execution.Suspend = false })
	p.until(t, sweep, v1alpha1.ConditionComplete)
	for _, c := range sweep.Status.Conditions {
		if c.Type == v1alpha1.ConditionSuspended {
			t.Errorf("condition %s is left: %s", c.Type, c.Status)
		}
	}
}

// TestTheMooncakeTrace is what the project is for: a sweep of routing profiles
// over real traffic, with the same manifest and the same figures on a cluster and
// on a laptop.
func TestTheMooncakeTrace(t *testing.T) {
	t.Parallel()
	file := testdata.File(t, "traces", "mooncake-fast25", "conversation_trace.jsonl")
	p := sharedPlatform(t)
	ns := p.namespace(t)
	trace := filepath.Join(t.TempDir(), "trace.yaml")
	p.verb(t, "trace", "configmap", file, "--name", "mooncake", "-o", trace)
	sample := filepath.Join("..", "..", "config", "samples", "mooncake", "sweep.yaml")
	printed := p.verb(t, "sweep", "-f", sample, "--configmap", trace, "-o", "json")
	want := jsontest.Decode[local](t, printed)
	onALaptop := jsontest.Decode[v1alpha1.PolicySweep](t, printed)
	raw := testfile.Read(t, sample)
	sharded := filepath.Join(t.TempDir(), "sweep.yaml")
	testfile.Write(t, sharded, append(raw, "  execution: {shards: 2}\n"...))
	sweep := p.applied(t, ns, trace, sharded)
	p.until(t, sweep, v1alpha1.ConditionComplete)
	if got := p.rows(t, sweep); got != want.rows(t) {
		t.Errorf("rows (-local +cluster):\n%s", cmp.Diff(want.rows(t), got))
	}
	if rows := strings.Count(p.rows(t, sweep), "\n"); rows != 12 {
		t.Errorf("%d rows, want 4 profiles under 3 seeds", rows)
	}
	if diff := cmp.Diff(onALaptop.Status.Best, sweep.Status.Best); diff != "" {
		t.Errorf("best (-local +cluster):\n%s", diff)
	}
	t.Logf("best: %s, %+v; sha256 of the rows: %x", sweep.Status.Best.Summary, sweep.Status.Best.Objectives, sha256.Sum256([]byte(p.rows(t, sweep))))
}

// pods returns the pods of a namespace, by name.
func (p *platform) pods(t *testing.T, namespace string) []corev1.Pod {
	t.Helper()
	var pods corev1.PodList
	if err := p.client.List(t.Context(), &pods, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(pods.Items, func(a, b corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return pods.Items
}
