// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"maps"
	"slices"
)

// Record is what a replica of another process noted of a rehearsal.
type Record struct {
	// Scrapes are what was read from its metrics.
	Scrapes []scrape `json:"scrapes"`
	// Times are those of requests with a token, by the clock of the engine and the client's ID.
	Times map[string]requestTimes `json:"times"`
}

// RecordOf is the record of an endpoint.
func RecordOf(endpoint int, s *Scrapes, e *EngineTimes) *Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	r := &Record{Scrapes: slices.Clone(s.of[endpoint]), Times: map[string]requestTimes{}}
	for request := range e.streams { // in any order
		if took, is := e.timesOf(request); is {
			r.Times[request] = took
		}
	}
	return r
}

// Add takes the record of an endpoint.
func (r *Record) Add(endpoint int, s *Scrapes, e *EngineTimes) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of[endpoint] = append(s.of[endpoint], r.Scrapes...)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.told == nil {
		e.told = map[string]requestTimes{}
	}
	maps.Copy(e.told, r.Times)
}
