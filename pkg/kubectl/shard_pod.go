// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/kube"
)

// ShardPod is the pod of a shard whose log a person wants.
type ShardPod struct {
	*corev1.Pod
	// Failed says that the pod failed, or that its container did before.
	Failed bool
	// Previous says that the log is that of the container that ran before.
	Previous bool
}

// completionIndex is batchv1.JobCompletionIndexAnnotation, whose package has all kinds of Jobs.
const completionIndex = "batch.kubernetes.io/job-completion-index"

// Shard is the number of the shard, "" where the pod does not say.
func (p ShardPod) Shard() string { return p.Annotations[completionIndex] }

// FindShardPod returns the pod whose log explains a failure: the newest one that failed, else the
// newest one. The labels select the pods of the object.
func FindShardPod(ctx context.Context, c *kube.Client, o Object, have map[string]string) (*ShardPod, error) {
	var pods corev1.PodList
	err := c.List(ctx, kube.Pods, o.Meta().Namespace, metav1.ListOptions{LabelSelector: labels.FormatLabels(have)}, &pods)
	if err != nil {
		return nil, fmt.Errorf("list the pods of %s: %w", o.Title(), err)
	}
	var found []ShardPod
	for i := range pods.Items {
		if p := &pods.Items[i]; p.Status.Phase != corev1.PodPending || restarts(p) > 0 {
			found = append(found, newShardPod(p))
		}
	}
	if len(found) == 0 {
		return nil, noPods(o, len(pods.Items))
	}
	slices.SortStableFunc(found, func(a, b ShardPod) int {
		return cmp.Or(boolFirst(a.Failed, b.Failed), b.CreationTimestamp.Compare(a.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	return &found[0], nil
}

func boolFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	default:
		return 1
	}
}

func newShardPod(p *corev1.Pod) ShardPod {
	s := ShardPod{Pod: p, Failed: p.Status.Phase == corev1.PodFailed}
	for _, c := range p.Status.ContainerStatuses {
		ended := c.State.Terminated
		s.Failed = s.Failed || ended != nil && ended.ExitCode != 0
		if last := c.LastTerminationState.Terminated; last != nil && last.ExitCode != 0 && ended == nil {
			s.Failed, s.Previous = true, true
		}
	}
	return s
}

func restarts(p *corev1.Pod) int32 {
	var n int32
	for _, c := range p.Status.ContainerStatuses {
		n += c.RestartCount
	}
	return n
}

// noPods says why there is no log.
func noPods(o Object, waiting int) error {
	switch {
	case waiting > 0:
		return archive.NewFault(fmt.Errorf("%s: none of its %d pods has started: %s", o.Title(), waiting, OneLine(o.message())))
	case o.HasEnded():
		return archive.NewFault(fmt.Errorf("%s has no pods any more: its Jobs are deleted when the work ends, and its conditions say what came of it: %s", o.Title(), OneLine(o.message())))
	default:
		return archive.NewFault(fmt.Errorf("%s has no pods yet: %s", o.Title(), OneLine(o.message())))
	}
}

// message is that of condition Ready.
func (o Object) message() string {
	if c := o.condition(v1alpha1.ConditionReady); c != nil {
		return c.Message
	}
	return "the manager has not seen it"
}

// String names the pod, its shard and how it ended.
func (p *ShardPod) String() string {
	text := "pod " + p.Name
	if shard := p.Shard(); shard != "" {
		text += ", shard " + shard
	}
	if !p.Failed {
		return text + ": " + strings.ToLower(string(p.Status.Phase))
	}
	why := "failed"
	for _, c := range p.Status.ContainerStatuses {
		if t := cmp.Or(c.State.Terminated, c.LastTerminationState.Terminated); t != nil {
			why = fmt.Sprintf("failed (%s, exit code %d)", cmp.Or(t.Reason, "terminated"), t.ExitCode)
		}
	}
	return text + ": " + why
}
