// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
)

// window is the time over which the gateway takes rates, and step the least time between
// two looks at the counters.
const (
	window = time.Second
	step   = 100 * time.Millisecond
)

// signals are what a policy of the gateway sees of a tenant, as means over time unless
// said otherwise.
type signals struct {
	rate     float64 // arrivals per second
	burst    float64 // the greatest rate of a window ÷ the mean rate
	prompt   float64 // tokens of a prompt
	inFlight float64 // requests
	tokens   float64 // of prompts in flight
	work     float64 // prompt tokens that arrive per second
}

// cluster is what it sees of the replicas, of no tenant.
type cluster struct{ kvUse, waiting float64 }

// seen is what was seen under a workload.
type seen struct {
	tenants map[string]signals
	cluster cluster
}

// An observer admits every request and reads what an admission sees.
type observer struct {
	from, next simtime.Time
	looks      int
	sums       []signals // of inFlight and tokens
	peaks      []float64
	requests   []int64
	tokens     []int64
	cluster    cluster
}

// Admit implements [policy.Admission].
func (o *observer) Admit(view *policy.View, request *policy.Request) policy.AdmissionResponse {
	if view.Now < o.from {
		return policy.AdmissionResponse{}
	}
	o.requests[request.Tenant]++
	o.tokens[request.Tenant] += int64(request.Tokens)
	if view.Now < o.next {
		return policy.AdmissionResponse{}
	}
	o.next = view.Now.Add(step)
	o.looks++
	for i := range view.Traffic.Tenants {
		f := &view.Traffic.Tenants[i]
		o.sums[i].inFlight += float64(f.InFlight)
		o.sums[i].tokens += float64(f.InFlightTokens)
		o.peaks[i] = max(o.peaks[i], f.ArrivalRate(view.Now))
	}
	for i := range view.Scrapes {
		o.cluster.kvUse += view.Scrapes[i].KVUsage / float64(len(view.Scrapes))
		o.cluster.waiting += float64(view.Scrapes[i].Waiting) / float64(len(view.Scrapes))
	}
	return policy.AdmissionResponse{}
}

// observe runs a workload without a protection and returns what was seen.
func observe(ctx context.Context, s *sample, workload string) (seen, error) {
	config, err := s.config(unprotected, workload, 1)
	if err != nil {
		return seen{}, err
	}
	labels, horizon := config.Source.Labels(), config.Horizon
	n, from := len(labels.Tenants), simtime.Time(0).Add(horizon.WarmUp)
	o := &observer{
		from: from, next: from, sums: make([]signals, n), peaks: make([]float64, n), requests: make([]int64, n), tokens: make([]int64, n),
	}
	config.Policies.Admission, config.Policies.Traffic = o, policy.NewTraffic(n, len(labels.Classes), window)
	if _, err := simulation.Run(ctx, config); err != nil {
		return seen{}, err
	}
	seconds, looks := (horizon.Duration - horizon.WarmUp).Seconds(), float64(o.looks)
	all := seen{map[string]signals{}, cluster{o.cluster.kvUse / looks, o.cluster.waiting / looks}}
	for i, name := range labels.Tenants {
		requests, tokens := float64(o.requests[i]), float64(o.tokens[i])
		all.tenants[name] = signals{
			rate: requests / seconds, burst: o.peaks[i] * seconds / requests, prompt: tokens / requests,
			inFlight: o.sums[i].inFlight / looks, tokens: o.sums[i].tokens / looks, work: tokens / seconds,
		}
	}
	return all, nil
}
