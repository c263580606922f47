// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/studies/manifests"
)

// pool is what a metric was for each point under each of many seeds. Their mean
// is taken for the truth.
type pool struct {
	metric string
	values [][]float64 // by point and seed
	// base and best are the baseline and the point with the least mean.
	base, best int
	draws      int
}

// simulate simulates all points of a sweep under that many seeds, and returns a
// pool for each metric.
func simulate(ctx context.Context, path string, metrics []string, requests, seeds int) ([]*pool, error) {
	sweep, err := manifests.Sweep(path)
	if err != nil {
		return nil, err
	}
	n, first, count := int64(requests), int64(1), int32(seeds)
	sweep.Spec.Scenario.Horizon.Requests = &n
	sweep.Spec.Replications = v1alpha1.Replications{Seed: &first, Count: &count}
	sweep.Spec.Search.Confirm, sweep.Spec.Gates, sweep.Spec.Promote = nil, nil, nil
	compiled, errs, err := compile.Sweep(ctx, sweep, nil)
	if err != nil || len(errs) > 0 {
		return nil, errors.Join(err, errs.ToAggregate())
	}
	done, err := execute.RunLocally(ctx, compiled.Plan, compiled.Traces, execute.Options{Parallelism: runtime.GOMAXPROCS(0)})
	if err != nil {
		return nil, err
	}
	pools := make([]*pool, len(metrics))
	for i, metric := range metrics {
		pools[i] = newPool(metric, done.Rows(), len(done.Points()), done.BaselinePoint())
	}
	return pools, nil
}

func newPool(metric string, rows []result.Row, points, base int) *pool {
	p := &pool{metric: metric, values: make([][]float64, points), base: base}
	for _, row := range rows {
		value, _ := row.Metrics.Get(metric)
		p.values[row.Point] = append(p.values[row.Point], value)
	}
	for point := range p.values {
		if p.truth(point) < p.truth(p.best) {
			p.best = point
		}
	}
	return p
}

// truth is a point's mean under all seeds.
func (p *pool) truth(point int) float64 { return stats.MeanInterval(p.values[point], 0.5).Mean }

// draw calls look with a number of different seeds, again and again.
func (p *pool) draw(purpose string, n int, look func(seeds []int)) {
	stream := stats.NewStream(1, fmt.Sprintf("statistics/%s/%d", purpose, n))
	seeds := make([]int, len(p.values[0]))
	for i := range seeds {
		seeds[i] = i
	}
	for range p.draws {
		for i := range n {
			j := i + stream.IntN(len(seeds)-i)
			seeds[i], seeds[j] = seeds[j], seeds[i]
		}
		look(seeds[:n])
	}
}

// at are a point's values under some seeds.
func (p *pool) at(point int, seeds []int) []float64 {
	xs := make([]float64, len(seeds))
	for i, seed := range seeds {
		xs[i] = p.values[point][seed]
	}
	return xs
}
