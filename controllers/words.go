// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"strings"
	"unicode/utf8"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// errorWords tells all errors of a spec, or as many as a condition holds and
// the number of the others.
func errorWords(errs field.ErrorList) string {
	const room = maxMessage - len("; and 1234567890 more")
	var b strings.Builder
	for i, e := range errs {
		words := e.Error()
		if i == 0 {
			words = clip(words, room)
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

func strangerWords(strangers []string) string {
	return fmt.Sprintf("%s exists and belongs to somebody else; delete it, or rename this object", strings.Join(strangers, " and "))
}

// progressWords tells how far the round under way is.
func progressWords(st *studyState) string {
	return roundWords(st, fmt.Sprintf("%d of %s done", st.done, count(st.round.Simulations(), "simulation")))
}

// roundWords says of which round words are; nothing of the first one, which may
// be the only one.
func roundWords(st *studyState, words string) string {
	if st.round.Index == 0 {
		return words
	}
	return fmt.Sprintf("round %d: %s", st.round.Index+1, words)
}

// doneWords tells what a complete status is made of.
func doneWords(p *v1alpha1.ProgressStatus) string {
	words := count(int(p.Completed), "simulation") + " done"
	if p.Failed > 0 {
		words += fmt.Sprintf(", %d without figures", p.Failed)
	}
	if p.Reused > 0 {
		words += fmt.Sprintf(", %d of them known before", p.Reused)
	}
	return words
}

// count writes a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// stoppingWords tell of a Job whose pods are waited for.
func stoppingWords(job *batchv1.Job) string {
	return fmt.Sprintf("Job %s is stopped, and its pods say what they have done", job.Name)
}

// heldWords tells who suspends a Job that the spec does not.
func heldWords(st *studyState, job *batchv1.Job) string {
	if queue := job.Labels[LabelQueue]; queue != "" {
		return fmt.Sprintf("Job %s waits for queue %s to admit it; %s", job.Name, queue, progressWords(st))
	}
	return fmt.Sprintf("Job %s was suspended by somebody; %s", job.Name, progressWords(st))
}

// failureWords tells why a Job failed: in its shards' own words where a pod is
// left to ask, else in the Job's.
func failureWords(job *batchv1.Job, pods []corev1.Pod, st *studyState) string {
	var words []string
	for _, pod := range failedPods(job, pods) {
		words = append(words, podWords(pod))
	}
	if len(words) == 0 {
		for _, c := range job.Status.Conditions {
			if c.Type == batchv1.JobFailed && c.Status == corev1.ConditionTrue {
				words = append(words, fmt.Sprintf("%s: %s", c.Reason, c.Message))
			}
		}
	}
	return fmt.Sprintf("Job %s failed (%s): %s", job.Name, progressWords(st), some(words))
}

// mostWords is how many of several like things a message tells of.
const mostWords = 3

// lossWords tells why shards were given up.
func lossWords(shards []int, pods []corev1.Pod) string {
	byIndex := map[int]string{}
	for i := range pods {
		if index, ok := completionIndex(&pods[i]); ok && pods[i].Status.Phase == corev1.PodFailed {
			byIndex[index] = clip(podWords(&pods[i]), 512)
		}
	}
	var words []string
	for _, shard := range shards {
		words = append(words, orElse(byIndex[shard], fmt.Sprintf("shard %d failed, and no pod of it is left to say why", shard)))
	}
	return some(words)
}

// lostWords tells which simulations were given up, and why.
func lostWords(st *studyState) string {
	var words []string
	for i := range st.lost {
		words = append(words, fmt.Sprintf("round %d: %s", st.lost[i].Round+1, st.lost[i].Why))
	}
	return fmt.Sprintf("%s lost with %s: %s",
		count(st.lostRows, "simulation"), count(st.lostShards(), "shard"), some(words))
}

// some joins words, the first few and the number of the others.
func some(words []string) string {
	if len(words) <= mostWords {
		return strings.Join(words, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(words[:mostWords], "; "), len(words)-mostWords)
}

// join joins words that are not empty.
func join(words, more string) string {
	if more == "" {
		return words
	}
	return words + "; " + more
}

// clip cuts a text to a number of bytes, and never through a character.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const mark = "…"
	cut := most - len(mark)
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + mark
}
