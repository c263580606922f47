// SPDX-License-Identifier: Apache-2.0

package query

import (
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

const interval = 15 * time.Second

// story is a pool llama of two engines and a pool qwen of one, which a monitor has scraped.
type story struct {
	view autoscaling.View
}

var threeEngines = Targets{
	InferencePool: "epp",
	Pools: []Pool{
		{"llama", "llama-8b", []string{"llama/0", "llama/1"}},
		{"qwen", "qwen-7b", []string{"qwen/0"}},
	},
	Variant: "llama",
}

// newStory takes a sample every 15 s, from the first second on, so that the last one is a time
// before the queries.
func newStory(samples int, since time.Duration, fill func(k int, s *autoscaling.Sample)) *story {
	m := autoscaling.NewMonitor(3, interval, 0, time.Hour)
	at := simtime.Time(0)
	for k := range samples {
		at = at.Add(interval)
		s := m.Take(at)
		for i := range s.Engines {
			s.Engines[i].Up = true
		}
		s.Router.Load(3)
		fill(k, s)
	}
	return &story{autoscaling.View{Now: at.Add(since), Monitor: m}}
}

func (s *story) ask(t *testing.T, text string) (float64, Problem) {
	t.Helper()
	return compiled(t, text).Value(&s.view)
}

func compiled(t testing.TB, text string) *Query {
	t.Helper()
	return compiledFor(t, text, threeEngines)
}

func compiledFor(t testing.TB, text string, targets Targets) *Query {
	t.Helper()
	q, err := Compile(text, targets)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return q
}

// with returns the three engines behind an EPP of a version, with flow control, one producer, and
// an endpoint that prefills.
func with(v version.Dialect) Targets {
	t := threeEngines
	t.EPP = &EPP{
		Version: v, FlowControl: true, Producers: []string{"inflight-load-producer"},
		Endpoints: []string{"llama/0", "llama/1", "qwen/0"}, Prefills: true, Decodes: true,
		Detectors: []Detector{{"concurrency-detector", true, true}},
	}
	return t
}

// dialect returns a version by its name.
func dialect(t testing.TB, name string) version.Dialect {
	t.Helper()
	d, err := version.Parse(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
