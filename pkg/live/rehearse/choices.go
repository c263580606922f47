// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/live/load"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// identity names a request of a source, whenever it arrives.
type identity struct {
	client, attempt int
	workload.Origin
}

func identityOf(q *workload.Request) identity { return identity{q.Client, q.Attempt, q.Origin} }

// Choices are what the real EPP chose.
type Choices struct {
	// Start is when the run began, by the clock of the machine; times of the workload are from then on.
	Start time.Time
	// endpoints are the numbers of endpoints by address.
	endpoints map[string]int
	of        map[identity]choice
}

// choice is one decision.
type choice struct {
	// endpoint is the chosen one; -1 where the EPP chose none.
	endpoint int
	// sent is when the request was sent, in time of the workload.
	sent simtime.Time
	// at is when the EPP chose: about half way between question and answer.
	at time.Time
	// scores are what the EPP gave each endpoint, by number; nil where it does not tell.
	scores map[int]float64
}

// NewChoices returns no choices among endpoints, whose addresses are given in the order of their
// numbers.
func NewChoices(addresses []string) *Choices {
	c := &Choices{endpoints: map[string]int{}, of: map[identity]choice{}}
	for i, address := range addresses {
		c.endpoints[address] = i
	}
	return c
}

// Add takes the choice for a request that has ended.
func (c *Choices) Add(o *load.Outcome) {
	of := choice{endpoint: -1, sent: o.Arrival, at: c.Start.Add((o.Arrival + max(o.Chosen-o.Arrival, 0)/2).Sub(0))}
	if number, known := c.endpoints[o.Endpoint]; known {
		of.endpoint = number
	}
	for address, score := range o.Scores {
		if of.scores == nil {
			of.scores = map[int]float64{}
		}
		of.scores[c.endpoints[address]] = score
	}
	c.of[identityOf(&o.Request)] = of
}

// sent is when a request was sent.
func (c *Choices) sent(of identity) (simtime.Time, bool) {
	made, known := c.of[of]
	return made.sent, known
}
