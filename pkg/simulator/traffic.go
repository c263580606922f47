// SPDX-License-Identifier: Apache-2.0

package simulator

// countAdmission counts a request that enters.
func (g *gateway) countAdmission(id int32) {
	if t := g.policies.Traffic; t != nil {
		q := &g.requests.all[id]
		t.Admit(g.now, &q.info)
		q.counted = true
	}
}

// countRejection counts a request that is turned away.
func (g *gateway) countRejection(id int32) {
	g.countEnd(id)
	if t := g.policies.Traffic; t != nil {
		t.Reject(g.now, &g.requests.all[id].info)
	}
}

// countCompletion counts a request whose answer ends whole.
func (g *gateway) countCompletion(q *request, good bool) {
	if t := g.policies.Traffic; t != nil {
		t.Complete(&q.info, good)
	}
}

// countEnd counts the end of a request, if it was admitted.
func (g *gateway) countEnd(id int32) {
	if q := &g.requests.all[id]; q.counted {
		g.policies.Traffic.End(&q.info)
		q.counted = false
	}
}
