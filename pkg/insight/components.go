// SPDX-License-Identifier: Apache-2.0

package insight

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

// An Example is what a component of a policy was given, what it did, and what came of it.
type Example struct {
	Inputs           string `json:"Inputs"`
	GeneratedOutputs string `json:"Generated Outputs"`
	Feedback         string `json:"Feedback"`
}

// The components of a policy that have examples, by their names in a PolicyBundle.
const (
	admissionComponent = "admission"
	priorityComponent  = "priority"
	routingComponent   = "routing"
	schedulerComponent = "scheduler"
	autoscaleComponent = "autoscale"
)

// exampled bounds the examples of a component, and listed the endpoints that one lists.
const (
	exampled = 4
	listed   = 8
)

// components keeps the worst decisions of each component.
type components struct {
	// late are the requests that waited longest for their first token against their limit,
	// one for each replica that computes the prompt: what goes wrong at once is much alike.
	late map[int]*record
	// rejected are those that the admission rejected while the fewest requests waited, and
	// admitted is the one that it admitted and that waited longest.
	rejected []*record
	admitted *record
	asked    bool // an admission was
	changes  changes
}

// add looks at a request that ended.
func (n *components) add(r *record) {
	n.changes.add(r)
	if !r.end.Measured {
		return
	}
	n.asked = n.asked || r.verdict.said != ""
	if r.verdict.said == scheduler.Rejected {
		n.reject(r)
	}
	if r.pick.replica == noReplica || r.late() == 0 {
		return
	}
	if later(r, n.late[r.pick.replica]) {
		n.late[r.pick.replica] = r
	}
	if later(r, n.admitted) {
		n.admitted = r
	}
}

// later reports whether a request waited longer than another one, or nil. The first one of
// several stays.
func later(r, than *record) bool {
	return than == nil || r.late() > than.late() || r.late() == than.late() && r.end.ID < than.end.ID
}

func (n *components) reject(r *record) {
	at, _ := slices.BinarySearchFunc(n.rejected, r, func(a, b *record) int {
		return cmp.Or(cmp.Compare(a.verdict.waiting, b.verdict.waiting), cmp.Compare(a.end.ID, b.end.ID))
	})
	if at < exampled-1 {
		n.rejected = slices.Insert(n.rejected, at, r)
		n.rejected = n.rejected[:min(len(n.rejected), exampled-1)]
	}
}

// A verdict is what an admission said, and how many requests waited at the endpoints then;
// negative where that is not known.
type verdict struct {
	said, reason string
	waiting      int
}

func verdictOf(x *scheduler.Explanation) verdict {
	if len(x.Verdicts) == 0 {
		return verdict{}
	}
	last := &x.Verdicts[len(x.Verdicts)-1]
	v := verdict{last.Verdict, last.Reason, -1}
	if len(x.Endpoints) > 0 {
		v.waiting = 0
	}
	for i := range x.Endpoints {
		v.waiting += x.Endpoints[i].Waiting
	}
	return v
}

// components describes the worst decisions of each component that decided something.
func (c *Collector) components() map[string][]Example {
	all := map[string][]Example{}
	for _, r := range c.examples.latest() {
		d := c.decision(r)
		all[routingComponent] = append(all[routingComponent], Example{d.request() + "; " + c.seen(r) + "; " + d.Known(), "sent to " + d.Where(), d.feedback()})
		all[schedulerComponent] = append(all[schedulerComponent], Example{d.request() + fmt.Sprintf("; came to %s with %d waiting and %d running", d.Replica, d.Waiting, d.Running), served(r), d.feedback()})
		all[priorityComponent] = append(all[priorityComponent], Example{d.request(), fmt.Sprintf("priority %d", r.pick.priority), d.feedback()})
	}
	if c.examples.asked {
		for _, r := range c.examples.rejected {
			all[admissionComponent] = append(all[admissionComponent], c.rejection(r))
		}
		if r := c.examples.admitted; r != nil {
			d := c.decision(r)
			all[admissionComponent] = append(all[admissionComponent], Example{d.request() + "; " + d.Known(), scheduler.Admitted, d.feedback()})
		}
	}
	if examples := c.examples.changes.examples(c); len(examples) > 0 {
		all[autoscaleComponent] = examples
	}
	return all
}

// latest are the requests that waited longest, the longest first.
func (n *components) latest() []*record {
	all := slices.SortedFunc(maps.Values(n.late), func(a, b *record) int {
		return cmp.Or(cmp.Compare(b.late(), a.late()), cmp.Compare(a.end.ID, b.end.ID))
	})
	return all[:min(len(all), exampled)]
}

// rejection describes a request that the admission turned away.
func (c *Collector) rejection(r *record) Example {
	e := &r.end
	in := fmt.Sprintf("t=%s s: request %d (tenant %s, class %s, %d prompt tokens)", number(round(e.Arrival.Seconds())), e.ID, label(c.labels.Tenants, e.Tenant), label(c.labels.Classes, e.Class), e.PromptTokens)
	if r.verdict.waiting >= 0 {
		in += fmt.Sprintf("; %d waiting at all endpoints", r.verdict.waiting)
	}
	out := scheduler.Rejected
	if r.verdict.reason != "" {
		out += " (" + r.verdict.reason + ")"
	}
	return Example{in, out, "The request was not served."}
}

// request names the request of a decision.
func (d *RequestExample) request() string {
	return fmt.Sprintf("t=%s s: request %d (tenant %s, class %s, %d prompt tokens)", number(round(d.AtSeconds)), d.Request, d.Tenant, d.Class, d.Prompt)
}

// seen lists the queues of the candidates.
func (c *Collector) seen(r *record) string {
	var parts []string
	for i, replica := range r.pick.place {
		if i == listed {
			parts = append(parts, fmt.Sprintf("and %d more", len(r.pick.place)-i))
			break
		}
		parts = append(parts, fmt.Sprintf("%s %d", c.name(int(replica)), r.pick.waiting[i]))
	}
	return "waiting at " + strings.Join(parts, ", ")
}

// feedback says what came of a decision, and what was better by what was known.
func (d *RequestExample) feedback() string {
	text := "The request met its targets: "
	if d.Bad {
		text = "The request missed a target: "
	}
	text += d.Result() + "."
	if d.Bad && d.ShortestQueue < d.Waiting {
		text += fmt.Sprintf(" Another candidate had a shorter queue, %d in place of %d.", d.ShortestQueue, d.Waiting)
	}
	if d.Bad && d.Holder != "" {
		text += fmt.Sprintf(" %s was believed to have %d more tokens of the prompt.", d.Holder, d.HolderTokens-d.Believed)
	}
	if d.Bad && 2*d.Found < d.Believed {
		text += " The caches gave less than half of what the router believed."
	}
	return text
}

// served says what the scheduler of an engine did to a request.
func served(r *record) string {
	text := "first token after " + seconds(r.ttft.Seconds())
	if r.preemptions > 0 {
		text += fmt.Sprintf(", %d preemptions", r.preemptions)
	}
	return text
}
