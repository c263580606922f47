// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"math"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// slowest is how long a scale-out to the maximum may take.
const slowest = 10 * time.Minute

var slowToMax = Rule{
	ID: "slow-to-max", Severity: lint.Warning, Kind: manifest.HorizontalPodAutoscaler,
	Summary: "rules of scaling up that do not reach the maximum within 10 minutes",
	Why:     "Under a load that needs all replicas, requests queue until the last of them has been asked for, and then for its start.",
	Fix:     "Make scaleUp.stabilizationWindowSeconds shorter, or let scaleUp.policies add more replicas in a period.",
	check: func(p *pass) {
		reached, after := reach(p.Autoscaler(), p.Max)
		if reached < p.Max {
			p.report(p.BehaviorPath().Child("scaleUp"), "the rules reach %d of %d replicas within %s", reached, p.Max, after)
		}
	},
}

// reach returns how many replicas an autoscaler has asked for, of a number, under a load
// that needs them all.
func reach(spec hpa.Spec, most int) (replicas int, after time.Duration) {
	spec.Metrics = []hpa.Metric{{Source: hpa.External, Target: hpa.Target{Type: hpa.AverageValue, Value: 1}}}
	options := hpa.DefaultOptions()
	autoscaler := hpa.New(spec, options)
	count := max(spec.Min, 1)
	for ; after < slowest && int(count) < most; after += options.SyncPeriod {
		load := []hpa.Observation{{Values: []int64{math.MaxInt32}}}
		count = autoscaler.Sync(simtime.Time(after), hpa.Scale{Spec: count, Status: count}, load).Replicas
	}
	return int(count), after
}
