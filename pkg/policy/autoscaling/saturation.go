// SPDX-License-Identifier: Apache-2.0

package autoscaling

import "time"

// saturation is the rule of the saturation analyser of llm-d's
// workload-variant-autoscaler (2026-02): it adds one replica where those that are not
// saturated have little room, and takes one away where the load of those, spread over one
// fewer, leaves enough. It adds none while replicas start, as they are to take the load.
// Package wva has the analyser itself, which reads the maxima of a minute, waits for what it
// asked for, and leaves the change of the replicas to an autoscaler.
type saturation struct {
	kvThreshold, queueThreshold float64 // of a saturated replica
	kvSpare, queueSpare         float64 // the room below which a replica is added
}

func readSaturation(l *loader) func() Scaler {
	s := saturation{
		kvThreshold:    l.Between("kvCacheThreshold", 0.01, 1, 0.80, "the share of KV blocks in use from which on a replica is saturated"),
		queueThreshold: l.Positive("queueLengthThreshold", 5, "the waiting requests from which on a replica is saturated"),
		kvSpare:        l.Between("kvSpareTrigger", 0, 1, 0.1, "the mean room below kvCacheThreshold of replicas that are not saturated below which a replica is added"),
		queueSpare:     l.Positive("queueSpareTrigger", 3, "the mean room below queueLengthThreshold below which a replica is added"),
	}
	if s.kvSpare >= s.kvThreshold {
		l.Invalid("kvSpareTrigger", "must be less than kvCacheThreshold")
	}
	if s.queueSpare >= s.queueThreshold {
		l.Invalid("queueSpareTrigger", "must be less than queueLengthThreshold")
	}
	return eachPoolOf(l, s, readCooldowns(l, 0, time.Duration(0)))
}

func (s saturation) propose(at *place) proposal {
	sample := at.Monitor.Latest(at.Now)
	if sample == nil || sample.scraped(at.pool) == 0 {
		return at.keep("no signal: no replica is up")
	}
	kv, queue, free := s.loads(at.pool, sample)
	kvSpare, queueSpare := 0.0, 0.0
	if free > 0 {
		kvSpare, queueSpare = s.kvThreshold-kv/float64(free), s.queueThreshold-queue/float64(free)
	}
	at.note("replicas not saturated", float64(free))
	at.note("spare KV", kvSpare)
	at.note("spare queue", queueSpare)
	lacks := kvSpare < s.kvSpare || queueSpare < s.queueSpare
	room := reasonf("%s a spare KV of %.3g and a spare queue of %.3g", counted(free, "replica is not saturated and has", "replicas are not saturated and have"), kvSpare, queueSpare)
	switch starting := at.pool.starting(); {
	case lacks && starting > 0:
		return at.keep("%s, too little, while %s", room, starts(starting))
	case lacks:
		return proposal{at.pool.Wanted + 1, room + ", too little"}
	case s.spareOne(kv, queue, free) && at.pool.Wanted > 1:
		return proposal{at.pool.Wanted - 1, room + ", enough with one replica fewer"}
	default:
		return at.keep("%s, and one replica fewer would have too little", room)
	}
}

// loads sums the loads of the replicas that are not saturated.
func (s *saturation) loads(p *Pool, sample *Sample) (kv, queue float64, free int) {
	for i := range p.Replicas {
		e := sample.Of(&p.Replicas[i])
		if e == nil || e.KVUsage >= s.kvThreshold || float64(e.Waiting) >= s.queueThreshold {
			continue
		}
		kv += e.KVUsage
		queue += float64(e.Waiting)
		free++
	}
	return kv, queue, free
}

// spareOne reports whether one fewer of the replicas that are not saturated can take the
// load of all of them.
func (s *saturation) spareOne(kv, queue float64, free int) bool {
	if free < 2 {
		return false
	}
	rest := float64(free - 1)
	return s.kvThreshold-kv/rest >= s.kvSpare && s.queueThreshold-queue/rest >= s.queueSpare
}
