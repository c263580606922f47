// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/pkg/worker"
)

// executor does for each Job at once what the Job controller, its pods and their
// workers would do: the workers' results are real.
type executor struct {
	client client.Client
	mu     sync.Mutex
	// seen are the Jobs that there are.
	seen map[types.UID]bool
}

// workers is how many Jobs it works on at once.
const workers = 8

// run works on Jobs until the context ends. informer tells of them.
func (e *executor) run(ctx context.Context, informer cache.Informer) error {
	// Every Job fits in, so that the count of those seen never lags.
	todo := make(chan *batchv1.Job, 1<<16)
	_, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{AddFunc: func(o any) {
		job := o.(*batchv1.Job)
		e.mu.Lock()
		defer e.mu.Unlock()
		if !e.seen[job.UID] {
			e.seen[job.UID] = true
			todo <- job
		}
	}})
	if err != nil {
		return err
	}
	var group sync.WaitGroup
	errs := make([]error, workers)
	for w := range errs {
		group.Go(func() {
			for errs[w] == nil {
				select {
				case <-ctx.Done():
					return
				case job := <-todo:
					if err := e.execute(ctx, job); err != nil && ctx.Err() == nil {
						errs[w] = fmt.Errorf("job %s: %w", job.Name, err)
					}
				}
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

func (e *executor) jobs() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.seen)
}

// execute runs the one shard of a Job.
func (e *executor) execute(ctx context.Context, job *batchv1.Job) error {
	pod := podOf(job)
	if err := e.client.Create(ctx, pod); err != nil {
		return err
	}
	message, err := e.work(ctx, job)
	if err != nil {
		return err
	}
	finishPod(pod, message)
	if err := e.client.Status().Update(ctx, pod); err != nil {
		return err
	}
	job = job.DeepCopy()
	job.ResourceVersion = "" // its suspend may have been patched
	finishJob(job)
	return e.client.Status().Patch(ctx, job, client.Merge)
}

// podOf is the pod of a Job's only index.
func podOf(job *batchv1.Job) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: job.Namespace, Name: job.Name + "-0-xxxxx",
			Labels:          job.Spec.Template.Labels,
			Annotations:     map[string]string{batchv1.JobCompletionIndexAnnotation: "0"},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))},
		},
		Spec: job.Spec.Template.Spec,
	}
}

func finishPod(pod *corev1.Pod, message string) {
	pod.Status.Phase = corev1.PodSucceeded
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name:  pod.Spec.Containers[0].Name,
		State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed", Message: message, FinishedAt: metav1.Now()}},
	}}
}

func finishJob(job *batchv1.Job) {
	now := metav1.Now()
	job.Status = batchv1.JobStatus{
		StartTime: &now, CompletionTime: &now, Succeeded: 1, CompletedIndexes: "0",
		Ready: ptr.To[int32](0), Terminating: ptr.To[int32](0), UncountedTerminatedPods: &batchv1.UncountedTerminatedPods{},
	}
	for _, typ := range []batchv1.JobConditionType{batchv1.JobSuccessCriteriaMet, batchv1.JobComplete} {
		job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{
			Type: typ, Status: corev1.ConditionTrue, Reason: batchv1.JobReasonCompletionsReached, LastTransitionTime: now,
		})
	}
}

// work runs the worker of a Job's only index, and returns its termination message.
func (e *executor) work(ctx context.Context, job *batchv1.Job) (message string, err error) {
	folder, err := os.MkdirTemp("", "windtunnel-pod-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	for _, volume := range job.Spec.Template.Spec.Volumes {
		var cm corev1.ConfigMap
		if err := e.client.Get(ctx, client.ObjectKey{Namespace: job.Namespace, Name: volume.ConfigMap.Name}, &cm); err != nil {
			return "", err
		}
		for key, text := range cm.Data {
			err = errors.Join(err, os.WriteFile(filepath.Join(folder, key), []byte(text), 0o600))
		}
		for key, raw := range cm.BinaryData {
			err = errors.Join(err, os.WriteFile(filepath.Join(folder, key), raw, 0o600))
		}
		if err != nil {
			return "", err
		}
	}
	report, err := worker.Run(ctx, worker.Options{PlanFolder: folder, RoundFolder: folder, Shards: 1, Parallelism: 1}, e)
	if err != nil {
		return "", err
	}
	raw, err := report.Encode()
	return string(raw), err
}

// CreateConfigMap implements worker.Creator.
func (e *executor) CreateConfigMap(ctx context.Context, cm *corev1.ConfigMap) error {
	return client.IgnoreAlreadyExists(e.client.Create(ctx, cm))
}
