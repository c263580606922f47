// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"cmp"
	"fmt"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/clip"
	"windtunnel.dev/windtunnel/internal/printable"
)

// specErrorsMessage lists all errors of a spec, or as many as a condition holds and
// the number of the others.
func specErrorsMessage(errs field.ErrorList) string {
	const room = maxMessage - len("; and 1234567890 more")
	var b strings.Builder
	for i, e := range errs {
		words := clip.Values(e.Error())
		if i == 0 {
			words = printable.Clip(words, room)
		}
		if b.Len()+len("; ")+len(words) > room && i > 0 {
			fmt.Fprintf(&b, "; and %d more", len(errs)-i)
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(words)
	}
	return b.String()
}

// conflictMessage tells which objects have the names that the subject needs, and what to do.
func conflictMessage(conflicts []string) string {
	if len(conflicts) == 1 {
		return fmt.Sprintf("%s exists, and this object does not own it: delete it, or rename this object", conflicts[0])
	}
	return fmt.Sprintf("%s exist, and this object does not own them: delete them, or rename this object", strings.Join(conflicts, " and "))
}

// progressMessage says how many simulations of the current round are done.
func progressMessage(st *studyState) string {
	if st.asks() {
		return withRound(st, fmt.Sprintf("%s to the proposer for %d policies", inquiriesMessage(len(st.inquiries)), st.wanted()))
	}
	return withRound(st, fmt.Sprintf("%d of %s done", st.done, quantity(st.round.Simulations(), "simulation")))
}

// withRound begins a message with its round, except for the first one, which may be the
// only one.
func withRound(st *studyState, words string) string {
	if st.index() == 0 {
		return words
	}
	return fmt.Sprintf("round %d: %s", st.index()+1, words)
}

// completeMessage counts the simulations of a complete status.
func completeMessage(p *v1alpha1.ProgressStatus) string {
	words := quantity(int(p.Completed), "simulation") + " done"
	if p.Failed > 0 {
		words += fmt.Sprintf(", %d failed", p.Failed)
	}
	if p.Reused > 0 {
		words += fmt.Sprintf(", %d of them reused", p.Reused)
	}
	return words
}

// quantity is a number of things.
func quantity(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// stoppingMessage is the message of a Job that waits for its pods to stop.
func stoppingMessage(job *batchv1.Job) string {
	return fmt.Sprintf("Job %s is being stopped, and its pods report their results", job.Name)
}

// heldMessage says who suspends a Job that the spec does not suspend.
func heldMessage(st *studyState, job *batchv1.Job) string {
	if queue := job.Labels[LabelQueue]; queue != "" {
		return fmt.Sprintf("Job %s waits for queue %s to admit it; %s", job.Name, queue, progressMessage(st))
	}
	return fmt.Sprintf("another client suspended Job %s; %s", job.Name, progressMessage(st))
}

// jobFailedMessage says why a Job failed: by the termination messages of its failed pods
// or else by its condition.
func jobFailedMessage(job *batchv1.Job, pods []corev1.Pod, st *studyState) string {
	var words []string
	for _, pod := range failedPods(job, pods) {
		words = append(words, podFailedMessage(pod))
	}
	if len(words) == 0 {
		for _, c := range job.Status.Conditions {
			if c.Type == batchv1.JobFailed && c.Status == corev1.ConditionTrue {
				words = append(words, fmt.Sprintf("%s: %s", c.Reason, c.Message))
			}
		}
	}
	return fmt.Sprintf("Job %s failed (%s): %s", job.Name, progressMessage(st), joinFirst(words))
}

// maxListed is how many of several like things a message lists.
const maxListed = 3

// lostShardsMessage says why shards were given up.
func lostShardsMessage(shards []int, pods []corev1.Pod) string {
	byIndex := map[int]string{}
	for i := range pods {
		if index, ok := completionIndex(&pods[i]); ok && pods[i].Status.Phase == corev1.PodFailed {
			byIndex[index] = printable.Clip(podFailedMessage(&pods[i]), 512)
		}
	}
	var words []string
	for _, shard := range shards {
		words = append(words, cmp.Or(byIndex[shard], fmt.Sprintf("shard %d failed, and no pod is left that reports why", shard)))
	}
	return joinFirst(words)
}

// lostSimulationsMessage counts the simulations that were given up, and says why.
func lostSimulationsMessage(st *studyState) string {
	var words []string
	for i := range st.lost {
		words = append(words, fmt.Sprintf("round %d: %s", st.lost[i].Round+1, st.lost[i].Why))
	}
	return fmt.Sprintf("%s lost because %s failed: %s",
		quantity(st.lostRows, "simulation"), quantity(st.lostShards(), "shard"), joinFirst(words))
}

// joinFirst joins the first few texts and the number of the others.
func joinFirst(words []string) string {
	if len(words) <= maxListed {
		return strings.Join(words, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(words[:maxListed], "; "), len(words)-maxListed)
}

// joinMessages joins two messages, of which the second may be empty.
func joinMessages(words, more string) string {
	if more == "" {
		return words
	}
	return words + "; " + more
}
