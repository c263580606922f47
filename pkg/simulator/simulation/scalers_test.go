// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// toNextUp routes to the replicas that serve, in turn.
type toNextUp struct{ last int }

func (r *toNextUp) Route(v *policy.View, _ *policy.Request) (policy.Route, error) {
	for range v.Scrapes {
		r.last = (r.last + 1) % len(v.Scrapes)
		if v.Down == nil || !v.Down[r.last] {
			break
		}
	}
	return policy.To(r.last), nil
}

// burst is 40 minutes of one request a second, and from minute 10 to 20 of six.
func burst() []workload.Request {
	var all []workload.Request
	for at := simtime.Time(0); at < simtime.Time(40*time.Minute); {
		gap := time.Second
		if at >= simtime.Time(10*time.Minute) && at < simtime.Time(20*time.Minute) {
			gap /= 6
		}
		at = at.Add(gap)
		all = append(all, workload.Request{
			ID: len(all), Arrival: at, OutputTokens: 100,
			Prompt: prompt.Prompt{Extents: []prompt.Extent{{Source: uint64(len(all) + 1), Tokens: 100}}},
		})
	}
	return all
}

// Each policy that reads load adds replicas in a burst that three replicas can just serve, and
// takes some away after it.
func TestPoliciesFollowABurst(t *testing.T) {
	for name, parameters := range map[string]map[string]string{
		"heteroscale":       {"targetDecodeTPS": "120"},
		"latency":           {"ttft": "5s", "scaleInCooldown": "2m"},
		"predictive":        {"capacity": "1.5"},
		"queue-length":      nil,
		"saturation":        nil,
		"tokens-per-second": {"generatedTarget": "120"},
		"utilization":       nil,
	} {
		t.Run(name, func(t *testing.T) {
			c := smallConfig()
			c.Source, c.Policies, c.Horizon = &script{requests: burst()}, policy.RoutedBy(&toNextUp{}), simulator.Horizon{Drain: time.Hour}
			c.AwaitReplicas = time.Minute
			p := &c.Pools[0]
			p.Timer, p.MaxReplicas, p.MaxNumSeqs, p.KVBlocks, p.MaxNumBatchedTokens = constantStep(50*time.Millisecond), 10, 10, 1000, 2048
			p.Startup = simulator.Startup{ModelLoad: simulator.Delay{Mean: time.Minute}}
			const scrape, delay = 15 * time.Second, 5 * time.Second
			config, errs := autoscaling.Load(autoscaling.Spec{Name: name, Parameters: parameters}, autoscaling.World{
				Pools: []autoscaling.PoolBounds{{Name: "pool", Min: 0, Max: 10}}, ScrapeInterval: scrape, Delay: delay,
			}, field.NewPath("policy"))
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			c.Scaling = []simulator.ScaledUnit{{
				Name: "unit", Pools: []int{0}, Min: []int{0}, Max: []int{10}, Interval: scrape,
				Scaler: config.New(), Monitor: autoscaling.NewMonitor(10, scrape, delay, config.Window),
			}}
			before, most, after := 0, 0, 0
			c.Scaled = func(d simulator.ScalerCall) {
				switch {
				case d.At < simtime.Time(10*time.Minute):
					before = d.Wanted[0]
				case d.At < simtime.Time(35*time.Minute):
					most = max(most, d.Wanted[0])
				case d.At < simtime.Time(40*time.Minute):
					after = d.Wanted[0]
				}
			}
			if _, err := Run(context.Background(), c); err != nil {
				t.Fatal(err)
			}
			if before < 1 || most < max(before+1, 3) || after < 1 || after >= most {
				t.Errorf("%d replicas before the burst, at most %d in it, and %d after it", before, most, after)
			}
		})
	}
}
