// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"maps"
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// maxHeldRecords bounds what a sampler holds of one request in flight. A request with more is traced.
const maxHeldRecords = 64

// A sampler passes on the trace of some requests: of those whose hash is small, and of those that
// a rule on anomalies counts when they end. It holds what is known of the other requests in flight
// until they end. Records of no request are passed on.
type sampler struct {
	seed      uint64
	limit     uint64
	collector *insight.Collector
	tell      func(*RoutingRecord)
	record    func(result.Record)
	held      map[int64]*heldTrace
	// ending is the request whose end is being told; none is noRequest.
	ending int64
}

const noRequest = -1

// heldTrace is what is held of a request, in order; passed says that it is passed on from now on.
type heldTrace struct {
	all    []heldRecord
	passed bool
}

// heldRecord is a decision or another record.
type heldRecord struct {
	decision *RoutingRecord
	record   result.Record
}

// newSampler returns a sampler that watches a simulation. Call its method ended with the ends of requests
// after whatever tells of decisions.
func newSampler(c *simulator.Config, by *Tracing, tell func(*RoutingRecord), record func(result.Record)) *sampler {
	s := &sampler{
		seed: stats.HashString("trace/sample") ^ uint64(c.Seed), limit: uint64(by.Sample * math.MaxUint64),
		collector: insight.NewCounter(c, by.Thresholds), tell: tell, record: record, held: map[int64]*heldTrace{}, ending: noRequest,
	}
	s.collector.Watch(c)
	c.Ended = both(c.Ended, func(e simulator.RequestEnd) { s.ending = int64(e.ID) })
	return s
}

// samples reports whether the hash of a request has it traced whatever becomes of it.
func (s *sampler) samples(request int64) bool { return stats.Hash64(s.seed, uint64(request)) < s.limit }

func (s *sampler) decided(d *RoutingRecord) { s.take(int64(d.Request.ID), heldRecord{decision: d}) }

func (s *sampler) recorded(r result.Record) {
	if request, ok := r.About(); ok {
		s.take(request, heldRecord{record: r})
		return
	}
	s.record(r)
}

// take passes a record of a request on, or holds it. What follows the end of a request is the
// end of a copy of its blocks, or the decision on a request that the admission delayed to its end,
// which is an anomaly.
func (s *sampler) take(request int64, r heldRecord) {
	over := request != s.ending && !s.collector.InFlight(int(request))
	switch {
	case s.samples(request), over && r.decision != nil:
		s.pass(r)
		return
	case over:
		return
	}
	h := s.held[request]
	if h == nil {
		h = &heldTrace{}
		s.held[request] = h
	}
	h.all = append(h.all, r)
	if h.passed || len(h.all) > maxHeldRecords {
		s.release(h)
	}
}

// release passes on what is held of a request, and what follows.
func (s *sampler) release(h *heldTrace) {
	for _, r := range h.all {
		s.pass(r)
	}
	h.all, h.passed = h.all[:0], true
}

func (s *sampler) pass(r heldRecord) {
	if r.decision != nil {
		s.tell(r.decision)
		return
	}
	s.record(r.record)
}

// ended decides on a request that is over.
func (s *sampler) ended(e simulator.RequestEnd) {
	s.ending = noRequest
	h := s.held[int64(e.ID)]
	if h == nil {
		return
	}
	delete(s.held, int64(e.ID))
	if s.collector.Counted() {
		s.release(h)
	}
	h.drop()
}

func (h *heldTrace) drop() {
	for _, r := range h.all {
		if r.decision != nil {
			r.decision.Release()
		}
	}
}

// flush drops what is held of requests without a recorded end.
func (s *sampler) flush() {
	for _, request := range slices.Sorted(maps.Keys(s.held)) {
		s.held[request].drop()
	}
	clear(s.held)
}
