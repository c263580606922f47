// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/controllers"
)

// progressSeen is what a sweep's status counted last; it may only grow.
type progressSeen struct {
	completed, sum int64
}

// look reads a sweep's progress.
func (s *progressSeen) look(t *testing.T, p *platform, sweep *v1alpha1.PolicySweep) v1alpha1.ProgressStatus {
	t.Helper()
	var now v1alpha1.ProgressStatus
	if st := p.read(t, sweep).Status.Progress; st != nil {
		now = *st
	}
	if sum := now.Completed + now.Underway; sum < s.sum || now.Completed < s.completed || sum > now.Total {
		t.Fatalf("it counts %d and %d under way of %d, after %d and %d together", now.Completed, now.Underway, now.Total, s.completed, s.sum)
	}
	s.completed, s.sum = now.Completed, now.Completed+now.Underway
	return now
}

// TestProgressIsSeenBeforeAShardEnds stops the clock of the only shard of a sweep once
// it has told of its progress, kills it, and lets the next one go on to the end.
func TestProgressIsSeenBeforeAShardEnds(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	p.kubelet.set(ns, faults{args: []string{"--progress-interval=10ms"}})
	want := p.runLocally(t, long())
	sweep := long()
	p.create(t, ns, sweep)
	var seen progressSeen

	pod := p.freezePod(t, ns, nil)
	eventually(t, func() string {
		if now := seen.look(t, p, sweep); now.Underway == 0 || now.Completed > 0 {
			return fmt.Sprintf("it counts %d, and %d under way", now.Completed, now.Underway)
		}
		return ""
	})
	t.Logf("%d of %d are under way: %s", seen.sum, len(want.Rows), statusMessage(statusOf(p.read(t, sweep))))
	if err := p.kubelet.signal(pod, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	other := p.freezePod(t, ns, pod)
	time.Sleep(500 * time.Millisecond)
	seen.look(t, p, sweep)
	if err := p.kubelet.signal(other, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() string {
		if now := seen.look(t, p, sweep); now.Completed < now.Total || now.Total == 0 {
			return fmt.Sprintf("it counts %d and %d under way of %d", now.Completed, now.Underway, now.Total)
		}
		return ""
	})
	p.until(t, sweep, v1alpha1.ConditionComplete)
	if got := sweep.Status.Progress; got.Underway != 0 || got.Completed != int64(len(want.Rows)) {
		t.Errorf("in the end it counts %d and %d under way of %d", got.Completed, got.Underway, len(want.Rows))
	}
	if diff := cmp.Diff(want.rows(t), p.rows(t, sweep)); diff != "" {
		t.Errorf("rows (-local +cluster):\n%s", diff)
	}
	progress := slices.DeleteFunc(slices.Clone(p.writes.of(ns)), func(w string) bool { return !strings.Contains(w, "-progress-") })
	t.Logf("%d writes of the manager, %d of them about progress", len(p.writes.of(ns)), len(progress))
	eventually(t, func() string {
		if left := p.configMaps(t, ns, controllers.ComponentProgress); len(left) > 0 {
			return fmt.Sprintf("%d words of progress are left", len(left))
		}
		return ""
	})
}

// freezePod waits until a pod tells of its progress, and stops its clock. It is another
// one than the pod before.
func (p *platform) freezePod(t *testing.T, namespace string, before *corev1.Pod) *corev1.Pod {
	t.Helper()
	var found *corev1.Pod
	eventually(t, func() string {
		for _, pod := range p.pods(t, namespace) {
			if pod.Status.Phase == corev1.PodRunning && (before == nil || pod.UID != before.UID) {
				found = pod.DeepCopy()
			}
		}
		switch {
		case found == nil:
			return "no pod runs"
		case len(p.configMaps(t, namespace, controllers.ComponentProgress)) == 0:
			return "no progress is told"
		}
		return ""
	})
	if err := p.kubelet.signal(found, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	return found
}

// TestShortShardsReportNoProgress holds the writes of a sweep that takes seconds against
// those that it needs.
func TestShortShardsReportNoProgress(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	sweep := weights().Shards(3).Obj()
	p.create(t, ns, sweep)
	told := 0
	eventually(t, func() string {
		told += len(p.configMaps(t, ns, controllers.ComponentProgress))
		if now := statusMessage(statusOf(p.read(t, sweep))); !strings.Contains(now, "Complete=True") {
			return "it is not complete: " + now
		}
		return ""
	})
	writes := p.writes.of(ns)
	t.Logf("%d writes of the manager", len(writes))
	if told > 0 || slices.ContainsFunc(writes, func(w string) bool { return strings.Contains(w, "-progress-") }) {
		t.Errorf("its shards tell of their progress; writes:\n%s", strings.Join(writes, "\n"))
	}
}
