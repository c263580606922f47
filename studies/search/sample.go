// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/studies/manifests"
)

// sample is the sweep that is searched in many ways. What one of them simulated
// the others need not.
type sample struct {
	sweep *v1alpha1.PolicySweep
	known knownRows
}

// readSample reads the first sweep of a manifest.
func readSample(path string) (*sample, error) {
	sweep, err := manifests.Sweep(path)
	if err != nil {
		return nil, err
	}
	if sweep.Spec.Scenario.Horizon.Requests == nil {
		return nil, fmt.Errorf("%s: spec.scenario.horizon.requests is not set, and effort is counted in them", path)
	}
	return &sample{sweep: sweep, known: knownRows{rows: map[string]result.Row{}}}, nil
}

// conduct goes through a sweep, searched in this way.
func (s *sample) conduct(sweep *v1alpha1.PolicySweep, how v1alpha1.Search) (*found, error) {
	sweep = sweep.DeepCopy()
	sweep.Spec.Search = how
	compiled, errs, err := compile.Sweep(context.Background(), sweep, nil)
	if err != nil || len(errs) > 0 {
		return nil, errors.Join(err, errs.ToAggregate())
	}
	conducted, err := execute.RunLocally(context.Background(), compiled.Plan, compiled.Traces, execute.Options{
		Parallelism: 1, // searches run side by side
		Known:       s.known.row,
		Done:        s.known.keep,
	})
	if err != nil {
		return nil, fmt.Errorf("%s, seed %d: %w", how.Algorithm, how.Seed, err)
	}
	return readFound(compiled.Plan, conducted.Study, int(*sweep.Spec.Scenario.Horizon.Requests))
}

// knownRows are rows by their simulations' keys. All studies share them.
type knownRows struct {
	mu   sync.Mutex
	rows map[string]result.Row
}

func (k *knownRows) row(key string) (result.Row, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	row, ok := k.rows[key]
	return row, ok
}

func (k *knownRows) keep(_ experiment.Point, row *result.Row) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.rows[row.Key] = *row
	return nil
}
