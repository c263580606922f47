// SPDX-License-Identifier: Apache-2.0

package whatif

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// ErrNoPick says that the router picked no endpoint for a request.
var ErrNoPick = errors.New("the router picked no endpoint")

// The defaults of [Options].
const (
	DefaultWindow = 10 * time.Second
	DefaultFlips  = 8
)

// An Alternative is another endpoint for the first pick of a request, numbered as the
// request's router numbers them.
type Alternative struct{ Request, Endpoint int }

// Options say what is measured.
type Options struct {
	// Window is how long after a request others arrive that count; greater than 0.
	Window time.Duration
	// Flips is how many simulations give a spread, at most: fewer where the window has
	// fewer requests.
	Flips int
	// Parallelism is how many simulations run at once; at least 1. No answer depends on it.
	Parallelism int
	// Progress, if set, receives how many simulations are done, and of how many. Calls do not
	// overlap.
	Progress func(done, of int)
}

// Ask answers what would have become of requests on other endpoints. An alternative that is
// the chosen endpoint is simulated like any other. An error that wraps ErrNoPick says that
// there was no pick for a request.
func Ask(ctx context.Context, m Maker, alternatives []Alternative, o Options) (*Report, error) {
	var requests []int
	for _, a := range alternatives {
		requests = append(requests, a.Request)
	}
	q, err := newInquiry(ctx, m, requests, o)
	if err != nil {
		return nil, err
	}
	return q.answer(ctx, alternatives)
}

// AskAbout answers what would have become of requests on each other candidate.
func AskAbout(ctx context.Context, m Maker, requests []int, o Options) (*Report, error) {
	q, err := newInquiry(ctx, m, requests, o)
	if err != nil {
		return nil, err
	}
	var all []Alternative
	for _, request := range q.requests {
		p := q.picks[request]
		for _, e := range p.candidates {
			if e != p.chosen {
				all = append(all, Alternative{request, e})
			}
		}
	}
	return q.answer(ctx, all)
}

// An inquiry knows how requests fared as the router picked.
type inquiry struct {
	Options
	maker    Maker
	requests []int // ascending, each once
	watch    *watch
	picks    map[int]*pick // of the windows
	inOrder  []*pick       // the same, by request
}

func newInquiry(ctx context.Context, m Maker, requests []int, o Options) (*inquiry, error) {
	requests = slices.Compact(slices.Sorted(slices.Values(requests)))
	q := &inquiry{Options: o, maker: m, requests: requests, watch: newWatch(requests, o.Window)}
	var err error
	if q.picks, err = m.simulatePicks(ctx, q.watch); err != nil {
		return nil, err
	}
	for _, request := range slices.Sorted(maps.Keys(q.picks)) {
		q.inOrder = append(q.inOrder, q.picks[request])
	}
	for _, request := range requests {
		if p := q.picks[request]; p == nil || !p.explained {
			return nil, fmt.Errorf("request %d: %w", request, ErrNoPick)
		}
	}
	return q, nil
}

// A job is one simulation with a forced pick, and the request that it is about.
type job struct {
	forced
	about int
	// answer indexes the answers; negative for a flip.
	answer int
}

// answer simulates each alternative that is possible, and the flips of each request.
func (q *inquiry) answer(ctx context.Context, alternatives []Alternative) (*Report, error) {
	r := &Report{WindowSeconds: q.Window.Seconds(), Answers: []Answer{}}
	var jobs []job
	compared := map[int]bool{} // requests
	for i, a := range alternatives {
		p := q.picks[a.Request]
		answer := Answer{Request: a.Request, Endpoint: a.Endpoint, Impossible: p.impossible(a.Endpoint)}
		if a.Endpoint >= 0 && a.Endpoint < len(p.names) {
			answer.Name = p.names[a.Endpoint]
		}
		if answer.Impossible == "" {
			answer.Score = number(p.score(a.Endpoint))
			jobs = append(jobs, job{forced{a.Request, a.Endpoint}, a.Request, i})
			compared[a.Request] = true
		}
		r.Answers = append(r.Answers, answer)
	}
	for _, request := range q.requests {
		var flips []flip
		if compared[request] {
			flips = q.flips(request)
		}
		r.Picks = append(r.Picks, q.picks[request].describe(flips))
		for _, f := range flips {
			jobs = append(jobs, job{f.forced, request, -1})
		}
	}
	seen, err := q.simulate(ctx, jobs)
	if err != nil {
		return nil, err
	}
	r.Simulations = 1 + len(jobs)
	q.compare(r, jobs, seen)
	return r, nil
}

// compare fills in the answers from what the jobs have seen.
func (q *inquiry) compare(r *Report, jobs []job, seen []figures) {
	own, window := map[int][]latencies{}, map[int][]latencies{}
	picked := map[int]figures{}
	for _, request := range q.requests {
		picked[request] = q.watch.figuresOf(request)
	}
	for i, j := range jobs {
		if j.answer < 0 {
			own[j.about], window[j.about] = append(own[j.about], seen[i].own), append(window[j.about], seen[i].window)
		}
	}
	for i, j := range jobs {
		if j.answer < 0 {
			continue
		}
		a := &r.Answers[j.answer]
		a.Own = new(compare(picked[j.about].own, seen[i].own, own[j.about]))
		a.Window = new(compare(picked[j.about].window, seen[i].window, window[j.about]))
	}
}

// flips are those of a request.
func (q *inquiry) flips(request int) []flip {
	of := q.watch.window(request)
	after := sort.Search(len(q.inOrder), func(i int) bool { return q.inOrder[i].request > request })
	later := q.inOrder[after:]
	late := sort.Search(len(later), func(i int) bool { return q.watch.arrivals[later[i].request] >= of.until })
	leaves := q.watch.endOf(request)
	there := func(other int) bool { return q.watch.arrivals[other] < leaves }
	return flipsOf(q.picks[request], later[:late], there, q.Flips)
}

// simulate runs jobs, and returns what each saw.
func (q *inquiry) simulate(ctx context.Context, jobs []job) ([]figures, error) {
	seen := make([]figures, len(jobs))
	var mu sync.Mutex
	done := 0
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(q.Parallelism)
	for i, j := range jobs {
		group.Go(func() error {
			w := newWatch([]int{j.about}, q.Window)
			if err := q.maker.simulateForced(groupCtx, j.forced, w); err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			seen[i] = w.figuresOf(j.about)
			done++
			if q.Progress != nil {
				q.Progress(done, len(jobs))
			}
			return nil
		})
	}
	return seen, group.Wait()
}
