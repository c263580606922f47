// SPDX-License-Identifier: Apache-2.0

package simulation

import "windtunnel.dev/windtunnel/pkg/stats"

// limits are how many tokens of a request are computed at most, and how many have places.
func (r *plainReplica) limits() (computed, places int32) {
	places = int32(r.most() * r.BlockTokens)
	if r.MaxModelLen > 0 && int32(r.MaxModelLen) <= places {
		return int32(r.MaxModelLen) - 1, int32(r.MaxModelLen)
	}
	return places, places
}

// wanted is how many tokens of a running request are to be computed: those that it has, and
// behind the last of an answer its drafts, one by one.
func (r *plainReplica) wanted(q *plainRequest) int32 {
	n := q.Total - q.Computed
	if r.Speculation == nil || q.Computed < q.PrefillEnd {
		return n
	}
	most, _ := r.limits()
	for range r.Speculation.Tokens {
		if q.Computed+n < most {
			n++
		}
	}
	return n
}

// extend gives a running request places for its next n tokens, and those that the engine
// looks ahead.
func (r *plainReplica) extend(q *plainRequest, n int32) bool {
	known := min(q.Computed+n, q.Total)
	places := q.Computed + n
	if r.Speculation == nil {
		return r.cache.Extend(q.sequence, int(places))
	}
	_, most := r.limits()
	for range r.Speculation.Lookahead {
		if places < most {
			places++
		}
	}
	return r.cache.ExtendPast(q.sequence, int(known), int(places))
}

// verify goes through the drafts of a request up to the first that is refused, and gives the
// request what it still needs of the token after them and of those before.
func (p *plain) verify(r *plainReplica, q *plainRequest) {
	drafts, accepted := int64(q.Chunk-1), int64(0)
	hash := stats.Hash64(uint64(p.Seed), stats.HashString("acceptance"), uint64(q.Info.Turn), uint64(q.Total-q.Prompt))
	for at := float64(hash>>11) / (1 << 53); accepted < drafts; accepted++ {
		if at >= r.Speculation.Acceptance[accepted] {
			break
		}
	}
	p.metrics.Verified(p.now, q.Cell, drafts, accepted)
	q.Computed, q.Chunk = q.Total, 0
	n := int32(1)
	for ; accepted > 0 && q.Total+n < q.Finish; accepted-- {
		q.Computed++
		n++
	}
	p.token(r, q, n)
}
