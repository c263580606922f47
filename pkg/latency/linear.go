// SPDX-License-Identifier: Apache-2.0

package latency

import "time"

// Linear is a measured regression on the batch: base + perPrefillToken times
// the uncached prompt tokens + perDecodeToken times the decoding sequences, in
// microseconds, none of them negative. Published coefficients for Llama-3.1-8B
// on H100 with TP 2: 6910.42, 17.67057 and 2.83775, with a RequestCost of
// 1601.35 µs, 3.51248 µs and 1805.543 µs.
type Linear struct {
	BaseMicroseconds, PerPrefillTokenMicroseconds, PerDecodeTokenMicroseconds float64
}

// StepTime implements StepTimer.
func (l Linear) StepTime(s Step) time.Duration {
	micros := l.BaseMicroseconds
	micros += float64(l.PerPrefillTokenMicroseconds * float64(s.PrefillTokens))
	micros += float64(l.PerDecodeTokenMicroseconds * float64(s.DecodeTokens))
	return wholeNanoseconds(micros * 1e3)
}
