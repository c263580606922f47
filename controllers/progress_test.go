// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// tells does what a shard does that tells of its progress.
func (c *cluster) tells(job *batchv1.Job, shard, done int) {
	c.t.Helper()
	var cm corev1.ConfigMap
	c.must(c.client.Get(c.t.Context(), client.ObjectKey{Namespace: job.Namespace, Name: roundName(job.Name)}, &cm))
	var owner worker.Owner
	c.must(json.Unmarshal([]byte(cm.Data[worker.OwnerFile]), &owner))
	c.must(client.IgnoreAlreadyExists(c.client.Create(c.t.Context(), owner.Progress(shard, done))))
}

// countedOf is what a sweep's status counts, and which shards' words are left.
func countedOf(c *cluster, o *v1alpha1.PolicySweep) string {
	c.t.Helper()
	p := c.subject(o).status().Progress
	var told []string
	for _, cm := range c.configMaps() {
		if isProgress(&cm) {
			told = append(told, cm.Labels[worker.LabelShard]+":"+cm.Labels[worker.LabelDone])
		}
	}
	return fmt.Sprintf("%d and %d of %d, told %v", p.Completed, p.Underway, p.Total, told)
}

// TestProgressWithinAShard plays what shards tell, and what becomes of it.
func TestProgressWithinAShard(t *testing.T) {
	// 2 points under 10 seeds in 2 shards: ten simulations each.
	sweep := weights().Seeds(1, 2, 3, 4, 5, 6, 7, 8, 9, 10).Obj()
	c := newCluster(t)
	c.create(sweep)
	c.reconcile(sweep)
	job := c.job()
	check := func(what, want string) {
		t.Helper()
		c.reconcile(sweep)
		if got := countedOf(c, sweep); got != want {
			t.Errorf("%s: %s; want %s", what, got, want)
		}
	}
	first := c.startPod(job, 0)
	c.startPod(job, 1)
	check("nothing is told", "0 and 0 of 20, told []")
	c.tells(job, 0, 3)
	check("one shard tells", "0 and 3 of 20, told [0:3]")
	c.tells(job, 0, 6)
	c.tells(job, 1, 2)
	check("both go on, and only the last word of each stays", "0 and 8 of 20, told [0:6 1:2]")
	c.restart()
	check("another manager", "0 and 8 of 20, told [0:6 1:2]")

	c.endPod(first, 137, "Error", "killed")
	again := c.startPod(job, 0)
	c.tells(job, 0, 3)
	check("a shard that was killed begins again", "0 and 8 of 20, told [0:6 1:2]")
	c.tells(job, 0, 7)
	check("it is further than before", "0 and 9 of 20, told [0:7 1:2]")

	c.stop(job, again, 8)
	check("it is stopped and hands in what it has, and its Job gives way to another", "8 and 0 of 20, told [0:7 1:2]")
}

// 50 shards tell of each tenth, and the sweep is looked at after each of 450 words.
func TestFiftyShardsTakeFewStatusWrites(t *testing.T) {
	const shards, each = 50, 10
	var seeds []int64
	for seed := range int64(shards * each / 2) {
		seeds = append(seeds, seed)
	}
	sweep := weights().Seeds(seeds...).Shards(shards).Obj()
	c := newCluster(t)
	c.create(sweep)
	c.reconcile(sweep)
	job := c.job()
	c.startPod(job, 0)
	c.reconcile(sweep)
	statuses, deletes := 0, 0
	for done := 1; done < each; done++ {
		for shard := range shards {
			c.tells(job, shard, done)
			for _, d := range c.reconcile(sweep) {
				deletes += len(d.cleanup)
				if d.status != nil {
					statuses++
				}
			}
		}
	}
	if statuses > progressFraction || deletes != shards*(each-2) {
		t.Errorf("%d writes of the status, want at most %d; %d deletes, want all but the last words, %d", statuses, progressFraction, deletes, shards*(each-2))
	}
	t.Logf("%d writes of the status, %d deletes", statuses, deletes)
}

// What a shard tells is nothing to a Job's results, and goes with its work.
func TestProgressEndsWithTheWork(t *testing.T) {
	sweep := weights().Obj()
	c := newCluster(t)
	c.create(sweep)
	c.reconcile(sweep)
	job := c.job()
	c.startPod(job, 0)
	c.tells(job, 0, 1)
	c.tells(job, 1, 99)
	c.reconcile(sweep)
	if got, want := countedOf(c, sweep), "0 and 3 of 4, told [0:1 1:99]"; got != want {
		t.Errorf("a shard that tells of more than it has counts for what it has: %s; want %s", got, want)
	}
	c.succeed(job, 0)
	c.reconcile(sweep)
	if got, want := countedOf(c, sweep), "2 and 2 of 4, told [0:1 1:99]"; got != want {
		t.Errorf("a shard has ended: %s; want %s", got, want)
	}
	c.succeed(job, 1)
	c.endJob(job, batchv1.JobComplete, "", "")
	c.reconcile(sweep)
	if got, want := countedOf(c, sweep), "4 and 0 of 4, told []"; got != want {
		t.Errorf("all is done: %s; want %s", got, want)
	}
	// A pod that nobody waited for.
	c.tells(job, 0, 1)
	c.reconcile(sweep)
	if got, want := countedOf(c, sweep), "4 and 0 of 4, told []"; got != want {
		t.Errorf("a late word: %s; want %s", got, want)
	}
}

func TestProgressOfOneJobIsNotAnothers(t *testing.T) {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "weights-1"}}
	owner := worker.Owner{Prefix: "weights-1"}
	other := worker.Owner{Prefix: "weights-2"}
	mangled := owner.Progress(1, 5)
	mangled.Labels[worker.LabelDone] = "many"
	result := owner.Progress(1, 7)
	result.Labels[LabelComponent] = ComponentResult
	w := &observation{}
	for _, cm := range []*corev1.ConfigMap{owner.Progress(0, 2), owner.Progress(0, 4), other.Progress(0, 9), mangled, result} {
		w.children.configMaps = append(w.children.configMaps, metav1.PartialObjectMetadata{ObjectMeta: cm.ObjectMeta})
	}
	if got := fmt.Sprint(w.children.reportedDone(job)); got != "map[0:4]" {
		t.Errorf("told %s, want map[0:4]", got)
	}
}

// The status is written for a twentieth of the round, however many shards tell.
func TestProgressIsShownInSteps(t *testing.T) {
	for name, tc := range map[string]struct {
		before    *v1alpha1.ProgressStatus
		otherPlan bool
		underway  int
		want      int64
	}{
		"at first":                       {underway: 1, want: 1},
		"nothing was told before":        {before: &v1alpha1.ProgressStatus{}, underway: 4, want: 0},
		"a twentieth":                    {before: &v1alpha1.ProgressStatus{}, underway: 5, want: 5},
		"less than a twentieth more":     {before: &v1alpha1.ProgressStatus{Underway: 10}, underway: 14, want: 10},
		"a twentieth more":               {before: &v1alpha1.ProgressStatus{Underway: 10}, underway: 15, want: 15},
		"less, as a shard was given up":  {before: &v1alpha1.ProgressStatus{Underway: 10}, underway: 8, want: 8},
		"none":                           {before: &v1alpha1.ProgressStatus{Underway: 2}, underway: 0, want: 0},
		"results came, and it is exact":  {before: &v1alpha1.ProgressStatus{Underway: 10, Completed: 1}, underway: 12, want: 12},
		"of another plan, to be counted": {before: &v1alpha1.ProgressStatus{Underway: 10}, otherPlan: true, underway: 12, want: 12},
	} {
		t.Run(name, func(t *testing.T) {
			var seeds []int64
			for seed := range int64(50) {
				seeds = append(seeds, seed)
			}
			sweep := weights().Seeds(seeds...).Obj() // a round of 100 simulations
			c := newCluster(t)
			c.create(sweep)
			w, _ := c.decide(sweep)
			st := w.subject.status()
			st.Progress, st.PlanHash, w.job.underway = tc.before, w.plan.hash, tc.underway
			if tc.otherPlan {
				st.PlanHash = "another"
			}
			if got := (reporter{&draft{observation: w}}).shownUnderway(0); got != tc.want {
				t.Errorf("shows %d, want %d", got, tc.want)
			}
		})
	}
}

func TestAShardThatWasGivenUpIsNotUnderWay(t *testing.T) {
	sweep := weights().Obj()
	sweep.Spec.Execution.MaxFailedShards = 1
	c := newCluster(t)
	c.create(sweep)
	c.reconcile(sweep)
	job := c.job()
	c.startPod(job, 0)
	c.tells(job, 0, 1)
	c.tells(job, 1, 1)
	job.Status.FailedIndexes = ptr.To("1")
	c.must(c.client.Status().Update(c.t.Context(), job))
	c.reconcile(sweep)
	if got := c.subject(sweep).status().Progress.Underway; got != 1 {
		t.Errorf("%d are under way, want the one of the shard that runs", got)
	}
}

// laterQueue notes what is added and when.
type laterQueue struct {
	workqueue.TypedRateLimitingInterface[reconcile.Request]
	added []string
}

func (q *laterQueue) AddAfter(r reconcile.Request, d time.Duration) {
	q.added = append(q.added, fmt.Sprintf("%s after %s", r, d))
}

// What shards tell wakes their owner by and by, and its deletion nobody.
func TestProgressWakesItsOwnerByAndBy(t *testing.T) {
	owner := worker.Owner{Namespace: "team-a", Prefix: "weights-1", Reference: ownerReference(sweepSubject(weights().Obj()))}
	cm := configMapMetadata()
	owner.Progress(0, 1).ObjectMeta.DeepCopyInto(&cm.ObjectMeta)
	plain := cm.DeepCopy()
	plain.Labels = nil
	for kind, want := range map[*subjects]string{&sweeps: "team-a/weights after 5s", &runs: ""} {
		queue := &laterQueue{}
		for _, object := range []*metav1.PartialObjectMetadata{cm, plain} {
			watcher{subjects: *kind}.ofProgress().Create(context.Background(), event.CreateEvent{Object: object}, queue)
		}
		if got := strings.Join(queue.added, ", "); got != want {
			t.Errorf("%s: added %q, want %q", kind.kind, got, want)
		}
	}
	if configMapEvents.Create(event.CreateEvent{Object: cm}) || configMapEvents.Delete(event.DeleteEvent{Object: cm}) {
		t.Error("it wakes its owner at once")
	}
}
