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
	Client  int             `json:"client"`
	Attempt int             `json:"attempt"`
	Origin  workload.Origin `json:"origin"`
}

func identityOf(q *workload.Request) identity { return identity{q.Client, q.Attempt, q.Origin} }

// Choices are what the real EPP chose.
type Choices struct {
	// Start is when the run began, by the clock of the machine; times of the workload are from then on.
	// Speed is how many seconds of the workload pass in one second: 1, unless it is set.
	Start time.Time
	Speed float64
	// endpoints are the numbers of endpoints by address.
	endpoints map[string]int
	of        map[identity]choice
	// last is the greatest ID of a request; -1 of none.
	last int
}

// choice is one decision. Times are of the workload, in nanoseconds.
type choice struct {
	// Request is the ID of the request.
	Request int `json:"request"`
	identity
	// Sent is when the request was sent, and Answered when the EPP's answer came.
	Sent     simtime.Time `json:"sent"`
	Answered simtime.Time `json:"answered"`
	// Chosen is when the EPP chose, and Ended when it had counted the end; 0 is unknown.
	Chosen simtime.Time `json:"chosen,omitempty"`
	Ended  simtime.Time `json:"ended,omitempty"`
	// Endpoint is the chosen one; -1 where the EPP chose none.
	Endpoint int `json:"endpoint"`
	// Scores are what the EPP gave each endpoint, by number; nil where it does not tell.
	Scores map[int]float64 `json:"scores,omitempty"`
}

// NewChoices returns no choices among endpoints, whose addresses are given in the order of their
// numbers.
func NewChoices(addresses []string) *Choices {
	c := &Choices{Speed: 1, endpoints: map[string]int{}, of: map[identity]choice{}, last: -1}
	for i, address := range addresses {
		c.endpoints[address] = i
	}
	return c
}

// answerTime is how long the answer of an EPP takes at most, where a request may wait for its choice.
const answerTime = 2 * time.Millisecond

// at is when the EPP chose. Where it does not tell, it is about a third of the way from the question to the answer, which has more messages, and,
// where requests wait for the choice, at most answerTime before the answer.
func (c *Choices) at(made *choice, waits bool) simtime.Time {
	if made.Chosen > 0 {
		return made.Chosen
	}
	took := (made.Answered - made.Sent) * 2 / 3
	if waits {
		took = min(took, simtime.Time(0).Add(c.ofWorkload(answerTime)))
	}
	return made.Answered - took
}

// Add takes the choice for a request that has ended.
func (c *Choices) Add(o *load.Outcome) {
	of := choice{Request: o.ID, identity: identityOf(&o.Request), Endpoint: -1, Sent: o.Arrival, Answered: max(o.Chosen, o.Arrival)}
	if number, known := c.endpoints[o.Endpoint]; known {
		of.Endpoint = number
	}
	for address, score := range o.Scores {
		number, known := c.endpoints[address]
		if !known {
			continue // no replica of the run
		}
		if of.Scores == nil {
			of.Scores = map[int]float64{}
		}
		of.Scores[number] = score
	}
	c.add(of)
}

func (c *Choices) add(made choice) {
	c.of[made.identity] = made
	c.last = max(c.last, made.Request)
}

// SetMoments takes when the EPP chose for a request, and when it had counted its end, by the clock of the machine; either
// is zero where it is unknown.
func (c *Choices) SetMoments(of func(request int) (chosen, ended time.Time)) {
	for name, made := range c.of { // in any order
		chosen, ended := of(made.Request)
		made.Chosen, made.Ended = c.inWorkload(chosen), c.inWorkload(ended)
		c.of[name] = made
	}
}

// inWorkload is the time of the workload at a time of the clock of the machine; 0 of the zero time.
func (c *Choices) inWorkload(at time.Time) simtime.Time {
	if at.IsZero() {
		return 0
	}
	return simtime.Time(0).Add(c.ofWorkload(at.Sub(c.Start)))
}

// wall is a time of the workload by the clock of the machine.
func (c *Choices) wall(at simtime.Time) time.Time {
	return c.Start.Add(time.Duration(float64(at) / c.Speed))
}

// ofWorkload is how long a time of the clock of the machine is in the workload.
func (c *Choices) ofWorkload(d time.Duration) time.Duration {
	return time.Duration(float64(d) * c.Speed)
}

// sent is when a request was sent.
func (c *Choices) sent(of identity) (simtime.Time, bool) {
	made, known := c.of[of]
	return made.Sent, known
}
