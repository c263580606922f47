// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// shortPrefix is the longest prefix that the clients' prompts share where the smallest KV block of a pool is longer, so that no
// prompt has a block in common with another; nil otherwise, and where prompts share more than a prefix, or may.
func shortPrefix(w *v1alpha1.Workload, c *simulator.Config) *result.ShortPrefix {
	if w.Trace != nil || len(w.Traces) > 0 || len(c.Pools) == 0 {
		return nil
	}
	short := &result.ShortPrefix{BlockTokens: c.Pools[0].BlockTokens}
	for i := range c.Pools {
		short.BlockTokens = min(short.BlockTokens, c.Pools[i].BlockTokens)
	}
	for i := range w.Clients {
		of := &w.Clients[i]
		if of.Preset != nil || of.Sessions != nil || of.Prompts != nil {
			return nil
		}
		if of.Prefix == nil {
			continue
		}
		if of.Prefix.Examples != nil {
			return nil
		}
		short.Tokens = max(short.Tokens, int(of.Prefix.Tokens))
	}
	if short.Tokens == 0 || short.Tokens >= short.BlockTokens {
		return nil
	}
	return short
}
