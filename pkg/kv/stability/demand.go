// SPDX-License-Identifier: Apache-2.0

package stability

// TokenIterations returns g(s,o): the tokens of KV cache that a request holds,
// summed over the steps that it runs. A step computes a chunk of the prompt, or
// all of what is left where chunkTokens is 0, and further steps one output token
// each (Nie, Si, Zhou, ICML 2026):
//
//	g(s,o) = Σ_j min(j·chunk, s) + Σ_k (s+k),  j = 1…⌈s/chunk⌉, k = 1…o
//
// With one chunk that is (o+1)·(s+o/2). An engine whose last prompt step gives
// the first output token as well runs one step less.
func TokenIterations(promptTokens, outputTokens, chunkTokens int) float64 {
	s, o := float64(promptTokens), float64(outputTokens)
	chunk, full := fullChunks(promptTokens, chunkTokens)
	prompt := float64(chunk*full*(full+1)/2) + s
	return prompt + float64(o*s) + float64(o*(o+1)/2)
}

// ApproximateTokenIterations returns o·(s+o/2), g without the prompt's steps.
func ApproximateTokenIterations(promptTokens, outputTokens int) float64 {
	s, o := float64(promptTokens), float64(outputTokens)
	return float64(o * (s + float64(o/2)))
}

// squaredTokenIterations returns the squares of the tokens that a request
// holds, summed as in TokenIterations.
func squaredTokenIterations(promptTokens, outputTokens, chunkTokens int) float64 {
	s, o := float64(promptTokens), float64(outputTokens)
	chunk, full := fullChunks(promptTokens, chunkTokens)
	prompt := float64(chunk*chunk*sumOfSquares(full)) + float64(s*s)
	return prompt + float64(o*s*s) + float64(s*o*(o+1)) + sumOfSquares(o)
}

// grownTokens returns the tokens that a request holds at its end and not yet
// after its first step.
func grownTokens(promptTokens, outputTokens, chunkTokens int) float64 {
	grown := outputTokens
	if chunkTokens > 0 {
		grown += max(0, promptTokens-chunkTokens)
	}
	return float64(grown)
}

// fullChunks returns the size of a chunk and how many there are before a
// prompt's last one.
func fullChunks(promptTokens, chunkTokens int) (chunk, full float64) {
	if chunkTokens < 1 || promptTokens < 1 {
		return 0, 0
	}
	return float64(chunkTokens), float64((promptTokens - 1) / chunkTokens)
}

// sumOfSquares returns 1² + … + n².
func sumOfSquares(n float64) float64 { return n * (n + 1) * (n + n + 1) / 6 }

// ServedPerSecond returns μ = M/(b̄·E[g]), the requests that a cache of that many
// tokens can let through.
func ServedPerSecond(cacheTokens, stepSeconds, tokenIterationsPerRequest float64) float64 {
	return cacheTokens / (stepSeconds * tokenIterationsPerRequest)
}
