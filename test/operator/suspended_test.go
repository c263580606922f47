// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/controllers"
	"windtunnel.dev/windtunnel/internal/testing/builder"
)

// long is a sweep whose one shard takes a while, one simulation after the other.
func long() *v1alpha1.PolicySweep {
	var seeds []int64
	for seed := range int64(20) {
		seeds = append(seeds, seed)
	}
	sweep := weights().Scenario(builder.Requests(20_000)).Seeds(seeds...).Shards(1).Obj()
	sweep.Spec.Execution.Resources.Limits = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}
	return sweep
}

// untilRunning waits until a pod of a namespace runs.
func (p *platform) untilRunning(t *testing.T, namespace string) *corev1.Pod {
	t.Helper()
	var found corev1.Pod
	eventually(t, func() string {
		pods := p.pods(t, namespace)
		i := slices.IndexFunc(pods, func(pod corev1.Pod) bool {
			return pod.Status.Phase == corev1.PodRunning && pod.DeletionTimestamp == nil
		})
		if i < 0 {
			return fmt.Sprintf("of %d pods none runs", len(pods))
		}
		found = pods[i]
		return ""
	})
	return &found
}

// untilNoPodRuns waits until no pod of a suspended sweep runs, and returns how many of its
// simulations are done by then.
func (p *platform) untilNoPodRuns(t *testing.T, sweep *v1alpha1.PolicySweep) int64 {
	t.Helper()
	eventually(t, func() string {
		if slices.ContainsFunc(p.pods(t, sweep.Namespace), func(pod corev1.Pod) bool { return pod.Status.Phase == corev1.PodRunning }) {
			return "a pod runs"
		}
		return ""
	})
	time.Sleep(500 * time.Millisecond)
	p.until(t, sweep, v1alpha1.ConditionSuspended)
	return sweep.Status.Progress.Completed
}

// TestRowsOfAStoppedShardAreKept stops the only shard of a sweep again and again:
// it is suspended, its pod is deleted, and its time is up. In the end its rows are
// those that it has on a laptop, each of them in one chunk.
func TestRowsOfAStoppedShardAreKept(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	want := p.runLocally(t, long())
	total := int64(len(want.Rows))
	sweep := long()
	p.create(t, ns, sweep)

	suspend := func(yes bool) {
		t.Helper()
		edit(t, p, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Execution.Suspend = yes })
	}
	var done int64
	for wait := 300 * time.Millisecond; done == 0; wait *= 2 {
		p.untilRunning(t, ns)
		time.Sleep(wait)
		suspend(true)
		done = p.untilNoPodRuns(t, sweep)
		t.Logf("suspended %s after its pod ran: %d of %d simulations are done", wait, done, total)
		suspend(false)
	}

	pod := p.untilRunning(t, ns)
	time.Sleep(300 * time.Millisecond)
	if err := p.client.Delete(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() string {
		if slices.ContainsFunc(p.pods(t, ns), func(other corev1.Pod) bool { return other.UID == pod.UID }) {
			return "the pod is there"
		}
		return ""
	})
	p.untilRunning(t, ns)
	edit(t, p, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Execution.ActiveDeadlineSeconds = ptr.To[int64](1) })
	failed := p.until(t, sweep, v1alpha1.ConditionFailed)
	kept := sweep.Status.Progress.Completed
	t.Logf("its pod was deleted and its time is up: %d simulations are done", kept)
	if failed.Reason != v1alpha1.ReasonDeadlineExceeded || kept < done || kept == total || !sweep.Status.Results.Partial || sweep.Status.Results.Rows != kept {
		t.Errorf("it failed with %s: %s; %d simulations are done and %d were, results %+v", failed.Reason, failed.Message, kept, done, sweep.Status.Results)
	}

	edit(t, p, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Execution.ActiveDeadlineSeconds = nil })
	p.until(t, sweep, v1alpha1.ConditionComplete)
	rows := 0
	for _, ref := range p.chunks(t, sweep) {
		if rows += ref.Rows; ref.Reused {
			t.Errorf("chunk %s was copied", ref.Name)
		}
	}
	if jobs := p.jobs(t, ns); int64(rows) != total || len(jobs) != 1 || jobs[0].Labels[controllers.LabelAttempt] == "" {
		t.Errorf("%d rows, want %d; %d Jobs are there, want the last one alone", rows, total, len(jobs))
	}
	if diff := cmp.Diff(sortedLines(want.rows(t)), sortedLines(p.rows(t, sweep))); diff != "" {
		t.Errorf("rows (-local +cluster):\n%s", diff)
	}
}

// sortedLines are a text's lines in order.
func sortedLines(text string) []string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return lines
}
