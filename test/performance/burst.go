// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
)

const mebibyte = 1 << 20

// smallRun is a run of one short simulation. Its plan is its own, if its seed is.
func smallRun(name string, seed int) *v1alpha1.SimulationRun {
	return builder.MakeRun(name, namespace).Scenario(builder.Requests(5)).Seeds(int64(seed)).Obj()
}

// measureBurst creates runs at once, and follows them until all are complete.
func measureBurst(ctx context.Context, p *platform, s settings) (_ []figure, err error) {
	m, err := startManager(ctx, p)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.stop()) }()
	runs := s.runs
	executing, stop := context.WithCancel(ctx)
	e := &executor{client: p.client, seen: map[types.UID]bool{}}
	ended := make(chan error, 1)
	jobs, complete, err := watch(executing, p)
	if err != nil {
		stop()
		return nil, err
	}
	go func() { ended <- e.run(executing, jobs) }()
	defer func() { stop(); err = errors.Join(err, <-ended) }()
	g := &gauge{manager: m, file: s.profile("burst")}
	go g.follow(executing)
	before, err := m.counts(ctx)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if err := generate(ctx, p, runs); err != nil {
		return nil, err
	}
	created := time.Since(began)
	if err := until(ctx, func() (bool, error) { return e.jobs() >= runs, nil }); err != nil {
		return nil, err
	}
	allJobs := time.Since(began)
	if err := until(ctx, func() (bool, error) { return complete.Load() >= int64(runs), nil }); err != nil {
		return nil, err
	}
	allComplete := time.Since(began)
	// Events are written a little later.
	time.Sleep(2 * time.Second)
	after, err := m.counts(ctx)
	if err != nil {
		return nil, err
	}
	cpu, err := m.cpu()
	if err != nil {
		return nil, err
	}
	n := float64(runs)
	return []figure{
		{"burst.created", "s", fmt.Sprintf("the generator's own time for %d runs", runs), created.Seconds()},
		{"burst.jobs", "s", "until every run has its Job", allJobs.Seconds()},
		{"burst.complete", "s", "until every run is complete", allComplete.Seconds()},
		{"burst.reconciles", "a run", "reconciles", (after.reconciles - before.reconciles) / n},
		{"burst.failures", "a run", "reconciles that ended in an error", (after.failures - before.failures) / n},
		{"burst.writes", "a run", "writes by the manager, events among them", (after.writes - before.writes) / n},
		{"burst.cpu", "ms a run", "CPU time of the manager", cpu.Seconds() * 1000 / n},
		{"burst.memory", "MiB", "the manager's resident memory at its peak", float64(g.highest().resident) / mebibyte},
		{"burst.anonymous", "MiB", "what of it are no pages of the binary", float64(g.highest().anonymous) / mebibyte},
	}, nil
}

// generate creates runs, as many at once as a client would.
func generate(ctx context.Context, p *platform, runs int) error {
	return parallel(ctx, runs, func(i int) error { return p.client.Create(ctx, smallRun(fmt.Sprintf("run-%d", i), i)) })
}

// parallel does things n times, 16 at once.
func parallel(ctx context.Context, n int, do func(int) error) error {
	var next atomic.Int64
	var group sync.WaitGroup
	errs := make([]error, 16)
	for w := range errs {
		group.Go(func() {
			for errs[w] == nil && ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				errs[w] = do(i)
			}
		})
	}
	group.Wait()
	return errors.Join(append(errs, ctx.Err())...)
}

// watch returns what tells of Jobs, and counts the runs that are complete. A watch
// that the API server ends is begun again.
func watch(ctx context.Context, p *platform) (cache.Informer, *atomic.Int64, error) {
	c, err := cache.New(p.env.Config, cache.Options{Scheme: p.client.Scheme(), DefaultNamespaces: map[string]cache.Config{namespace: {}}})
	if err != nil {
		return nil, nil, err
	}
	go func() { _ = c.Start(ctx) }() // it ends with the context
	jobs, err := c.GetInformer(ctx, &batchv1.Job{})
	if err != nil {
		return nil, nil, err
	}
	runs, err := c.GetInformer(ctx, &v1alpha1.SimulationRun{})
	if err != nil {
		return nil, nil, err
	}
	var complete atomic.Int64
	seen := map[string]bool{}
	look := func(o any) {
		run := o.(*v1alpha1.SimulationRun)
		if !seen[run.Name] && meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionComplete) {
			seen[run.Name] = true
			complete.Add(1)
		}
	}
	_, err = runs.AddEventHandler(toolscache.ResourceEventHandlerFuncs{AddFunc: look, UpdateFunc: func(_, o any) { look(o) }})
	return jobs, &complete, err
}

// jobsOf lists the Jobs of the namespace.
func jobsOf(ctx context.Context, p *platform) ([]batchv1.Job, error) {
	var jobs batchv1.JobList
	err := p.client.List(ctx, &jobs, client.InNamespace(namespace))
	return jobs.Items, err
}
