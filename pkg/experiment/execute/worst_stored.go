// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// A Complaint is what makes a request one of the worst.
type Complaint string

// Complaints.
const (
	// LateFirstToken is a long time to the first token, SlowTokens a long time for each further
	// one, and LateEnd a long time to the end.
	LateFirstToken Complaint = "ttft"
	SlowTokens     Complaint = "tpot"
	LateEnd        Complaint = "e2e"
	// NotServed is a request that did not complete, and after those a late first token.
	NotServed Complaint = "outcome"
)

// Complaints are all of them.
var Complaints = []Complaint{LateFirstToken, SlowTokens, LateEnd, NotServed}

// ComplaintOf is what makes a request bad for a metric, by the metric's name.
func ComplaintOf(metric string) Complaint {
	family, _, _ := strings.Cut(metric, "{")
	family, _, _ = strings.Cut(family, ".")
	switch {
	case family == "ttft", strings.HasPrefix(family, "queue"), strings.HasPrefix(family, "cacheHit"):
		return LateFirstToken
	case family == "tpot", family == "itl":
		return SlowTokens
	case family == "e2e", strings.HasPrefix(family, "throughput"):
		return LateEnd
	default:
		return NotServed
	}
}

// badness orders decisions: the greater, the worse. Requests of which it is not known come last.
func (c Complaint) badness(d *RoutingRecord) float64 {
	o := d.Outcome
	if c == NotServed && (o == nil || o.Ended != "completed") {
		return math.Inf(1)
	}
	if o == nil {
		return math.Inf(-1)
	}
	seconds := map[Complaint]*float64{LateFirstToken: o.TTFTSeconds, SlowTokens: o.TPOTSeconds, LateEnd: o.E2ESeconds, NotServed: o.TTFTSeconds}[c]
	if seconds == nil {
		return math.Inf(-1)
	}
	return *seconds
}

// Worst are the last decisions on the requests of which there is most to complain, the worst first.
func (s *Stored) Worst(of Complaint, n int) []*RoutingRecord {
	var last []*RoutingRecord
	for _, d := range s.Decisions {
		if d.Outcome == nil || d.Outcome.Ended != RoutedAgain {
			last = append(last, d)
		}
	}
	slices.SortStableFunc(last, func(a, b *RoutingRecord) int { return cmp.Compare(of.badness(b), of.badness(a)) })
	return last[:min(n, len(last))]
}
