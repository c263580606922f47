// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"windtunnel.dev/windtunnel/pkg/result"
)

// requestResult is what became of one request: where it went, or how it ended otherwise.
type requestResult struct{ replica, outcome, reason string }

func decisionOn(r *result.RequestRow) requestResult {
	d := requestResult{outcome: r.Outcome}
	if r.Replica != nil {
		d.replica = *r.Pool + "/" + *r.Replica
	}
	if r.Reason != nil {
		d.reason = *r.Reason
	}
	return d
}

// differingDecisions counts the requests of A that B sent elsewhere, ended in another way or
// never had, under the same seeds. It is not known where rows were read.
func differingDecisions(sides [2]*side) (count int64, known bool) {
	if sides[0].requests == nil || sides[1].requests == nil {
		return 0, false
	}
	for i, row := range sides[0].rows {
		for j, other := range sides[1].rows {
			if row.Seed == other.Seed {
				count += sides[0].requests[i].differing(sides[1].requests[j])
			}
		}
	}
	return count, true
}

func (l *requestLog) differing(other *requestLog) (count int64) {
	for id, d := range l.decisions {
		if o, ok := other.decisions[id]; !ok || o != d {
			count++
		}
	}
	return count
}
