// SPDX-License-Identifier: Apache-2.0

package keda

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/keda"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

var update = flag.Bool("update", false, "write testdata of pkg/policy/autoscaling/keda")

const (
	testdata = "../../pkg/policy/autoscaling/keda/testdata"
	stories  = 100
	polls    = 40
)

// Story is one ScaledObject, created at 0. pkg/policy/autoscaling/keda reads it.
type Story struct {
	Spec keda.Spec
	// Min and Max are those of its autoscaler.
	Min, Max int32
	Polls    []Poll
}

// Poll is what KEDA saw at a time, and what it did. Triggers are asked after the request.
type Poll struct {
	At             simtime.Time
	Replicas       int32
	Active, Failed bool
	Want           keda.PollResult

	Trigger  int
	Target   keda.Target
	Answer   keda.Answer
	Observed hpa.Observation
}

func TestTheGoldenSet(t *testing.T) {
	for file, make := range map[string]func(*testing.T, *rand.Rand) any{
		"stories.json.gz":     func(t *testing.T, r *rand.Rand) any { return play(t, r, randomSpec(r)) },
		"annotations.json.gz": func(t *testing.T, r *rand.Rand) any { return play(t, r, annotatedSpec(r)) },
		"cron.json.gz":        func(t *testing.T, r *rand.Rand) any { return askCron(t, r) },
		"formulas.json.gz":    func(t *testing.T, r *rand.Rand) any { return askFormula(t, r) },
	} {
		t.Run(file, func(t *testing.T) {
			got, path := encode(t, make), filepath.Join(testdata, file)
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Error("KEDA decides otherwise than in the file: run this test with -update")
			}
		})
	}
}

// encode writes a line of JSON for each story, compressed.
func encode(t *testing.T, make func(*testing.T, *rand.Rand) any) []byte {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	lines := json.NewEncoder(z)
	for seed := range uint64(stories) {
		r := rand.New(rand.NewPCG(seed, 3))
		synctest.Test(t, func(t *testing.T) {
			if err := lines.Encode(make(t, r)); err != nil {
				t.Fatal(err)
			}
		})
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// play makes up a story of an object and asks KEDA at each poll.
func play(t *testing.T, r *rand.Rand, spec keda.Spec) *Story {
	s := &Story{Spec: spec}
	start := time.Now()
	o := newOperator(s.Spec)
	s.Min, s.Max = *o.object.GetHPAMinReplicas(), o.object.GetHPAMaxReplicas()
	replicas := int32(r.IntN(8))
	calm, phase := 1+r.IntN(12), r.IntN(2)
	for n := range polls {
		p := Poll{At: simtime.Time(time.Since(start)), Replicas: replicas, Active: (n/calm+phase)%2 == 0, Failed: r.IntN(8) == 0}
		p.Want = o.request(t, p.Replicas, p.Active, p.Failed)
		if p.Want.Write {
			replicas = p.Want.Replicas
		}
		if r.IntN(3) == 0 {
			replicas = int32(r.IntN(8))
		}
		p.Trigger = r.IntN(len(s.Spec.Triggers))
		p.Target = keda.Target{Replicas: replicas, Ready: int32(r.IntN(5))}
		p.Answer = keda.Answer{Failed: r.IntN(2) == 0}
		if !p.Answer.Failed {
			p.Answer.Value = pick(r, 0, 0.0005, 1, 17.0625, 1000*r.Float64(), 1e9*r.Float64())
		}
		p.Observed = o.observe(t, s.Spec, p.Trigger, p.Target, p.Answer)
		s.Polls = append(s.Polls, p)
		time.Sleep(pick(r, 30*time.Second, 30*time.Second, 10*time.Second, 29_250*time.Millisecond, 45*time.Second))
	}
	return s
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func randomSpec(r *rand.Rand) keda.Spec {
	s := keda.Spec{Min: pick[int32](r, 0, 0, 1, 3), Max: pick[int32](r, 0, 5, 20)}
	if r.IntN(2) == 0 {
		cooldown := pick(r, 0, 30*time.Second, 60*time.Second, 300*time.Second)
		s.Cooldown = &cooldown
	}
	if r.IntN(3) == 0 {
		s.InitialCooldown = pick(r, 30*time.Second, 90*time.Second)
	}
	if s.Min > 0 && r.IntN(2) == 0 {
		idle := int32(r.IntN(int(s.Min)))
		s.Idle = &idle
	}
	if r.IntN(2) == 0 {
		s.Fallback = &keda.Fallback{
			FailureThreshold: int32(r.IntN(4)), Replicas: int32(r.IntN(7)),
			Behavior: pick(r, "", keda.Static, keda.CurrentReplicas, keda.CurrentReplicasIfHigher, keda.CurrentReplicasIfLower),
		}
	}
	for range 1 + r.IntN(2) {
		s.Triggers = append(s.Triggers, keda.Trigger{Metric: hpa.Metric{
			Source: hpa.External,
			Target: hpa.Target{Type: pick(r, hpa.AverageValue, hpa.Value), Value: pick(r, 1, 300, 4007, 8014, 2300, 5000, 1+r.Int64N(99_999))},
		}})
	}
	return s
}

// annotatedSpec has annotations that pause or force.
func annotatedSpec(r *rand.Rand) keda.Spec {
	s := randomSpec(r)
	s.Annotations = keda.Annotations{PausedIn: r.IntN(2) == 0, PausedOut: r.IntN(2) == 0, Forced: r.IntN(3) == 0, Paused: r.IntN(8) == 0}
	return s
}
