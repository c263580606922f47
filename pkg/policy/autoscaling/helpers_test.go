// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

const (
	places = 100 // of a pool
	scrape = 15 * time.Second
)

// scene is a unit with samples that a test makes by hand.
type scene struct {
	view  View
	names []string
}

// newScene returns a unit with so many replicas that serve: of a pool, or of prefill and
// decode. Each pool has 1 to 100 of them.
func newScene(replicas ...int) *scene {
	s := &scene{names: []string{"prefill", "decode"}}
	if len(replicas) == 1 {
		s.names = []string{"pool"}
	}
	for k, n := range replicas {
		s.view.Pools = append(s.view.Pools, Pool{First: k * places, Endpoints: places, Min: 1, Max: places})
		s.serve(k, n)
	}
	s.view.Monitor = NewMonitor(len(replicas)*places, scrape, 0, time.Hour)
	return s
}

// serve gives a pool so many replicas that serve from the start on.
func (s *scene) serve(k, n int) {
	p := &s.view.Pools[k]
	p.Wanted, p.Replicas = n, nil
	for i := range n {
		p.Replicas = append(p.Replicas, Replica{Endpoint: p.First + i, Stage: Serving})
	}
}

// start adds replicas that start to a pool.
func (s *scene) start(k, n int) *scene {
	p := &s.view.Pools[k]
	for range n {
		p.Replicas = append(p.Replicas, Replica{Endpoint: p.First + len(p.Replicas), Stage: Loading, Ready: simtime.Never})
	}
	p.Wanted += n
	return s
}

// bound sets the bounds of a pool.
func (s *scene) bound(k, least, most int) *scene {
	s.view.Pools[k].Min, s.view.Pools[k].Max = least, most
	return s
}

// sample takes a sample, in which engines are up whose replicas serve. What is not
// changed is as in the sample before.
func (s *scene) sample(at time.Duration, change func(*Sample)) *scene {
	before := s.view.Monitor.Back(0)
	s.view.Now = simtime.Time(at)
	sample := s.view.Monitor.Take(s.view.Now)
	if before != nil {
		sample.Gateway = before.Gateway
		copy(sample.Engines, before.Engines)
	}
	for k := range s.view.Pools {
		for _, r := range s.view.Pools[k].Replicas {
			e := &sample.Engines[r.Endpoint]
			e.Up, e.Started = r.Stage.Serves(), r.Ready
		}
	}
	if change != nil {
		change(sample)
	}
	return s
}

// generated lets the last pool give so many tokens a second for 45 s, with a time between
// tokens, while requests are in flight.
func (s *scene) generated(perSecond int64, between time.Duration) *scene {
	first := time.Duration(s.view.Now) + scrape
	s.sample(first, func(x *Sample) { x.Gateway.Arrived = x.Gateway.Ended + 10 })
	return s.sample(first+3*scrape, func(x *Sample) {
		e := &x.Engines[s.view.Pools[len(s.view.Pools)-1].First]
		e.Counters.InterTokenLatency.Count += 45 * perSecond
		e.InterTokenLatency.Observe(InterTokenLatencyBounds, between, 1000)
	})
}

func (s *scene) world() World {
	w := World{HasTargets: true, ScrapeInterval: scrape}
	for k, name := range s.names[:len(s.view.Pools)] {
		w.Pools = append(w.Pools, PoolBounds{name, s.view.Pools[k].Min, s.view.Pools[k].Max, plainEngine})
	}
	return w
}

// ask asks a scaler, and has what it wants serve at once.
func (s *scene) ask(scaler Scaler) (wanted string, reason string) {
	all := make([]int, len(s.view.Pools))
	for k := range all {
		all[k] = s.view.Pools[k].Wanted
	}
	why := scaler.Scale(&s.view, all)
	for k, n := range all {
		if n != s.view.Pools[k].Wanted {
			s.serve(k, s.view.Pools[k].bounded(n))
		}
	}
	return listed(all), string(why)
}

// scaler returns the scaler of a policy with parameters, given as name=value.
func (s *scene) scaler(t *testing.T, name string, parameters ...string) Scaler {
	t.Helper()
	return loaded(t, name, s.world(), parameters...).New()
}

func loaded(t *testing.T, name string, world World, parameters ...string) *Config {
	t.Helper()
	config, errs := Load(Spec{name, values(parameters)}, world, field.NewPath("policy"))
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return config
}

func (s *scene) trigger(t *testing.T, name string, parameters ...string) Trigger {
	t.Helper()
	config, errs := LoadTrigger(Spec{name, values(parameters)}, s.world(), field.NewPath("trigger"))
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return config.New()
}

func values(parameters []string) map[string]string {
	m := map[string]string{}
	for _, p := range parameters {
		name, value, _ := strings.Cut(p, "=")
		m[name] = value
	}
	return m
}

// decision is a case of a table: what a policy says of a scene.
type decision struct {
	scene      *scene
	parameters []string
	// want is the replicas, and why is a part of the reason.
	want, why string
}

// decide runs a table of decisions of a policy.
func decide(t *testing.T, policy string, cases map[string]decision) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			wanted, why := tc.scene.ask(tc.scene.scaler(t, policy, tc.parameters...))
			if wanted != tc.want || !strings.Contains(why, tc.why) {
				t.Errorf("%s: %q, want %s: %q", wanted, why, tc.want, tc.why)
			}
		})
	}
}
