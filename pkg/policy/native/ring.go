// SPDX-License-Identifier: Apache-2.0

package native

import (
	"cmp"
	"slices"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// ring is points on a circle of hashes, in order.
type ring []virtualNode

type virtualNode struct {
	hash     uint64
	endpoint int
}

// newRing gives each endpoint a number of points.
func newRing(seed uint64, endpoints, points int) ring {
	const ofPoint = 0
	r := make(ring, 0, endpoints*points)
	for e := range endpoints {
		for i := range points {
			r = append(r, virtualNode{stats.Hash64(seed, ofPoint, uint64(e), uint64(i)), e})
		}
	}
	slices.SortFunc(r, func(a, b virtualNode) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.endpoint, b.endpoint))
	})
	return r
}

// next returns the endpoint of the first point at or after a hash whose endpoint is open. At
// least one is.
func (r ring) next(hash uint64, open []bool) int {
	at, _ := slices.BinarySearchFunc(r, hash, func(p virtualNode, h uint64) int { return cmp.Compare(p.hash, h) })
	for ; ; at++ {
		if e := r[at%len(r)].endpoint; open[e] {
			return e
		}
	}
}
