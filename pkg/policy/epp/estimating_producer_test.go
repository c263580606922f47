// SPDX-License-Identifier: Apache-2.0

package epp

import "testing"

// Only an EPP without a tokenizer estimates.
func TestWhoEstimates(t *testing.T) {
	for name, tc := range map[string]struct {
		plugins string
		want    int
	}{
		"by default":       {"{type: approx-prefix-cache-producer}", 125},
		"with a tokenizer": {realTokens + ", {type: approx-prefix-cache-producer}", 100},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(mustLoad(t, "plugins: ["+tc.plugins+"]"), Cluster{Endpoints: 1, BytesPerToken: 5}, 1)
			route(t, s, idle(1), request(0, 100))
			if s.cycle.tokens != tc.want || s.cycle.prompt.Tokens() != tc.want {
				t.Errorf("%d tokens, want %d", s.cycle.tokens, tc.want)
			}
		})
	}
}
