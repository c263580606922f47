// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

// Only an EPP without a tokenizer estimates.
func TestPluginsThatEstimateTokens(t *testing.T) {
	for name, tc := range map[string]struct {
		plugins string
		want    int
	}{
		"by default":       {"{type: approx-prefix-cache-producer}", 125},
		"with a tokenizer": {realTokens + ", {type: approx-prefix-cache-producer}", 100},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(mustLoad(t, "plugins: ["+tc.plugins+"]"), config.Cluster{Endpoints: 1, BytesPerToken: 5}, 1)
			route(t, s, idle(1), request(0, 100))
			if s.Cycle.Tokens != tc.want || s.Cycle.Prompt.Tokens() != tc.want {
				t.Errorf("%d tokens, want %d", s.Cycle.Tokens, tc.want)
			}
		})
	}
}
