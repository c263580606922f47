// SPDX-License-Identifier: Apache-2.0

package latency

// windowTime is what attention takes in the layers that attend to a window of tokens, in
// nanoseconds of all of them: computing a pair in either phase, and reading and writing
// the KV of a token.
type windowTime struct {
	tokens                                   int64
	prefillPair, decodePair, kvRead, kvWrite float64
}

// windowLayers returns the number of layers that attend to the last tokens only.
func (m Model) windowLayers() int64 {
	if m.SlidingWindow == nil {
		return 0
	}
	return int64(m.SlidingWindow.Layers)
}

func (i Instance) windowTime(bytesPerNs float64, c RooflineCoefficients) windowTime {
	w := windowTime{tokens: int64(i.Model.SlidingWindow.Tokens)}
	w.prefillPair, w.decodePair, _ = i.attentionTimes(i.Model.windowLayers(), c)
	w.kvRead, w.kvWrite = i.kvTimes(i.Model.windowLayers(), bytesPerNs, c)
	return w
}

// pairs returns the pairs within the window of a number of new tokens. It takes the tokens of
// a phase together: where contexts lie on both sides of the window, it counts some that
// lie outside, never fewer than there are.
func (w *windowTime) pairs(tokens int, all int64) int64 { return min(all, int64(tokens)*w.tokens) }

// read returns the tokens whose KV is read: of each sequence those in the window of its
// first new token and the new ones, counted as pairs are.
func (w *windowTime) read(s *Step) int64 {
	return min(s.ContextTokens, int64(s.Sequences)*w.tokens+int64(s.PrefillTokens+s.DecodeTokens))
}
