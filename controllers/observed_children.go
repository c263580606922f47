// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// observedChildren are the objects that belong to a subject, and what is in the way of
// those that it needs.
type observedChildren struct {
	// jobs are all Jobs that the subject owns, by name.
	jobs []*batchv1.Job
	// configMaps are all ConfigMaps that the subject owns, by name, without
	// their data.
	configMaps []metav1.PartialObjectMetadata
	// engines are what the subject has beside the Jobs of live runs: Deployments, Services and
	// NetworkPolicies.
	engines []client.Object
	// followers are the SimulationRuns of the best points.
	followers []*v1alpha1.SimulationRun
	// account is the state of the account of worker pods.
	account workerAccount
	// conflicts name objects whose names the subject needs and that it does not own.
	conflicts []string
}

// workerAccount says which parts of the account of worker pods exist.
type workerAccount struct{ serviceAccount, roleBinding bool }

// hasJob reports whether the subject owns a Job of a name.
func (c *observedChildren) hasJob(name string) bool {
	return slices.ContainsFunc(c.jobs, func(job *batchv1.Job) bool { return job.Name == name })
}

// hasConfigMap reports whether the subject owns a ConfigMap of a name.
func (c *observedChildren) hasConfigMap(name string) bool {
	return slices.ContainsFunc(c.configMaps, func(cm metav1.PartialObjectMetadata) bool { return cm.Name == name })
}

// engine returns the object of the kind and name of a wanted one that the subject owns, or nil.
func (c *observedChildren) engine(want client.Object) client.Object {
	for _, is := range c.engines {
		if is.GetName() == want.GetName() && is.GetObjectKind().GroupVersionKind() == want.GetObjectKind().GroupVersionKind() {
			return is
		}
	}
	return nil
}

// reportedDone returns the largest number of simulations that each of a Job's shards has
// reported as done. A shard that runs again reports less at first, which does not count.
func (c *observedChildren) reportedDone(job *batchv1.Job) map[int]int {
	var most map[int]int
	for i := range c.configMaps {
		if shard, done, ok := progressOf(&c.configMaps[i], job); ok {
			if most == nil {
				most = map[int]int{}
			}
			most[shard] = max(most[shard], done)
		}
	}
	return most
}
