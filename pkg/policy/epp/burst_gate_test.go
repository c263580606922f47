// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// bursts prefer the endpoint that a window assigns, and then the shortest queue.
const bursts = `
plugins:
- {type: token-producer, parameters: {modelName: m, vllm: {url: "http://render"}}}
- {type: burst-prefix-cache-producer, parameters: {windowDurationMs: 20, maxBatchSize: 3}}
- {type: prefix-cache-scorer, parameters: {prefixMatchInfoProducerName: burst-prefix-cache-producer}}
- {type: queue-scorer}
schedulingProfiles:
- {name: default, plugins: [{pluginRef: prefix-cache-scorer, weight: 2}, {pluginRef: queue-scorer}]}
`

// A crowd talks to a scheduler that keeps requests back, as an engine does.
type crowd struct {
	t *testing.T
	*scheduler.Scheduler
	view policy.View
	log  []policy.Released
}

func newCrowd(t *testing.T, body string, cluster config.Cluster) *crowd {
	return &crowd{t: t, Scheduler: New(mustLoad(t, body), cluster, 1), view: *idle(cluster.Endpoints)}
}

// comes has a request arrive, with a prompt of its text. It returns the error.
func (c *crowd) comes(at simtime.Time, id int, source uint64) error {
	c.t.Helper()
	c.until(at)
	c.view.Now = at
	to, err := c.Route(&c.view, withPrompt(id, prompt.Extent{Source: source, Tokens: 100}))
	if !errors.Is(err, policy.ErrHeld) {
		c.log = append(c.log, policy.Released{Request: id, Decision: to, Err: err})
	}
	c.Leave()
	return err
}

// expiresAt has the time pass, without that moment.
func (c *crowd) until(at simtime.Time) {
	for {
		wake, ok := c.Wake(c.view.Now)
		if !ok || wake >= at {
			return
		}
		if wake <= c.view.Now {
			c.t.Fatalf("wakes at %v, at %v", wake, c.view.Now)
		}
		c.view.Now = wake
		c.Leave()
	}
}

func (c *crowd) Leave() {
	for {
		r, ok := c.Release(&c.view)
		if !ok {
			return
		}
		c.log = append(c.log, r)
	}
}

// went are the requests in the order in which they went, and their endpoints.
func (c *crowd) went() [][2]int {
	var all [][2]int
	for _, r := range c.log {
		if r.Err != nil {
			r.Decision.Endpoint = scheduler.None
		}
		all = append(all, [2]int{r.Request, r.Decision.Endpoint})
	}
	return all
}

// A window is as long as it is from its first request on, however many follow, and
// who comes as it closes is in the next one.
func TestAWindowBeginsWithItsFirstRequest(t *testing.T) {
	c := newCrowd(t, bursts, config.Cluster{Endpoints: 2})
	for id, at := range []simtime.Time{0, 19 * ms, 20*ms - 1} {
		if err := c.comes(at, id, 7); !errors.Is(err, policy.ErrHeld) {
			t.Fatalf("request %d: %v", id, err)
		}
		if wake, ok := c.Wake(at); !ok || wake != 20*ms {
			t.Fatalf("wakes at %v (%t)", wake, ok)
		}
	}
	if err := c.comes(20*ms, 3, 7); !errors.Is(err, policy.ErrHeld) || len(c.log) != 3 {
		t.Errorf("%v after %v", err, c.log)
	}
	if wake, _ := c.Wake(20 * ms); wake != 40*ms {
		t.Errorf("the next one closes at %v", wake)
	}
	c.until(simtime.Never)
	if _, ok := c.Wake(c.view.Now); ok {
		t.Error("wakes with nobody waiting")
	}
}

// Requests with equal prompts go together, though each alone would follow the
// queues. Who is alone does.
func TestEqualPromptsGoTogether(t *testing.T) {
	c := newCrowd(t, bursts, config.Cluster{Endpoints: 2})
	c.view.Scrapes = []policy.Scrape{{Waiting: 3}, {Running: 5}}
	for id, source := range []uint64{7, 8, 7} {
		_ = c.comes(simtime.Time(id), id, source)
	}
	c.until(simtime.Never)
	if diff := cmp.Diff([][2]int{{0, 0}, {1, 1}, {2, 0}}, c.went()); diff != "" {
		t.Errorf("went (-want +got):\n%s", diff)
	}
}

// The EPP copies the metrics when it begins with a request, and so scores by what
// they were before the window.
func TestWaitingRequestsAreRoutedByOldMetrics(t *testing.T) {
	c := newCrowd(t, bursts, config.Cluster{Endpoints: 3})
	c.view.Scrapes = []policy.Scrape{{Waiting: 5}, {Waiting: 2}, {Waiting: 9}}
	c.view.Changed = []int32{}
	_ = c.comes(0, 0, 1)
	c.view.Scrapes = []policy.Scrape{{Waiting: 1}, {Waiting: 2}, {Waiting: 9}}
	c.view.Changed = []int32{0}
	_ = c.comes(ms, 1, 2)
	c.view.Scrapes = []policy.Scrape{{Waiting: 5}, {Waiting: 5}, {Waiting: 0}}
	c.view.Changed = []int32{0, 1, 2}
	c.until(simtime.Never)
	if diff := cmp.Diff([][2]int{{0, 1}, {1, 0}}, c.went()); diff != "" {
		t.Errorf("went (-want +got):\n%s", diff)
	}
}

// Those are candidates that were there as the wait began and still are.
func TestEndpointsThatLeftAreNotPicked(t *testing.T) {
	c := newCrowd(t, bursts, config.Cluster{Endpoints: 3})
	c.view.Scrapes = []policy.Scrape{{Running: 1}, {Running: 2}, {}}
	c.view.Down = []bool{false, false, true}
	_ = c.comes(0, 0, 7)
	_ = c.comes(0, 1, 7)
	c.view.Down = []bool{true, false, false}
	c.until(simtime.Never)
	if diff := cmp.Diff([][2]int{{0, 1}, {1, 1}}, c.went()); diff != "" {
		t.Errorf("went (-want +got):\n%s", diff)
	}
	_ = c.comes(c.view.Now, 2, 7)
	c.view.Down = []bool{true, true, true}
	c.until(simtime.Never)
	if last := c.log[2]; !errors.Is(last.Err, policy.ErrNoEndpoint) {
		t.Errorf("with nobody left: %+v", last)
	}
	if err := c.comes(c.view.Now, 3, 7); !errors.Is(err, policy.ErrNoEndpoint) || errors.Is(err, policy.ErrHeld) {
		t.Errorf("with nobody there: %v", err)
	}
}

// Who finds the window full goes on at once, with nothing known of the prompt,
// and by what the metrics are then.
func TestAFullWindowLetsRequestsPass(t *testing.T) {
	c := newCrowd(t, bursts, config.Cluster{Endpoints: 2})
	c.view.Changed = []int32{}
	for id := range 3 {
		_ = c.comes(0, id, 7)
	}
	c.view.Scrapes[0].Waiting = 4
	c.view.Changed = []int32{0}
	if err := c.comes(ms, 3, 7); err != nil {
		t.Fatal(err)
	}
	c.until(simtime.Never)
	if diff := cmp.Diff([][2]int{{3, 1}, {0, 0}, {1, 0}, {2, 0}}, c.went()); diff != "" {
		t.Errorf("went (-want +got):\n%s", diff)
	}
}

// Requests of negative priority are turned away before they would wait.
func TestSheddableRequestsAreShedOnArrival(t *testing.T) {
	c := newCrowd(t, bursts, config.Cluster{Endpoints: 1})
	r := request(0, 10)
	r.Priority = -1
	if _, err := c.Route(&policy.View{Scrapes: []policy.Scrape{{Waiting: 9}}}, r); !errors.Is(err, policy.ErrShed) {
		t.Errorf("error %v", err)
	}
}

// With flow control requests come to the window when they leave their queues, and
// the windows last from then on.
func TestWindowsBehindFlowControl(t *testing.T) {
	c := newCrowd(t, gated+bursts, config.Cluster{Endpoints: 2})
	full := []policy.Scrape{{Waiting: 5, Running: 9}, {Waiting: 5}}
	c.view.Scrapes = full
	for id, at := range []simtime.Time{ms / 2, ms} {
		if err := c.comes(at, id, 7); !errors.Is(err, policy.ErrHeld) {
			t.Fatal(err)
		}
	}
	c.until(5*ms + 1)
	if len(c.log) > 0 {
		t.Fatalf("%v with all full", c.log)
	}
	c.view.Scrapes = []policy.Scrape{{Running: 9}, {}}
	c.until(26 * ms)
	if len(c.log) > 0 {
		t.Fatalf("%v before the window closes", c.log)
	}
	if wake, _ := c.Wake(c.view.Now); wake != 26*ms {
		t.Errorf("nobody waits in a queue, and it wakes at %v", wake)
	}
	c.until(simtime.Never)
	if diff := cmp.Diff([][2]int{{0, 1}, {1, 1}}, c.went()); diff != "" || c.view.Now != 26*ms {
		t.Errorf("went by %v (-want +got):\n%s", c.view.Now, diff)
	}
}

// Requests pass one window after the other, and keep what each has found.
func TestWindowsInARow(t *testing.T) {
	const body = `
plugins:
- {name: short, type: burst-prefix-cache-producer, parameters: {windowDurationMs: 10}}
- {name: long, type: burst-prefix-cache-producer, parameters: {windowDurationMs: 30, maxBatchSize: 2}}
- {name: by-short, type: prefix-cache-scorer, parameters: {prefixMatchInfoProducerName: short}}
- {name: by-long, type: prefix-cache-scorer, parameters: {prefixMatchInfoProducerName: long}}
- {type: random-picker}
`
	c := newCrowd(t, body, config.Cluster{Endpoints: 2})
	_ = c.comes(0, 0, 7)
	_ = c.comes(0, 1, 7)
	_ = c.comes(15*ms, 2, 7)
	_ = c.comes(15*ms, 3, 7)
	var scores [][2]float64
	c.Explain(func(x *scheduler.Explanation) {
		var best [2]float64
		for i, s := range x.Profiles[0].Scorers {
			best[i] = float64(slices.Max(s.Raw))
		}
		scores = append(scores, best)
	})
	c.until(simtime.Never)
	if diff := cmp.Diff([][2]float64{{1, 0}, {1, 0}, {1, 1}, {1, 1}}, scores); diff != "" {
		t.Errorf("what the two windows say (-want +got):\n%s", diff)
	}
	if c.view.Now != 40*ms {
		t.Errorf("the last ones leave at %v", c.view.Now)
	}
}

// A decision is explained when it is made: by metrics that are as old as the wait.
func TestExplanationOfARequestThatWaited(t *testing.T) {
	c := newCrowd(t, bursts, config.Cluster{Endpoints: 2})
	c.view.Scrapes[0].Waiting = 4
	var told []*scheduler.Explanation
	c.Explain(func(x *scheduler.Explanation) { told = append(told, x) })
	_ = c.comes(0, 0, 7)
	c.view.Scrapes = make([]policy.Scrape, 2)
	_ = c.comes(5*ms, 1, 7)
	if len(told) > 0 {
		t.Fatal("told of who waits")
	}
	c.until(simtime.Never)
	if len(told) != 2 {
		t.Fatalf("told of %d", len(told))
	}
	x := told[0]
	if x.AtSeconds != 0.02 || x.Endpoints[0].Waiting != 4 || *x.Endpoints[0].ScrapeAgeSeconds != 0.02 {
		t.Errorf("at %v: %+v", x.AtSeconds, x.Endpoints[0])
	}
	want := []scheduler.PrefixSignal{{
		PluginName: scheduler.PluginName{Name: burstPrefixCacheProducerType, Type: burstPrefixCacheProducerType}, Freshness: burstPrefixCacheProducer.Freshness,
		BlockTokens: 64, TotalBlocks: 2, Blocks: []int{2, 0},
	}}
	if diff := cmp.Diff(want, x.Prefixes); diff != "" {
		t.Errorf("prefixes (-want +got):\n%s", diff)
	}
}

// Several EPPs have windows of their own.
func TestWindowsOfSeveralEPPs(t *testing.T) {
	r := NewReplicas(mustLoad(t, bursts), config.Cluster{Endpoints: 2}, 2, 1).Routing()
	view := idle(2)
	for id, at := range []simtime.Time{0, 5 * ms} {
		view.Now = at
		if _, err := r.Router.Route(view, request(id, 100)); !errors.Is(err, policy.ErrHeld) {
			t.Fatal(err)
		}
	}
	for id, want := range []time.Duration{20 * time.Millisecond, 25 * time.Millisecond} {
		at, ok := r.Queue.Wake(view.Now)
		if !ok || at != simtime.Time(want) {
			t.Fatalf("wakes at %v (%t), want %v", at, ok, want)
		}
		view.Now = at
		if got, ok := r.Queue.Release(view); !ok || got.Request != id {
			t.Fatalf("released %+v (%t)", got, ok)
		}
		if got, ok := r.Queue.Release(view); ok {
			t.Fatalf("released %+v", got)
		}
	}
}
