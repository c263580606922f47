// SPDX-License-Identifier: Apache-2.0

package dynamo_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windtunnel.dev/windtunnel/internal/testing/realcode"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/dynamo"
)

// linear are the milliseconds of a step, of a prompt token, of an answer, and of a token held.
type linear [4]float64

func (l linear) Milliseconds(w dynamo.Work) float64 {
	ms := l[0] + float64(l[1]*float64(w.PrefillTokens))
	ms += float64(l[2] * float64(w.Decodes))
	return ms + float64(l[3]*float64(w.DecodeTokens))
}

// answer is what the real planner said, step after step.
type answer struct {
	Config dynamo.Config
	// Interval is the time between two decisions in seconds, of which the throughput loop runs at each Every.
	Interval, Every int
	Limits          []dynamo.Limits
	Forward         linear
	Steps           []struct {
		Pools   []dynamo.Pool
		Traffic dynamo.Traffic
	}
	Want []said
}

// said is an answer. Forecast are the requests of the next interval and their mean tokens.
type said struct {
	Targets, Least []int
	PerSecond      []float64
	Forecast       [3]float64
	TTFT, ITL      float64
}

// The replicas are those of the real planner. Figures differ by the rounding of a filter of matrices.
func TestThePlannerDecidesTheSame(t *testing.T) {
	seen := map[string]int{}
	for i, a := range realcode.Answers[answer](t, "testdata/answers.json.gz") {
		planner := dynamo.New(a.Config, a.Limits, []dynamo.Forward{a.Forward, a.Forward})
		for k := range a.Steps {
			step := &a.Steps[k]
			traffic, every := &step.Traffic, a.Every
			if traffic.Seconds = float64(a.Interval * every); !a.Config.Throughput {
				every = 1
			}
			if a.Config.Target != dynamo.SLA || (k+1)%every > 0 {
				traffic = nil
			}
			d := planner.Decide(step.Pools, traffic)
			got := said{d.Targets, d.Least, d.PerSecond, [3]float64{d.Forecast.Requests, d.Forecast.Input, d.Forecast.Output}, d.TTFT, d.ITL}
			if diff := cmp.Diff(a.Want[k], got, cmpopts.EquateApprox(1e-9, 1e-9)); diff != "" {
				t.Fatalf("sequence %d, step %d, %+v of %+v, %+v (−real +here):\n%s", i, k, step, a.Config, a.Limits, diff)
			}
			count(seen, &a.Config, step.Pools, &d)
		}
	}
	t.Logf("compared %d answers: %v", seen["all"], seen)
	for _, target := range []string{"throughput", "latency", "load", "sla"} {
		for _, kind := range []string{" up", " down", " none"} {
			if seen[target+kind] < 20 {
				t.Errorf("%d answers are of kind %s, want at least 20", seen[target+kind], target+kind)
			}
		}
	}
	for _, kind := range []string{"Unmeasured", "InProgress", "Mismatch", "counted", "two roles", "several engines a replica", "a floor of GPUs"} {
		if seen[kind] < 20 {
			t.Errorf("%d answers are of kind %s, want at least 20", seen[kind], kind)
		}
	}
}

// count counts the kinds of a decision.
func count(seen map[string]int, c *dynamo.Config, pools []dynamo.Pool, d *dynamo.Decision) {
	change := 0
	for k := range pools {
		change += d.Targets[k] - pools[k].Ready
		if len(pools[k].Engines) > pools[k].Ready {
			seen["several engines a replica"]++
		}
	}
	kinds := map[string]bool{
		"all": true, string(d.Verdict): true, "two roles": len(pools) == 2, "counted": d.PerSecond[0] > 0, "a floor of GPUs": c.MinGPUs >= 0,
		string(c.Target) + " up": change > 0, string(c.Target) + " down": change < 0, string(c.Target) + " none": change == 0,
	}
	for kind, is := range kinds {
		if is {
			seen[kind]++
		}
	}
}
