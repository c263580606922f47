// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/result"
)

// world is all that a decision depends on besides the time. Nothing in it is
// changed once it was observed.
type world struct {
	subject subject
	// image is what worker pods run.
	image string
	// plan is what the spec asks for. It is nil where nothing needs it, or
	// where errs say what is wrong with the spec.
	plan *planned
	errs field.ErrorList
	// jobs are all Jobs that the subject owns, by name.
	jobs []*batchv1.Job
	// configMaps are all ConfigMaps that the subject owns, by name, without
	// their data.
	configMaps []metav1.PartialObjectMetadata
	// pods are those of the plan's Job. After the Job's end they are read from
	// the API server: what they lack then will not come.
	pods []corev1.Pod
	// chunks are the result ConfigMaps that were read, by name.
	chunks map[string]chunk
	// strangers name objects that bear a name that the subject needs and that
	// belong to somebody else.
	strangers []string
	// account is the state of the workers' account.
	account account
}

// planned is a plan with what it is named by.
type planned struct {
	*experiment.Plan
	// round is the one to simulate.
	round  *experiment.Round
	hash   string
	size   int
	shards int
	// job is the name of its Job.
	job string
}

func newPlanned(p *experiment.Plan, encoded []byte, s subject) *planned {
	study, err := p.Study()
	if err != nil {
		panic(fmt.Sprintf("controllers: a plan that was checked has no study: %v", err))
	}
	round := study.Round()
	hash := experiment.Digest(encoded)
	return &planned{
		Plan:   p,
		hash:   hash,
		size:   len(encoded),
		round:  round,
		shards: round.Shards(int(s.execution().Shards)),
		job:    jobName(s.object().GetUID(), s.object().GetName(), hash, s.execution()),
	}
}

// tell fills in what came of the rows of the round.
func (p *planned) tell(s subject, rows []result.Row) error {
	study, err := p.Study()
	if err != nil {
		return err
	}
	if err := study.Tell(rows); err != nil {
		return err
	}
	return s.fill(study)
}

// chunk is a result ConfigMap as it was read.
type chunk struct {
	experiment.Chunk
	// found is false where there is no such ConfigMap.
	found bool
	// owned says that it is the subject's, sealed that it cannot change.
	owned, sealed bool
}

// account says which parts of the workers' account are there.
type account struct{ serviceAccount, roleBinding bool }

// job returns the plan's Job, or nil.
func (w *world) job() *batchv1.Job {
	for _, job := range w.jobs {
		if job.Name == w.plan.job {
			return job
		}
	}
	return nil
}

// hasPlanConfigMap reports whether the plan's ConfigMap is there.
func (w *world) hasPlanConfigMap() bool {
	for i := range w.configMaps {
		if w.configMaps[i].Name == planName(w.plan.job) {
			return true
		}
	}
	return false
}

// settled reports whether the subject's generation came to an end, good or bad.
// Such a status is never taken back: only another spec starts work again.
func settled(s subject) bool {
	st := s.status()
	return st.ObservedGeneration == s.object().GetGeneration() &&
		(isTrue(st, v1alpha1.ConditionComplete) || isTrue(st, v1alpha1.ConditionFailed))
}

// finished reports whether a Job has ended, and whether it has failed.
func finished(job *batchv1.Job) (done, failed bool) {
	for _, c := range job.Status.Conditions {
		if c.Status != corev1.ConditionTrue {
			continue
		}
		switch c.Type {
		case batchv1.JobComplete:
			return true, false
		case batchv1.JobFailed:
			return true, true
		}
	}
	return false, false
}
