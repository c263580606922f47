// SPDX-License-Identifier: Apache-2.0

package latency

import "time"

// Linear is a measured regression on the batch: base + perPrefillToken times
// the uncached prompt tokens + perDecodeToken times the decoding sequences, in
// microseconds. Published coefficients for Llama-3.1-8B on H100 with TP 2:
// 6910.42, 17.67057 and 2.83775.
type Linear struct {
	BaseMicroseconds, PerPrefillTokenMicroseconds, PerDecodeTokenMicroseconds float64
}

// StepTime implements StepTimer.
func (l Linear) StepTime(s Step) time.Duration {
	micros := l.BaseMicroseconds
	micros += float64(l.PerPrefillTokenMicroseconds * float64(s.PrefillTokens))
	micros += float64(l.PerDecodeTokenMicroseconds * float64(s.DecodeTokens))
	return nanoseconds(micros / 1e6)
}
