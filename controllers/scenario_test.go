// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
)

// scenario is a script that is played in a cluster, with a manager that may have
// trouble. However much it has, the end must be that of a scenario without any.
type scenario struct {
	*cluster
	// objects are the user's, in the order of their creation.
	objects []client.Object
	// settle lets the manager work between two steps of the script.
	settle func(*scenario)
	// before, unless nil, is called before a look at all objects, with how many
	// came before it without the scenario going on.
	before func(looks int)
	// refused counts the reconciles that ended in an error.
	refused int
}

// scripts are what users, shards and Jobs do. Between two things the manager
// works.
var scripts = map[string]func(*scenario){
	"a run": func(p *scenario) {
		p.enter(once().Seeds(1, 2).Shards(2).Obj())
		p.shard(1)
		p.shard(0)
	},
	"an edit in flight": func(p *scenario) {
		sweep := weights().Obj()
		p.enter(sweep)
		p.shard(0)
		change(p, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Replications.Seeds = []int64{3} })
		p.shard(0)
		p.shard(1)
	},
	"suspended and resumed": func(p *scenario) {
		sweep := weights().Suspend(true).Obj()
		suspend := func(yes bool) {
			change(p, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Execution.Suspend = yes })
		}
		p.enter(sweep)
		suspend(false)
		p.shard(0)
		suspend(true)
		suspend(false)
		p.shard(1)
	},
	"a search of several rounds": func(p *scenario) {
		sweep := weights().Obj()
		searched["tpe"](&sweep.Spec)
		sweep.Spec.Parameters[0].Values = []string{"1", "2", "3", "4"}
		sweep.Spec.Search.MaxTrials, sweep.Spec.Search.GenerationSize = 4, ptr.To[int32](2)
		sweep.Spec.Replications.Precision, sweep.Spec.Replications.MaxCount, sweep.Spec.Replications.Metric = "0.001%", ptr.To[int32](3), "e2e.mean"
		p.enter(sweep)
		p.rounds(sweep)
	},
	"halving": func(p *scenario) {
		sweep := searchedSweep("halving", 2)
		p.enter(sweep)
		p.rounds(sweep)
	},
	"results of another sweep": func(p *scenario) {
		second := weights().Obj()
		second.Name, second.UID = "second", "second-uid"
		second.Spec.Parameters[0].Values = []string{"2", "3"}
		second.Spec.ReuseFrom = []string{"weights"}
		first := weights().Obj()
		p.enter(first)
		p.rounds(first)
		p.enter(second)
		p.rounds(second)
	},
	"promoted and followed": func(p *scenario) {
		sweep := gated("1h", 1, 2, 3)
		p.enter(sweep)
		p.rounds(sweep)
		change(p, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Follow.Best, s.Spec.Promote = 1, nil })
	},
	"stopped in the middle": func(p *scenario) {
		sweep := weights().Obj()
		p.enter(sweep)
		p.half(1)
		p.shard(0)
		suspend := func(yes bool) {
			change(p, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Execution.Suspend = yes })
		}
		p.start(0)
		suspend(true)
		p.stopped(0)
		suspend(false)
		p.rounds(sweep)
	},
	"a deadline": func(p *scenario) {
		sweep := weights().Shards(1).Obj()
		deadline := func(seconds int64) { sweep.Spec.Execution.ActiveDeadlineSeconds = ptr.To(seconds) }
		deadline(60)
		p.enter(sweep)
		p.start(0)
		p.pass(time.Minute)
		p.settle(p)
		p.stopped(3)
		change(p, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Execution.ActiveDeadlineSeconds = ptr.To[int64](3600) })
		p.rounds(sweep)
	},
	"a shard that a search loses": func(p *scenario) {
		sweep := weights().Obj()
		searched["tpe"](&sweep.Spec)
		sweep.Spec.Parameters[0].Values = []string{"1", "2", "3", "4"}
		sweep.Spec.Search.MaxTrials, sweep.Spec.Search.GenerationSize = 4, ptr.To[int32](2)
		sweep.Spec.Execution.MaxFailedShards = 1
		p.enter(sweep)
		p.shard(0)
		job := p.working()
		p.endPod(p.startPod(job, 1), 137, "OOMKilled", "")
		p.endJob(job, batchv1.JobFailed, batchv1.JobReasonFailedIndexes, "Job has failed indexes", 1)
		p.rounds(sweep)
		change(p, sweep, func(s *v1alpha1.PolicySweep) {
			s.Spec.Execution.Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("4Gi")}
		})
		p.rounds(sweep)
	},
	"a shard that fails": func(p *scenario) {
		sweep := weights().Obj()
		p.enter(sweep)
		p.shard(0)
		job := p.working()
		p.endPod(p.startPod(job, 1), 2, "Error", encodedReport(store.Report{Shard: 1, Error: "bad input: somebody broke it"}))
		p.endJob(job, batchv1.JobFailed, "FailedIndexes", "Job has failed indexes", 1)
		p.settle(p)
		change(p, sweep, func(s *v1alpha1.PolicySweep) {
			s.Spec.Execution.Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("4Gi")}
		})
		p.rounds(sweep)
	},
}

// maxLag is how many looks it takes until caches that lag have caught up.
const maxLag = 5

// enter creates a user's object.
func (p *scenario) enter(o client.Object) {
	p.t.Helper()
	p.objects = append(p.objects, o)
	p.create(o)
	p.settle(p)
}

// change edits a user's object.
func change[T client.Object](p *scenario, o T, f func(T)) {
	p.t.Helper()
	edit(p.cluster, o, f)
	p.settle(p)
	p.collectGarbage()
	p.settle(p)
}

// working is the Job that is to be worked on. Where the manager has not seen yet
// that there must be one, it has the time to.
func (p *scenario) working() *batchv1.Job {
	p.t.Helper()
	for range 2 {
		for _, job := range slices.Backward(p.jobs()) {
			if done, _ := finished(&job); !done && !isSuspended(&job) && len(p.open(&job)) > 0 && p.current(&job) {
				return &job
			}
		}
		p.catchUp()
		p.collectGarbage()
	}
	p.t.Fatalf("there is no Job to work on: %s", p.ending(true))
	return nil
}

// current reports whether the manager has seen the spec that its Job's owner has
// now.
func (p *scenario) current(job *batchv1.Job) bool {
	for _, o := range p.objects {
		if s := p.subject(o); ownedBy(job, s) {
			return s.status().ObservedGeneration == s.object().GetGeneration()
		}
	}
	return true
}

// shard lets a shard end well.
func (p *scenario) shard(index int) {
	p.t.Helper()
	p.succeed(p.working(), index)
	p.settle(p)
}

// start starts a shard's pod.
func (p *scenario) start(index int) {
	p.t.Helper()
	p.startPod(p.working(), index)
	p.settle(p)
}

// stopped lets the pod that runs say how much it has done.
func (p *scenario) stopped(simulations int) {
	p.t.Helper()
	for _, pod := range p.pods() {
		if job := (&batchv1.Job{}); mayStillReport(&pod, p.clock.Now()) {
			p.must(p.client.Get(p.t.Context(), client.ObjectKey{Namespace: pod.Namespace, Name: pod.Labels[batchv1.JobNameLabel]}, job))
			p.stop(job, &pod, simulations)
		}
	}
	p.settle(p)
}

// half lets a shard be evicted after one simulation.
func (p *scenario) half(index int) {
	p.t.Helper()
	p.start(index)
	p.stopped(1)
}

// rounds let all shards of all rounds end well, until the object is settled.
func (p *scenario) rounds(o client.Object) {
	p.t.Helper()
	for range 30 {
		p.catchUp()
		s := p.subject(o)
		if settled(s) {
			return
		}
		job := p.working()
		for _, index := range p.open(job) {
			p.succeed(job, index)
			p.settle(p)
		}
	}
	p.t.Fatalf("it does not end: %s", p.ending(true))
}

// catchUp lets the manager work on what there is until nothing is left to do.
func (p *scenario) catchUp() {
	p.t.Helper()
	for looks := range 60 {
		if p.before != nil {
			p.before(looks)
		}
		quiet := p.before == nil || looks >= maxLag
		for _, o := range p.all() {
			quiet = p.look(o) && quiet
		}
		if quiet && !p.deleteConflicting() {
			return
		}
	}
	p.t.Fatalf("it does not come to rest; the last writes: %v", p.writes[max(0, len(p.writes)-10):])
}

// evictStranger deletes what bears a name that the manager needs and belongs to
// somebody else, after looking that its users are told.
func (p *scenario) deleteConflicting() bool {
	p.t.Helper()
	theirs := client.MatchingLabels{"conflict": "yes"}
	for _, list := range []client.ObjectList{&corev1.ConfigMapList{}, &batchv1.JobList{}, &v1alpha1.SimulationRunList{}} {
		p.must(p.client.List(p.t.Context(), list, theirs))
		var name string
		p.must(meta.EachListItem(list, func(item runtime.Object) error {
			name = item.(client.Object).GetName()
			return p.client.Delete(p.t.Context(), item.(client.Object))
		}))
		if name == "" {
			continue
		}
		if told := p.ending(true); !strings.Contains(told, name+" exists, and this object does not own it") {
			p.t.Errorf("no message names the conflicting object %s:\n%s", name, told)
		}
		return true
	}
	return false
}

// all are the user's objects, and those that follow them.
func (p *scenario) all() []client.Object {
	p.t.Helper()
	all := slices.Clone(p.objects)
	var list v1alpha1.SimulationRunList
	p.must(p.client.List(p.t.Context(), &list))
	for i := range list.Items {
		if controllerOf(&list.Items[i]) != nil {
			all = append(all, &list.Items[i])
		}
	}
	return all
}

// look is one reconcile as the manager does it, which a new one follows where it
// dies. It reports whether there was nothing to do.
func (p *scenario) look(o client.Object) bool {
	p.t.Helper()
	before := len(p.writes)
	was := p.subject(o)
	if was == nil {
		return true
	}
	result, err := p.reconcilers[was.kind()].Reconcile(p.t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(o)})
	switch {
	case errors.Is(err, errKilled):
		p.restart()
	case err != nil:
		p.refused++
	}
	// What a write that failed leaves is only half of a decision.
	if now := p.subject(o); now != nil && err == nil && result.RequeueAfter != staleInterval {
		if words := backwards(was, now); words != "" {
			p.t.Fatalf("%s\nbefore: %s\nafter: %s", words, statusLine(was), statusLine(now))
		}
	}
	waits := result.RequeueAfter == conflictInterval || result.RequeueAfter == refusedInterval
	return err == nil && (waits || result.RequeueAfter != staleInterval && len(p.writes) == before)
}

// backwards says what a reconcile took back that it must not.
func backwards(before, after subject) string {
	was, is := before.status(), after.status()
	switch {
	case is.ObservedGeneration < was.ObservedGeneration:
		return "an older generation was written over a newer one"
	case settled(before) && before.object().GetGeneration() == after.object().GetGeneration() && !equality.Semantic.DeepEqual(was, is):
		return "a settled status changed"
	case was.Progress != nil && is.Progress != nil && was.PlanHash == is.PlanHash && was.ObservedGeneration == is.ObservedGeneration &&
		was.Progress.Completed > is.Progress.Completed:
		return "progress fell"
	}
	return ""
}

// ending is what there is in the end. What depends on when the manager looked is
// left out unless it is to be exact: how much was still to do when a Job was made.
func (p *scenario) ending(exact bool) string {
	p.t.Helper()
	var lines []string
	line := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	owners := map[string]int{}
	for _, o := range p.all() {
		s := p.subject(o)
		st := s.status()
		line("%s %s: plan %s, %v", s.kind(), o.GetName(), st.PlanHash, conditionTexts(st))
		if st.Results != nil {
			line("  digest %s of %d simulations", st.Results.Digest, st.Progress.Completed)
		}
		if exact {
			line("  %s", statusLine(s))
		}
	}
	for _, job := range p.jobs() {
		owners[string(metav1.GetControllerOf(&job).UID)]++
		if exact {
			line("Job %s", job.Name)
		}
	}
	for _, uid := range slices.Sorted(maps.Keys(owners)) {
		line("%d Jobs of %s", owners[uid], uid)
	}
	components := map[string]int{}
	for _, cm := range p.configMaps() {
		component := cm.Labels[LabelComponent]
		components[component]++
		if exact {
			line("ConfigMap %s", cm.Name)
		}
	}
	for _, component := range []string{ComponentPlan, ComponentIndex, ComponentLeaderboard, ComponentPromoted} {
		line("%d %s", components[component], component)
	}
	return strings.Join(lines, "\n") + "\n"
}

func conditionTexts(st *v1alpha1.CommonStatus) []string {
	var words []string
	for _, c := range st.Conditions {
		words = append(words, fmt.Sprintf("%s=%s (%s)", c.Type, c.Status, c.Reason))
	}
	slices.Sort(words)
	return words
}

// perform plays a script, and lets all of it come to an end.
func perform(t testing.TB, script func(*scenario), worked map[string]shardWork, begin func(*scenario)) *scenario {
	p := &scenario{cluster: newCluster(t), settle: (*scenario).catchUp}
	p.worked = worked
	begin(p)
	script(p)
	p.catchUp()
	p.collectGarbage()
	p.catchUp()
	return p
}
