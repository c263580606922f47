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
	// TTFT is the greatest relative difference of ttft.p50 and ttft.p99, TPOT that of tpot.mean.
	TTFT float64 `json:"ttft"`
	TPOT float64 `json:"tpot"`
	// Shares is the greatest difference of shares, such as the hit rate.
	Shares float64 `json:"shares"`
}

// Figure is one figure on both sides. Simulated has the choices of the real EPP, Own is the
// simulation by itself.
type Figure struct {
	Metric    string  `json:"metric"`
	Live      float64 `json:"live"`
	Simulated float64 `json:"simulated"`
	Own       float64 `json:"own"`
	// Apart is the relative difference of Live from Simulated, or of shares the difference.
	Apart  float64 `json:"apart"`
	Limit  float64 `json:"limit"`
	Within bool    `json:"within"`
}

// Figures compare the metrics that both sides have.
func Figures(live result.Metrics, s *Simulated, l Limits) []Figure {
	var all []Figure
	add := func(metric string, limit float64, apart func(live, simulated float64) float64) {
		was, measured := live.Get(metric)
		is, simulated := s.Same.Get(metric)
		if !measured || !simulated {
			return
		}
		own, _ := s.Own.Get(metric)
		f := Figure{Metric: metric, Live: was, Simulated: is, Own: own, Apart: apart(was, is), Limit: limit}
		f.Within = math.Abs(f.Apart) <= limit
		all = append(all, f)
	}
	for _, metric := range []string{"ttft.p50", "ttft.p99"} {
		add(metric, l.TTFT, relative)
	}
	add("tpot.mean", l.TPOT, relative)
	for _, metric := range []string{"cacheHit.gpu", "rejectionRate", "completionRate"} {
		add(metric, l.Shares, func(live, simulated float64) float64 { return live - simulated })
	}
	return all
}

// relative is by which part of the simulated value the other is above it, at most twice.
func relative(live, simulated float64) float64 {
	if live == simulated {
		return 0
	}
	return (live - simulated) / max(simulated, live/3)
}
