// SPDX-License-Identifier: Apache-2.0

package insight

import (
	"cmp"
	"slices"
	"strconv"
)

// support is how many requests a pattern needs on either side, and lift how many times the bad ones
// are as frequent with the feature as without.
const (
	support = 30
	lift    = 1.5
)

// A Pattern is a feature of decisions with which requests miss their targets more often.
type Pattern struct {
	Feature string `json:"feature"`
	// With and Without are the requests with the feature and without, and the others are how many
	// of those missed a target or did not complete.
	With       int `json:"with"`
	BadWith    int `json:"badWith"`
	Without    int `json:"without"`
	BadWithout int `json:"badWithout"`
}

// excess is how many bad ones there are beyond those at the rate of the others.
func (p *Pattern) excess() float64 {
	return float64(p.BadWith) - float64(p.With)*ratio(p.BadWithout, p.Without)
}

// patterns counts features.
type patterns struct {
	counts     map[string]*[2]int
	total, bad int
}

func (p *patterns) add(c *Collector, r *record) {
	if !r.end.Measured || r.pick.replica == noReplica {
		return
	}
	p.total++
	bad := 0
	if r.bad {
		bad = 1
		p.bad++
	}
	count := func(feature string, is bool) {
		if !is {
			return
		}
		n := p.counts[feature]
		if n == nil {
			n = &[2]int{}
			p.counts[feature] = n
		}
		n[0]++
		n[1] += bad
	}
	pick := &r.pick
	for _, k := range []int{1, 4, 16} {
		count("at least "+strconv.Itoa(k)+" waiting at the pick", pick.here.waiting >= k)
	}
	if len(pick.waiting) > 0 {
		count("a shorter queue elsewhere", int(slices.Min(pick.waiting)) < pick.here.waiting)
	}
	count("KV usage of the pick above 90 %", pick.here.kv > 0.9)
	count("another endpoint believed to have more of the prompt", pick.most >= pick.believed+c.by.Tokens)
	count("more believed than found", r.end.Believed.Known && r.end.Believed.Tokens >= r.found()+c.by.Tokens)
	count("metrics older than 100 ms", pick.here.age > 0.1)
	count("several endpoints tied", pick.tied)
	count("prompt of at least 4096 tokens", r.end.PromptTokens >= 4096)
	count("disaggregated", pick.decodes != noReplica)
	count("tenant "+label(c.labels.Tenants, r.end.Tenant), len(c.labels.Tenants) > 1)
	count("class "+label(c.labels.Classes, r.end.Class), len(c.labels.Classes) > 1)
	count("replica "+c.name(pick.replica), len(c.names) > 1)
}

// report returns the patterns with enough support, those with the most excess first.
func (p *patterns) report() []Pattern {
	all := []Pattern{}
	for feature, n := range p.counts { // in any order; sorted below
		x := Pattern{Feature: feature, With: n[0], BadWith: n[1], Without: p.total - n[0], BadWithout: p.bad - n[1]}
		if x.With >= support && x.Without >= support && x.BadWith > 0 && ratio(x.BadWith, x.With) >= lift*ratio(x.BadWithout, x.Without) {
			all = append(all, x)
		}
	}
	slices.SortFunc(all, func(a, b Pattern) int {
		return cmp.Or(cmp.Compare(b.excess(), a.excess()), cmp.Compare(a.Feature, b.Feature))
	})
	return all[:min(len(all), 8)]
}
