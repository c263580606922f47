// SPDX-License-Identifier: Apache-2.0

package autoscaling

import "time"

// latencyRule is a rule by quantiles of what engines observe. Prefill has the time to first
// token, decode the time between tokens, and a pool that does both has both.
type latencyRule struct {
	targets       [2]time.Duration // by Latency; 0 is not looked at
	quantile, low float64
	window        time.Duration
	step          int
}

// latencyNames are how the histograms are called in results.
var latencyNames = [2]string{TimeToFirstToken: "TTFT", InterTokenLatency: "TBT"}

func readLatency(l *loader) func() Scaler {
	r := latencyRule{
		targets: [2]time.Duration{
			TimeToFirstToken:  l.OptionalDuration("ttft", "the target of the engine's time to first token; with neither ttft nor tbt, the targets are the shortest of the workload's SLOs"),
			InterTokenLatency: l.OptionalDuration("tbt", "the target of the time between tokens"),
		},
		quantile: l.Between("quantile", 0.01, 0.999, 0.95, "the quantile that is compared with the target"),
		low:      l.Between("low", 0, 1, 0.5, "the share of the target below which a replica is taken away"),
		window:   l.window("window", time.Minute, "the time over which the quantile is taken"),
		step:     l.Count("step", 1, "the replicas that are added at once; one is taken away at once"),
	}
	if r.targets == [2]time.Duration{} {
		r.targets = [2]time.Duration{TimeToFirstToken: l.world.TTFT, InterTokenLatency: l.world.TBT}
	}
	if r.targets == [2]time.Duration{} {
		l.unusable("there is no target: set parameter ttft or tbt, or targets in slos")
	}
	return eachPoolOf(l, r, readCooldowns(l, time.Minute, 5*time.Minute))
}

// looks reports whether a histogram counts for a pool.
func (r *latencyRule) looks(at *place, of Latency) bool {
	split := len(at.Pools) > 1
	return r.targets[of] > 0 && (!split || at.k == int(of))
}

func (r latencyRule) propose(at *place) proposal {
	worst, of, looked := 0.0, Latency(0), false
	for each := range Latency(len(r.targets)) {
		if !r.looks(at, each) {
			continue
		}
		looked = true
		seconds, ok := at.Quantile(at.pool, r.window, each, r.quantile)
		if !ok {
			continue
		}
		at.note(latencyNames[each], seconds)
		if share := seconds / r.targets[each].Seconds(); share > worst {
			worst, of = share, each
		}
	}
	target := r.targets[of]
	seconds := time.Duration(worst * float64(target)).Round(100 * time.Microsecond)
	switch starting := at.pool.starting(); {
	case !looked:
		return at.keep("no target is about this pool")
	case worst == 0:
		return at.keep("no signal: no latency was observed in %s", r.window)
	case worst > 1 && starting > 0:
		return at.keep("%s is %s, above %s, while %s", latencyNames[of], seconds, target, starts(starting))
	case worst > 1:
		return proposal{at.pool.Wanted + r.step, reasonf("%s is %s, above %s", latencyNames[of], seconds, target)}
	case worst < r.low:
		return proposal{min(at.pool.Wanted, max(at.pool.Wanted-1, 1)), reasonf("%s is %s, below %.3g of %s", latencyNames[of], seconds, r.low, target)}
	default:
		return at.keep("%s is %s, between %.3g of its target and %s", latencyNames[of], seconds, r.low, target)
	}
}
