// SPDX-License-Identifier: Apache-2.0

package adaptive

// A law decides on weights.
type law interface {
	// next returns the weights of the next epoch, by those of the epoch that has ended and
	// what happened in it. learnt is false where the epoch says nothing about weights.
	next(now Weights, s Signal) (then Weights, learnt bool)
}

// Weights are what the scorers that look at prefixes count together, and those that look
// at load.
type Weights struct{ Prefix, Load float64 }

// Signal is what the gateway counted in an epoch.
type Signal struct {
	// Arrived, Admitted and Rejected count requests. A request that waits at the gateway
	// has arrived only.
	Arrived, Admitted, Rejected int64
	// Completed counts answers that ended whole, and Good those within their targets.
	// Most of their requests arrived in epochs before.
	Completed, Good int64
}

// since returns what was counted after an earlier count.
func (s *Signal) since(earlier *Signal) Signal {
	return Signal{
		Arrived: s.Arrived - earlier.Arrived, Admitted: s.Admitted - earlier.Admitted, Rejected: s.Rejected - earlier.Rejected,
		Completed: s.Completed - earlier.Completed, Good: s.Good - earlier.Good,
	}
}

// rejectionRate is the share of the arrivals that were rejected.
func (s *Signal) rejectionRate() float64 { return float64(s.Rejected) / float64(s.Arrived) }

// world is what a law is made for.
type world struct {
	start Weights
	// most is the greatest ratio that the cap lets through; infinite without a cap.
	most float64
	seed int64
}
