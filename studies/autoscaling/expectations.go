// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// general are the expectations about knowledge and the time to start.
func (f *findings) general() []*claim {
	return []*claim{
		each("If the load is known, a schedule is as good as a fixed number for the peak, and cheaper",
			fmt.Sprintf("`schedule` keeps at most %.1f points less, for fewer replica-hours", 100*alike), f.places(""),
			func(p place) bool {
				return p.share("schedule") >= p.share(forPeak)-alike && p.hours("schedule") < p.hours(forPeak)
			},
			func(p place) string {
				return fmt.Sprintf("%s against %s h", p.in("schedule"), number(p.hours(forPeak)))
			}),
		forEachPolicy("A season that has been seen once is enough to know the day",
			fmt.Sprintf("`predictive` with the season keeps at least %s", percent(served)), f.places("day"), []string{"predictive, seasonal"},
			func(p place, name string) bool { return p.share(name) >= served }),
		each("A fixed number for the mean is not enough", fmt.Sprintf("`fixed` keeps less than %s", percent(enough)), starting(f.places(""), f.scale.startups[0]),
			func(p place) bool { return p.share(forMean) < enough }, func(p place) string { return percent(p.share(forMean)) }),
		f.costsAttainment(),
	}
}

// costsAttainment looks at the policies that react under the shortest and the longest time
// to start.
func (f *findings) costsAttainment() *claim {
	c := &claim{
		expected: "A longer start costs requests within their targets, not replica-hours",
		rule:     fmt.Sprintf("from the shortest to the longest start a policy that reacts keeps fewer requests of the day, and its replica-hours change by at most %.0f %%", 100*sameCost),
	}
	shortest, longest := f.scale.startups[0], f.scale.startups[len(f.scale.startups)-1]
	for _, p := range starting(f.places("day"), shortest) {
		late := place{p.contest, longest}
		var words []string
		for _, name := range p.reacting() {
			change := math.Abs(late.hours(name)/p.hours(name) - 1)
			c.holds = append(c.holds, late.share(name) < p.share(name) && change <= sameCost)
			words = append(words, fmt.Sprintf("`%s` from %s to %s and from %s to %s h", name, percent(p.share(name)), percent(late.share(name)), number(p.hours(name)), number(late.hours(name))))
		}
		c.found = append(c.found, p.cluster.name+": "+strings.Join(words, ", "))
	}
	return c
}

// spikes are the expectations about the burst.
func (f *findings) spikes() []*claim {
	shortest, longest := f.scale.startups[0], f.scale.startups[len(f.scale.startups)-1]
	outside := f.scale.loads[1].outside()
	return []*claim{
		each("With the longest start no policy that reacts is in time for the burst",
			fmt.Sprintf("none keeps more than %.0f points beyond the %s that arrive outside of the burst", 100*fewMore, percent(outside)), starting(f.places("spike"), longest),
			func(p place) bool { return p.share(p.reacting()[0]) <= outside+fewMore },
			func(p place) string { return "the most is " + p.in(p.reacting()[0]) }),
		forEachPolicy("With the shortest start `queue-length` and `predictive` cope with the burst",
			fmt.Sprintf("the policy keeps at least %s", percent(enough)), starting(f.places("spike"), shortest), []string{"queue-length", "predictive"},
			func(p place, name string) bool { return p.share(name) >= enough }),
		each("`predictive` sizes for arrivals and does not see a queue, so with the longest start the forecast does harm",
			"`predictive` keeps fewer requests than a fixed number for the mean", starting(f.places("spike"), longest),
			func(p place) bool { return p.share("predictive") < p.share(forMean) },
			func(p place) string {
				return fmt.Sprintf("%s against %s", percent(p.share("predictive")), percent(p.share(forMean)))
			}),
		each("`heteroscale-seed` does nothing: 20 % more of 1 and 3 replicas, rounded down, are 1 and 3",
			"there is no event", split(f.places("spike")),
			func(p place) bool { return p.mean("heteroscale-seed", "scaling.events") == 0 },
			func(p place) string { return fmt.Sprintf("%.0f", p.mean("heteroscale-seed", "scaling.events")) }),
	}
}

// outside is the share of the requests that arrive while the rate is not the greatest.
func (l *load) outside() float64 {
	inside := 0.0
	for _, s := range l.stages {
		if s.perSecond == l.peak() {
			inside += s.perSecond * s.lasts.Seconds()
		}
	}
	return 1 - inside/(l.mean()*l.length().Seconds())
}

// policies are the expectations about policies.
func (f *findings) policies() []*claim {
	middle := f.scale.startups[len(f.scale.startups)/2]
	return []*claim{
		forEachPolicy("`latency`, `predictive` and `heteroscale` are worth it on a day",
			fmt.Sprintf("with a start of %s the policy keeps at least %s for at most %.0f %% of the replica-hours of the peak", inWords(middle), percent(enough), 100*cheap),
			starting(f.places("day"), middle), []string{"latency", "predictive", "heteroscale"},
			func(p place, name string) bool {
				return p.share(name) >= enough && p.hours(name) <= cheap*p.hours(forPeak)
			}),
		each("The busy share of an accelerator is no load: `utilization` costs more than the peak",
			"`utilization` has more replica-hours than a fixed number for the peak", f.places("day"),
			func(p place) bool { return p.hours("utilization") > p.hours(forPeak) },
			func(p place) string {
				return fmt.Sprintf("%s against %s h", number(p.hours("utilization")), number(p.hours(forPeak)))
			}),
		f.decodeStays(),
		each("`queue-length` is for bursts, not for a day: where requests wait, the time between tokens is too long already",
			"`queue-length` keeps fewer requests of the day than `heteroscale`, for more replica-hours", f.places("day"),
			func(p place) bool {
				return p.share("queue-length") < p.share("heteroscale") && p.hours("queue-length") > p.hours("heteroscale")
			},
			func(p place) string { return p.in("queue-length") }),
		each("`saturation` with its defaults sees memory and queues, not targets",
			"`saturation` keeps the fewest requests of the day of the policies that react", f.places("day"),
			func(p place) bool { all := p.reacting(); return all[len(all)-1] == "saturation" },
			func(p place) string { return p.in("saturation") }),
		each("`tokens-per-second` does not see an overload, as a full replica gives no more tokens; `heteroscale` counts the growth of the queue too",
			"`heteroscale` keeps more requests", f.places(""),
			func(p place) bool { return p.share("heteroscale") > p.share("tokens-per-second") },
			func(p place) string {
				return fmt.Sprintf("%s against %s", percent(p.share("heteroscale")), percent(p.share("tokens-per-second")))
			}),
		each("Independent tokens per second let the ratio of prefill to decode drift",
			fmt.Sprintf("the ratio is off by %.0f points more than under `heteroscale`, on average over the day", 100*drifting), split(f.places("day")),
			func(p place) bool {
				return p.mean("tokens-per-second", "pdRatioDrift") > p.mean("heteroscale", "pdRatioDrift")+drifting
			},
			func(p place) string {
				return fmt.Sprintf("%s against %s", percent(p.mean("tokens-per-second", "pdRatioDrift")), percent(p.mean("heteroscale", "pdRatioDrift")))
			}),
		f.latencyOscillates(),
	}
}

// decodeStays is about utilization of decode.
func (f *findings) decodeStays() *claim {
	const decode, prefill = "scaledReplicas.mean{pool=decode}", "scaledReplicas.mean{pool=prefill}"
	return each("Utilization of accelerators never scales decode in",
		fmt.Sprintf("decode has at least %.0f %% of the greatest number of replicas, %d, on average over the day", 100*nearMost, f.clusters[1].most()), split(f.places("day")),
		func(p place) bool { return p.mean("utilization", decode) >= nearMost*float64(p.cluster.most()) },
		func(p place) string {
			return fmt.Sprintf("%s decode replicas, busy %s of the time, and %s prefill replicas", number(p.mean("utilization", decode)),
				percent(p.mean("utilization", "utilization{pool=decode}")), number(p.mean("utilization", prefill)))
		})
}

// most is the greatest number of replicas of a pool.
func (c *cluster) most() int { return int(c.run.Spec.Scenario.Scalers[0].MaxReplicas) }

// latencyOscillates compares reversals.
func (f *findings) latencyOscillates() *claim {
	reversals := func(p place, name string) float64 { return p.mean(name, "scaling.reversalsPerHour") }
	others := []string{"heteroscale", "predictive", "saturation"}
	return each("Latency alone oscillates", "`latency` reverses more often than each of `"+strings.Join(others, "`, `")+"`", f.places("day"),
		func(p place) bool {
			return !slices.ContainsFunc(others, func(name string) bool { return reversals(p, "latency") <= reversals(p, name) })
		},
		func(p place) string {
			words := []string{fmt.Sprintf("%.1f times an hour", reversals(p, "latency"))}
			for _, name := range others {
				words = append(words, fmt.Sprintf("`%s` %.1f", name, reversals(p, name)))
			}
			return strings.Join(words, ", ")
		})
}

// policy writes what a policy has in a contest.
func (f *findings) policy(load, cluster, startup, name string) (string, error) {
	d, err := time.ParseDuration(startup)
	if err != nil {
		return "", err
	}
	return place{f.contest(load, cluster), d}.in(name), nil
}
