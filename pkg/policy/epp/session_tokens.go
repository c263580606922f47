// SPDX-License-Identifier: Apache-2.0

package epp

import "windtunnel.dev/windtunnel/pkg/policy"

// sessionTokens are what clients hold: the endpoint that the last answer of
// their session came from, as soon as it began. All plugins that issue tokens
// issue the same.
type sessionTokens struct {
	// endpoints are by session, plus 1; 0 is none.
	endpoints []int32
}

// sessionTokens makes them for the first plugin that asks.
func (b *builder) sessionTokens() *sessionTokens {
	if b.tokens == nil {
		b.tokens = &sessionTokens{}
		b.connect(b.tokens)
	}
	return b.tokens
}

func (t *sessionTokens) pinned(c *cycle, _ []int) int {
	if int(c.session) >= len(t.endpoints) {
		return -1
	}
	return int(t.endpoints[c.session]) - 1
}

func (t *sessionTokens) firstToken(request *policy.Request, endpoint int) {
	if request.Session == 0 {
		return
	}
	t.endpoints = grown(t.endpoints, int(request.Session))
	t.endpoints[request.Session] = int32(endpoint + 1)
}

func (t *sessionTokens) finished(*policy.Request, int) {}

// grown makes i an index of a slice.
func grown[T any](s []T, i int) []T {
	var zero T
	for len(s) <= i {
		s = append(s, zero)
	}
	return s
}
