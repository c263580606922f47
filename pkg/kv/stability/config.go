// SPDX-License-Identifier: Apache-2.0

package stability

import (
	"math"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Config says how a controller estimates and how careful it is. Start from
// DefaultConfig.
type Config struct {
	// Window is the time constant T of all estimates: what happened t ago
	// counts exp(-t/T).
	Window time.Duration
	// Margin is what the mean of the blocks in use is multiplied with to give
	// the blocks that are needed.
	Margin float64
	// BlockTokens is the size of a KV block.
	BlockTokens int
	// MinEvictionInterval is the least time between two evictions, save those
	// that the floor demands.
	MinEvictionInterval time.Duration

	// What follows is for Queueing only.

	// MarginDeviations is how many standard deviations of the blocks in use
	// are kept above their mean, where that is more than Margin gives.
	MarginDeviations float64
	// PromptChunkTokens is how much of a prompt a step computes; 0 is all of
	// it.
	PromptChunkTokens int
	// MinCompletions is how many requests have to complete before there is an
	// estimate.
	MinCompletions int
}

// DefaultConfig returns a window of a minute, a margin of 15 % or two standard
// deviations, and blocks of 16 tokens.
func DefaultConfig() Config {
	return Config{
		Window:              time.Minute,
		Margin:              1.15,
		BlockTokens:         16,
		MinEvictionInterval: 100 * time.Millisecond,
		MarginDeviations:    2,
		MinCompletions:      10,
	}
}

// Validate returns all that is wrong with a configuration, under the names of
// its fields in an API object.
func (c Config) Validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	must := func(ok bool, name string, value any, want string) {
		if !ok {
			errs = append(errs, field.Invalid(path.Child(name), value, "must be "+want))
		}
	}
	finite := func(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }
	must(c.Window > 0, "window", c.Window.String(), "above 0")
	must(c.Margin >= 1 && finite(c.Margin), "margin", c.Margin, "a number that is at least 1")
	must(c.BlockTokens >= 1, "blockTokens", c.BlockTokens, "at least 1")
	must(c.MinEvictionInterval >= 0, "minEvictionInterval", c.MinEvictionInterval.String(), "at least 0")
	must(c.MarginDeviations >= 0 && finite(c.MarginDeviations), "marginDeviations", c.MarginDeviations, "a number that is at least 0")
	must(c.PromptChunkTokens >= 0, "promptChunkTokens", c.PromptChunkTokens, "at least 0")
	must(c.MinCompletions >= 1, "minCompletions", c.MinCompletions, "at least 1")
	return errs
}
