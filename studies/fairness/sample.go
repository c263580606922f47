// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/studies/manifests"
)

// The names of the sample that the study knows.
const (
	abuser = "abuser"
	large  = "large"
	team   = "team-1" // one of the small ones, which are all alike
	calm   = "calm"
)

// shareOfLarge is what the large tenant pays for, where a team pays for 1.
const shareOfLarge = 8

// abuses are the workloads with an abuser.
var abuses = []string{"rapid-fire", "huge-prompts", "long-answers"}

// protection is a point of the sample: the values of its parameters.
type protection struct{ router, admission, engine string }

func (p protection) point() string {
	return fmt.Sprintf("router=%s admission=%s engine=%s", p.router, p.admission, p.engine)
}

// sample is the sweep over protections.
type sample struct {
	*compile.Compiled
	trials []experiment.Trial
}

func readSample(path string) (*sample, error) {
	sweep, err := manifests.Sweep(path)
	if err != nil {
		return nil, err
	}
	compiled, errs, err := compile.Sweep(context.Background(), sweep, nil)
	if err != nil || len(errs) > 0 {
		return nil, fmt.Errorf("%s: %w", path, errors.Join(err, errs.ToAggregate()))
	}
	all, err := study.New(compiled.Plan)
	if err != nil {
		return nil, err
	}
	return &sample{compiled, all.Round().Trials}, nil
}

// config is the simulator's input for a protection under a workload.
func (s *sample) config(p protection, workload string, seed int64) (simulator.Config, error) {
	for i := range s.trials {
		if t := &s.trials[i]; t.Point.String() == p.point() {
			return execute.Config(s.Plan, s.Traces, experiment.Case{Trial: t, Seed: seed, Workload: workload})
		}
	}
	return simulator.Config{}, fmt.Errorf("the sample has no point %s", p.point())
}
