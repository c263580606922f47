// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"strings"

	"windtunnel.dev/windtunnel/pkg/policy"
)

// SessionTokens are what clients hold of one header: an endpoint that the last
// answer of their session came from, as soon as it began. All plugins that issue
// tokens for one endpoint in one header issue the same; those for the two
// endpoints of a request differ even where they share a header, in which
// the EPP's plugins write over each other.
type SessionTokens struct {
	// endpoints are by session, plus 1; 0 is none.
	endpoints []int32
	// issued is for tokens that name the prefill endpoint: those of requests in
	// flight. It is nil for the others.
	issued *Ledger[int32]
}

// A tokenHeader says which endpoint's tokens are in which header.
type tokenHeader struct {
	name    string
	prefill bool
}

// SessionTokens makes the tokens for the first plugin that asks.
func (b *Builder) SessionTokens(header string, prefill bool) *SessionTokens {
	key := tokenHeader{strings.ToLower(strings.TrimSpace(header)), prefill}
	t := b.tokens[key]
	if t == nil {
		t = &SessionTokens{}
		if prefill {
			t.issued = NewLedger[int32]()
		}
		b.tokens[key] = t
		b.Connect(t)
	}
	return t
}

// Pinned returns the endpoint that the session of a cycle holds a token of, or None.
func (t *SessionTokens) Pinned(c *Cycle, _ []int) int {
	if int(c.Session) >= len(t.endpoints) {
		return None
	}
	return int(t.endpoints[c.Session]) - 1
}

// Routed implements [PickListener].
func (t *SessionTokens) Routed(c *Cycle, p Picks) {
	if t.issued != nil && c.Session != 0 && p.Prefill != None {
		t.issued.Put(c.Request, int32(p.Prefill))
	}
}

// FirstToken implements ResponseListener.
func (t *SessionTokens) FirstToken(request *policy.Request, endpoint int) {
	if request.Session == 0 {
		return
	}
	if t.issued != nil {
		issued := t.issued.Of(request.ID)
		if issued == nil {
			return
		}
		endpoint = int(*issued)
	}
	t.endpoints = Grown(t.endpoints, int(request.Session))
	t.endpoints[request.Session] = int32(endpoint + 1)
}

// Finished implements ResponseListener.
func (t *SessionTokens) Finished(request *policy.Request, _ int) {
	if t.issued != nil {
		t.issued.Remove(request.ID)
	}
}

// Grown makes i an index of a slice.
func Grown[T any](s []T, i int) []T {
	var zero T
	for len(s) <= i {
		s = append(s, zero)
	}
	return s
}
