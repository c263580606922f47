// SPDX-License-Identifier: Apache-2.0

package engine

import "windtunnel.dev/windtunnel/pkg/simulator"

// Asks says that the replicas of a pool may refuse a request when it arrives, or choose its rank,
// so that they have to be up to date then.
func Asks(p *simulator.Pool) bool {
	return p.Stability != nil && p.Stability.Admission == simulator.AdmitOrRefuse || bounded(p) || p.OnePort
}

func bounded(p *simulator.Pool) bool { return p.MaxQueuedRequests != nil || p.MaxQueuedTokens != nil }

// TurnsAway says whether the engine of an endpoint has as many requests or tokens as it may,
// and which. An API server counts all ranks behind its port together.
func (c *Cluster) TurnsAway(endpoint int) (simulator.Reason, bool) {
	pool := c.Replicas[endpoint].Config
	if !bounded(pool) {
		return 0, false
	}
	ranks := c.Replicas[endpoint : endpoint+1]
	if pool.OnePort {
		ranks = c.RanksOf(endpoint)
	}
	requests, tokens := 0, int64(0)
	for _, rank := range ranks {
		of, unanswered := rank.Intake()
		requests, tokens = requests+of, tokens+unanswered
	}
	switch {
	case pool.MaxQueuedRequests != nil && requests >= *pool.MaxQueuedRequests:
		return simulator.EngineQueueFull, true
	case pool.MaxQueuedTokens != nil && tokens >= int64(*pool.MaxQueuedTokens):
		return simulator.EngineTokensFull, true
	}
	return 0, false
}

// Intake is how many requests and prefill jobs the replica has, and of how many tokens the
// prompts are of those that it has given no token.
func (r *record) Intake() (requests int, unanswered int64) {
	return r.serving + r.prefills, r.unanswered
}
