// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// acceptanceChance names the draws of acceptance among those of a run.
var acceptanceChance = stats.HashString("acceptance")

// draw returns a number in [0, 1) for the drafts that follow a number of tokens of an answer. It
// depends on the request's number among those for its model and on that place alone, so that
// it is the same on each engine and under each policy.
func draw(seed int64, request, generated int) float64 {
	return float64(stats.Hash64(uint64(seed), acceptanceChance, uint64(request), uint64(generated))>>11) * 0x1p-53
}

// accepted returns how many drafts are accepted at a draw.
func accepted(s *simulator.Speculation, drafts int32, at float64) int32 {
	n := int32(0)
	for n < drafts && at < s.Acceptance[n] {
		n++
	}
	return n
}
