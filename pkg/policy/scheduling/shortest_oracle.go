// SPDX-License-Identifier: Apache-2.0

package scheduling

// ShortestOracle is ShortestPredicted with the true lengths of the answers, which no
// real engine knows: a bound on what predictions can gain.
func ShortestOracle() Scheduler {
	return Scheduler{Order: promptAndAnswer, Predictor: func(_, tokens int) int { return tokens }}
}
