// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"windtunnel.dev/windtunnel/studies/study"
)

// A contest is what the loops through one door needed, by their seeds.
type contest struct {
	name          string
	with, without []outcome
}

// An outcome is that of one loop.
type outcome struct {
	evaluations int
	reached     bool
}

// opened is a door for one loop, which closes it.
type opened struct {
	door
	close func() error
}

// find runs all loops.
func find(ctx context.Context, s scale, shims string, log io.Writer) (*page, error) {
	scenario, err := readScenario(ctx)
	if err != nil {
		return nil, err
	}
	evaluator, stop := newEvaluator()
	defer stop()
	web := serve(evaluator, scenario)
	defer web.Close()
	p := &page{scale: s}
	python := func(framework string) func(int64) (opened, error) {
		return func(int64) (opened, error) {
			d, err := newPythonDoor(ctx, shims, framework, web.URL)
			if err != nil {
				return opened{}, err
			}
			return opened{d, d.close}, nil
		}
	}
	for _, entry := range []struct {
		name string
		open func(seed int64) (opened, error)
	}{
		{"Go, `pkg/evaluate`", func(int64) (opened, error) {
			return opened{&goDoor{evaluator, scenario}, func() error { return nil }}, nil
		}},
		{"the OpenEvolve shim", python("openevolve")},
		{"the GEPA shim", python("gepa")},
		{"a sweep, by the code of its pods", func(seed int64) (opened, error) {
			d, err := newClusterDoor(ctx, &goDoor{evaluator, scenario}, seed)
			if err != nil {
				return opened{}, err
			}
			return opened{d, d.close}, nil
		}},
	} {
		fmt.Fprintf(log, "%s\n", entry.name)
		c, err := compete(ctx, s, entry.name, entry.open)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", entry.name, err)
		}
		p.contests = append(p.contests, c)
	}
	return p, nil
}

// compete runs the loops of all seeds through one door, with and without summaries.
func compete(ctx context.Context, s scale, name string, open func(seed int64) (opened, error)) (contest, error) {
	c := contest{name, make([]outcome, s.seeds), make([]outcome, s.seeds)}
	err := study.ForEach(2*s.seeds, func(i int) (err error) {
		d, err := open(int64(i/2 + 1))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, d.close()) }()
		summary := i%2 == 0
		n, reached, err := climb(ctx, d, int64(i/2+1), summary, s.most)
		if summary {
			c.with[i/2] = outcome{n, reached}
		} else {
			c.without[i/2] = outcome{n, reached}
		}
		return err
	})
	return c, err
}

// quantile is that of the evaluations. A loop that did not reach the target counts as one
// that needs more than all others.
func quantile(all []outcome, q float64) (n int, reached bool) {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b outcome) int {
		if a.reached != b.reached {
			if a.reached {
				return -1
			}
			return 1
		}
		return a.evaluations - b.evaluations
	})
	o := sorted[int(q*float64(len(sorted)-1)+0.5)]
	return o.evaluations, o.reached
}
