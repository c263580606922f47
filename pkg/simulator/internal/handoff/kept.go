// SPDX-License-Identifier: Apache-2.0

package handoff

import (
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// Keep has the blocks of a request that ends stay with its replica, as those of a job that has
// computed the prompt. It returns the job.
func (s *Set) Keep(id int32) (job int32) {
	job = s.Requests.Take()
	q, j := &s.Requests.All[id], &s.Requests.All[job]
	j.Info, j.Prompt, j.Cell, j.Replica, j.Job = q.Info, q.Prompt, q.Cell, q.Replica, true
	j.Total, j.Finish, j.Computed = j.Prompt, j.Prompt, j.Prompt
	j.Blocks, j.Source, q.Source = q.Blocks, q.Source, 0
	j.Chain, q.Chain = q.Chain, j.Chain[:0] // the chain lives as long as the blocks
	j.MoveTo(request.Leaving)
	if s.kept == nil {
		s.kept = map[int]int32{}
	}
	s.kept[q.Info.ID] = job
	return job
}

// TakeOver has a replica decode a request whose prompt another one has computed and keeps. It
// returns false where that is no longer so, where the prompt has another length, and where the
// replica is the same or KV cannot go there: then the request computes what its cache does not have.
func (s *Set) TakeOver(id int32, to int) bool {
	q := &s.Requests.All[id]
	number := q.Terms.TakesOver - 1
	job, ok := s.kept[number]
	if !ok {
		return false
	}
	j := &s.Requests.All[job]
	if int(j.Replica) == to || j.Prompt != q.Prompt || !s.connects(int(j.Replica), to) {
		s.Drop(number)
		return false
	}
	delete(s.kept, number)
	at, from := s.take(), s.Ports[j.Replica]
	blocks := from.complete(j.Prompt, j.Prompt)
	s.all[at] = handoff{
		decode: id, job: job, from: j.Replica, to: int32(to), begun: s.Now, done: s.Now, readyAt: request.Unset,
		passage: passage{confirmed: blocks, available: blocks, flights: s.all[at].flights[:0]},
	}
	q.Handoff, j.Handoff = at+1, at+1
	q.MoveTo(request.Remote)
	from.leaving = append(from.leaving, job)
	s.ask(&s.all[at])
	return true
}

// Keeps says whether the blocks of a request that has ended are kept.
func (s *Set) Keeps(number int) bool {
	_, ok := s.kept[number]
	return ok
}

// Drop gives the blocks up that are kept of a request, if they are, now.
func (s *Set) Drop(number int) {
	job, ok := s.kept[number]
	if !ok {
		return
	}
	delete(s.kept, number)
	j := &s.Requests.All[job]
	s.Ports[j.Replica].ReleaseJob(j, false)
	s.Requests.Release(job)
}
