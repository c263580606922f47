// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/result"
)

// Limits say how far a run and its simulation may be apart.
type Limits struct {
	// Decisions is the least share of decisions that are equal or tied.
	Decisions float64 `json:"decisions"`
	// TTFT is the greatest relative difference of engineTtft.p50 and .p99, TPOT that of tpot.mean.
	TTFT float64 `json:"ttft"`
	TPOT float64 `json:"tpot"`
	// Shares is the greatest difference of shares, such as the hit rate.
	Shares float64 `json:"shares"`
}

// DefaultLimits are those of a run on a machine that has time.
func DefaultLimits() Limits { return Limits{Decisions: 0.99, TTFT: 0.05, TPOT: 0.05, Shares: 0.01} }

// Figure is one figure on both sides. Simulated has the choices of the real EPP, Own is the
// simulation by itself.
type Figure struct {
	Metric    string  `json:"metric"`
	Live      float64 `json:"live"`
	Simulated float64 `json:"simulated"`
	Own       float64 `json:"own"`
	// Apart is the relative difference of Live from Simulated, or of shares the difference.
	Apart float64 `json:"apart"`
	// Limit is that of Apart; nil where the figure is only shown.
	Limit  *float64 `json:"limit,omitempty"`
	Within bool     `json:"within"`
}

// noLimit is that of figures that are only shown: a client's times have the network and the load of
// the machine in them.
const noLimit = -1

// Figures compare the metrics that both sides have. Live are those of the client and of the engines.
func Figures(s *Simulated, l Limits, live ...result.Metrics) []Figure {
	var all []Figure
	for _, of := range []struct {
		metric string
		limit  float64
		apart  func(live, simulated float64) float64
	}{
		{"engineTtft.p50", l.TTFT, relative}, {"engineTtft.p99", l.TTFT, relative},
		{"ttft.p50", noLimit, relative}, {"ttft.p99", noLimit, relative}, {"tpot.mean", l.TPOT, relative},
		{"cacheHit.gpu", l.Shares, difference}, {"rejectionRate", l.Shares, difference}, {"completionRate", l.Shares, difference},
	} {
		simulated, is := s.Same.Get(of.metric)
		measured, was := find(live, of.metric)
		if !is || !was {
			continue
		}
		own, _ := s.Own.Get(of.metric)
		f := Figure{Metric: of.metric, Live: measured, Simulated: simulated, Own: own, Apart: of.apart(measured, simulated)}
		f.Within = of.limit == noLimit || math.Abs(f.Apart) <= of.limit
		if of.limit != noLimit {
			f.Limit = &of.limit
		}
		all = append(all, f)
	}
	return all
}

// find is the value of a metric among several.
func find(among []result.Metrics, metric string) (float64, bool) {
	for _, m := range among {
		if value, ok := m.Get(metric); ok {
			return value, true
		}
	}
	return 0, false
}

func difference(live, simulated float64) float64 { return live - simulated }

// relative is by which part of the simulated value the other is above it, at most twice.
func relative(live, simulated float64) float64 {
	if live == simulated {
		return 0
	}
	return (live - simulated) / max(simulated, live/3)
}
