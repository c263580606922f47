// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"runtime"
	"strconv"

	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// tried is what became of one ratio of the weights, by seed.
type tried struct {
	ratio float64
	// growth is the backlog's, as a share of what arrives; ttft99 is in seconds.
	growth, ttft99 []float64
}

// outcome is a sweep that is over.
type outcome struct {
	tried []tried
	// finding is what the compiler says of prefix over load; empty where that is
	// nothing.
	finding string
}

const (
	growthMetric = result.BacklogGrowth
	ttftMetric   = "ttft.p99"
	rule         = "prefix-over-load"
)

// conduct runs a sweep whose only parameter is the weight of prefixes, where that
// of load is 1.
func conduct(ctx context.Context, sweep *v1alpha1.PolicySweep) (*outcome, error) {
	compiled, errs, err := compile.Sweep(ctx, sweep, nil)
	if err != nil || len(errs) > 0 {
		return nil, errors.Join(err, errs.ToAggregate())
	}
	study, err := execute.RunLocally(ctx, compiled.Plan, compiled.Traces, execute.Options{Parallelism: runtime.GOMAXPROCS(0)})
	if err != nil {
		return nil, err
	}
	o := &outcome{}
	for _, f := range compiled.Plan.Findings {
		if f.Rule == rule {
			o.finding = f.Message
		}
	}
	for _, point := range study.Points() {
		ratio, err := strconv.ParseFloat(point.Values[0].Value, 64)
		if err != nil {
			return nil, err
		}
		o.tried = append(o.tried, tried{ratio: ratio})
	}
	for _, row := range study.Rows() {
		t := &o.tried[row.Point]
		growth, _ := row.Metrics.Get(growthMetric)
		ttft, _ := row.Metrics.Get(ttftMetric)
		t.growth, t.ttft99 = append(t.growth, growth), append(t.ttft99, ttft)
	}
	return o, nil
}

// confidence is that of holding and breaking, one-sided.
const confidence = 0.95

// grows says that the backlog does, with confidence and by more than keeps up
// with noise.
func (t *tried) grows() bool { return stats.LowerBound(t.growth, confidence) > enough }

// holds says that it does not, with confidence.
func (t *tried) holds() bool { return stats.UpperBound(t.growth, confidence) <= enough }

// enough is the share of what arrives that a backlog grows by where the sample's
// constraint breaks.
const enough = 0.05

// bracket returns the highest ratio that holds of those below the least one at
// which the backlog grows. Either may be nil.
func (o *outcome) bracket() (holds, grows *tried) {
	for i := range o.tried {
		if t := &o.tried[i]; t.grows() && (grows == nil || t.ratio < grows.ratio) {
			grows = t
		}
	}
	for i := range o.tried {
		t := &o.tried[i]
		if t.holds() && (grows == nil || t.ratio < grows.ratio) && (holds == nil || t.ratio > holds.ratio) {
			holds = t
		}
	}
	return holds, grows
}

// overValues has a sweep try listed ratios.
func overValues(sweep *v1alpha1.PolicySweep, ratios []string) *v1alpha1.PolicySweep {
	sweep = sweep.DeepCopy()
	sweep.Spec.Parameters[0].Range, sweep.Spec.Parameters[0].Values = nil, ratios
	sweep.Spec.Search = v1alpha1.Search{Algorithm: v1alpha1.GridSearch, MaxTrials: 1000, Seed: 1}
	return sweep
}

// workload is what requests are like.
type workload struct {
	name                string
	prefix, least, most int32 // tokens; of what follows the prefix, from and to
}

// shares are the least and the greatest share of a prompt's blocks that lie in
// the prefix.
func (w workload) shares() (least, most float64) {
	share := func(rest int32) float64 { return float64(w.prefix/16) / float64((w.prefix+rest)/16) }
	return share(w.most), share(w.least)
}

// differs reports whether prompts are of more than one length.
func (w workload) differs() bool { return w.least != w.most }

// of puts the workload into a sweep.
func (w workload) of(sweep *v1alpha1.PolicySweep) *v1alpha1.PolicySweep {
	sweep = sweep.DeepCopy()
	client := &sweep.Spec.Scenario.Workload.Clients[0]
	client.Prefix.Tokens = w.prefix
	client.InputTokens = v1alpha1.Lengths{Distribution: v1alpha1.UniformLengths, Min: w.least, Max: ptr.To(w.most)}
	if !w.differs() {
		client.InputTokens = v1alpha1.Lengths{
			Distribution: v1alpha1.ConstantLengths, Mean: v1alpha1.PositiveDecimal(strconv.Itoa(int(w.least))), Min: 1,
		}
	}
	return sweep
}
