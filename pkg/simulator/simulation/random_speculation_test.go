// SPDX-License-Identifier: Apache-2.0

package simulation

import "windtunnel.dev/windtunnel/pkg/simulator"

// randomSpeculation lets pools speculate, some with acceptance 0 or 1 at some positions. Some
// of the drafts have KV.
func randomSpeculation(c *choices, config *simulator.Config) {
	for i := range config.Pools {
		s := &simulator.Speculation{Tokens: 1 + c.pick(5)}
		s.Lookahead = c.pick(2) * s.Tokens
		share := 1.0
		for range s.Tokens {
			share *= float64(c.pick(5)) / 4
			s.Acceptance = append(s.Acceptance, share)
		}
		config.Pools[i].Speculation = s
	}
}
