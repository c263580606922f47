// SPDX-License-Identifier: Apache-2.0

package trace

import "windtunnel.dev/windtunnel/pkg/simtime"

// remembered is how many of the last requests of a replica the rules compare.
const remembered = 128

// A start is when a request came and when it had its first token.
type start struct {
	id, priority, prompt int
	arrival, first       simtime.Time
	// bad says that the request missed a target, and counted that a rule has found it.
	bad, counted bool
}

// recent is the last requests of each replica that had a first token, in the order of their
// ends.
type recent struct{ replicas []ring }

type ring struct {
	all  []start
	next int
}

// of returns the requests of a replica.
func (r *recent) of(replica int) *ring {
	for len(r.replicas) <= replica {
		r.replicas = append(r.replicas, ring{})
	}
	return &r.replicas[replica]
}

// add adds a request in the place of the oldest one.
func (r *ring) add(s start) {
	if len(r.all) < remembered {
		r.all = append(r.all, s)
		return
	}
	r.all[r.next] = s
	r.next = (r.next + 1) % remembered
}
