// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	_ "embed" // the clusters
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/studies/study"
)

//go:embed monolithic.yaml
var monolithic string

//go:embed disaggregated.yaml
var disaggregated string

// cluster is a run that the study varies.
type cluster struct {
	name string
	run  *v1alpha1.SimulationRun
	// pools are what one replica of each pool does at the greatest rate at which it serves
	// its requests within their targets.
	pools []abilities
}

// abilities are what one replica does per second.
type abilities struct{ requests, promptTokens, generatedTokens float64 }

// headroom is what replicas are to be able to do beyond their load.
const headroom = 0.1

// served is the share of the requests within their targets that counts as all.
const served = 0.99

// An edit changes a scenario.
type edit func(*v1alpha1.Scenario)

// readCluster reads a cluster without its abilities.
func readCluster(name, text string) (*cluster, error) {
	set, err := manifest.Read(strings.NewReader(text), name+".yaml")
	if err != nil {
		return nil, err
	}
	return &cluster{name: name, run: set.Runs[0]}, nil
}

// simulate runs the cluster with edits under some seeds.
func (c *cluster) simulate(ctx context.Context, seeds []int64, edits ...edit) ([]*result.Document, error) {
	run := c.run.DeepCopy()
	for _, e := range edits {
		e(&run.Spec.Scenario)
	}
	run.Spec.Replications = v1alpha1.Replications{Seeds: seeds}
	compiled, errs, err := compile.Run(ctx, run, nil)
	if err != nil || len(errs) > 0 {
		return nil, fmt.Errorf("%s: %w", c.name, errors.Join(err, errs.ToAggregate()))
	}
	done, err := execute.RunLocally(ctx, compiled.Plan, compiled.Traces, execute.Options{Parallelism: 1}) // runs go side by side
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.name, err)
	}
	return done.Documents, nil
}

// replicas keeps a number of replicas of each pool.
func replicas(counts []int) edit {
	return func(s *v1alpha1.Scenario) {
		for i, n := range counts {
			s.Pools[i].Replicas = int32(n)
		}
		s.Scalers[0].Policy = "fixed"
		s.Scalers[0].Parameters = map[string]v1alpha1.PolicyParameter{"replicas": v1alpha1.PolicyParameter(listed(counts))}
	}
}

// listed writes replicas as parameters of policies have them.
func listed(counts []int) string {
	words := make([]string, len(counts))
	for i, n := range counts {
		words[i] = fmt.Sprint(n)
	}
	return strings.Join(words, ":")
}

// trial is a pool of one replica, in a cluster whose other pool has more than it needs.
type trial struct {
	counts   []int
	from, to float64 // requests per second
	by       float64
}

func (t trial) rates() []float64 {
	var all []float64
	for r := t.from; r <= t.to; r += t.by {
		all = append(all, r)
	}
	return all
}

// measure finds the abilities of the replicas.
func (c *cluster) measure(ctx context.Context, trials []trial) error {
	for _, t := range trials {
		rates := t.rates()
		done := make([]*result.Document, len(rates))
		err := study.ForEach(len(rates), func(i int) error {
			all, err := c.simulate(ctx, []int64{1}, replicas(t.counts), steady(rates[i]))
			if err == nil {
				done[i] = all[0]
			}
			return err
		})
		if err != nil {
			return err
		}
		best := -1
		for i := range rates {
			if value(done[i], "goodput") < served {
				break
			}
			best = i
		}
		if best < 0 || best == len(rates)-1 {
			return fmt.Errorf("%s with %s replicas: the greatest rate within the targets is not between %v and %v", c.name, listed(t.counts), t.from, t.to)
		}
		c.pools = append(c.pools, abilities{
			requests:     rates[best],
			promptTokens: value(done[best], "throughput.inputTokens"), generatedTokens: value(done[best], "throughput.outputTokens"),
		})
	}
	return nil
}

// steady is a constant rate for a quarter of an hour.
func steady(perSecond float64) edit {
	return func(s *v1alpha1.Scenario) {
		l := load{stages: []stage{{perSecond, 15 * time.Minute}}}
		l.arrivals(s, 1)
		s.Horizon.Warmup = "3m"
	}
}

// need returns the replicas of each pool for a rate.
func (c *cluster) need(perSecond float64) []int {
	var all []int
	for _, p := range c.pools {
		all = append(all, max(int(math.Ceil(perSecond*(1+headroom)/p.requests)), 1))
	}
	return all
}

// value is that of a metric, which the document has to have.
func value(d *result.Document, metric string) float64 {
	v, ok := d.Value(result.MustParseMetric(metric))
	if !ok {
		return math.NaN()
	}
	return v
}
