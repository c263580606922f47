// SPDX-License-Identifier: Apache-2.0

package result

import "windtunnel.dev/windtunnel/pkg/simulator"

// Requests counts requests by how they ended:
// Arrived = Completed + Rejected + TimedOut + Failed + Unfinished.
type Requests struct {
	Arrived    int64 `json:"arrived"`
	Completed  int64 `json:"completed"`
	Rejected   int64 `json:"rejected"`
	TimedOut   int64 `json:"timedOut"`
	Failed     int64 `json:"failed"`
	Unfinished int64 `json:"unfinished"`
	// RejectedBy splits Rejected by reason; reasons without requests are
	// left out.
	RejectedBy Rejections `json:"rejectedBy,omitempty"`
	// WithTargets counts the arrivals of classes that have targets, Good
	// those of them that met every one.
	WithTargets int64 `json:"withTargets"`
	Good        int64 `json:"good"`
}

// Retries are requests that clients sent again after an end without an answer.
type Retries struct {
	// Count is how many of the arrivals they are.
	Count int64 `json:"count"`
	// FirstAttemptGoodput is the goodput of the other arrivals.
	FirstAttemptGoodput *float64 `json:"firstAttemptGoodput,omitempty"`
}

// Attainment is the share of arrivals that completed within one target of
// their class, over the classes that have that target.
type Attainment struct {
	TTFT *float64 `json:"ttft,omitempty"`
	TPOT *float64 `json:"tpot,omitempty"`
	E2E  *float64 `json:"e2e,omitempty"`
}

// outcomes are how requests ended, and whether they met their targets.
var outcomes = subject{
	gather: func(in *selection, g *Group) {
		c := &in.sum
		g.Requests = Requests{
			Arrived: c.Arrived, Completed: c.Completed, Rejected: c.Rejected,
			TimedOut: c.TimedOut, Failed: c.Failed, Unfinished: c.Unfinished,
			RejectedBy: rejectedBy(c), WithTargets: in.withTargets, Good: c.Good,
		}
		if in.meta.Retries {
			g.Retries = &Retries{Count: c.Retries, FirstAttemptGoodput: ratio(c.FirstGood, in.firstWithTargets)}
		}
		if in.meta.Timeouts {
			g.TimeoutRate = ratio(c.TimedOut, c.Arrived)
		}
		if in.meta.Routed && in.Selector != (Selector{}) {
			g.RequestShare = ratio(c.Arrived, in.allArrived())
		}
		g.Goodput = ratio(c.Good, in.withTargets)
		if in.withTargets > 0 {
			g.Attainment = &Attainment{TTFT: ratio(c.MetTTFT, in.withTTFT), TPOT: ratio(c.MetTPOT, in.withTPOT), E2E: ratio(c.MetE2E, in.withE2E)}
		}
		if in.meta.Disrupted {
			g.Migrations = new(c.Migrated)
		}
	},
	families: []family{
		single("goodput", requestLabels, statistic{
			unit: Share, direction: Maximize,
			help:  "requests that met every target of their class ÷ arrivals of classes with targets",
			value: func(g *Group) (float64, bool) { return optional(g.Goodput) },
		}).needingTargets().to(users),
		family{name: "attainment", labels: requestLabels, statistics: []statistic{
			attainmentOf("ttft", "TTFT", func(a *Attainment) *float64 { return a.TTFT }),
			attainmentOf("tpot", "TPOT", func(a *Attainment) *float64 { return a.TPOT }),
			attainmentOf("e2e", "E2E", func(a *Attainment) *float64 { return a.E2E }),
		}}.needingTargets().to(users),
		single("firstAttemptGoodput", requestLabels, statistic{
			unit: Share, direction: Maximize, needs: NeedsRetries,
			help: "first attempts that met every target of their class ÷ first attempts of classes with targets",
			value: func(g *Group) (float64, bool) {
				if g.Retries == nil {
					return 0, false
				}
				return optional(g.Retries.FirstAttemptGoodput)
			},
		}).needingTargets().to(users),
		single("completionRate", requestLabels, statistic{
			unit: Share, direction: Maximize, help: "completed ÷ arrived",
			value: shareOfArrivals(func(r *Requests) int64 { return r.Completed }),
		}).to(users),
		single("rejectionRate", requestLabels, statistic{
			unit: Share, direction: Minimize, help: "rejected ÷ arrived",
			value: shareOfArrivals(func(r *Requests) int64 { return r.Rejected }),
		}).to(users),
		single("timeoutRate", requestLabels, statistic{
			unit: Share, direction: Minimize, needs: NeedsTimeouts,
			help:  "requests that their clients gave up ÷ arrived",
			value: func(g *Group) (float64, bool) { return optional(g.TimeoutRate) },
		}).to(users),
		single("requestShare", requestLabels, statistic{
			unit: Share, direction: Maximize, needs: NeedsRoute,
			help:  "arrived ÷ all requests that arrived; with the selector of a pool, what the route sends there",
			value: func(g *Group) (float64, bool) { return optional(g.RequestShare) },
		}),
		single("retries", requestLabels, statistic{
			unit: Count, direction: Minimize, needs: NeedsRetries,
			help: "requests that clients sent again after an end without an answer; they count as arrived",
			value: func(g *Group) (float64, bool) {
				if g.Retries == nil {
					return 0, false
				}
				return float64(g.Retries.Count), g.Requests.Arrived > 0
			},
		}),
		single("unfinishedRate", requestLabels, statistic{
			unit: Share, direction: Minimize, help: "in flight when the run ended ÷ arrived",
			value: shareOfArrivals(func(r *Requests) int64 { return r.Unfinished }),
		}).to(users),
		single("failureRate", requestLabels, statistic{
			unit: Share, direction: Minimize, needs: NeedsDisruptions,
			help:  "failed ÷ arrived: their replica failed, and no other was left",
			value: disrupted(shareOfArrivals(func(r *Requests) int64 { return r.Failed })),
		}).to(users),
		single("migrations", requestLabels, statistic{
			unit: Count, direction: Minimize, needs: NeedsDisruptions,
			help:  "times that a request was routed again because its replica failed",
			value: disrupted(countOf(func(g *Group) int64 { return *g.Migrations })),
		}),
	},
}

func attainmentOf(name, title string, of func(*Attainment) *float64) statistic {
	return statistic{
		name: name, unit: Share, direction: Maximize,
		help: "requests within the " + title + " target of their class ÷ arrivals of classes with that target",
		value: func(g *Group) (float64, bool) {
			if g.Attainment == nil {
				return 0, false
			}
			return optional(of(g.Attainment))
		},
	}
}

func shareOfArrivals(part func(*Requests) int64) func(*Group) (float64, bool) {
	return func(g *Group) (float64, bool) { return optional(ratio(part(&g.Requests), g.Requests.Arrived)) }
}

// countOf is for what happens to requests: where none arrived there is no
// value.
func countOf(of func(*Group) int64) func(*Group) (float64, bool) {
	return func(g *Group) (float64, bool) { return float64(of(g)), g.Requests.Arrived > 0 }
}

// disrupted is for what only happens where replicas fail.
func disrupted(value func(*Group) (float64, bool)) func(*Group) (float64, bool) {
	return func(g *Group) (float64, bool) {
		if g.Migrations == nil {
			return 0, false
		}
		return value(g)
	}
}

func rejectedBy(c *simulator.Cell) map[string]int64 {
	if c.Rejected == 0 {
		return nil
	}
	reasons := map[string]int64{}
	for reason, n := range c.RejectedBy {
		if n > 0 {
			reasons[simulator.Reason(reason).String()] = n
		}
	}
	return reasons
}

// ratio returns part ÷ whole, or nil where there is no whole.
func ratio(part, whole int64) *float64 {
	if whole == 0 {
		return nil
	}
	share := float64(part) / float64(whole)
	return &share
}
