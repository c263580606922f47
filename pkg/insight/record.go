// SPDX-License-Identifier: Apache-2.0

package insight

import (
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// A record is what a collector knows of one request: little enough to keep one for each
// request in flight.
type record struct {
	beginning   keyed
	pick        pick
	verdict     verdict
	preemptions int
	end         simulator.RequestEnd
	target      simulator.Target
	// ttft and tpot are negative if they do not exist.
	ttft, tpot time.Duration
	// bad says that the request missed a target or did not complete, and limit is how long it might
	// wait for its first token.
	bad   bool
	limit time.Duration
	// counted says that a rule has counted the request.
	counted bool
}

// A pick is what the router knew when it picked, and what it picked. Replicas count
// those of all pools; noReplica is none.
type pick struct {
	at       float64
	priority int
	// replica computes the prompt, and decodes is another one that generates the answer.
	replica, decodes int
	// here are the signals of replica, there of decodes, and holder those of the endpoint that the
	// router believed to have most of the prompt.
	here, there, holder signals
	holds               int
	// believed are the tokens of the prompt that the router believed the replica to have, and most
	// those that it believed holds to have.
	believed, most int
	tied           bool
	// place are the endpoints before any filter, and waiting how many requests waited at each.
	place, waiting []int16
}

type signals struct {
	waiting, running int
	kv, age          float64
}

const noReplica = simulator.NoReplica

var nowhere = pick{replica: noReplica, decodes: noReplica, holds: noReplica}

// judge says whether a request missed what was promised.
func (r *record) judge(target simulator.Target, without time.Duration) {
	e := &r.end
	r.target, r.ttft, r.tpot = target, -1, -1
	r.limit = target.TTFT
	if target == (simulator.Target{}) {
		r.limit = without
	}
	if e.FirstToken >= 0 {
		r.ttft = e.FirstToken.Sub(e.Arrival)
	}
	if gaps := e.OutputTokens - 1; e.Ended == completed && gaps > 0 {
		r.tpot = e.LastToken.Sub(e.FirstToken) / time.Duration(gaps)
	}
	r.bad = e.Ended != completed || over(r.ttft, r.limit) || over(r.tpot, target.TPOT) || over(e.End.Sub(e.Arrival), target.E2E)
}

// completed is how requests end that complete.
const completed = "completed"

// over says that a time exceeds a limit; 0 is none.
func over(d, limit time.Duration) bool { return limit > 0 && d > limit }

// found is what the caches gave of the prompt, in tokens.
func (r *record) found() int {
	n := r.end.CachedTokens
	for _, tokens := range r.end.TierTokens {
		n += int(tokens)
	}
	return n
}

// late is how many times its limit a request waited for its first token; 0 where it has no limit or no
// token.
func (r *record) late() float64 {
	if r.limit == 0 || r.ttft < 0 {
		return 0
	}
	return float64(r.ttft) / float64(r.limit)
}

// pickOf keeps what matters of an explanation.
func (c *Collector) pickOf(x *scheduler.Explanation) pick {
	p := nowhere
	p.at, p.priority = x.AtSeconds, x.Request.Priority
	if x.Endpoint == nil {
		return p
	}
	of := c.byRouter[x.Router]
	computes := *x.Endpoint
	if x.Prefill != nil {
		computes, p.decodes = *x.Prefill, of[*x.Endpoint]
		p.there = signalsOf(x, *x.Endpoint)
	}
	p.replica, p.here = of[computes], signalsOf(x, computes)
	if run := runOf(x, computes); run != nil {
		p.tied = run.Tied > 1
		p.see(x, run, of)
	}
	return p
}

// see notes what the router believed of the candidates, and how long their queues were.
func (p *pick) see(x *scheduler.Explanation, run *scheduler.ProfileRun, of []int) {
	for _, e := range run.Endpoints {
		p.place = append(p.place, int16(of[e]))
		p.waiting = append(p.waiting, int16(x.Endpoints[e].Waiting))
		tokens := believedOf(x, e)
		if of[e] == p.replica {
			p.believed = tokens
		}
		if tokens > p.most {
			p.most, p.holds, p.holder = tokens, of[e], signalsOf(x, e)
		}
	}
	if p.believed == p.most {
		p.holds, p.holder = p.replica, p.here
	}
}

// waitingAt is how many requests waited at a replica when the router picked; false where it was
// no candidate.
func (p *pick) waitingAt(replica int) (int, bool) {
	if i := slices.Index(p.place, int16(replica)); i >= 0 {
		return int(p.waiting[i]), true
	}
	return 0, false
}

// runOf is the run of the profile that chose an endpoint.
func runOf(x *scheduler.Explanation, endpoint int) *scheduler.ProfileRun {
	for i := range x.Profiles {
		if p := &x.Profiles[i]; p.Chosen != nil && *p.Chosen == endpoint {
			return p
		}
	}
	return nil
}

func signalsOf(x *scheduler.Explanation, endpoint int) signals {
	e := &x.Endpoints[endpoint]
	s := signals{waiting: e.Waiting, running: e.Running, kv: float64(e.KVUsage), age: -1}
	if e.ScrapeAgeSeconds != nil {
		s.age = *e.ScrapeAgeSeconds
	}
	return s
}

// believedOf is what the producer that believed most of an endpoint believed, in tokens.
func believedOf(x *scheduler.Explanation, endpoint int) int {
	most := 0
	for i := range x.Prefixes {
		p := &x.Prefixes[i]
		if endpoint < len(p.Blocks) {
			most = max(most, p.Blocks[endpoint]*p.BlockTokens)
		}
	}
	return most
}
