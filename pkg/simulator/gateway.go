// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"errors"
	"fmt"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// arrive routes the request whose arrival is due and sends it on its way.
func (s *simulation) arrive() {
	w := s.next
	s.arrived++
	id := s.requests.take()
	q := &s.requests.all[id]
	q.info = policy.Request{
		ID: w.ID, Arrival: w.Arrival, Prompt: w.Prompt, Tokens: w.Prompt.Tokens(),
		Tenant: w.Tenant, Class: w.Class,
	}
	q.lastToken, q.firstToken = unset, unset
	s.send(id, q, &w)
	s.pull()
}

// send asks the router for an endpoint and hands the request to it.
func (s *simulation) send(id int32, q *request, w *workload.Request) {
	endpoint, err := s.route(&q.info)
	if err != nil {
		s.reject(id, NoPool, NoEndpoint)
		return
	}
	r := &s.replicas[endpoint]
	output := max(w.OutputTokens, 1)
	if reason, never := r.refuses(int64(q.info.Tokens), int64(q.info.Tokens)+int64(output)); never {
		if s.listener != nil {
			s.listener.Finished(&q.info, endpoint)
		}
		s.reject(id, r.pool, reason)
		return
	}
	q.replica = int32(endpoint)
	q.prompt = int32(q.info.Tokens)
	q.total, q.finish = q.prompt, q.prompt+int32(output)
	q.cell = s.metrics.arrived(s.now, r.pool, &q.info)
	if r.prefixCaching {
		q.chain = s.fullBlocks(q.chain[:0], w, int32(output), r.cache.BlockTokens())
	}
	s.inFlight++
	for _, o := range s.observers {
		o.arrived(s, id)
	}
	delay := r.entryDelay(q.prompt)
	if delay == 0 {
		s.enter(id)
		return
	}
	q.phase = phaseEntry
	s.schedule(delay, kindEntry, id)
}

// route brings the view up to now and asks the router.
func (s *simulation) route(info *policy.Request) (int, error) {
	for i := range s.replicas {
		s.scrape(&s.replicas[i])
	}
	s.view.Now = s.now
	endpoint, err := s.router.Route(&s.view, info)
	switch {
	case errors.Is(err, policy.ErrNoEndpoint):
		return 0, err
	case err != nil:
		panic(fmt.Sprintf("simulator: the router failed on request %d at %v: %v", info.ID, s.now, err))
	case endpoint < 0 || endpoint >= len(s.replicas):
		panic(fmt.Sprintf("simulator: the router sent request %d to endpoint %d of %d", info.ID, endpoint, len(s.replicas)))
	}
	return endpoint, nil
}

// reject ends a request that no engine will see.
func (s *simulation) reject(id int32, pool int, reason Reason) {
	info := &s.requests.all[id].info
	s.metrics.rejected(s.now, pool, info, reason)
	for _, o := range s.observers {
		o.rejected(s, info, reason)
	}
	s.requests.release(id)
}

// fullBlocks appends the identities of the full blocks of prompt and answer
// together: an engine keeps the blocks of generated tokens findable too.
func (s *simulation) fullBlocks(dst []uint64, w *workload.Request, output int32, blockTokens int) []uint64 {
	s.extents = append(s.extents[:0], w.Prompt.Extents...)
	s.extents = append(s.extents, prompt.Extent{Source: w.Response, Tokens: output})
	return prompt.Prompt{Extents: s.extents}.FullBlocks(dst, blockTokens)
}

// deliver lets a first or last token reach the gateway at a time.
func (s *simulation) deliver(at simtime.Time, k kind, id int32) {
	switch {
	case at > s.now:
		s.agenda.push(at, k, id)
	case k == kindFirstToken:
		s.firstToken(id)
	default:
		s.complete(id)
	}
}

// firstToken tells who listens that the answer has begun.
func (s *simulation) firstToken(id int32) {
	if s.listener != nil {
		q := &s.requests.all[id]
		s.listener.FirstToken(&q.info, int(q.replica))
	}
}

// complete ends a request whose last token has reached the gateway.
func (s *simulation) complete(id int32) {
	q := &s.requests.all[id]
	s.metrics.completed(s.now, q)
	if s.completed != nil {
		s.completed(q.completion(s.now))
	}
	if s.listener != nil {
		s.listener.Finished(&q.info, int(q.replica))
	}
	s.end(id, endCompleted)
}

// end frees the slot of a request that has ended.
func (s *simulation) end(id int32, how ending) {
	for _, o := range s.observers {
		o.ended(s, id, how)
	}
	s.inFlight--
	s.requests.release(id)
}

// timesTokens is d for each of n tokens.
func timesTokens(d time.Duration, n int32) time.Duration { return d * time.Duration(n) }
