// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// constantStep is a timer that gives every step the same duration.
type constantStep time.Duration

func (d constantStep) StepTime(latency.Step) time.Duration { return time.Duration(d) }

// script is a source of given requests.
type script struct {
	requests []workload.Request
	labels   workload.Labels
}

func (s *script) Labels() workload.Labels { return s.labels }

func (s *script) Next() (workload.Request, bool) {
	if len(s.requests) == 0 {
		return workload.Request{}, false
	}
	r := s.requests[0]
	s.requests = s.requests[1:]
	return r, true
}

// scriptRouter sends requests to endpoints in turn, or where a script says,
// and remembers what it saw of endpoint 0.
type scriptRouter struct {
	fixed []string
	scriptGate
	scriptEvictor
	turn  int
	views map[int]policy.Scrape
	loras map[int]string
	down  map[int]int
	calls map[int][]string
	tale  *scenarioCacheEvents
}

func (r *scriptRouter) Route(v *policy.View, q *policy.Request) (policy.Route, error) {
	if r.views == nil {
		r.views = map[int]policy.Scrape{}
		r.loras = map[int]string{}
		r.down = map[int]int{}
		r.calls = map[int][]string{}
	}
	if r.hold > 0 {
		r.keep(v, q)
		return policy.Route{}, policy.ErrHeld
	}
	return r.choose(v, q)
}

// choose sends a request where the script says.
func (r *scriptRouter) choose(v *policy.View, q *policy.Request) (policy.Route, error) {
	r.views[q.ID] = v.Scrapes[0]
	if v.Adapters != nil {
		a := v.Adapters[0]
		r.loras[q.ID] = strings.ReplaceAll(fmt.Sprint(a.Active, ",", a.Waiting), " ", ";") + "," + strconv.Itoa(a.Max)
	}
	r.down[q.ID] = 0
	for e := range v.Scrapes {
		if isDown(v, e) {
			r.down[q.ID]++
		}
	}
	turn := r.turn
	r.turn++
	if len(r.fixed) == 0 {
		return policy.To(turn % len(v.Scrapes)), nil
	}
	to := r.fixed[turn%len(r.fixed)]
	if to == "-" {
		return policy.Route{}, fmt.Errorf("request %d: %w", q.ID, policy.ErrNoEndpoint)
	}
	prefill, decode, split := strings.Cut(to, ">")
	if !split {
		endpoint, err := strconv.Atoi(to)
		return policy.To(endpoint), err
	}
	var d policy.Route
	_, err := fmt.Sscan(prefill+" "+decode, &d.Prefill, &d.Endpoint)
	return d, err
}

// routing is the router with what it takes part in.
func (r *scriptRouter) routing() policy.Routing {
	routing := policy.Routing{Router: r, Responses: r}
	if r.hold > 0 {
		routing.Queue = r
		if len(r.revocations) > 0 {
			routing.Evictor = r
		}
	}
	if r.tale != nil && r.tale.asked {
		routing.KVEvents = r
	}
	return routing
}

func (r *scriptRouter) FirstToken(q *policy.Request, _ int) {
	r.calls[q.ID] = append(r.calls[q.ID], "first")
}

func (r *scriptRouter) Finished(q *policy.Request, _ int) {
	r.calls[q.ID] = append(r.calls[q.ID], "finished")
}

// saw is the scrape of endpoint 0 that the router had for a request, and the
// calls that followed.
func (r *scriptRouter) saw(id int) map[string]string {
	v := r.views[id]
	return map[string]string{
		"at": v.At.String(), "waiting": strconv.Itoa(v.Waiting), "running": strconv.Itoa(v.Running),
		"kv": fmt.Sprint(v.KVUsage), "down": strconv.Itoa(r.down[id]), "calls": strings.Join(r.calls[id], ","),
		"adapters":  r.loras[id],
		"transfers": strconv.Itoa(v.Transfers), "delay": v.TransferDelay.String(),
	}
}

// recorder notes what becomes of each request, by name. It is an observer.
type recorder struct {
	s       *simulation // nil of the plain one
	names   []string
	seen    map[string]*record
	batches []batchRecord
}

// batchRecord is one step: when and where it began, and how it is written.
type batchRecord struct {
	at      simtime.Time
	replica int32
	text    string
}

// inOrder writes the steps in order of time, and of replicas within it.
func (r *recorder) inOrder() []string {
	slices.SortStableFunc(r.batches, func(a, b batchRecord) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.replica, b.replica))
	})
	var lines []string
	for _, b := range r.batches {
		lines = append(lines, b.text)
	}
	return lines
}

type record struct {
	scheduled                    simtime.Time
	tokens                       []string
	cached, preemptions, replica int
	end                          string
}

func newRecorder(names []string) *recorder {
	r := &recorder{seen: map[string]*record{}}
	for _, name := range names {
		r.name(name)
	}
	return r
}

// name is that of the next request.
func (r *recorder) name(name string) {
	r.names = append(r.names, name)
	r.seen[name] = &record{scheduled: request.Unset, end: "none"}
}

// request is what became of a request: scheduled (start of its first step),
// cached (tokens, at that moment), first, last and tokens (times at the
// gateway), preemptions, replica, end.
func (r *recorder) request(name string) map[string]string {
	q, ok := r.seen[name]
	if !ok {
		return nil
	}
	m := map[string]string{
		"scheduled": q.scheduled.String(), "cached": strconv.Itoa(q.cached),
		"preemptions": strconv.Itoa(q.preemptions), "replica": strconv.Itoa(q.replica),
		"tokens": strings.Join(q.tokens, ","), "end": q.end,
	}
	if len(q.tokens) > 0 {
		m["first"], m["last"] = q.tokens[0], q.tokens[len(q.tokens)-1]
	}
	return m
}

func (r *recorder) named(id int) *record { return r.seen[r.names[id]] }

func (r *recorder) of(s *simulation, id int32) *record {
	return r.named(s.Requests.All[id].Info.ID)
}

// stepShare is what a request computes in a step.
type stepShare struct {
	id              int
	computed, chunk int32
}

// step notes a step that begins.
func (r *recorder) step(at simtime.Time, replica int32, shares []stepShare) {
	words := []string{at.String(), strconv.Itoa(int(replica))}
	for _, share := range shares {
		if rec := r.named(share.id); rec.scheduled == request.Unset {
			rec.scheduled, rec.cached = at, int(share.computed)
		}
		words = append(words, fmt.Sprintf("%s:%d", r.names[share.id], share.chunk))
	}
	r.batches = append(r.batches, batchRecord{at, replica, strings.Join(words, " ")})
}

func (r *recorder) Arrived(id int32) {
	s := r.s
	r.of(s, id).replica = int(s.Requests.All[id].Replica)
}

func (r *recorder) Rejected(info *policy.Request, reason simulator.Reason) {
	r.seen[r.names[info.ID]].end = reason.String()
}

func (r *recorder) Formed(replica int32, step latency.Step) {
	s := r.s
	if step.Sequences == 0 {
		return
	}
	var shares []stepShare
	for _, id := range s.cluster.Replicas[replica].Batch.Running {
		if q := &s.Requests.All[id]; q.Chunk > 0 {
			shares = append(shares, stepShare{q.Info.ID, q.Computed, q.Chunk})
		}
	}
	r.step(s.Now, replica, shares)
}

func (r *recorder) Preempted(_, id int32) {
	s := r.s
	r.of(s, id).preemptions++
}

func (r *recorder) Token(id, n int32, at simtime.Time) {
	s := r.s
	for range n {
		r.gave(s.Requests.All[id].Info.ID, at)
	}
}

func (r *recorder) gave(id int, at simtime.Time) {
	rec := r.named(id)
	rec.tokens = append(rec.tokens, at.String())
}

func (r *recorder) Ended(id int32, _ simtime.Time, how request.Ending) {
	s := r.s
	r.of(s, id).end = map[request.Ending]string{request.EndCompleted: "completed", request.EndUnfinished: "unfinished", request.EndFailed: "failed", request.EndEvicted: "evicted", request.EndTimedOut: "timedout"}[how]
}

func (r *recorder) Settled(int32) {}
func (r *recorder) Over()         {}
