// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
)

// Keys of labels and annotations on what the controllers create.
const (
	// LabelKind and LabelName say which object a child serves. A name that is
	// no label value is cut and given a digest.
	LabelKind = "sim.windtunnel.dev/kind"
	LabelName = "sim.windtunnel.dev/name"
	// LabelPlan is the beginning of the plan's hash, which is too long for a
	// label by one character.
	LabelPlan = "sim.windtunnel.dev/plan"
	// LabelComponent tells apart what serves a plan.
	LabelComponent = "app.kubernetes.io/component"
	// LabelQueue is Kueue's. It is copied to the Job.
	LabelQueue = "kueue.x-k8s.io/queue-name"
	// AnnotationSuspend is what the controllers last wanted of the Job's
	// suspend. Kueue may want something else since, and wins.
	AnnotationSuspend = "sim.windtunnel.dev/suspend"
)

// Values of LabelComponent.
const (
	ComponentWorker = "worker"
	ComponentPlan   = "plan"
	ComponentResult = "result"
)

// WorkerName is the name of the workers' ServiceAccount, of its RoleBinding and
// of the ClusterRole that this one refers to.
const WorkerName = "windtunnel-worker"

// maxJobName leaves room for what the Job controller appends to make a pod's
// name of at most 63 characters: an index of three digits and five random ones.
const maxJobName = 63 - len("-999-xxxxx")

const maxLabelValue = 63

// jobName names the Job of one plan for one object under one way to run it. The
// UID is in the digest because the children of an object of the same name that
// was just deleted may still be there; the shards and the resources because a
// Job cannot change them.
func jobName(uid types.UID, object, planHash string, execution v1alpha1.Execution) string {
	identity, err := json.Marshal(struct {
		UID       types.UID
		Plan      string
		Shards    int32
		Resources corev1.ResourceRequirements
	}{uid, planHash, execution.Shards, execution.Resources})
	if err != nil {
		panic(fmt.Sprintf("controllers: marshal identity of a Job: %v", err))
	}
	digest := experiment.Digest(identity)[:8]
	return shorten(strings.ReplaceAll(object, ".", "-"), object, maxJobName-1-len(digest)) + "-" + digest
}

// planName names the ConfigMap that holds a Job's plan.
func planName(job string) string { return job + "-plan" }

// labelValue returns name as a label's value.
func labelValue(name string) string { return shorten(name, name, maxLabelValue) }

// planLabel returns a plan's hash as a label's value.
func planLabel(hash string) string { return hash[:min(16, len(hash))] }

// shorten returns text where it is the whole name and fits; else its beginning
// and a digest of the whole, so that no two names become one.
func shorten(text, whole string, most int) string {
	if text == whole && len(text) <= most {
		return text
	}
	digest := experiment.Digest([]byte(whole))[:8]
	return strings.TrimRight(text[:min(len(text), most-1-len(digest))], "-.") + "-" + digest
}

// childLabels are those of a child.
func childLabels(s subject, component, planHash string) map[string]string {
	return map[string]string{
		"app.kubernetes.io/name":       "windtunnel",
		"app.kubernetes.io/instance":   labelValue(s.object().GetName()),
		"app.kubernetes.io/part-of":    "windtunnel",
		"app.kubernetes.io/managed-by": "windtunnel",
		LabelComponent:                 component,
		LabelKind:                      s.kind(),
		LabelName:                      labelValue(s.object().GetName()),
		LabelPlan:                      planLabel(planHash),
	}
}

// chunkSuffix is what a worker appends to a Job's name to name a result: shard,
// chunk, and the beginning of the digest.
var chunkSuffix = regexp.MustCompile(`^-(0|[1-9][0-9]{0,5})-(0|[1-9][0-9]{0,5})-([0-9a-f]{8})$`)

// chunkID is what the name of a result ConfigMap says.
type chunkID struct {
	shard, chunk int
	digest       string
}

// parseChunkName reads the name of a result of a Job. ok is false for any other
// name.
func parseChunkName(job, name string) (id chunkID, ok bool) {
	rest, ok := strings.CutPrefix(name, job)
	if !ok {
		return chunkID{}, false
	}
	match := chunkSuffix.FindStringSubmatch(rest)
	if match == nil {
		return chunkID{}, false
	}
	id.shard, _ = strconv.Atoi(match[1])
	id.chunk, _ = strconv.Atoi(match[2])
	id.digest = match[3]
	return id, true
}
