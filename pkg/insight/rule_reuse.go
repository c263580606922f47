// SPDX-License-Identifier: Apache-2.0

package insight

// reuse looks at the requests whose beginning some replica computed not long before. It finds
// those that passed over the replica that did so last although it had a short queue
// (prefix-blind), and those that went back to it and found less than half in GPU memory
// (thrashing).
type reuse struct {
	seen            *beginnings
	blind, thrashed tally
	// missed are the tokens that the blind ones did not find.
	missed int
	// reloaded come from lower tiers, recomputed are in no tier; of those thrashed.
	reloaded, recomputed int
}

func (u *reuse) ended(c *Collector, r *record) {
	if !r.end.Scheduled || r.pick.replica == noReplica || r.end.FirstToken < 0 {
		return
	}
	if r.beginning.tokens >= c.by.Tokens {
		u.look(c, r)
		u.seen.put(r.beginning.key, held{r.pick.replica, r.beginning.tokens, r.end.FirstToken})
	}
}

// look finds who computed the beginning last of those that were candidates with a short queue, or
// are the pick.
func (u *reuse) look(c *Collector, r *record) {
	var last held
	for _, h := range u.seen.of(r.beginning.key) {
		age := r.end.Arrival.Sub(h.at)
		if age < 0 || age > c.by.Remembered || h.tokens < c.by.Tokens || h.at <= last.at {
			continue
		}
		if waiting, candidate := r.pick.waitingAt(h.replica); h.replica == r.pick.replica || candidate && waiting < c.by.Waiting {
			last = h
		}
	}
	if last.tokens == 0 {
		return
	}
	u.blind.looked++
	tokens := min(last.tokens, r.beginning.tokens)
	if last.replica != r.pick.replica {
		u.passedOver(c, r, tokens)
		return
	}
	u.thrashed.looked++
	u.returned(r, tokens)
}

// passedOver counts a request that did not go to a replica that had its beginning.
func (u *reuse) passedOver(c *Collector, r *record, tokens int) {
	if missed := tokens - r.found(); missed >= c.by.Tokens {
		u.missed += missed
		u.blind.add(r)
	}
}

// returned counts a request that came back, and found little in GPU memory.
func (u *reuse) returned(r *record, tokens int) {
	if r.end.CachedTokens >= tokens/2 {
		return
	}
	lower := min(r.found(), tokens) - r.end.CachedTokens
	u.reloaded += lower
	u.recomputed += tokens - r.end.CachedTokens - lower
	u.thrashed.add(r)
}

func (u *reuse) anomalies(c *Collector) []Anomaly {
	var all []Anomaly
	if u.blind.found(&c.by) {
		all = append(all, u.blind.anomaly(PrefixBlind, "", 2*u.blind.share(), Value{"tokens missed", float64(u.missed)}))
	}
	if u.thrashed.found(&c.by) {
		all = append(all, u.thrashed.anomaly(CacheThrashing, "", 2*u.thrashed.share(),
			Value{"tokens from lower tiers", float64(u.reloaded)}, Value{"tokens computed again", float64(u.recomputed)}))
	}
	return all
}
