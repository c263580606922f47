// SPDX-License-Identifier: Apache-2.0

package insight

import (
	"cmp"
	"slices"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Type is the type of an anomaly.
type Type string

// The types of anomalies. Those before SLOViolation are causes, the others symptoms.
const (
	PrefixBlind        Type = "prefix_blind"
	HotReplica         Type = "hot_replica"
	TenantBurst        Type = "tenant_burst"
	PriorityInversion  Type = "priority_inversion"
	CacheThrashing     Type = "cache_thrashing"
	ShadowDivergence   Type = "shadow_divergence"
	ScaleOscillation   Type = "scale_oscillation"
	PDBackpressure     Type = "pd_backpressure"
	PreemptionStorm    Type = "preemption_storm"
	HeadOfLineBlocking Type = "head_of_line_blocking"
	SLOViolation       Type = "slo_violation"
	TailBlowUp         Type = "tail_blow_up"
)

// IsSymptom reports whether anomalies of the type are what others cause.
func (t Type) IsSymptom() bool { return t == SLOViolation || t == TailBlowUp }

// NeedsDecisions reports whether the rule looks at decisions of routers, which take time to explain.
func (t Type) NeedsDecisions() bool {
	switch t {
	case PrefixBlind, HotReplica, CacheThrashing, PDBackpressure:
		return true
	default:
		return false
	}
}

// Types are all types of anomalies.
var Types = []Type{
	PrefixBlind, HotReplica, TenantBurst, PriorityInversion, CacheThrashing, ShadowDivergence, ScaleOscillation, PDBackpressure,
	PreemptionStorm, HeadOfLineBlocking, SLOViolation, TailBlowUp,
}

// An Anomaly is something that went wrong often enough to count.
type Anomaly struct {
	Type Type `json:"type"`
	// AtSeconds is when it was seen first.
	AtSeconds float64 `json:"atSeconds"`
	// Count is how many requests it affects; of scalers, how many reversals there are.
	Count int `json:"count"`
	// Share is the share of Count in the requests that the rule looks at; of scalers, that of the
	// time of the run.
	Share float64 `json:"share"`
	// Severity is from 0 to 1.
	Severity float64 `json:"severity"`
	// About names the tenant, the class, the replica or the scaler; "" is all.
	About string `json:"about,omitempty"`
	// Values are the numbers that the anomaly rests on, in order.
	Values []Value `json:"values"`
	// Requests are examples, the first ones.
	Requests []int `json:"requests,omitempty"`
}

// A Value is a number with its name.
type Value struct {
	Name   string  `json:"name"`
	Number float64 `json:"number"`
}

// weight ranks anomalies.
func (a *Anomaly) weight() float64 { return a.Severity * a.Share }

// rank sorts anomalies: causes before symptoms, and each by severity times share.
func rank(all []Anomaly) {
	symptom := func(a *Anomaly) int {
		if a.Type.IsSymptom() {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(all, func(a, b Anomaly) int {
		return cmp.Or(cmp.Compare(symptom(&a), symptom(&b)), cmp.Compare(b.weight(), a.weight()),
			cmp.Compare(a.Type, b.Type), cmp.Compare(a.About, b.About))
	})
}

// examples bounds the requests that an anomaly names.
const examples = 5

// A tally counts what a rule finds among the requests that it looks at.
type tally struct {
	looked, count, late int
	first               float64
	requests            []int
}

// add counts a request that a rule finds.
func (t *tally) add(r *record) {
	r.counted = true
	t.note(r.end.ID, r.end.Arrival, r.bad)
}

// note counts a request by its ID, its arrival, and whether it missed a target.
func (t *tally) note(id int, arrival simtime.Time, bad bool) {
	at := arrival.Seconds()
	if t.count == 0 || at < t.first {
		t.first = at
	}
	t.count++
	if bad {
		t.late++
	}
	if len(t.requests) < examples {
		t.requests = append(t.requests, id)
	}
}

// share is that of the requests found.
func (t *tally) share() float64 { return ratio(t.count, t.looked) }

// found says whether that is enough for an anomaly.
func (t *tally) found(by *Thresholds) bool {
	return t.count >= by.MinRequests && t.share() >= by.MinShare
}

// anomaly is what a rule found; half of its severity is the share of the requests that miss their
// targets, and the other half is excess, which is from 0 to 1.
func (t *tally) anomaly(kind Type, about string, excess float64, values ...Value) Anomaly {
	values = append(values, Value{"requests looked at", float64(t.looked)}, Value{"of those affected missed a target", float64(t.late)})
	return Anomaly{
		Type: kind, About: about, AtSeconds: t.first, Count: t.count, Share: t.share(),
		Severity: (clamp(excess) + ratio(t.late, t.count)) / 2, Values: values, Requests: slices.Clone(t.requests),
	}
}

func ratio(n, of int) float64 { return float64(n) / float64(max(of, 1)) }

func clamp(x float64) float64 { return min(max(x, 0), 1) }
