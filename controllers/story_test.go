// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/worker"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// story tells what the controllers do in a cluster, step by step.
type story struct {
	*cluster
	object client.Object
	text   strings.Builder
	// aliases stand for what is a hash in a Job's name.
	aliases map[string]string
}

// say tells what happened before the next reconcile.
func (s *story) say(format string, args ...any) {
	fmt.Fprintf(&s.text, "\n%s\n", s.plain(fmt.Sprintf(format, args...)))
}

// reconcile tells what a reconcile does.
func (s *story) reconcile() {
	s.t.Helper()
	for _, d := range s.cluster.reconcile(s.object) {
		s.tell(d)
	}
}

func (s *story) tell(d decision) {
	lines := 0
	line := func(format string, args ...any) {
		lines++
		fmt.Fprintf(&s.text, "    %s\n", s.plain(fmt.Sprintf(format, args...)))
	}
	for _, a := range d.actions {
		line("%s: %s", a, a.why)
	}
	if d.status != nil {
		for _, words := range statusLines(d.status) {
			line("%s", words)
		}
	}
	for _, n := range d.events {
		line("event %s: %s", n.reason, n.note)
	}
	for _, a := range d.cleanup {
		line("%s: %s", a, a.why)
	}
	if d.requeueAfter > 0 {
		line("requeue in %s", d.requeueAfter)
	}
	if lines == 0 {
		line("nothing to do")
	}
}

// linted tells what condition Linted says.
func (s *story) linted(o client.Object) {
	c := meta.FindStatusCondition(s.subject(o).status().Conditions, v1alpha1.ConditionLinted)
	s.say("Linted is %s (%s): %s", c.Status, c.Reason, c.Message)
}

// passed tells what condition Passed says.
func (s *story) passed() {
	c := meta.FindStatusCondition(s.subject(s.object).status().Conditions, v1alpha1.ConditionPassed)
	s.say("Passed is %s (%s): %s", c.Status, c.Reason, c.Message)
}

// statusWords is a status in one line.
func statusLine(s subject) string {
	if s == nil {
		return "unchanged"
	}
	return strings.Join(statusLines(s), "; ")
}

func statusLines(s subject) []string {
	st := s.status()
	var types, changed []string
	var ready metav1.Condition
	for _, c := range st.Conditions {
		if c.Type == v1alpha1.ConditionLinted && c.Status == metav1.ConditionTrue {
			continue // nothing to tell
		}
		types = append(types, c.Type+"="+string(c.Status))
		if c.Type == v1alpha1.ConditionInputsChanged {
			changed = append(changed, "status: InputsChanged: "+c.Message)
		}
		if c.Type == v1alpha1.ConditionReady {
			ready = c
		}
	}
	lines := []string{fmt.Sprintf("status of generation %d: %s (%s): %s", st.ObservedGeneration, strings.Join(types, " "), ready.Reason, ready.Message)}
	lines = append(lines, changed...)
	if p := st.Progress; p != nil {
		lines = append(lines, fmt.Sprintf("status: %d of %d simulations (%d reused), round %d, %d shards, %s", p.Completed, p.Total, p.Reused, p.Round, p.Shards, resultWords(st.Results)))
	}
	sw, ok := s.(sweep)
	if ok && sw.Status.Best != nil {
		lines = append(lines, "status: best is "+sw.Status.Best.Summary)
	}
	if ok {
		for _, step := range sw.Status.Steps {
			lines = append(lines, fmt.Sprintf("status: step %d %%: %s (%s): %s", step.Percent, step.Verdict, step.Reason, step.Message))
		}
	}
	return lines
}

func resultWords(r *v1alpha1.ResultsStatus) string {
	if r == nil {
		return "no results named"
	}
	words := fmt.Sprintf("%d rows in %d results named", r.Rows, r.Chunks)
	if r.Partial {
		words += ", which is partial"
	}
	return words
}

var (
	jobHash     = regexp.MustCompile(`\b(weights|once|second|weights-best-[0-9])-[0-9a-f]{8}\b`)
	chunkHash   = regexp.MustCompile(`(-[0-9]+-[0-9]+)-[0-9a-f]{8}\b`)
	contentHash = regexp.MustCompile(`-(index|reused|leaderboard)-[0-9a-f]{8}\b`)
	allMetrics  = regexp.MustCompile(`there are ttft, [A-Za-z0-9, ]*`)
	halfDigest  = regexp.MustCompile(`sha256 [0-9a-f]{12} → [0-9a-f]{12}`)
	anyDigest   = regexp.MustCompile(`\b[0-9a-f]{64}\b`)
)

// plain replaces hashes, which change with the engine and its defaults, by
// letters in the order in which they appear.
func (s *story) plain(text string) string {
	text = chunkHash.ReplaceAllString(text, "$1-#")
	text = contentHash.ReplaceAllString(text, "-$1-#")
	text = halfDigest.ReplaceAllString(text, "sha256 # → #")
	text = anyDigest.ReplaceAllString(text, "#")
	text = allMetrics.ReplaceAllString(text, "there are METRICS")
	return jobHash.ReplaceAllStringFunc(text, func(name string) string {
		if _, known := s.aliases[name]; !known {
			s.aliases[name] = name[:len(name)-8] + string(rune('A'+len(s.aliases)))
		}
		return s.aliases[name]
	})
}

const replicasPath = "pools[llama].replicas"

// weights is a sweep of two points under two seeds.
func weights() *builder.SweepBuilder {
	return builder.MakeSweep("weights", "team-a").UID("weights-uid").Generation(1).
		Scenario(builder.Requests(20)).Values("replicas", replicasPath, "1", "2").Seeds(1, 2).Shards(2)
}

// twoRouters gives a scenario a second router, with a pool of one slow replica that serves one request at a time.
func twoRouters(s *v1alpha1.Scenario) {
	canary := s.Pools[0]
	canary.Name, canary.Replicas, canary.Engine.MaxNumSeqs = "canary", 1, 1
	router := func(name, pool string) v1alpha1.ModelRouter {
		return v1alpha1.ModelRouter{Name: name, Model: canary.Model, Pools: []string{pool}, Router: s.Router}
	}
	s.Routers = []v1alpha1.ModelRouter{router("stable", s.Pools[0].Name), router("canary", "canary")}
	s.Pools, s.Router = append(s.Pools, canary), v1alpha1.Router{}
	s.Route = &v1alpha1.Route{Backends: []v1alpha1.RouteBackend{{Router: "stable", Weight: ptr.To[int32](9)}, {Router: "canary", Weight: ptr.To[int32](1)}}}
}

// once is a run under one seed.
func once() *builder.RunBuilder {
	return builder.MakeRun("once", "team-a").UID("once-uid").Generation(1).Scenario(builder.Requests(20))
}

// stories are told in testdata/stories, one file each.
var stories = map[string]struct {
	about string
	tell  func(*story)
}{
	"sweep-to-verdict": {"A sweep from its creation to its verdict.", func(s *story) {
		s.begin(weights().Obj())
		job := s.job()
		s.say("Both pods start.")
		pods := []*corev1.Pod{s.startPod(job, 0), s.startPod(job, 1)}
		s.reconcile()
		s.say("Shard 1 ends.")
		s.endPod(pods[1], 0, "Completed", s.work(job, 1))
		s.reconcile()
		s.say("Shard 0 ends. The Job controller has not said so yet, but the results are here.")
		s.endPod(pods[0], 0, "Completed", s.work(job, 0))
		s.reconcile()
		s.say("The Job completes.")
		s.endJob(job, batchv1.JobComplete, "", "")
		s.reconcile()
	}},
	"run-to-result": {"A run of one simulation.", func(s *story) {
		s.begin(once().Obj())
		s.say("Its shard ends.")
		s.succeed(s.job(), 0)
		s.reconcile()
	}},
	"nothing-served": {"A run that rejects every request is complete, and says first that it served nothing; an edit that changes nothing of it leaves that so.", func(s *story) {
		run := once().Obj()
		run.Spec.Scenario.Pools[0].Engine.MaxModelLen = ptr.To[int32](16)
		s.begin(run)
		s.say("Its shard ends.")
		s.succeed(s.job(), 0)
		s.reconcile()
		s.say("The user gives it more memory.")
		edit(s.cluster, run, func(run *v1alpha1.SimulationRun) {
			run.Spec.Execution.Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("4Gi")}
		})
		s.reconcile()
	}},
	"pods-go-early": {"Pods are deleted once the status names their results, and the rest still counts.", func(s *story) {
		s.begin(weights().Obj())
		job := s.job()
		s.say("Shard 0 ends.")
		pod := s.succeed(job, 0)
		s.reconcile()
		s.say("Its node is scaled away, and the pod with it. Shard 1 ends.")
		s.must(s.client.Delete(s.t.Context(), pod))
		s.succeed(job, 1)
		s.reconcile()
	}},
	"failing-shard": {"A shard dies, is tried again, and fails for good.", func(s *story) {
		s.begin(weights().Obj())
		job := s.job()
		s.say("Shard 0 ends; shard 1 runs out of memory.")
		s.succeed(job, 0)
		s.endPod(s.startPod(job, 1), 137, "OOMKilled", "")
		s.reconcile()
		s.say("The Job controller tries it again.")
		second := s.startPod(job, 1)
		s.reconcile()
		s.say("This time its input is bad, says the worker, and the Job gives up.")
		s.endPod(second, 2, "Error", encodedReport(store.Report{Shard: 1, Error: "bad input: trace conversation.jsonl: sha256 changed"}))
		s.endJob(job, batchv1.JobFailed, "FailedIndexes", "Job has failed indexes", 1)
		s.reconcile()
		s.say("Nothing starts it again but another spec: the user raises the memory, which changes nothing that is simulated.")
		edit(s.cluster, s.object.(*v1alpha1.PolicySweep), func(sweep *v1alpha1.PolicySweep) {
			sweep.Spec.Execution.Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("4Gi")}
		})
		s.reconcile()
	}},
	"edit-and-back": {"A spec is edited while it runs, and edited back when it is done.", func(s *story) {
		sweep := weights().Obj()
		s.begin(sweep)
		s.say("Shard 0 ends.")
		s.succeed(s.job(), 0)
		s.reconcile()
		s.say("The user wants another seed.")
		edit(s.cluster, sweep, func(sweep *v1alpha1.PolicySweep) { sweep.Spec.Replications.Seeds = []int64{1, 2, 3} })
		s.reconcile()
		s.collectGarbage()
		s.say("Both of its shards end.")
		s.succeed(s.job(), 0)
		s.succeed(s.job(), 1)
		s.reconcile()
		s.say("The user goes back to two seeds: all of them are known.")
		edit(s.cluster, sweep, func(sweep *v1alpha1.PolicySweep) { sweep.Spec.Replications.Seeds = []int64{1, 2} })
		s.reconcile()
	}},
	"edit-and-regret": {"An edit is taken back before its results are complete: what is there is used.", func(s *story) {
		sweep := weights().Obj()
		s.begin(sweep)
		s.say("Both shards end.")
		s.succeed(s.job(), 0)
		s.succeed(s.job(), 1)
		s.reconcile()
		s.say("The user wants another seed.")
		edit(s.cluster, sweep, func(sweep *v1alpha1.PolicySweep) { sweep.Spec.Replications.Seeds = []int64{1, 2, 3} })
		s.reconcile()
		s.say("The user takes it back.")
		edit(s.cluster, sweep, func(sweep *v1alpha1.PolicySweep) { sweep.Spec.Replications.Seeds = []int64{1, 2} })
		s.reconcile()
	}},
	"edit-of-execution": {"An edit of a complete sweep that changes no result costs nothing.", func(s *story) {
		sweep := weights().Obj()
		s.begin(sweep)
		s.say("Both shards end.")
		s.succeed(s.job(), 0)
		s.succeed(s.job(), 1)
		s.reconcile()
		s.say("The user asks for four shards.")
		edit(s.cluster, sweep, func(sweep *v1alpha1.PolicySweep) { sweep.Spec.Execution.Shards = 4 })
		s.reconcile()
	}},
	"suspend-and-resume": {"A sweep is created suspended, resumed, and suspended in the middle.", func(s *story) {
		sweep := weights().Suspend(true).Obj()
		s.begin(sweep)
		s.say("The user resumes it.")
		edit(s.cluster, sweep, func(sweep *v1alpha1.PolicySweep) { sweep.Spec.Execution.Suspend = false })
		s.reconcile()
		s.say("Shard 0 ends.")
		s.succeed(s.job(), 0)
		s.reconcile()
		s.say("The user suspends it.")
		edit(s.cluster, sweep, func(sweep *v1alpha1.PolicySweep) { sweep.Spec.Execution.Suspend = true })
		s.reconcile()
		s.say("The user resumes it, and shard 1 ends.")
		edit(s.cluster, sweep, func(sweep *v1alpha1.PolicySweep) { sweep.Spec.Execution.Suspend = false })
		s.reconcile()
		s.succeed(s.job(), 1)
		s.reconcile()
	}},
	"kueue": {"Kueue holds the Job back, admits it, and evicts it. Nobody fights it.", func(s *story) {
		s.begin(weights().Label(LabelQueue, "team-queue").Obj())
		s.say("Kueue's webhook has suspended the Job.")
		s.suspendJob(true)
		s.reconcile()
		s.say("Kueue admits it, and shard 0 ends.")
		s.suspendJob(false)
		s.succeed(s.job(), 0)
		s.reconcile()
		s.say("Kueue evicts it.")
		s.suspendJob(true)
		s.reconcile()
	}},
	"invalid": {"A spec with two faults waits for an edit.", func(s *story) {
		sweep := weights().Objective("nonsense.p99", v1alpha1.Minimize).Obj()
		sweep.Spec.Parameters[0].Path = "pools[lama].replicas"
		s.begin(sweep)
		s.say("The user mends the one, and then the other.")
		edit(s.cluster, sweep, func(sweep *v1alpha1.PolicySweep) { sweep.Spec.Parameters[0].Path = replicasPath })
		s.reconcile()
		edit(s.cluster, sweep, func(sweep *v1alpha1.PolicySweep) { sweep.Spec.Objectives = sweep.Spec.Objectives[:1] })
		s.reconcile()
	}},
	"findings": {"The router's configuration loads, and the linter has something against it. Each generation is told once.", func(s *story) {
		unscored := strings.ReplaceAll(builder.DefaultPickerConfig, "weight: 2", "weight: 0")
		sweep := weights().Scenario(builder.PickerConfig(unscored)).Obj()
		s.begin(sweep)
		s.linted(sweep)
		s.say("Shard 0 ends.")
		s.succeed(s.job(), 0)
		s.reconcile()
		s.say("The user edits the spec, and not that.")
		edit(s.cluster, sweep, func(sweep *v1alpha1.PolicySweep) { sweep.Spec.Execution.Suspend = true })
		s.reconcile()
		s.say("The user mends it.")
		edit(s.cluster, sweep, func(sweep *v1alpha1.PolicySweep) {
			sweep.Spec.Scenario.Router.EndpointPickerConfig.Inline = ptr.To(builder.DefaultPickerConfig)
		})
		s.reconcile()
		s.linted(sweep)
	}},
	"input-appears": {"A sweep waits for the ConfigMap of its EPP configuration.", func(s *story) {
		s.begin(weights().Scenario(builder.PickerConfigFrom("profiles", "default.yaml")).Obj())
		s.say("It appears, under another key.")
		cm := &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "profiles"},
			Data:       map[string]string{"defaults.yaml": builder.DefaultPickerConfig},
		}
		s.create(cm)
		s.reconcile()
		s.say("It gets that key too.")
		cm.Data["default.yaml"] = builder.DefaultPickerConfig
		s.must(s.client.Update(s.t.Context(), cm))
		s.reconcile()
		s.say("It is edited while the Job runs: the plan is settled, and stays.")
		cm.Data["default.yaml"] = builder.RandomPickerConfig
		s.must(s.client.Update(s.t.Context(), cm))
		s.reconcile()
	}},
	"vanished-pod": {"A pod goes before its results are read: they are simulated again.", func(s *story) {
		s.begin(weights().Obj())
		job := s.job()
		s.say("Both shards end, and the Job. The manager looks away, and meanwhile the node of shard 1 goes.")
		s.succeed(job, 0)
		s.must(s.client.Delete(s.t.Context(), s.succeed(job, 1)))
		s.endJob(job, batchv1.JobComplete, "", "")
		s.reconcile()
		s.say("Both shards of the second Job end.")
		s.succeed(s.job(), 0)
		s.succeed(s.job(), 1)
		s.reconcile()
	}},
	"vanished-pod-and-manager": {"The manager that had them simulated again is killed before it deletes the first Job; another one does.", func(s *story) {
		sweep := weights().Obj()
		s.begin(sweep)
		job := s.job()
		s.say("Both shards end, and the Job. The node of shard 1 goes, and the manager once it has created the second Job.")
		s.succeed(job, 0)
		s.must(s.client.Delete(s.t.Context(), s.succeed(job, 1)))
		s.endJob(job, batchv1.JobComplete, "", "")
		w, d := s.decide(sweep)
		d.cleanup = nil
		s.must(s.reconcilers[v1alpha1.PolicySweepKind].applier.apply(s.t.Context(), w, d, s.clock.Now()))
		s.say("Both shards of the second Job end, and another manager starts.")
		s.restart()
		s.endShards()
	}},
	"lost-shard": {"A shard fails for good, and the spec allows for one: the rest is done, and says that it is not all.", func(s *story) {
		sweep := weights().Obj()
		sweep.Spec.Execution.MaxFailedShards = 1
		s.begin(sweep)
		job := s.job()
		s.say("Shard 1 runs out of memory as often as it is tried.")
		s.endPod(s.startPod(job, 1), 137, "OOMKilled", "")
		s.reconcile()
		s.say("Shard 0 ends, and so does the Job.")
		s.succeed(job, 0)
		s.endJob(job, batchv1.JobFailed, batchv1.JobReasonFailedIndexes, "Job has failed indexes", 1)
		s.reconcile()
		s.say("An edit that does not change how shards are run starts nothing.")
		edit(s.cluster, sweep, func(sweep *v1alpha1.PolicySweep) { sweep.Spec.Execution.ActiveDeadlineSeconds = ptr.To[int64](60) })
		s.reconcile()
		s.say("Another manager thinks so too.")
		s.restart()
		s.reconcile()
		s.say("The user gives shards more memory: what was lost is tried again.")
		edit(s.cluster, sweep, func(sweep *v1alpha1.PolicySweep) {
			sweep.Spec.Execution.Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("4Gi")}
		})
		s.reconcile()
		s.collectGarbage()
		s.succeed(s.job(), 0)
		s.succeed(s.job(), 1)
		s.reconcile()
	}},
	"deadline": {"Work that takes too long is stopped; with more time it goes on.", func(s *story) {
		sweep := weights().Obj()
		sweep.Spec.Execution.ActiveDeadlineSeconds = ptr.To[int64](60)
		s.begin(sweep)
		s.say("Shard 0 ends, and shard 1 hangs for a minute.")
		s.succeed(s.job(), 0)
		s.reconcile()
		s.pass(time.Minute)
		s.reconcile()
		s.say("A day later nothing has changed.")
		s.pass(24 * time.Hour)
		s.restart()
		s.reconcile()
		s.say("The user gives it an hour.")
		edit(s.cluster, sweep, func(sweep *v1alpha1.PolicySweep) { sweep.Spec.Execution.ActiveDeadlineSeconds = ptr.To[int64](3600) })
		s.reconcile()
		s.succeed(s.job(), 1)
		s.reconcile()
	}},
	"deadline-half-way": {"Time is up in the middle of a sweep's only shard: what it has done is kept, and with more time the rest is done.", func(s *story) {
		sweep := weights().Shards(1).Obj()
		sweep.Spec.Execution.ActiveDeadlineSeconds = ptr.To[int64](60)
		s.begin(sweep)
		s.say("Its pod starts, and a minute passes.")
		job := s.job()
		pod := s.startPod(job, 0)
		s.pass(time.Minute)
		s.reconcile()
		s.say("The pod is told to stop. It has done three simulations, says so and goes.")
		s.stop(job, pod, 3)
		s.reconcile()
		s.goes(pod)
		s.say("A day later nothing has changed.")
		s.pass(24 * time.Hour)
		s.restart()
		s.reconcile()
		s.say("The user gives it an hour.")
		edit(s.cluster, sweep, func(sweep *v1alpha1.PolicySweep) { sweep.Spec.Execution.ActiveDeadlineSeconds = ptr.To[int64](3600) })
		s.reconcile()
		s.say("The shard of what was left ends.")
		s.endShards()
	}},
	"deadline-without-a-word": {"Time is up, and the pod of a node that is gone never says what it has done.", func(s *story) {
		sweep := weights().Shards(1).Obj()
		sweep.Spec.Execution.ActiveDeadlineSeconds = ptr.To[int64](60)
		s.begin(sweep)
		s.startPod(s.job(), 0)
		s.say("Its pod starts, and a minute passes.")
		s.pass(time.Minute)
		s.reconcile()
		s.say("Another minute passes.")
		s.pass(time.Minute)
		s.reconcile()
	}},
	"suspended-half-way": {"A sweep is suspended while its shards run. What they have done is kept, and after it is resumed only the rest is done.", func(s *story) {
		sweep := weights().Obj()
		s.begin(sweep)
		job := s.job()
		pods := []*corev1.Pod{s.startPod(job, 0), s.startPod(job, 1)}
		s.say("Both pods start, and the user suspends it.")
		edit(s.cluster, sweep, func(sweep *v1alpha1.PolicySweep) { sweep.Spec.Execution.Suspend = true })
		s.reconcile()
		s.say("Pod 0 has done one of its two simulations. It is gone before the manager looks, which has heard of it.")
		s.stop(job, pods[0], 1)
		s.goes(pods[0])
		s.reconcile()
		s.say("Pod 1 has done none. Now another Job takes what is left.")
		s.stop(job, pods[1], 0)
		s.reconcile()
		s.say("The user resumes it.")
		edit(s.cluster, sweep, func(sweep *v1alpha1.PolicySweep) { sweep.Spec.Execution.Suspend = false })
		s.reconcile()
		s.say("Its shards end.")
		s.endShards()
	}},
	"evicted-half-way": {"The pod of a shard is evicted, which it has done half of. Another Job does the rest, in which the other shard's part is left out too.", func(s *story) {
		s.begin(weights().Seeds(1, 2, 3).Obj())
		job := s.job()
		pods := []*corev1.Pod{s.startPod(job, 0), s.startPod(job, 1)}
		s.say("Both pods start, and pod 0 is evicted after the first of its three simulations.")
		s.stop(job, pods[0], 1)
		s.reconcile()
		s.say("The Job controller had its next pod start, and stops it. It has done nothing. Pod 1 has done two of three.")
		s.goes(pods[0])
		next := s.startPod(job, 0)
		s.reconcile()
		s.stop(job, next, 0)
		s.stop(job, pods[1], 2)
		s.reconcile()
		s.say("Its shards end.")
		s.endShards()
	}},
	"evicted-early": {"The pod of a shard is evicted, which has done little. Its next pod does all of it, and that counts once.", func(s *story) {
		s.begin(weights().Seeds(1, 2, 3, 4, 5).Obj())
		job := s.job()
		s.say("Pod 0 is evicted after the first of its five simulations.")
		s.stop(job, s.startPod(job, 0), 1)
		s.reconcile()
		s.say("Its next one ends, and shard 1 does.")
		s.succeed(job, 0)
		s.reconcile()
		s.succeed(job, 1)
		s.reconcile()
	}},
	"evicted-by-its-queue": {"Kueue evicts a Job whose shard has done half of it. A Job of the rest queues in its place.", func(s *story) {
		s.begin(weights().Shards(1).Label(LabelQueue, "team-queue").Obj())
		job := s.job()
		pod := s.startPod(job, 0)
		s.say("Its pod starts, and Kueue suspends the Job.")
		s.suspendJob(true)
		s.reconcile()
		s.say("The pod has done two of four simulations.")
		s.stop(job, pod, 2)
		s.reconcile()
		s.say("Kueue admits the Job.")
		s.suspendJob(false)
		s.reconcile()
		s.say("Its shard ends.")
		s.endShards()
	}},
	"deadline-held": {"Time that work is held does not count.", func(s *story) {
		sweep := weights().Label(LabelQueue, "team-queue").Obj()
		sweep.Spec.Execution.ActiveDeadlineSeconds = ptr.To[int64](60)
		s.begin(sweep)
		s.say("Kueue's webhook has suspended the Job, and admits it ten minutes later.")
		s.suspendJob(true)
		s.reconcile()
		s.pass(10 * time.Minute)
		s.suspendJob(false)
		s.reconcile()
		s.say("After half a minute the user suspends it, for ten minutes.")
		s.pass(30 * time.Second)
		edit(s.cluster, sweep, func(sweep *v1alpha1.PolicySweep) { sweep.Spec.Execution.Suspend = true })
		s.reconcile()
		s.pass(10 * time.Minute)
		edit(s.cluster, sweep, func(sweep *v1alpha1.PolicySweep) { sweep.Spec.Execution.Suspend = false })
		s.reconcile()
		s.say("Another half minute later its time is up. Its queue could start the Job again, so that it goes.")
		s.pass(30 * time.Second)
		s.reconcile()
	}},
	"ttl": {"What served a sweep goes some time after its end, and nothing runs again.", func(s *story) {
		sweep := weights().Obj()
		sweep.Spec.Execution.TTLSecondsAfterFinished = ptr.To[int32](600)
		s.begin(sweep)
		s.say("Both shards end.")
		s.succeed(s.job(), 0)
		s.succeed(s.job(), 1)
		s.reconcile()
		s.say("The clock is set back by an hour.")
		s.pass(-time.Hour)
		s.reconcile()
		s.say("Ten minutes after the end:")
		s.pass(time.Hour + 10*time.Minute)
		s.reconcile()
		s.collectGarbage()
		s.say("Another manager starts, and the same manifest is applied again.")
		s.restart()
		s.reconcile()
		s.say("The user keeps nothing at all: still nothing runs.")
		edit(s.cluster, sweep, func(sweep *v1alpha1.PolicySweep) { sweep.Spec.Execution.TTLSecondsAfterFinished = ptr.To[int32](0) })
		s.reconcile()
	}},
	"ttl-of-failure": {"What served failed work goes too, and its condition still says why it failed.", func(s *story) {
		run := once().Obj()
		run.Spec.Execution.TTLSecondsAfterFinished = ptr.To[int32](0)
		s.begin(run)
		s.say("Its shard fails.")
		job := s.job()
		s.endPod(s.startPod(job, 0), 2, "Error", encodedReport(store.Report{Error: "bad input: plan.json: no such file"}))
		s.endJob(job, batchv1.JobFailed, batchv1.JobReasonFailedIndexes, "Job has failed indexes", 0)
		s.reconcile()
		s.collectGarbage()
		s.restart()
		s.reconcile()
	}},
	"input-changes": {"The ConfigMap of a configuration is edited while a sweep runs and after it is complete. Nothing runs again, and the status says so.", func(s *story) {
		sweep := weights().Scenario(builder.PickerConfigFrom("profiles", "default.yaml")).Obj()
		cm := &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "profiles"},
			Data:       map[string]string{"default.yaml": builder.DefaultPickerConfig},
		}
		s.create(cm)
		s.begin(sweep)
		put := func(text string) {
			cm.Data["default.yaml"] = text
			s.must(s.client.Update(s.t.Context(), cm))
			s.reconcile()
		}
		s.say("The ConfigMap is edited.")
		put(builder.RandomPickerConfig)
		s.say("Both shards end.")
		s.succeed(s.job(), 0)
		s.succeed(s.job(), 1)
		s.reconcile()
		s.say("The ConfigMap gets a label: nothing of what it holds is new.")
		cm.Labels = map[string]string{"team": "a"}
		put(builder.RandomPickerConfig)
		s.say("It is edited back.")
		put(builder.DefaultPickerConfig)
		s.say("It is deleted.")
		s.must(s.client.Delete(s.t.Context(), cm))
		s.reconcile()
		s.say("Another one of its name is created, and the user asks for it by an edit of the spec.")
		cm.ResourceVersion, cm.Data["default.yaml"] = "", "-"
		s.create(cm)
		put(builder.RandomPickerConfig)
		edit(s.cluster, sweep, func(sweep *v1alpha1.PolicySweep) { sweep.Spec.Execution.Shards = 1 })
		s.reconcile()
	}},
	"trace-changes": {"A trace is replaced before a second shard starts, whose worker refuses it.", func(s *story) {
		var old, other strings.Builder
		s.must(trace.WriteMooncake(&old, 40, 1))
		s.must(trace.WriteMooncake(&other, 40, 2))
		cm := &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "traces"},
			BinaryData: map[string][]byte{"day.jsonl.gz": packed(old.String())},
		}
		s.create(cm)
		s.begin(weights().Scenario(builder.TraceFrom(v1alpha1.MooncakeTrace, "traces", "day.jsonl.gz")).Obj())
		s.succeed(s.job(), 0)
		s.say("Shard 0 ends, and the trace is packed anew: it is the same.")
		cm.BinaryData["day.jsonl.gz"] = []byte(old.String())
		s.must(s.client.Update(s.t.Context(), cm))
		s.reconcile()
		s.say("The trace is replaced.")
		cm.BinaryData["day.jsonl.gz"] = packed(other.String())
		s.must(s.client.Update(s.t.Context(), cm))
		s.reconcile()
		s.say("Shard 1 starts, and refuses it.")
		pod := s.startPod(s.job(), 1)
		s.endPod(pod, worker.BadInputExitCode, "Error", s.refused(s.job(), 1))
		s.endJob(s.job(), batchv1.JobFailed, "FailedIndexes", "Job has failed indexes", 1)
		s.reconcile()
	}},
	"compile-kills-manager": {"The manager is killed while it compiles a sweep, and killed again.", func(s *story) {
		sweep := weights().Obj()
		s.object = sweep
		s.say("The user creates PolicySweep weights, and the manager is killed while it compiles it.")
		s.create(sweep)
		s.killedCompiling(sweeps.wrap(sweep))
		s.reconcile()
		s.say("The other objects have had their turn, and the manager is killed once more.")
		s.pass(suspectDelay)
		s.killedCompiling(sweeps.wrap(sweep))
		s.reconcile()
		s.say("The manager restarts once more, for another reason.")
		s.restart()
		s.reconcile()
		s.say("The user edits the spec.")
		edit(s.cluster, sweep, func(sweep *v1alpha1.PolicySweep) { sweep.Spec.Execution.Shards = 1 })
		s.reconcile()
	}},
	"trace-invalid": {"A trace has a row that is none. The manager does not parse it: the pods do, and say which row.", func(s *story) {
		var text strings.Builder
		s.must(trace.WriteMooncake(&text, 40, 1))
		cm := &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "traces"},
			BinaryData: map[string][]byte{"day.jsonl.gz": packed(text.String() + "{\"timestamp\": -1}\n")},
		}
		s.create(cm)
		sweep := weights().Scenario(builder.TraceFrom(v1alpha1.MooncakeTrace, "traces", "day.jsonl.gz")).Obj()
		s.begin(sweep)
		for shard := range 2 {
			s.endPod(s.startPod(s.job(), shard), worker.BadInputExitCode, "Error", s.refused(s.job(), shard))
		}
		s.endJob(s.job(), batchv1.JobFailed, "FailedIndexes", "Job has failed indexes", 0, 1)
		s.reconcile()
		s.say("The row is gone, and the user asks for it by an edit of the spec.")
		cm.BinaryData["day.jsonl.gz"] = packed(text.String())
		s.must(s.client.Update(s.t.Context(), cm))
		edit(s.cluster, sweep, func(sweep *v1alpha1.PolicySweep) { sweep.Spec.Execution.RetriesPerShard = ptr.To[int32](1) })
		s.reconcile()
	}},
	"lost-message": {"A pod succeeds without a termination message.", func(s *story) {
		s.begin(weights().Obj())
		job := s.job()
		s.say("Shard 0 ends well; shard 1 ends without a word.")
		s.succeed(job, 0)
		s.work(job, 1)
		s.endPod(s.startPod(job, 1), 0, "Completed", "")
		s.reconcile()
		s.say("The Job completes: no more will come.")
		s.endJob(job, batchv1.JobComplete, "", "")
		s.reconcile()
		s.say("Three more Jobs end in the same way.")
		for range 3 {
			job := s.job()
			s.endPod(s.startPod(job, 0), 0, "Completed", "")
			s.endPod(s.startPod(job, 1), 0, "Completed", "")
			s.endJob(job, batchv1.JobComplete, "", "")
			s.reconcile()
		}
	}},
	"quota": {"A quota has no room for the pods, then for one of them, then for both.", func(s *story) {
		s.begin(weights().Obj())
		job := s.job()
		s.say("The quota refuses both pods. The event is not there yet.")
		s.active(job, 0)
		s.reconcile()
		s.say("Now it is, and two seconds later the controllers look again.")
		s.warn(job, "FailedCreate", `Error creating: pods "weights-0-x7k2p" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=8, limited: pods=8`)
		s.pass(2 * time.Second)
		s.reconcile()
		s.say("It lasts.")
		s.pass(10 * time.Minute)
		s.reconcile()
		s.say("There is room for one pod. The quota refuses the other one.")
		pod := s.startPod(job, 0)
		s.active(job, 1)
		s.pass(time.Second)
		s.warn(job, "FailedCreate", `(combined from similar events): Error creating: pods "weights-1-9wz4c" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=8, limited: pods=8`)
		s.reconcile()
		s.say("It ends, which makes room for the other one.")
		s.endPod(pod, 0, "Completed", s.work(job, 0))
		s.pass(time.Second)
		s.startPod(job, 1)
		s.active(job, 2)
		s.reconcile()
	}},
	"volume-not-mounted": {"A pod has a node, and its volume does not mount.", func(s *story) {
		s.begin(once().Obj())
		job := s.job()
		s.active(job, 1)
		s.say("The pod gets a node.")
		pod := s.bindPod(job, 0)
		s.reconcile()
		s.say("After a while it has not started.")
		s.warn(pod, "FailedScheduling", "0/3 nodes are available")
		s.pass(time.Second)
		s.warn(pod, "FailedMount", `MountVolume.SetUp failed for volume "inputs" : configmap "traces" not found`)
		s.pass(startTimeout)
		s.reconcile()
		s.say("The volume mounts.")
		pod.Status.Phase = corev1.PodRunning
		s.must(s.client.Status().Update(s.t.Context(), pod))
		s.reconcile()
	}},
	"corrupt-chunk": {"Somebody's ConfigMap sits where a result should be.", func(s *story) {
		s.begin(weights().Obj())
		job := s.job()
		s.say("Shard 0 ends, but its result was replaced.")
		message := s.work(job, 0)
		for _, name := range s.results() {
			var cm corev1.ConfigMap
			s.must(s.client.Get(s.t.Context(), client.ObjectKey{Namespace: "team-a", Name: name}, &cm))
			s.must(s.client.Delete(s.t.Context(), &cm))
			cm.ResourceVersion, cm.BinaryData[store.RowsKey] = "", packed(strings.Replace(s.lines(&cm), `"seed":1`, `"seed":7`, 1))
			s.must(s.client.Create(s.t.Context(), &cm))
		}
		s.endPod(s.startPod(job, 0), 0, "Completed", message)
		s.reconcile()
	}},
	"conflict": {"A ConfigMap of another owner has the plan's name.", func(s *story) {
		sweep := weights().Obj()
		compiled, _, err := sweepSubject(sweep).compile(s.t.Context(), clusterInputs{reader: s.client})
		s.must(err)
		p := newSubjectPlan(hashPlan(compiled.Plan), sweepSubject(sweep))
		cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: planName(p.prefix)}}
		s.create(cm)
		s.begin(sweep)
		s.say("It goes.")
		s.must(s.client.Delete(s.t.Context(), cm))
		s.reconcile()
	}},
	"children-vanish": {"Somebody deletes the Job, the plan and the account.", func(s *story) {
		s.begin(weights().Obj())
		s.say("Shard 0 ends.")
		s.succeed(s.job(), 0)
		s.reconcile()
		s.say("The plan and the workers' account are deleted.")
		for _, o := range []client.Object{&corev1.ServiceAccount{}, &corev1.ConfigMap{}} {
			o.SetNamespace("team-a")
			o.SetName(WorkerName)
			if _, ok := o.(*corev1.ConfigMap); ok {
				o.SetName(s.job().Spec.Template.Spec.Volumes[0].ConfigMap.Name)
			}
			s.must(s.client.Delete(s.t.Context(), o))
		}
		s.restart()
		s.reconcile()
		s.say("The Job is deleted.")
		s.must(s.client.Delete(s.t.Context(), s.job()))
		s.collectGarbage()
		s.reconcile()
	}},
	"search-that-learns": {"A search goes through its rounds: each Job simulates what the rounds before suggest.", func(s *story) {
		sweep := weights().Obj()
		searched["tpe"](&sweep.Spec)
		sweep.Spec.Parameters[0].Values = []string{"1", "2", "3", "4", "5", "6"}
		sweep.Spec.Search.MaxTrials, sweep.Spec.Search.GenerationSize = 6, ptr.To[int32](3)
		s.begin(sweep)
		for !settled(s.subject(sweep)) {
			s.say("All shards of the round end.")
			s.endShards()
		}
	}},
	"policies-evolve": {"A search makes policies: each Job simulates the children of the best ones. Half-way another manager starts and makes the same policies. The best one is promoted.", func(s *story) {
		sweep := evolvingSweep()
		s.begin(sweep)
		for round := 0; !settled(s.subject(sweep)); round++ {
			s.say("All shards of the round end.")
			s.endShards()
			if round == 1 {
				s.say("Another manager starts.")
				s.restart()
				s.reconcile()
			}
		}
	}},
	"lost-shard-of-a-search": {"A search that learns loses a shard of its first round: it is told that those points failed, and goes on to its end. Given more memory, they are tried again.", func(s *story) {
		sweep := weights().Obj()
		searched["tpe"](&sweep.Spec)
		sweep.Spec.Parameters[0].Values = []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"}
		sweep.Spec.Search.MaxTrials, sweep.Spec.Search.GenerationSize = 6, ptr.To[int32](3)
		sweep.Spec.Execution.MaxFailedShards = 1
		s.begin(sweep)
		s.say("Shard 0 ends, shard 1 runs out of memory, and the Job ends.")
		job := s.job()
		s.succeed(job, 0)
		s.endPod(s.startPod(job, 1), 137, "OOMKilled", "")
		s.endJob(job, batchv1.JobFailed, batchv1.JobReasonFailedIndexes, "Job has failed indexes", 1)
		s.reconcile()
		s.say("Another manager starts: what was lost stays lost.")
		s.restart()
		s.reconcile()
		for !settled(s.subject(sweep)) {
			s.say("All shards of the round end.")
			s.endShards()
		}
		s.say("The user gives shards more memory.")
		edit(s.cluster, sweep, func(sweep *v1alpha1.PolicySweep) {
			sweep.Spec.Execution.Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("4Gi")}
		})
		s.reconcile()
		s.collectGarbage()
		for !settled(s.subject(sweep)) {
			s.say("All shards of the round end.")
			s.endShards()
		}
	}},
	"reuse-from": {"A sweep waits for another one's results, and simulates only what they lack.", func(s *story) {
		second := weights().Obj()
		second.Name, second.UID = "second", "second-uid"
		second.Spec.Parameters[0].Values = []string{"2", "3"}
		second.Spec.ReuseFrom = []string{"weights"}
		s.begin(second)
		s.begin(weights().Obj())
		s.say("Both shards of weights end.")
		s.endShards()
		s.say("PolicySweep second is looked at again.")
		s.object = second
		s.reconcile()
		s.say("Its shards end.")
		for _, job := range s.jobs() {
			for _, index := range s.open(&job) {
				s.succeed(&job, index)
			}
		}
		s.reconcile()
	}},
	"promote-and-follow": {"A sweep whose gate passes writes out the best configuration, and has the best points simulated once more.", func(s *story) {
		sweep := gated("1h", 1, 2, 3)
		s.begin(sweep)
		s.say("Its shards end.")
		s.endShards()
		s.say("The first of the followers is looked at.")
		s.object = &v1alpha1.SimulationRun{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: followedName("weights", 0)}}
		s.reconcile()
		s.say("The user wants one follower, and nothing promoted.")
		edit(s.cluster, sweep, func(sweep *v1alpha1.PolicySweep) { sweep.Spec.Follow.Best, sweep.Spec.Promote = 1, nil })
		s.object = sweep
		s.reconcile()
	}},
	"baseline-is-best": {"A sweep whose baseline ranks first keeps what there is: nothing is promoted.", func(s *story) {
		sweep := gated("", 1, 2, 3)
		sweep.Spec.Follow = nil
		sweep.Spec.Gates[0].VersusBaseline = "5%"
		sweep.Spec.Baseline = &v1alpha1.Baseline{Parameters: []v1alpha1.Assignment{{Name: "replicas", Value: "1"}}}
		s.begin(sweep)
		s.say("Its shards end.")
		s.endShards()
		s.passed()
	}},
	"proposal": {"An EPP configuration that is to be rolled out is compared with the scenario's own. It passes, and is promoted.", func(s *story) {
		sweep := gated("1h", 1, 2, 3)
		sweep.Spec.Parameters, sweep.Spec.Objectives, sweep.Spec.Follow = nil, nil, nil
		sweep.Spec.Proposal = &v1alpha1.Proposal{EndpointPickerConfig: v1alpha1.EndpointPickerConfig{ConfigMapRef: &v1alpha1.EndpointPickerConfigMap{Name: "proposal", Key: "epp.yaml"}}}
		manifest.Default(sweep)
		s.begin(sweep)
		s.say("The ConfigMap with the proposal appears.")
		s.create(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "proposal"}, Data: map[string]string{"epp.yaml": builder.RandomPickerConfig}})
		s.reconcile()
		s.say("Its shards end.")
		s.endShards()
		s.passed()
	}},
	"rollout": {"A canary takes over the traffic in steps. Its only replica is too slow for all of it, and at 50 % the seeds do not tell.", func(s *story) {
		sweep := weights().Seeds(1, 2, 3, 4).Obj()
		sweep.Spec.Parameters, sweep.Spec.Objectives = nil, nil
		twoRouters(&sweep.Spec.Scenario)
		sweep.Spec.Rollout = &v1alpha1.Rollout{Backend: "canary", Steps: []int32{10, 50, 100}}
		sweep.Spec.Gates = []v1alpha1.Gate{{Name: "first-token", Metric: "ttft.mean", Operator: v1alpha1.AtMost, Value: "100ms", Confidence: "0.9"}}
		manifest.Default(sweep)
		s.begin(sweep)
		s.say("Its shards end.")
		s.endShards()
		s.passed()
	}},
	"refused-index": {"A quota on ConfigMaps is used up when the first results are to be named, and raised.", func(s *story) {
		sweep := weights().Obj()
		s.begin(sweep)
		s.say("Shard 0 ends, and the API server takes no ConfigMap any more.")
		s.succeed(s.job(), 0)
		s.failWrite = func(o client.Object, verb string, carryOut func() error) error {
			if verb == "create" {
				return apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, o.GetName(), errors.New("exceeded quota: team-a"))
			}
			return carryOut()
		}
		if result, err := s.reconcileOnce(sweep); err != nil || result.RequeueAfter == 0 {
			s.t.Fatalf("got %v, %v; want another try later", result, err)
		}
		for _, words := range statusLines(s.subject(sweep)) {
			fmt.Fprintf(&s.text, "    %s\n", s.plain(words))
		}
		s.say("The quota is raised.")
		s.failWrite = nil
		s.reconcile()
	}},
	"namespace-goes": {"A namespace is deleted while a shard that failed waits for its next try.", func(s *story) {
		sweep := weights().Obj()
		s.begin(sweep)
		pod := s.startPod(s.job(), 0)
		pod.Finalizers = []string{batchv1.JobTrackingFinalizer}
		s.must(s.client.Update(s.t.Context(), pod))
		s.endPod(pod, 1, "Error", "")
		s.say("Its shard 0 fails, and its pod is deleted.")
		s.must(s.client.Delete(s.t.Context(), pod))
		s.reconcile()
		s.say("The namespace is deleted.")
		s.deleteNamespace()
		_, d := s.decide(sweep)
		s.tell(d)
		s.failWrite = func(o client.Object, verb string, carryOut func() error) error {
			if verb == "create" {
				return apierrors.NewForbidden(schema.GroupResource{Group: "batch", Resource: "jobs"}, o.GetName(), errors.New("unable to create new content in namespace team-a because it is being terminated"))
			}
			return carryOut()
		}
		for range 2 {
			if _, err := s.reconcileOnce(sweep); err != nil {
				s.t.Fatal(err)
			}
		}
		s.say("Its Jobs are gone: %d are left.", len(s.jobs()))
		for _, words := range statusLines(s.subject(sweep)) {
			fmt.Fprintf(&s.text, "    %s\n", s.plain(words))
		}
	}},
	"namespace-of-a-failure-goes": {"A namespace is deleted in which a sweep was stopped by its deadline while a shard waited for its next try.", func(s *story) {
		sweep := weights().Obj()
		sweep.Spec.Execution.ActiveDeadlineSeconds = ptr.To[int64](60)
		s.begin(sweep)
		pod := s.startPod(s.job(), 0)
		pod.Finalizers = []string{batchv1.JobTrackingFinalizer}
		s.must(s.client.Update(s.t.Context(), pod))
		s.endPod(pod, 1, "Error", "")
		s.say("Its shard 0 fails, and time passes.")
		s.pass(2 * time.Minute)
		s.reconcile()
		s.say("The namespace is deleted, and its pods first.")
		s.deleteNamespace()
		s.must(s.client.Delete(s.t.Context(), pod))
		s.reconcile()
	}},
	"edit-of-a-failure": {"A shard fails for good; after an edit that changes nothing about its Job it is tried again. Then a result vanishes, and the same is done.", func(s *story) {
		sweep := weights().Obj()
		s.begin(sweep)
		s.say("Shard 0 ends, shard 1 fails.")
		job := s.job()
		s.succeed(job, 0)
		s.endPod(s.startPod(job, 1), 1, "Error", "")
		s.endJob(job, batchv1.JobFailed, batchv1.JobReasonFailedIndexes, "Job has failed indexes", 1)
		s.reconcile()
		s.say("The user edits how long things are kept.")
		edit(s.cluster, sweep, func(sweep *v1alpha1.PolicySweep) { sweep.Spec.Execution.TTLSecondsAfterFinished = ptr.To[int32](600) })
		s.reconcile()
		s.collectGarbage()
		s.say("Shard 0 of the new Job ends, and somebody deletes its result.")
		pod := s.succeed(s.job(), 0)
		report, err := store.DecodeReport(terminationMessage(pod))
		s.must(err)
		gone := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: report.Results.Name}}
		s.must(s.client.Delete(s.t.Context(), gone))
		s.reconcile()
		s.say("The user edits the same again.")
		edit(s.cluster, sweep, func(sweep *v1alpha1.PolicySweep) { sweep.Spec.Execution.TTLSecondsAfterFinished = ptr.To[int32](60) })
		s.reconcile()
		s.collectGarbage()
		s.say("Both shards end.")
		s.endShards()
	}},
	"manager-dies": {"The manager is killed after its third write, and another one goes on.", func(s *story) {
		s.object = weights().Obj()
		s.say("The user creates PolicySweep weights.")
		s.create(s.object)
		s.writesLeft = 3
		w, d := s.decide(s.object)
		if err := s.reconcilers[v1alpha1.PolicySweepKind].applier.apply(s.t.Context(), w, d, s.clock.Now()); !errors.Is(err, errKilled) {
			s.t.Fatalf("got %v, want %v", err, errKilled)
		}
		for _, write := range s.writes {
			fmt.Fprintf(&s.text, "    %s\n", s.plain(write))
		}
		s.say("Another manager starts.")
		s.restart()
		s.reconcile()
	}},
}

// endShards lets all shards of the last Job end.
func (s *story) endShards() {
	s.t.Helper()
	job := s.latest()
	for _, index := range s.open(job) {
		s.succeed(job, index)
	}
	s.reconcile()
}

// suspendJob does what Kueue does to the Job.
func (s *story) suspendJob(suspend bool) {
	s.t.Helper()
	job := s.job()
	job.Spec.Suspend = ptr.To(suspend)
	s.must(s.client.Update(s.t.Context(), job))
}

// deleteNamespace begins to delete the story's namespace.
func (s *story) deleteNamespace() {
	s.t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team-a", Finalizers: []string{"kubernetes"}}}
	s.must(s.client.Create(s.t.Context(), namespace))
	s.must(s.client.Delete(s.t.Context(), namespace))
}

// pass lets time pass.
func (s *story) pass(d time.Duration) { s.clock.SetTime(s.clock.Now().Add(d)) }

// begin creates the story's object.
func (s *story) begin(o client.Object) {
	s.t.Helper()
	s.object = o
	s.say("The user creates %s %s.", strings.TrimPrefix(fmt.Sprintf("%T", o), "*v1alpha1."), o.GetName())
	s.create(o)
	s.reconcile()
}

func sweepSubject(s *v1alpha1.PolicySweep) subject { return sweep{s} }

func TestStories(t *testing.T) {
	for name, tc := range stories {
		t.Run(name, func(t *testing.T) {
			s := &story{cluster: newCluster(t), aliases: map[string]string{}}
			s.text.WriteString(tc.about + "\n")
			tc.tell(s)
			file := filepath.Join("testdata", "stories", name+".txt")
			golden.Check(t, file, s.text.String())
		})
	}
}
