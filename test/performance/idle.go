// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// measureIdle has a manager start where there are many finished runs with all
// their children, and do nothing for a while.
func measureIdle(ctx context.Context, p *platform, s settings) (_ []figure, err error) {
	began := time.Now()
	if err := multiply(ctx, p, s.runs, s.finished); err != nil {
		return nil, fmt.Errorf("multiply: %w", err)
	}
	made := time.Since(began)
	began = time.Now()
	m, err := startManager(ctx, p)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.stop()) }()
	following, stop := context.WithCancel(ctx)
	defer stop()
	g := &gauge{manager: m, file: s.profile("restart")}
	go g.follow(following)
	// The first look at every object is the cost of a restart. To be asked for metrics
	// costs the manager a look at all of them, too.
	var restarted counts
	err = every(ctx, 2*time.Second, func() (bool, error) {
		c, err := m.counts(ctx)
		done := c.reconciles >= float64(s.finished) && c.reconciles == restarted.reconciles
		restarted = c
		return done, err
	})
	if err != nil {
		return nil, err
	}
	took := time.Since(began)
	afterStart, err := m.cpu()
	if err != nil {
		return nil, err
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(s.idle):
	}
	afterIdle, err := m.cpu()
	if err != nil {
		return nil, err
	}
	quiet, err := m.counts(ctx)
	if err != nil {
		return nil, err
	}
	now, err := memoryOf(m.cmd.Process.Pid)
	if err != nil {
		return nil, err
	}
	return []figure{
		{"idle.made", "s", fmt.Sprintf("the generator's own time for %d finished runs and their children", s.finished-s.runs), made.Seconds()},
		{"restart.time", "s", fmt.Sprintf("until a new manager has looked at %d finished runs", s.finished), took.Seconds()},
		{"restart.cpu", "s", "CPU time of that", afterStart.Seconds()},
		{"restart.writes", "", "writes in that time", restarted.writes},
		{"idle.cpu", "% of a core", fmt.Sprintf("CPU time while nothing happens for %s", s.idle), 100 * (afterIdle - afterStart).Seconds() / s.idle.Seconds()},
		{"idle.reconciles", "", "reconciles in that time", quiet.reconciles - restarted.reconciles},
		{"idle.memory", "MiB", "the manager's resident memory then", float64(now.resident) / mebibyte},
		{"idle.anonymous", "MiB", "what of it are no pages of the binary", float64(now.anonymous) / mebibyte},
		{"restart.memory", "MiB", "its peak", float64(g.highest().resident) / mebibyte},
		{"restart.anonymous", "MiB", "the peak of what are no pages of the binary", float64(g.highest().anonymous) / mebibyte},
	}, nil
}

// family is a finished run and its children.
type family struct {
	run      v1alpha1.SimulationRun
	job      batchv1.Job
	children []corev1.ConfigMap
}

// multiply copies a finished run with its children until there are enough. The
// manager must not run meanwhile.
func multiply(ctx context.Context, p *platform, have, want int) error {
	var f family
	if err := p.client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "run-0"}, &f.run); err != nil {
		return err
	}
	jobs, err := jobsOf(ctx, p)
	if err != nil {
		return err
	}
	f.job = jobs[slices.IndexFunc(jobs, func(job batchv1.Job) bool { return metav1.IsControlledBy(&job, &f.run) })]
	var configMaps corev1.ConfigMapList
	if err := p.client.List(ctx, &configMaps, client.InNamespace(namespace)); err != nil {
		return err
	}
	for _, cm := range configMaps.Items {
		if metav1.IsControlledBy(&cm, &f.run) {
			f.children = append(f.children, cm)
		}
	}
	return parallel(ctx, want-have, func(i int) error { return f.copy(ctx, p, i) })
}

// copy makes the i-th copy.
func (f *family) copy(ctx context.Context, p *platform, i int) error {
	run := smallRun(fmt.Sprintf("copy-%d", i), 0)
	status := f.run.Status.DeepCopy()
	status.Results.Index = copyName(status.Results.Index, i)
	if err := p.client.Create(ctx, run); err != nil {
		return err
	}
	run.Status = *status
	if err := p.client.Status().Update(ctx, run); err != nil {
		return err
	}
	job := &batchv1.Job{ObjectMeta: copyMeta(&f.job, run, i)}
	f.job.Spec.DeepCopyInto(&job.Spec)
	// The API server makes these labels and the selector of the new UID.
	job.Spec.Selector, job.Spec.Template.Labels = nil, maps.Clone(job.Labels)
	if err := p.client.Create(ctx, job); err != nil {
		return err
	}
	if err := p.client.Create(ctx, podOf(job)); err != nil {
		return err
	}
	finishJob(job)
	if err := p.client.Status().Update(ctx, job); err != nil {
		return err
	}
	for j := range f.children {
		cm := f.children[j].DeepCopy()
		cm.ObjectMeta = copyMeta(cm, run, i)
		if err := p.client.Create(ctx, cm); err != nil {
			return err
		}
	}
	return nil
}

// copyName is the name of a child's i-th copy.
func copyName(child string, i int) string { return fmt.Sprintf("c%d-%s", i, child) }

// copyMeta is the metadata of a child's copy.
func copyMeta(child client.Object, owner *v1alpha1.SimulationRun, i int) metav1.ObjectMeta {
	reference := child.GetOwnerReferences()[0]
	reference.Name, reference.UID = owner.Name, owner.UID
	return metav1.ObjectMeta{
		Namespace: namespace, Name: copyName(child.GetName(), i),
		Labels: child.GetLabels(), Annotations: child.GetAnnotations(),
		OwnerReferences: []metav1.OwnerReference{reference},
	}
}
