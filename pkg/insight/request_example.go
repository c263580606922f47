// SPDX-License-Identifier: Apache-2.0

package insight

import "slices"

// A RequestExample is an example: what the router knew of a request, and what came of it.
type RequestExample struct {
	Request   int     `json:"request"`
	AtSeconds float64 `json:"atSeconds"`
	Tenant    string  `json:"tenant"`
	Class     string  `json:"class"`
	Prompt    int     `json:"promptTokens"`
	// Replica computes the prompt; Decodes generates the answer where that is another one.
	Replica string `json:"replica"`
	Decodes string `json:"decodes,omitempty"`
	// Rank is the endpoint that generated the answer where the engine chose it, not the router.
	Rank string `json:"rank,omitempty"`
	// Waiting, Running and KVUsage are those of Replica when it was picked, and
	// ShortestQueue is that of the candidate with the fewest waiting requests.
	Waiting int     `json:"waiting"`
	Running int     `json:"running"`
	KVUsage float64 `json:"kvUsage"`
	// DecodesWaiting and DecodesRunning are those of Decodes.
	DecodesWaiting int `json:"decodesWaiting,omitempty"`
	DecodesRunning int `json:"decodesRunning,omitempty"`
	ShortestQueue  int `json:"shortestQueue"`
	// Believed are the tokens of the prompt that the router believed Replica to have, and Holder is
	// another endpoint that it believed to have more, HolderTokens.
	Believed      int    `json:"believedTokens"`
	Holder        string `json:"holder,omitempty"`
	HolderTokens  int    `json:"holderTokens,omitempty"`
	HolderWaiting int    `json:"holderWaiting,omitempty"`
	// Found are the tokens that the caches gave.
	Found int    `json:"foundTokens"`
	Ended string `json:"ended"`
	// TTFTSeconds is negative where there was no token, and LimitSeconds 0 where there is no limit.
	TTFTSeconds  float64 `json:"ttftSeconds"`
	LimitSeconds float64 `json:"limitSeconds,omitempty"`
	Bad          bool    `json:"bad"`
}

func (c *Collector) decision(r *record) RequestExample {
	p, e := &r.pick, &r.end
	d := RequestExample{
		Request: e.ID, AtSeconds: p.at, Tenant: label(c.labels.Tenants, e.Tenant), Class: label(c.labels.Classes, e.Class),
		Prompt: e.PromptTokens, Replica: c.name(p.replica), Waiting: p.here.waiting, Running: p.here.running, KVUsage: p.here.kv,
		Believed: p.believed, Found: r.found(), Ended: e.Ended, TTFTSeconds: r.ttft.Seconds(), LimitSeconds: r.limit.Seconds(), Bad: r.bad,
	}
	if p.decodes != noReplica {
		d.Decodes, d.DecodesWaiting, d.DecodesRunning = c.name(p.decodes), p.there.waiting, p.there.running
	}
	if e.Replica != noReplica && c.onePort[e.Replica] {
		d.Rank = c.name(e.Replica)
	}
	if len(p.waiting) > 0 {
		d.ShortestQueue = int(slices.Min(p.waiting))
	}
	if p.most > p.believed {
		d.Holder, d.HolderTokens, d.HolderWaiting = c.name(p.holds), p.most, p.holder.waiting
	}
	return d
}

// worstDecisions is how many of the worst decisions are kept.
const worstDecisions = 3

// worst keeps the decisions whose requests waited longest for their first token, by how many
// times their limit.
type worst struct{ all []*record }

func (w *worst) add(r *record) {
	if !r.end.Measured || r.pick.replica == noReplica || r.late() == 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(w.all, r, func(a, b *record) int {
		if a.late() > b.late() || a.late() == b.late() && a.end.ID < b.end.ID {
			return -1
		}
		return 1
	})
	if at < worstDecisions {
		w.all = slices.Insert(w.all, at, r)
		w.all = w.all[:min(len(w.all), worstDecisions)]
	}
}

// sampled bounds the decisions of an audit.
const sampled = 12

// sample keeps every n-th request, with n doubled whenever there are too many.
type sample struct {
	every int
	all   []*record
}

func (s *sample) add(r *record) {
	s.every = max(s.every, 1)
	if r.end.ID%s.every != 0 || r.pick.replica == noReplica {
		return
	}
	s.all = append(s.all, r)
	for len(s.all) > sampled {
		s.every *= 2
		s.all = slices.DeleteFunc(s.all, func(r *record) bool { return r.end.ID%s.every != 0 })
	}
}

// decisions describes records, in the order given.
func (c *Collector) decisions(all []*record) []RequestExample {
	out := []RequestExample{}
	for _, r := range all {
		out = append(out, c.decision(r))
	}
	return out
}

// byArrival sorts records.
func byArrival(all []*record) []*record {
	return slices.SortedFunc(slices.Values(all), func(a, b *record) int { return a.end.ID - b.end.ID })
}
