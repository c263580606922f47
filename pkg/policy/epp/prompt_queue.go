// SPDX-License-Identifier: Apache-2.0

package epp

import "windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"

// promptQueue is what a predictor counts itself, before router-v0.9, of prompts that
// wait for their first token. A model that is trained on counts up to the answer's end,
// as those of the EPP are, learns the difference.
type promptQueue struct {
	waiting *scheduler.Ledger[queuedPrompt]
	// tokens are those that are to be computed, by endpoint.
	tokens []int64
}

// A queuedPrompt is to be computed by an endpoint.
type queuedPrompt struct {
	endpoint int32
	tokens   int64
}

func newPromptQueue(endpoints int) *promptQueue {
	return &promptQueue{scheduler.NewLedger[queuedPrompt](), make([]int64, endpoints)}
}

func (q *promptQueue) Add(request, endpoint int, tokens int64) {
	q.tokens[endpoint] += tokens
	q.waiting.Put(request, queuedPrompt{int32(endpoint), tokens})
}

func (q *promptQueue) Remove(request int) {
	if p, ok := q.waiting.Remove(request); ok {
		q.tokens[p.endpoint] -= p.tokens
	}
}
