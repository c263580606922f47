// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// azureSample is lengths of code completions in our own file.
func azureSample(t *testing.T, name string) *load {
	return readLoad(t, name, trace.Azure, filepath.Join("..", "..", "pkg", "simulator", "simulation", "testdata", "lengths.csv"))
}

func readLoad(t *testing.T, name string, format trace.Format, path string) *load {
	t.Helper()
	l, err := fromTrace(name, format, path)
	if err != nil {
		t.Fatal(err)
	}
	return l.lengthsOnly(name)
}

func TestStabilityLawHolds(t *testing.T) {
	for name, tc := range map[string]struct {
		load func(t *testing.T) *load
		half time.Duration
	}{
		"constant lengths": {func(*testing.T) *load { return constant(512, 128) }, 2 * time.Minute},
		"a small sample":   {func(t *testing.T) *load { return azureSample(t, "sample") }, 2 * time.Minute},
		"Azure code": {func(t *testing.T) *load {
			return readLoad(t, "azure", trace.Azure, testdata.File(t, "traces", "azure-2023", "AzureLLMInferenceTrace_code.csv"))
		}, 2 * time.Minute},
		"Mooncake conversation": {func(t *testing.T) *load {
			return readLoad(t, "mooncake", trace.Mooncake, testdata.File(t, "traces", "mooncake-fast25", "conversation_trace.jsonl"))
		}, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := sweepLaw(question{tc.load(t), 0, tc.half})
			if err != nil {
				t.Fatal(err)
			}
			for i, share := range s.shares {
				if grows := s.trials[i].grows(share * s.unit); share != 1 && grows != (share > 1) {
					t.Errorf("at %v of the boundary the queue grows by %.3f a second, of %.2f", share, s.trials[i].growth, share*s.unit)
				}
			}
			if at := s.begins / s.unit; at < 0.9 || at > 1.1 {
				t.Errorf("the queue begins to grow at %.3f of the boundary", at)
			}
		})
	}
}

// TestStabilityInTheEngine is about the distance from the law, where step times
// depend on what runs.
func TestStabilityInTheEngine(t *testing.T) {
	engine, err := enginePool()
	if err != nil {
		t.Fatal(err)
	}
	sweep := func(l *load, tooMuch float64, half time.Duration) sweep {
		s, err := sweepEngine(engine, question{l, tooMuch, half})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	t.Run("a controller promises too much before the cache is full", func(t *testing.T) {
		s := sweep(constant(512, 128), 80, 4*time.Minute)
		if at := s.begins / s.load.served(s.at(0.5).stepSeconds); at > 0.1 {
			t.Errorf("by the steps of half the load the queue begins to grow at %.2f of the law, want a small part", at)
		}
		if at := s.begins / s.load.served(s.full.stepSeconds); at < 0.9 || at > 1.1 {
			t.Errorf("by the steps of a full cache the queue begins to grow at %.2f of the law, want about 1", at)
		}
		if below, above := s.at(0.9).known, s.at(1.3).known; below.Utilization > 0.5 || above.IsStable {
			t.Errorf("ρ is %.2f at 0.9 and %.2f at 1.3, want less than 0.5 and more than 1", below.Utilization, above.Utilization)
		}
	})
	t.Run("where compute binds it sees nothing", func(t *testing.T) {
		s := sweep(azureSample(t, "sample"), 60, 4*time.Minute)
		if over := s.at(1.3); !over.grows(1.3*s.unit) || !over.known.IsStable || over.meanKV > 0.9 {
			t.Errorf("at 1.3 the queue grows by %.2f/s, ρ is %.2f and %.2f of the cache is used", over.growth, over.known.Utilization, over.meanKV)
		}
	})
	t.Run("a full cache serves less than one that fills", func(t *testing.T) {
		if s := sweep(constant(256, 2048), 8, 10*time.Minute); s.full.served > 0.9*s.begins {
			t.Errorf("%.2f/s are served when it is full, and %.2f/s before", s.full.served, s.begins)
		}
	})
}

func TestStabilityContest(t *testing.T) {
	engine, err := enginePool()
	if err != nil {
		t.Fatal(err)
	}
	play := func(c contest, share float64) outcome {
		scores, err := c.play(engine, []float64{share}, 3)
		if err != nil {
			t.Fatal(err)
		}
		return outcome{c, scores}
	}
	t.Run("beyond the boundary", func(t *testing.T) {
		o := play(contest{load: constant(256, 2048), perSecond: 4.7, target: target(2*time.Second, 100*time.Millisecond), length: 15 * time.Minute}, 1)
		lru, holds, refuses := o.of("LRU", 1), o.of("queueing", 1), o.of("queueing, refuses", 1)
		if holds.preemptions.Mean >= lru.preemptions.Mean {
			t.Errorf("%.0f preemptions where requests are held back, %.0f without", holds.preemptions.Mean, lru.preemptions.Mean)
		}
		if refuses.attainment.Mean < lru.attainment.Mean+0.2 || refuses.rejected.Mean > 0.2 {
			t.Errorf("%.2f attain their targets where %.2f are turned away, %.2f without", refuses.attainment.Mean, refuses.rejected.Mean, lru.attainment.Mean)
		}
	})
	t.Run("evictions ahead of time", func(t *testing.T) {
		o := play(contest{load: sharedPrefixes(400), perSecond: 33, target: target(2*time.Second, 100*time.Millisecond), length: 4 * time.Minute}, 0.9)
		lru, evicts, holds := o.of("LRU", 0.9), o.of("queueing", 0.9), o.of("queueing, no evictions", 0.9)
		if evicts.hits.Mean >= lru.hits.Mean || holds.hits.Mean < 0.99*lru.hits.Mean {
			t.Errorf("%.4f of the prompt tokens from the cache, %.4f without evictions and %.4f without a controller",
				evicts.hits.Mean, holds.hits.Mean, lru.hits.Mean)
		}
	})
}

func TestEstimatesOfRates(t *testing.T) {
	for _, inWindow := range []float64{0.6, 3} {
		e := poissonProcess(inWindow, stats.NewStream(1, "process")).estimate()
		bias := (1 + inWindow) * math.Log(1+1/inWindow)
		if got := e.seed / e.perSecond; math.Abs(got/bias-1) > 0.03 {
			t.Errorf("%g arrivals in a window: the literal rate is %.3f of the true one, want %.3f", inWindow, got, bias)
		}
		if got := e.queueing / e.perSecond; math.Abs(got-1) > 0.01 {
			t.Errorf("%g arrivals in a window: the rate is %.3f of the true one", inWindow, got)
		}
	}
	batches := process{name: "ten every three seconds"}
	for i := range 4000 {
		batches.times = append(batches.times, simtime.Time(i/10)*simtime.Time(3*time.Second))
	}
	if e := batches.estimate(); math.Abs(e.queueing/e.perSecond-1) > 0.05 || e.seed/e.perSecond > 0.2 {
		t.Errorf("batches at %.2f/s: %.2f/s, and %.2f/s in the literal form; want the truth and a tenth", e.perSecond, e.queueing, e.seed)
	}
}

func TestPage(t *testing.T) {
	azure := azureSample(t, azureLengths)
	conversation := azureSample(t, "Mooncake conversation, lengths")
	s := scale{
		law:       []question{{constant(512, 128), 0, 20 * time.Second}},
		engine:    []question{{azure, 60, time.Minute}},
		processes: []process{poissonProcess(3, stats.NewStream(1, "process"))},
		seeds:     2,
	}
	for _, l := range []*load{azure, conversation, constant(256, 2048), sharedPrefixes(400)} {
		s.add(question{l, 60, 2 * time.Minute}, target(2*time.Second, 100*time.Millisecond), time.Minute)
	}
	f, err := find(s)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "stability.md")
	if err := f.write(path); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{path: "![ρ over the load](stability.svg)", strings.TrimSuffix(path, "md") + "svg": "</svg>"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %q", filepath.Base(file), want)
		}
	}
}
