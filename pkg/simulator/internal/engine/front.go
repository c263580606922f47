// SPDX-License-Identifier: Apache-2.0

package engine

// Hidden says that an endpoint is a rank behind the port of another one, so that no router
// chooses it.
func (c *Cluster) Hidden(endpoint int) bool { return c.Front(endpoint) != endpoint }

// Front is the endpoint that a router sees of a rank: the first rank of the replica where its
// API server chooses among them, and otherwise the rank itself.
func (c *Cluster) Front(endpoint int) int {
	if r := &c.Replicas[endpoint]; r.Config.OnePort {
		return endpoint - r.Rank
	}
	return endpoint
}

// Balance is the rank that serves a request sent to an endpoint: where the API server of the
// replica chooses, the one with the least 4 × waiting + running requests, and the first of those.
func (c *Cluster) Balance(endpoint int) int {
	if !c.Replicas[endpoint].Config.OnePort {
		return endpoint
	}
	best, least := endpoint, 0
	ranks := c.RanksOf(endpoint)
	for i := range ranks {
		requests, _ := ranks[i].Intake()
		running := len(ranks[i].Batch.Running)
		if load := 4*(requests-running) + running; i == 0 || load < least {
			best, least = int(ranks[i].Index), load
		}
	}
	return best
}
