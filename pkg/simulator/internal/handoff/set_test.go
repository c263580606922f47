// SPDX-License-Identifier: Apache-2.0

package handoff

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/measure"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/network"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/run"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// replica is the end of a hand-over that writes down what is asked of it.
type replica struct {
	name string
	s    *Set
	log  *[]string
}

func (r *replica) SendToQueue(id int32) { r.note("sends", r.s.Requests.All[id].Info.ID) }
func (r *replica) Enter(id int32) {
	r.note("enters", r.s.Requests.All[id].Info.ID)
	r.s.Requests.All[id].MoveTo(request.Waiting)
}
func (r *replica) Withdraw(id int32)          { r.note("withdraws", r.s.Requests.All[id].Info.ID) }
func (r *replica) Resume(id int32)            { r.note("resumes", r.s.Requests.All[id].Info.ID) }
func (r *replica) Publish(q *request.Request) { r.note("publishes", q.Info.ID) }
func (r *replica) ReleaseJob(job *request.Request, dropped bool) {
	r.note("releases, dropped", dropped)
}
func (r *replica) Wake() { r.note("wakes", "") }

func (r *replica) note(what string, value any) {
	*r.log = append(*r.log, fmt.Sprintf("%v %s %s %v", r.s.Now, r.name, what, value))
}

// pair is a set with two replicas, of blocks of 16 tokens and 10 bytes. Links move a byte a
// nanosecond.
func pair(config simulator.Handoff, log *[]string) (*Set, *network.Fabric) {
	link := transfer.Station{BytesPerSecond: 1e9}
	config.Egress, config.Ingress = link, link
	pool := &simulator.Pool{BlockTokens: 16, BlockBytes: 10}
	state := &run.State{Metrics: measure.NewMetrics(nil, nil, 0, make([]simulator.Pool, 1), workload.Labels{})}
	state.Listeners.HandedOver = func(h simulator.HandOver) {
		*log = append(*log, fmt.Sprintf("told: %d bytes and %d tokens, ready at %d", h.Bytes, h.Tokens, h.Ready))
	}
	s, fabric := New(state, config), network.NewFabric(nil)
	for _, name := range []string{"prefill", "decode"} {
		p := &Port{Engine: &replica{name, s, log}, Pool: pool}
		p.Connect(&config, fabric, &network.Links{})
		s.Ports = append(s.Ports, p)
	}
	return s, fabric
}

// begin begins the hand-over of a request with a prompt of 33 tokens, which are 3 blocks, and
// returns the numbers of the request and of its job.
func begin(s *Set, number int) (id, job int32) {
	id = s.Requests.Take()
	q := &s.Requests.All[id]
	q.Info.ID, q.Prompt, q.Total = number, 33, 33
	q.Cell = s.Metrics.Arrived(s.Now, 0, q)
	s.Begin(id, 0, 1)
	_, job = s.Source(&s.Requests.All[id])
	return id, job
}

// compute lets the job compute its prompt, now.
func compute(s *Set, job int32) {
	j := &s.Requests.All[job]
	j.MoveTo(request.Running)
	s.Ports[0].Jobs++
	j.Computed = j.Prompt
	s.Computed(j)
	s.Prefilled(j)
}

// TestHandOver: the prompt is computed at 5 ns. The cache of the decode replica has one of
// its blocks, so that two are to move, 20 bytes; half of that is one, whose last byte is
// there at 15 ns, and the other one's at 25 ns. 33 - 16 tokens came from the other replica.
func TestHandOver(t *testing.T) {
	var log []string
	s, fabric := pair(simulator.Handoff{StartShare: 0.5, SingleOwner: true}, &log)
	id, job := begin(s, 7)
	s.Ports[0].Enter(job)
	s.Now = 5
	compute(s, job)
	q := &s.Requests.All[id]
	q.MoveTo(request.Loading)
	s.Reserved(q, 1)
	for s.Now = fabric.Due(); s.Now < simtime.Never; s.Now = fabric.Due() {
		if err := s.Check(q); err != nil {
			t.Errorf("at %v: %v", s.Now, err)
		}
		fabric.Land(s.Now)
	}
	want := []string{
		"0s prefill sends 7", "0s prefill enters 7", "5ns decode enters 7",
		"15ns decode resumes 7",
		"25ns decode publishes 7", "told: 20 bytes and 17 tokens, ready at 15", "25ns prefill releases, dropped true",
	}
	if diff := cmp.Diff(want, log); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
	if q.Handoff != 0 || !s.Ports[0].Idle() || !s.Ports[1].Idle() {
		t.Errorf("the hand-over is over, and the request has %d, the ports %+v and %+v", q.Handoff, s.Ports[0], s.Ports[1])
	}
}

// TestMaxPending: while one hand-over to the decode replica is under way the job of the next
// one is held, and enters the queue when the first is cancelled.
func TestMaxPending(t *testing.T) {
	var log []string
	s, _ := pair(simulator.Handoff{MaxPending: 1}, &log)
	first, job := begin(s, 1)
	_, other := begin(s, 2)
	if s.Holds(job) || !s.Holds(other) || s.Requests.All[other].Phase() != request.Held {
		t.Fatalf("of two jobs the second one is to be held, in phase %v", s.Requests.All[other].Phase())
	}
	s.Ports[0].Enter(job)
	compute(s, job)
	s.Cancel(&s.Requests.All[first])
	want := []string{
		"0s prefill sends 1", "0s prefill sends 2", "0s prefill enters 1", "0s decode enters 1",
		"told: 0 bytes and 0 tokens, ready at -1", "0s prefill releases, dropped false", "0s prefill enters 2",
	}
	if diff := cmp.Diff(want, log); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}
