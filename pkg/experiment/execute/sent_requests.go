// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// sentRequests are where the requests that have not ended come from, by ID. The simulator
// does not need to know.
type sentRequests map[int]sentRequest

// sentRequest is the origin of an attempt. first is the ID of the first attempt.
type sentRequest struct {
	workload.Origin
	client, attempt, first int
}

// watchSent has a simulation's source note what it sends.
func watchSent(c *simulator.Config) sentRequests {
	sent := sentRequests{}
	c.Source = sentBy{c.Source, sent}
	return sent
}

// take returns a request that has ended, and forgets it.
func (s sentRequests) take(id int) sentRequest {
	r := s[id]
	delete(s, id)
	return r
}

// sentBy is a source that notes what it sends.
type sentBy struct {
	workload.Source
	sent sentRequests
}

// Close implements [io.Closer].
func (s sentBy) Close() error { return workload.Close(s.Source) }

// Next implements [workload.Source].
func (s sentBy) Next() (workload.Request, bool) {
	r, ok := s.Source.Next()
	if ok {
		s.sent[r.ID] = sentRequest{r.Origin, r.Client, r.Attempt, r.First}
	}
	return r, ok
}
