// SPDX-License-Identifier: Apache-2.0

package insight

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simulator"
)

// Thresholds say from when on something is an anomaly. A zero field has the default that its
// comment gives.
type Thresholds struct {
	// MinRequests is how many requests make an anomaly at least: 20.
	MinRequests int `json:"minRequests,omitempty"`
	// MinShare is the share of the requests that a rule looks at from which on they are an
	// anomaly: 0.1.
	MinShare float64 `json:"minShare,omitempty"`
	// TTFT is how long a request may wait for its first token without a stated target:
	// 2 s.
	TTFT time.Duration `json:"ttft,omitempty"`
	// InversionMargin is how long a request that one of lower priority overtook waits for its
	// first token at least: 0.
	InversionMargin time.Duration `json:"inversionMargin,omitempty"`
	// Tokens is how many tokens of a prompt matter to the rules on caches: 256.
	Tokens int `json:"tokens,omitempty"`
	// Remembered is how long a prefix counts as one that a replica holds: 60 s.
	Remembered time.Duration `json:"remembered,omitempty"`
	// Divergence is the share of the tokens believed or found, whichever are more, by
	// which they differ: 0.5.
	Divergence float64 `json:"divergence,omitempty"`
	// Waiting is how many waiting requests make an endpoint loaded: 4.
	Waiting int `json:"waiting,omitempty"`
	// HotShare is how many times the equal share one replica gets: 1.8.
	HotShare float64 `json:"hotShare,omitempty"`
	// Reversals of a scaler, each within ReversalWindow of the change before, make an
	// oscillation: 3 within 5 min.
	Reversals      int           `json:"reversals,omitempty"`
	ReversalWindow time.Duration `json:"reversalWindow,omitempty"`
	// Burst is how many times its median rate a tenant sends, and Rise how many times as
	// long the others wait meanwhile: 3 and 2.
	Burst float64 `json:"burst,omitempty"`
	Rise  float64 `json:"rise,omitempty"`
	// LongPrompt is how many times as many tokens to compute the prompt at the head of the
	// line has: 8. The metric headOfLineBlocking has it, too.
	LongPrompt int `json:"longPrompt,omitempty"`
	// Tail is the ratio of the 99th to the 50th percentile of the TTFT: 10.
	Tail float64 `json:"tail,omitempty"`
	// Storm is how many preemptions in 10 s are one: 20.
	Storm int `json:"storm,omitempty"`
}

// stormWindow is the time that [Thresholds].Storm counts in.
const stormWindow = 10 * time.Second

// DefaultThresholds are the values of a run that names none.
func DefaultThresholds() Thresholds { return Thresholds{}.withDefaults() }

// SensitiveThresholds find what [DefaultThresholds] find, and more.
func SensitiveThresholds() Thresholds {
	return Thresholds{
		MinRequests: 5, MinShare: 0.02, TTFT: time.Second,
		Tokens: 128, Remembered: 2 * time.Minute, Divergence: 0.25, Waiting: 2, HotShare: 1.4,
		Reversals: 2, ReversalWindow: 10 * time.Minute, Burst: 2, Rise: 1.5, LongPrompt: 4, Tail: 5, Storm: 10,
	}
}

// TolerantThresholds find less than [DefaultThresholds].
func TolerantThresholds() Thresholds {
	return Thresholds{
		MinRequests: 100, MinShare: 0.25, TTFT: 5 * time.Second, InversionMargin: 100 * time.Millisecond,
		Tokens: 1024, Remembered: 30 * time.Second, Divergence: 0.75, Waiting: 8, HotShare: 2.5,
		Reversals: 5, ReversalWindow: 2 * time.Minute, Burst: 5, Rise: 3, LongPrompt: 16, Tail: 20, Storm: 100,
	}
}

func (t Thresholds) withDefaults() Thresholds {
	fill(&t.MinRequests, 20)
	fill(&t.MinShare, 0.1)
	fill(&t.TTFT, 2*time.Second)
	fill(&t.Tokens, 256)
	fill(&t.Remembered, time.Minute)
	fill(&t.Divergence, 0.5)
	fill(&t.Waiting, 4)
	fill(&t.HotShare, 1.8)
	fill(&t.Reversals, 3)
	fill(&t.ReversalWindow, 5*time.Minute)
	fill(&t.Burst, 3)
	fill(&t.Rise, 2)
	fill(&t.LongPrompt, simulator.DefaultLongPrompt)
	fill(&t.Tail, 10)
	fill(&t.Storm, 20)
	return t
}

func fill[T comparable](field *T, value T) {
	var none T
	if *field == none {
		*field = value
	}
}
