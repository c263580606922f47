// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"fmt"
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy"
)

// plainGate is where requests wait that the router keeps back.
type plainGate struct {
	holder  policy.Holder  // nil where it keeps none
	revoker policy.Revoker // nil where it ends none
	waiting []*plainRequest
}

func (p *plain) openGate() {
	if h, ok := p.Router.(policy.Holder); ok && h.Holds() {
		p.holder = h
		if v, ok := h.(policy.Revoker); ok && v.Revokes() {
			p.revoker = v
		}
	}
}

// release asks the router who may go until nobody may, and when to ask again.
func (p *plain) release() {
	if p.holder == nil {
		return
	}
	for {
		p.view.Now = p.now
		p.tellAll()
		released, ok := p.holder.Release(&p.view)
		if !ok {
			break
		}
		at := slices.IndexFunc(p.waiting, func(q *plainRequest) bool { return q.info.ID == released.Request })
		q := p.waiting[at]
		p.waiting = slices.Delete(p.waiting, at, at+1)
		if q.accepted {
			p.sendAgainTo(q, released.Decision, released.Err)
			continue
		}
		p.forget(q)
		p.sendTo(q, released.Decision, released.Err)
	}
	p.events = slices.DeleteFunc(p.events, func(e plainEvent) bool { return e.kind == plainRelease })
	if len(p.waiting) == 0 {
		return
	}
	at, ok := p.holder.Wake(p.now)
	if !ok || at <= p.now {
		panic(fmt.Sprintf("at %v: %d are kept and the next wake is at %v", p.now, len(p.waiting), at))
	}
	p.schedule(plainEvent{at: at, kind: plainRelease})
}

// noteWait notes how long a request was kept that goes to an endpoint now.
func (p *plain) noteWait(q *plainRequest) {
	if p.holder != nil {
		p.metrics.touch(p.now, q.cell).GatewayQueueing.Record(int64(p.now.Sub(q.asked)))
	}
}
