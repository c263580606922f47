// SPDX-License-Identifier: Apache-2.0

package scheduling

import "testing"

func TestTheOracleKnowsTheTruth(t *testing.T) {
	s := ShortestOracle()
	expectOrder(t, s, 2, 3, 0, 4, 1)
	if got := s.Predictor(7, 1234); got != 1234 {
		t.Errorf("it predicts %d of 1234 tokens", got)
	}
}
