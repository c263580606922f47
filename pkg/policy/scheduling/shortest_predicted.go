// SPDX-License-Identifier: Apache-2.0

package scheduling

// ShortestPredicted serves the request first whose prompt and predicted answer together
// are the shortest: shortest job first with a predictor that errs.
func ShortestPredicted(p Predictor) Scheduler {
	return Scheduler{Order: promptAndAnswer, Predictor: p}
}

// promptAndAnswer is the number of tokens of the prompt and of the predicted answer.
func promptAndAnswer(j Job) int64 { return int64(j.PromptTokens) + int64(j.PredictedTokens) }
