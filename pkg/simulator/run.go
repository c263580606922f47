// SPDX-License-Identifier: Apache-2.0

package simulator

import "context"

// Run simulates c and returns what was measured. The only error is that ctx
// was cancelled. A Config that breaks the rules stated at its fields panics:
// who compiles a scenario checks it first.
func Run(ctx context.Context, c Config) (*Outcome, error) {
	panic("not reached")
}
