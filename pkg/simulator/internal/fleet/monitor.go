// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
)

// read scrapes what the monitor of a unit scrapes, now.
func (x *Scaling) read(u *Unit) {
	sample := u.Monitor.Take(x.Now)
	sample.Gateway = x.gateway.Flows[u.Router]
	sample.Gateway.Queued = x.gateway.Queued(u.Router)
	u.figures.scraped(x.Now, &sample.Gateway)
	sample.Router.Reset()
	if m := x.gateway.Policies.Routing.Metrics; m != nil {
		m.Export(x.gateway.Show(), u.Router, &sample.Router)
	}
	sample.Replicas, sample.Unavailable = 0, 0
	place := 0
	for k := range u.Pools {
		for endpoint := range x.Of(u, k) {
			sample.Engines[place] = x.engine(endpoint)
			if stage := x.Lives[endpoint].Stage; stage.Exists() {
				sample.Replicas++
				if !stage.Serves() {
					sample.Unavailable++
				}
			}
			place++
		}
	}
}

// engine is what the metrics endpoint of a replica shows now.
func (x *Scaling) engine(endpoint int) autoscaling.Engine {
	l, r := &x.Lives[endpoint], &x.cluster.Replicas[endpoint]
	if !l.Stage.Serves() && l.Stage != autoscaling.Draining {
		return autoscaling.Engine{}
	}
	scrape := r.Scraped(x.Now)
	return autoscaling.Engine{
		Up: true, Started: l.ready,
		Running: scrape.Running, Waiting: scrape.Waiting, KVUsage: scrape.KVUsage,
		Counters:          r.Engine(x.Now, &scrape),
		TimeToFirstToken:  r.Exports.Latencies.FirstTokens,
		InterTokenLatency: r.Exports.Latencies.Gaps,
		Finished:          r.Exports.Finished,
		Busy:              r.Worked(),
	}
}
