// SPDX-License-Identifier: Apache-2.0

package insight

// pdBackpressure counts the requests with a prefill endpoint apart whose decode endpoint was
// loaded when the router picked it: a queue there, longer than the one for prefill.
type pdBackpressure struct {
	tally
	decode, prefill, running int
}

func (b *pdBackpressure) ended(c *Collector, r *record) {
	p := &r.pick
	if p.decodes == noReplica {
		return
	}
	b.looked++
	b.decode += p.there.waiting
	b.prefill += p.here.waiting
	b.running += p.there.running
	if p.there.waiting >= c.by.Waiting && p.there.waiting > p.here.waiting {
		b.add(r)
	}
}

func (b *pdBackpressure) anomalies(c *Collector) []Anomaly {
	if !b.found(&c.by) {
		return nil
	}
	return []Anomaly{b.anomaly(PDBackpressure, "", 2*b.share(),
		Value{"mean queue of decode endpoints", ratio(b.decode, b.looked)}, Value{"mean queue of prefill endpoints", ratio(b.prefill, b.looked)},
		Value{"mean running on decode endpoints", ratio(b.running, b.looked)})}
}
