// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"fmt"
	"math"
	"time"
)

// prefillDecode sizes prefill by the requests that it has and decode by its KV usage, as two autoscalers with a signal
// each do, and keeps the ratio of the two within bounds. One pool with both tasks has the greater need.
type prefillDecode struct {
	requests, kvUsage float64 // of one replica
	tolerance         float64
	// least and most bound prefill ÷ decode; 0 is no bound.
	least, most float64

	names     []string
	cooldowns []cooldowns
}

func readPrefillDecode(l *loader) func() Scaler {
	p := prefillDecode{
		requests:  l.Positive("prefillRequests", 4, "the requests of one prefill replica, in work and waiting; in a pool with both tasks those that wait"),
		kvUsage:   l.Between("decodeKVUsage", 0.01, 1, 0.8, "the share of KV blocks in use of one decode replica"),
		tolerance: readTolerance(l),
		names:     l.names(),
	}
	if len(l.world.Pools) != 1 {
		p.least = l.Between("minRatio", 0, 1000, 0, "the least prefill replicas for each decode replica; 0 is no bound. Prefill grows to meet it")
		p.most = l.Between("maxRatio", 0, 1000, 0, "the most prefill replicas for each decode replica; 0 is no bound. Decode grows to meet it")
	} else {
		l.forbidRatio("minRatio", "maxRatio")
	}
	if p.most > 0 && p.least > p.most {
		l.unusable("minRatio is above maxRatio")
	}
	c := readCooldowns(l, 0, 5*time.Minute)
	return func() Scaler {
		own := p
		own.cooldowns = make([]cooldowns, len(p.names))
		for k := range own.cooldowns {
			own.cooldowns[k] = c
		}
		return &own
	}
}

// Scale implements [Scaler].
func (p *prefillDecode) Scale(view *View, wanted []int) Reason {
	places, proposals := make([]place, len(view.Pools)), make([]proposal, len(view.Pools))
	for k := range view.Pools {
		places[k] = place{View: view, k: k, pool: &view.Pools[k]}
		if len(view.Pools) > 1 {
			places[k].prefix = p.names[k] + " "
		}
		proposals[k] = p.propose(&places[k])
	}
	if len(view.Pools) > 1 {
		p.keepRatio(places, proposals)
	}
	why := ""
	for k := range places {
		e := eachPool{cooldowns: p.cooldowns}
		why += fmt.Sprintf("; %s: %s", p.names[k], e.settle(&places[k], proposals[k], &wanted[k]))
	}
	if len(view.Pools) > 1 {
		view.Note("prefill per decode", float64(wanted[0])/float64(max(wanted[1], 1)))
	}
	return Reason(why[len("; "):])
}

// propose sizes a pool by its own signal.
func (p *prefillDecode) propose(at *place) proposal {
	s := at.Monitor.Latest(at.Now)
	if s == nil || s.scraped(at.pool) == 0 {
		return at.keep("no signal: no replica is up")
	}
	split := len(at.Pools) > 1
	requests, usage := 0.0, 0.0
	for _, e := range at.pool.of(s) {
		if e.Up {
			requests += Waiting(&e)
			if split {
				requests += float64(e.Running)
			}
			usage += KVUsage(&e)
		}
	}
	load, of := math.Inf(-1), ""
	if !split || at.k == 0 {
		at.note("requests", requests)
		load, of = requests/p.requests, reasonf("%g requests", requests)
	}
	if !split || at.k == 1 {
		at.note("replicas' worth of KV", usage)
		if need := usage / p.kvUsage; need > load {
			load, of = need, reasonf("%.3g replicas' worth of KV blocks", usage)
		}
	}
	to, within := proportional(load, s.scraped(at.pool), at.pool.Wanted, p.tolerance)
	if within {
		return at.keep("%s need %.3g replicas, within tolerance", of, load)
	}
	return proposal{to, reasonf("%s need %.3g replicas", of, load)}
}

// keepRatio lets the pool grow that is too small for the other one.
func (p *prefillDecode) keepRatio(places []place, proposals []proposal) {
	prefill, decode := places[0].pool.bounded(proposals[0].to), places[1].pool.bounded(proposals[1].to)
	if least := ceil(p.least * float64(decode)); prefill < least {
		proposals[0] = proposal{least, reasonf("%s, and the ratio to %d decode replicas needs %d", proposals[0].why, decode, least)}
	}
	if p.most == 0 {
		return
	}
	if least := ceil(float64(prefill) / p.most); decode < least {
		proposals[1] = proposal{least, reasonf("%s, and the ratio to %d prefill replicas needs %d", proposals[1].why, prefill, least)}
	}
}
