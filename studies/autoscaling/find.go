// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/studies/study"
)

// scale is how much the study does.
type scale struct {
	loads    []load
	startups []time.Duration
}

// dayFactor multiplies the rates of the day.
const dayFactor = 1.25

// fullScale is that of the page: the peak needs eight replicas.
func fullScale() scale {
	return scale{
		loads:    []load{day(dayFactor), spike()},
		startups: []time.Duration{30 * time.Second, 3 * time.Minute, 10 * time.Minute},
	}
}

// contest is a load on a cluster.
type contest struct {
	load    *load
	cluster *cluster
	cells   []cell
}

// cell is a policy with a time to start.
type cell struct {
	contender *contender
	// startup is 0 where it makes no difference.
	startup time.Duration
	// figures are those of metrics, by seed.
	figures map[string][]float64
}

// metrics are those that the page has.
var metrics = []string{
	"goodput", "replicaHours", "goodRequestsPerReplicaHour", "recoveryTime", "scaling.events", "scaling.reversalsPerHour",
	"scaling.lostRequests", "pdRatioDrift",
	"utilization{pool=prefill}", "scaledReplicas.mean{pool=prefill}", "utilization{pool=decode}", "scaledReplicas.mean{pool=decode}",
}

// mean is that of a metric over the seeds.
func (c *cell) mean(metric string) float64 { return c.interval(metric).Mean }

func (c *cell) interval(metric string) stats.Interval {
	all, ok := c.figures[metric]
	if !ok {
		panic("autoscaling: metric " + metric + " was not kept")
	}
	return stats.MeanInterval(all, 0.95)
}

// findings are what the page shows.
type findings struct {
	scale    scale
	clusters []*cluster
	contests []*contest
	answers  []published
}

// find runs everything. It writes a line for each part.
func find(ctx context.Context, s scale, progress io.Writer) (*findings, error) {
	f := &findings{scale: s}
	for _, c := range []struct {
		name, text string
		trials     []trial
	}{
		{"monolithic", monolithic, []trial{{[]int{1}, 4, 12, 0.5}}},
		{"disaggregated", disaggregated, []trial{{[]int{1, 6}, 16, 40, 1}, {[]int{3, 1}, 4, 14, 0.5}}},
	} {
		cluster, err := readCluster(c.name, c.text)
		if err != nil {
			return nil, err
		}
		if err := cluster.measure(ctx, c.trials); err != nil {
			return nil, err
		}
		fmt.Fprintf(progress, "%s: %.4g\n", c.name, cluster.pools)
		f.clusters = append(f.clusters, cluster)
		for i := range s.loads {
			f.contests = append(f.contests, &contest{load: &s.loads[i], cluster: cluster})
		}
	}
	for _, c := range f.contests {
		if err := c.play(ctx, s.startups); err != nil {
			return nil, err
		}
		fmt.Fprintf(progress, "%s, %s: %d cells\n", c.load.name, c.cluster.name, len(c.cells))
	}
	var err error
	f.answers, err = publishedCases()
	return f, err
}

// fill makes the cells, without figures.
func (c *contest) fill(startups []time.Duration) {
	all := contenders()
	for i := range all {
		one := &all[i]
		times := startups
		if one.rate != nil {
			times = []time.Duration{0}
		}
		for _, startup := range times {
			if s := c.at(startup); one.can == nil || one.can(&s) {
				c.cells = append(c.cells, cell{contender: one, startup: startup})
			}
		}
	}
}

// play lets each policy meet the load.
func (c *contest) play(ctx context.Context, startups []time.Duration) error {
	c.fill(startups)
	return study.ForEach(len(c.cells), func(i int) error {
		cell := &c.cells[i]
		s := c.at(cell.startup)
		documents, err := c.cluster.simulate(ctx, c.load.seeds, cell.contender.edits(&s)...)
		if err != nil {
			return fmt.Errorf("%s: %w", cell.contender.name, err)
		}
		cell.figures = map[string][]float64{}
		for _, metric := range metrics {
			for _, d := range documents {
				cell.figures[metric] = append(cell.figures[metric], value(d, metric))
			}
		}
		return nil
	})
}

func (c *contest) at(startup time.Duration) setting { return setting{c.load, c.cluster, startup} }

// of returns the cell of a policy; a policy without a time to start has one cell.
func (c *contest) of(name string, startup time.Duration) *cell {
	for i := range c.cells {
		if c.cells[i].contender.name == name && (c.cells[i].startup == startup || c.cells[i].contender.rate != nil) {
			return &c.cells[i]
		}
	}
	panic(fmt.Sprintf("autoscaling: no policy %s with %s", name, startup))
}
