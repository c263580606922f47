// SPDX-License-Identifier: Apache-2.0

package insight

// hotReplica finds the replica that gets far more than its share of prompts, while others
// have shorter queues.
type hotReplica struct{ replicas []share }

// share is what a replica gets of the picks at which it was a candidate.
type share struct {
	tally
	// fair is the sum of its equal shares.
	fair float64
	// waiting is the sum of its queue at its own picks, least that of the shortest queue then.
	waiting, least int
}

func (h *hotReplica) ended(_ *Collector, r *record) {
	p := &r.pick
	if p.replica == noReplica || len(p.place) < 2 {
		return
	}
	least := p.waiting[0]
	for i, replica := range p.place {
		s := &h.replicas[replica]
		s.looked++
		s.fair += 1 / float64(len(p.place))
		least = min(least, p.waiting[i])
	}
	s := &h.replicas[p.replica]
	s.waiting += p.here.waiting
	s.least += int(least)
	s.note(r.end.ID, r.end.Arrival, r.bad) // which is nothing wrong yet
}

func (h *hotReplica) anomalies(c *Collector) []Anomaly {
	var all []Anomaly
	for i := range h.replicas {
		s := &h.replicas[i]
		excess := float64(s.count) / max(s.fair, 1)
		mean, least := ratio(s.waiting, s.count), ratio(s.least, s.count)
		if !s.found(&c.by) || excess < c.by.HotShare || mean < least+float64(c.by.Waiting) {
			continue
		}
		all = append(all, s.anomaly(HotReplica, c.names[i], (excess-1)/2,
			Value{"times its equal share", excess}, Value{"mean queue when picked", mean}, Value{"mean shortest queue then", least}))
	}
	return all
}
