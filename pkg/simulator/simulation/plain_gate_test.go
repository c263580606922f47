// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"fmt"
	"slices"
)

// plainGate is where requests wait that the router keeps back.
type plainGate struct {
	waiting []*plainRequest
}

// release asks the router who may go until nobody may, and when to ask again.
func (p *plain) release() {
	if p.Policies.Routing.Queue == nil {
		return
	}
	for {
		p.tellAll()
		released, ok := p.Policies.Routing.Queue.Release(p.look())
		if !ok {
			break
		}
		at := slices.IndexFunc(p.waiting, func(q *plainRequest) bool { return q.Info.ID == released.Request })
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
	at, ok := p.Policies.Routing.Queue.Wake(p.now)
	if !ok || at < p.now {
		panic(fmt.Sprintf("at %v: %d are kept and the next wake is at %v", p.now, len(p.waiting), at))
	}
	p.schedule(plainEvent{at: at, kind: plainRelease})
}

// noteWait notes how long a request was kept that goes to an endpoint now.
func (p *plain) noteWait(q *plainRequest) {
	if queue := p.Policies.Routing.Queue; queue != nil && queue.Queues(&q.Info) {
		p.metrics.Touch(p.now, q.Cell).GatewayQueueing.Record(int64(p.now.Sub(q.RoutedAt)))
	}
}
