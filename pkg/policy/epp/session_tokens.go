// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"strings"

	"windtunnel.dev/windtunnel/pkg/policy"
)

// sessionTokens are what clients hold of one header: an endpoint that the last
// answer of their session came from, as soon as it began. All plugins that issue
// tokens for one endpoint in one header issue the same; those for the two
// endpoints of a request are told apart even where they share a header, in which
// the EPP's plugins write over each other.
type sessionTokens struct {
	// endpoints are by session, plus 1; 0 is none.
	endpoints []int32
	// issued is for tokens that name the prefill endpoint: those of requests in
	// flight. It is nil for the others.
	issued *ledger[int32]
}

// A tokenHeader says which endpoint's tokens are in which header.
type tokenHeader struct {
	name    string
	prefill bool
}

// sessionTokens makes them for the first plugin that asks.
func (b *builder) sessionTokens(header string, prefill bool) *sessionTokens {
	key := tokenHeader{strings.ToLower(strings.TrimSpace(header)), prefill}
	t := b.tokens[key]
	if t == nil {
		t = &sessionTokens{}
		if prefill {
			t.issued = newLedger[int32]()
		}
		b.tokens[key] = t
		b.connect(t)
	}
	return t
}

func (t *sessionTokens) pinned(c *cycle, _ []int) int {
	if int(c.session) >= len(t.endpoints) {
		return none
	}
	return int(t.endpoints[c.session]) - 1
}

func (t *sessionTokens) routed(c *cycle, p picks) {
	if t.issued != nil && c.session != 0 && p.prefill != none {
		t.issued.put(c.request, int32(p.prefill))
	}
}

func (t *sessionTokens) firstToken(request *policy.Request, endpoint int) {
	if request.Session == 0 {
		return
	}
	if t.issued != nil {
		issued := t.issued.of(request.ID)
		if issued == nil {
			return
		}
		endpoint = int(*issued)
	}
	t.endpoints = grown(t.endpoints, int(request.Session))
	t.endpoints[request.Session] = int32(endpoint + 1)
}

func (t *sessionTokens) finished(request *policy.Request, _ int) {
	if t.issued != nil {
		t.issued.remove(request.ID)
	}
}

// grown makes i an index of a slice.
func grown[T any](s []T, i int) []T {
	var zero T
	for len(s) <= i {
		s = append(s, zero)
	}
	return s
}
