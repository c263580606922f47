// SPDX-License-Identifier: Apache-2.0

package scheduling

import "testing"

func TestShortestPredictedAddsThePredictionToThePrompt(t *testing.T) {
	expectOrder(t, ShortestPredicted(NewPredictor(1, LogNormalErrors, 0.5)), 2, 3, 0, 4, 1)
}
