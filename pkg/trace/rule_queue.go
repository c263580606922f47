// SPDX-License-Identifier: Apache-2.0

package trace

import "time"

// priorityInversion counts the requests during whose wait their replica gave a request of lower
// priority its first token: later than the margin after the arrival of the one, and earlier
// than the margin before its first token.
type priorityInversion struct {
	tally
	recent recent
	gap    time.Duration
	mixed  bool
	last   int
}

func (p *priorityInversion) ended(c *Collector, r *record) {
	if r.ttft < 0 || r.pick.replica == noReplica {
		return
	}
	p.mixed = p.mixed || p.looked > 0 && p.last != r.pick.priority
	p.last = r.pick.priority
	p.looked++
	here := p.recent.of(r.pick.replica)
	now := start{id: r.end.ID, priority: r.pick.priority, arrival: r.end.Arrival, first: r.end.FirstToken, bad: r.bad}
	if p.mixed {
		for i := range here.all {
			p.compare(c, &now, &here.all[i])
		}
	}
	r.counted = r.counted || now.counted
	here.add(now)
}

// compare counts the one of two requests that was passed over, once.
func (p *priorityInversion) compare(c *Collector, a, b *start) {
	if a.priority == b.priority {
		return
	}
	high, low := a, b
	if low.priority > high.priority {
		high, low = low, high
	}
	if high.counted || low.first.Sub(high.arrival) <= c.by.InversionMargin || high.first.Sub(low.first) <= c.by.InversionMargin {
		return
	}
	high.counted = true
	p.gap = max(p.gap, high.first.Sub(low.first))
	p.note(high.id, high.arrival, high.bad)
}

func (p *priorityInversion) anomalies(c *Collector) []Anomaly {
	if !p.found(&c.by) {
		return nil
	}
	return []Anomaly{p.anomaly(PriorityInversion, "", 2*p.share(), Value{"longest wait after one in s", p.gap.Seconds()})}
}

// headOfLine counts the requests that waited longer than they may, while their replica computed a
// prompt many times as long as theirs that had come before.
type headOfLine struct {
	tally
	recent recent
	prompt int
}

func (h *headOfLine) ended(c *Collector, r *record) {
	if r.ttft < 0 || r.pick.replica == noReplica {
		return
	}
	here := h.recent.of(r.pick.replica)
	h.looked++
	if over(r.ttft, r.limit) {
		for i := range here.all {
			b := &here.all[i]
			if b.prompt >= c.by.LongPrompt*r.end.PromptTokens && b.arrival < r.end.Arrival && b.first > r.end.Arrival && b.first <= r.end.FirstToken {
				h.prompt = max(h.prompt, b.prompt)
				h.add(r)
				break
			}
		}
	}
	here.add(start{id: r.end.ID, prompt: r.end.PromptTokens, arrival: r.end.Arrival, first: r.end.FirstToken})
}

func (h *headOfLine) anomalies(c *Collector) []Anomaly {
	if !h.found(&c.by) {
		return nil
	}
	return []Anomaly{h.anomaly(HeadOfLineBlocking, "", h.share(), Value{"longest prompt at the head, tokens", float64(h.prompt)})}
}
