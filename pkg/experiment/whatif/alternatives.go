// SPDX-License-Identifier: Apache-2.0

package whatif

import "windtunnel.dev/windtunnel/pkg/insight"

// Alternatives are the answers as summaries of traces take them: those on requests that had a
// first token both ways.
func (r *Report) Alternatives() []insight.Alternative {
	picked := map[int]string{}
	for _, p := range r.Picks {
		picked[p.Request] = p.Name
	}
	var all []insight.Alternative
	for _, a := range r.Answers {
		if a.Own != nil && a.Own.TTFT.Seconds != nil {
			all = append(all, insight.Alternative{
				Request: a.Request, Picked: picked[a.Request], Elsewhere: a.Name, Regret: *a.Own.TTFT.Seconds, Spread: a.Own.TTFT.Spread,
			})
		}
	}
	return all
}
