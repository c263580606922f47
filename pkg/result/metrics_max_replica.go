// SPDX-License-Identifier: Apache-2.0

package result

import "windtunnel.dev/windtunnel/pkg/stats"

// MaxReplica is the metric of the replica that does worst. Simulations measure it only
// where something asks for it.
const MaxReplica = "maxReplica"

// MaxReplicaTTFT are the greatest figures of any replica, in seconds. Each may be of
// another replica.
type MaxReplicaTTFT struct {
	Mean float64 `json:"mean"`
	P99  float64 `json:"p99"`
}

// maxReplica is of the whole run.
var maxReplica = subject{
	gather: func(in *selection, g *Group) {
		if in.Selector == (Selector{}) {
			g.MaxReplicaTTFT = newMaxReplicaTTFT(in.meta.ReplicaTTFT)
		}
	},
	families: []family{family{name: MaxReplica, statistics: []statistic{
		maxReplicaOf("ttft.mean", "greatest mean", func(m *MaxReplicaTTFT) float64 { return m.Mean }),
		maxReplicaOf("ttft.p99", "greatest 99th percentile", func(m *MaxReplicaTTFT) float64 { return m.P99 }),
	}}.to(users).whereAsked()},
}

func maxReplicaOf(name, words string, of func(*MaxReplicaTTFT) float64) statistic {
	return statistic{
		name: name, unit: Seconds, direction: Minimize,
		help: words + " of any replica of the time to first token; a replica has the requests that it decodes. Of few requests for each replica it is nearly the slowest request, so compare it over many seeds",
		value: func(g *Group) (float64, bool) {
			if g.MaxReplicaTTFT == nil {
				return 0, false
			}
			return of(g.MaxReplicaTTFT), true
		},
	}
}

// newMaxReplicaTTFT sums up the histograms of all replicas, in ns; nil where there is no
// value.
func newMaxReplicaTTFT(replicas []stats.Histogram) *MaxReplicaTTFT {
	var m *MaxReplicaTTFT
	for i := range replicas {
		if l := newLatency(&replicas[i]); l != nil {
			if m == nil {
				m = &MaxReplicaTTFT{}
			}
			m.Mean, m.P99 = max(m.Mean, l.Mean), max(m.P99, l.P99)
		}
	}
	return m
}
