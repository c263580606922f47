// SPDX-License-Identifier: Apache-2.0

package insight

// shadowDivergence counts the requests of which the router believed the replica to have many more
// tokens than it had, or many fewer.
type shadowDivergence struct {
	more, fewer     tally
	believed, found int // of the promises that were not kept
}

func (s *shadowDivergence) ended(c *Collector, r *record) {
	if !r.end.Scheduled || !r.end.Believed.Known {
		return
	}
	// The last token of a prompt is always computed.
	believed, found := min(r.end.Believed.Tokens, r.end.PromptTokens-1), r.found()
	s.more.looked++
	s.fewer.looked++
	by := believed - found
	if max(by, -by) < c.by.Tokens || float64(max(by, -by)) < c.by.Divergence*float64(max(believed, found)) {
		return
	}
	if by > 0 {
		s.believed, s.found = s.believed+believed, s.found+found
		s.more.add(r)
	} else {
		s.fewer.add(r)
	}
}

func (s *shadowDivergence) anomalies(c *Collector) []Anomaly {
	if s.more.count >= s.fewer.count && s.more.found(&c.by) {
		return []Anomaly{s.more.anomaly(ShadowDivergence, "", 2*s.more.share(),
			Value{"tokens believed", float64(s.believed)}, Value{"tokens found of them", float64(s.found)})}
	}
	if s.fewer.found(&c.by) {
		return []Anomaly{s.fewer.anomaly(ShadowDivergence, "", s.fewer.share(), Value{"requests with fewer believed than found", float64(s.fewer.count)})}
	}
	return nil
}
