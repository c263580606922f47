// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"slices"
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy/native"
)

// Every scorer of prefixes and of load is known as one.
func TestScorersHaveSides(t *testing.T) {
	neither := []string{"no-hit-lru", "lora-affinity"}
	for _, name := range native.Scorers() {
		sides := 0
		for _, side := range [][]string{nativePrefixScorers, nativeLoadScorers, neither} {
			if slices.Contains(side, name) {
				sides++
			}
		}
		if sides != 1 {
			t.Errorf("%s is on %d sides", name, sides)
		}
	}
}
