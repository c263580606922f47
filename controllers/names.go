// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// Keys of labels and annotations on what the controllers create.
const (
	// LabelKind and LabelName say which object a child serves. A name that is
	// no label value is cut and given a digest.
	LabelKind = worker.LabelKind
	LabelName = worker.LabelName
	// LabelPlan is the beginning of the plan's hash, which is too long for a
	// label by one character.
	LabelPlan = "sim.windtunnel.dev/plan"
	// LabelRound is the index of the round that a Job simulates.
	LabelRound = "sim.windtunnel.dev/round"
	// LabelAttempt numbers the Jobs that a round takes, from 0, which is left out.
	LabelAttempt = "sim.windtunnel.dev/attempt"
	// LabelContent identifies what an object of a fixed name holds.
	LabelContent = "sim.windtunnel.dev/content"
	// LabelJob is the Job that the replicas of a live run serve, LabelPool their pool.
	LabelJob  = "sim.windtunnel.dev/job"
	LabelPool = "sim.windtunnel.dev/pool"
	// AnnotationLosses counts the Jobs of a round before it that ended without all of
	// their results; left out if there are none.
	AnnotationLosses = "sim.windtunnel.dev/losses"
	// AnnotationPolicy, AnnotationGeneration, AnnotationParent and AnnotationLineage say
	// where a promoted policy that evolved comes from.
	AnnotationPolicy     = "sim.windtunnel.dev/policy"
	AnnotationGeneration = "sim.windtunnel.dev/generation"
	AnnotationParent     = "sim.windtunnel.dev/parent"
	AnnotationLineage    = "sim.windtunnel.dev/lineage"
	// AnnotationProposals identifies the answers of a proposer that a Job simulates policies
	// of; left out if there are none.
	AnnotationProposals = "sim.windtunnel.dev/proposals"
	// AnnotationExecution identifies how a Job is run.
	AnnotationExecution = "sim.windtunnel.dev/execution"
	// LabelComponent is the role of a child: one of the components below.
	LabelComponent = worker.LabelComponent
	// LabelQueue and LabelQueuePriority are Kueue's. They are copied to the Job.
	LabelQueue         = "kueue.x-k8s.io/queue-name"
	LabelQueuePriority = "kueue.x-k8s.io/priority-class"
	// AnnotationSuspend is what the controllers last wanted of the Job's
	// suspend. Kueue may want something else since, and wins.
	AnnotationSuspend = "sim.windtunnel.dev/suspend"
)

// Values of LabelComponent.
const (
	ComponentWorker      = worker.Component
	ComponentPlan        = "plan"
	ComponentRound       = "round"
	ComponentResult      = "result"
	ComponentIndex       = "index"
	ComponentLeaderboard = "leaderboard"
	ComponentPromoted    = "promoted"
	ComponentFollower    = "follower"
	ComponentProposer    = "proposer"
	ComponentEngine      = "engine"
	ComponentProgress    = worker.ComponentProgress
	ComponentJournal     = worker.ComponentJournal
)

// WorkerName is the name of the workers' ServiceAccount, of its RoleBinding and
// of the ClusterRole that this one refers to.
const WorkerName = worker.AccountName

// maxJobName leaves room for what the Job controller appends to make a pod's
// name of at most 63 characters: an index of three digits and five random ones.
const maxJobName = 63 - len("-999-xxxxx")

// planPrefix begins the names of what belongs to one plan for one object. The UID
// is in its digest because the children of an object of the same name that was
// just deleted may still be there.
func planPrefix(uid types.UID, object, planHash string) string {
	return prefixed(object, struct {
		UID  types.UID
		Plan string
	}{uid, planHash})
}

// jobName names a Job of a round of a plan under one way to run it, which is in
// its digest because a Job cannot change it.
func jobName(uid types.UID, object, planHash string, round, attempt int, work string, execution v1alpha1.Execution) string {
	return prefixed(object, struct {
		UID       types.UID
		Plan      string
		Round     int
		Attempt   int `json:",omitempty"`
		Work      string
		Execution string
	}{uid, planHash, round, attempt, work, executionDigest(execution)})
}

// prefixed returns an object's name, cut where need be, and a digest of an
// identity.
func prefixed(object string, identity any) string {
	digest := digestOf(identity)
	return worker.Shorten(strings.ReplaceAll(object, ".", "-"), object, maxJobName-1-len(digest)) + "-" + digest
}

// executionDigest identifies how a Job is run. What an object does not set is left
// out, so that a newer manager, which knows more that may be set, goes on with the
// Jobs of an older one.
func executionDigest(execution v1alpha1.Execution) string {
	identity := struct {
		Shards          int32
		Resources       corev1.ResourceRequirements
		Retries         *int32                `json:",omitempty"`
		MaxFailedShards int32                 `json:",omitempty"`
		ManagedBy       string                `json:",omitempty"`
		Pods            v1alpha1.PodOverrides `json:",omitzero"`
	}{
		Shards: execution.Shards, Resources: execution.Resources, MaxFailedShards: execution.MaxFailedShards,
		ManagedBy: execution.ManagedBy, Pods: execution.PodOverrides,
	}
	if n := retriesOf(execution); n != retries {
		identity.Retries = &n
	}
	return digestOf(identity)
}

func digestOf(identity any) string {
	raw, err := json.Marshal(identity)
	if err != nil {
		panic(fmt.Sprintf("controllers: marshal an identity: %v", err))
	}
	return experiment.Digest(raw)[:8]
}

// planName names the ConfigMap that holds a plan, roundName the one of what a Job
// simulates of it.
func planName(prefix string) string { return prefix + "-plan" }
func roundName(job string) string   { return job + "-round" }

// contentName names a ConfigMap by its content.
func contentName(prefix, what, digest string) string {
	return fmt.Sprintf("%s-%s-%s", prefix, what, digest[:8])
}

// planLabel returns a plan's hash as a label's value.
func planLabel(hash string) string { return hash[:min(16, len(hash))] }

// childLabels are those of a child. A label that the manager reads back must also be in
// readLabels, because the cache drops all others. config/rbac/worker_admission.yaml says
// which labels the ConfigMaps of workers may have, and docs/operations.md lists them all.
func childLabels(s subject, component, planHash string) map[string]string {
	return map[string]string{
		"app.kubernetes.io/name":       "windtunnel",
		"app.kubernetes.io/instance":   worker.LabelValue(s.object().GetName()),
		"app.kubernetes.io/part-of":    "windtunnel",
		"app.kubernetes.io/managed-by": "windtunnel",
		LabelComponent:                 component,
		LabelKind:                      s.kind(),
		LabelName:                      worker.LabelValue(s.object().GetName()),
		LabelPlan:                      planLabel(planHash),
	}
}
