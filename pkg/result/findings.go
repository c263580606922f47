// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"reflect"
	"time"

	"windtunnel.dev/windtunnel/internal/figure"
)

// Traffic says when the requests of a run came, and who was there to serve them.
type Traffic struct {
	// Requests arrived, the last of them at LastArrivalSeconds. The horizon asked for
	// HorizonRequests, or lasts for HorizonSeconds; each is 0 where it is not stated.
	Requests           int     `json:"requests"`
	LastArrivalSeconds float64 `json:"lastArrivalSeconds"`
	HorizonRequests    int     `json:"horizonRequests,omitempty"`
	HorizonSeconds     float64 `json:"horizonSeconds,omitempty"`
	// BacklogGrowth is the growth of the requests in the cluster over the arrivals of the
	// second half; nil where next to nothing arrives.
	BacklogGrowth *float64 `json:"backlogGrowth,omitempty"`
	// NewReplicas were started by scalers; NewReplicasInTime of them served before the last
	// request arrived.
	NewReplicas       int `json:"newReplicas,omitempty"`
	NewReplicasInTime int `json:"newReplicasInTime,omitempty"`
	// ScalerGaps are of the scalers that lacked values.
	ScalerGaps []ScalerGaps `json:"scalerGaps,omitempty"`
	// IdlePools have a fixed number of replicas, some of which never computed a step.
	IdlePools []IdlePool `json:"idlePools,omitempty"`
	// FullIndexes are of pools whose router forgets prompts that the caches of replicas have room for.
	FullIndexes []FullIndex `json:"fullIndexes,omitempty"`
	// ShortPrefix is what prompts share, if it is less than a KV block.
	ShortPrefix *ShortPrefix `json:"shortPrefix,omitempty"`
}

// ScalerGaps says what the decisions of a scaler lacked.
type ScalerGaps struct {
	Name      string `json:"name"`
	Decisions int    `json:"decisions"`
	// Metric is the one that had no value most often: at Lacking of the decisions.
	Metric  string `json:"metric"`
	Lacking int    `json:"lacking"`
	// BlindSeconds is the time in which the scaler could not decide for want of values.
	BlindSeconds float64 `json:"blindSeconds,omitempty"`
}

// IdlePool is a pool of which replicas never computed a step: Idle of them.
type IdlePool struct {
	Name     string `json:"name"`
	Replicas int    `json:"replicas"`
	Idle     int    `json:"idle"`
}

// FullIndex is a pool of which the router's prefix index is full for some replicas: Full of them. The
// index holds Tokens of a replica, and the caches of the replica CacheTokens, lower tiers included.
type FullIndex struct {
	Name        string `json:"name"`
	Replicas    int    `json:"replicas"`
	Full        int    `json:"full"`
	Tokens      int    `json:"tokens"`
	CacheTokens int    `json:"cacheTokens"`
}

// ShortPrefix is the longest prefix that prompts share, and the smallest KV block of a pool, in tokens.
type ShortPrefix struct {
	Tokens      int `json:"tokens"`
	BlockTokens int `json:"blockTokens"`
}

// FindingType names what a run owes its reader in addition to its figures.
type FindingType string

// The types of findings.
const (
	TrafficEnds   FindingType = "trafficEnds"
	LateReplicas  FindingType = "lateReplicas"
	Overloaded    FindingType = "overloaded"
	NothingRandom FindingType = "nothingRandom"
	BlindScaler   FindingType = "blindScaler"
	IdleReplicas  FindingType = "idleReplicas"
	IndexFull     FindingType = "indexFull"
	NothingShared FindingType = "nothingShared"
)

const (
	// A silence at the end of a horizon is one from this share of it on, and from a number of
	// mean gaps between arrivals.
	silenceShare, silenceGaps = 0.1, 20
	// overloadGrowth is the share of arrivals that stay from which on a cluster is overloaded,
	// and overloadWait the share of its time that a request waits. Long answers stay for long,
	// too, but do not wait.
	overloadGrowth, overloadWait = 0.1, 0.2
	// lackingShare is the share of a scaler's decisions without a value from which on the scaler is worth
	// a finding. A metric that is a rate has none for a scrape or two at the start.
	lackingShare = 0.25
	// idleRequests is how many requests come for each replica of a pool, at least, where one without any is
	// worth a finding.
	idleRequests = 10
	// mostFindings is how many findings a run has at most.
	mostFindings = 5
)

// RunFinding says something of a run that its figures do not show, and what to do.
type RunFinding struct {
	Type FindingType `json:"type"`
	// What is found and Advice are sentences without a full stop.
	What   string `json:"what"`
	Advice string `json:"advice"`
}

// String is both sentences.
func (f RunFinding) String() string { return f.What + ". " + f.Advice + "." }

// RunFindings are those of documents of one scenario, one for each seed, the worst first: what makes
// the figures say nothing of the scenario comes before what explains them.
func RunFindings(docs []*Document) []RunFinding {
	var all []RunFinding
	for _, find := range []func([]*Document) *RunFinding{trafficEnds, blindScaler, lateReplicas, overloaded, idleReplicas, indexFull, nothingShared, nothingRandom} {
		if f := find(docs); f != nil {
			all = append(all, *f)
		}
	}
	return all[:min(len(all), mostFindings)]
}

// moment prints a time of a run to a tenth of a second.
func moment(seconds float64) string {
	return time.Duration(seconds * 1e9).Round(100 * time.Millisecond).String()
}

// everySeed says whether something is true of the traffic under every seed.
func everySeed(docs []*Document, is func(*Document, *Traffic) bool) bool {
	for _, d := range docs {
		if d.Traffic == nil || d.Traffic.Requests == 0 || !is(d, d.Traffic) {
			return false
		}
	}
	return len(docs) > 0
}

// trafficEnds tells a horizon that no request reaches: fewer requests than it asks for, or a
// silence at its end that is no gap between two arrivals.
func trafficEnds(docs []*Document) *RunFinding {
	tooFew := func(_ *Document, t *Traffic) bool {
		return t.HorizonRequests > t.Requests && t.HorizonSeconds == 0
	}
	silent := func(_ *Document, t *Traffic) bool {
		silence := t.HorizonSeconds - t.LastArrivalSeconds
		return silence >= silenceShare*t.HorizonSeconds && silence > silenceGaps*t.LastArrivalSeconds/float64(t.Requests)
	}
	switch {
	case everySeed(docs, tooFew):
		t := docs[0].Traffic
		return &RunFinding{TrafficEnds, fmt.Sprintf("The traffic ends after %s, and the horizon asks for %d", figure.Plural(t.Requests, "request"), t.HorizonRequests),
			"The figures are of what came: lower horizon.requests, or repeat a trace with loop"}
	case everySeed(docs, silent):
		t := docs[0].Traffic
		return &RunFinding{TrafficEnds, fmt.Sprintf("The traffic ends at %s, and the horizon at %s: for %s of the time no request arrives",
			moment(t.LastArrivalSeconds), moment(t.HorizonSeconds), figure.Percent(1-t.LastArrivalSeconds/t.HorizonSeconds)),
			"Scalers and replicas see no load in that time: shorten horizon.duration, or repeat a trace with loop"}
	default:
		return nil
	}
}

// lateReplicas tells scalers none of whose new replicas served before the traffic was over.
func lateReplicas(docs []*Document) *RunFinding {
	late := func(_ *Document, t *Traffic) bool { return t.NewReplicas > 0 && t.NewReplicasInTime == 0 }
	if !everySeed(docs, late) {
		return nil
	}
	t := docs[0].Traffic
	return &RunFinding{LateReplicas, fmt.Sprintf("No new replica serves before the traffic is over: the scaler started %d under seed %d, and the last request arrives at %s",
		t.NewReplicas, docs[0].Seed, moment(t.LastArrivalSeconds)),
		"The run cannot show what scaling brings: simulate more traffic than a start takes (startup), with a longer horizon or a trace that repeats"}
}

// overloaded tells runs in which more comes than the cluster serves: the number of requests in
// it grows to the end of the arrivals, and they spend much of their time waiting. Where users
// wait for their answers, the backlog has an end.
func overloaded(docs []*Document) *RunFinding {
	is := func(d *Document, t *Traffic) bool {
		waits, all := d.Overall.Queueing, d.Overall.E2E
		return t.BacklogGrowth != nil && *t.BacklogGrowth >= overloadGrowth && d.Provenance.Loop == OpenLoop &&
			waits != nil && all != nil && waits.Mean >= overloadWait*all.Mean
	}
	if !everySeed(docs, is) {
		return nil
	}
	growth := 0.0
	for _, d := range docs {
		growth += *d.Traffic.BacklogGrowth / float64(len(docs))
	}
	return &RunFinding{Overloaded, fmt.Sprintf("The run is overloaded: of the requests that arrive in its second half, %s stay in the cluster", figure.Percent(growth)),
		"Its latencies grow with its length, so that they say nothing about the cluster: see which pool and replica requests wait for, then give it less load or more replicas (windtunnel size says how many), or judge goodput and throughput"}
}

// nothingRandom tells runs whose seeds give the same figures.
func nothingRandom(docs []*Document) *RunFinding {
	if len(docs) < 2 || docs[0].Overall.Requests.Arrived == 0 {
		return nil
	}
	for _, d := range docs[1:] {
		if !reflect.DeepEqual(d.Overall, docs[0].Overall) {
			return nil
		}
	}
	return &RunFinding{NothingRandom, fmt.Sprintf("Nothing in this run is random: all %d seeds give the same figures", len(docs)),
		"± 0 says that the result repeats, not that it is certain: other traffic of the same kind gives others. Clients that imitate a trace vary with the seed (windtunnel init --imitate)"}
}

// blindScaler tells a scaler that decides without its metrics; the one that is blind for longest.
func blindScaler(docs []*Document) *RunFinding {
	var worst *ScalerGaps
	longest := func(_ *Document, t *Traffic) bool {
		found := false
		for i := range t.ScalerGaps {
			g := &t.ScalerGaps[i]
			if float64(g.Lacking) < lackingShare*float64(g.Decisions) {
				continue
			}
			found = true
			if worst == nil || g.BlindSeconds > worst.BlindSeconds {
				worst = g
			}
		}
		return found
	}
	if !everySeed(docs, longest) {
		return nil
	}
	what := fmt.Sprintf("Scaler %s: %s has no usable value at %d of %d decisions", worst.Name, worst.Metric, worst.Lacking, worst.Decisions)
	if worst.BlindSeconds > 0 {
		what += fmt.Sprintf(", and for %s the scaler cannot decide", moment(worst.BlindSeconds))
	}
	return &RunFinding{BlindScaler, what, "See when and why with windtunnel run --explain scaling: the labels of a query may match no series or several, or the series may begin with the first request"}
}

// idleReplicas tells a pool of which some replicas never got a request, although there were enough.
func idleReplicas(docs []*Document) *RunFinding {
	var worst IdlePool
	some := func(d *Document, t *Traffic) bool {
		found := false
		for _, p := range t.IdlePools {
			if t.Requests < idleRequests*p.Replicas {
				continue
			}
			found = true
			if float64(p.Idle)*float64(worst.Replicas) > float64(worst.Idle)*float64(p.Replicas) || worst.Replicas == 0 {
				worst = p
			}
		}
		return found
	}
	if !everySeed(docs, some) {
		return nil
	}
	what := fmt.Sprintf("Pool %s: %d of %s got no request", worst.Name, worst.Idle, figure.Plural(worst.Replicas, "replica"))
	if worst.Idle == worst.Replicas {
		what = fmt.Sprintf("Pool %s got no request", worst.Name)
	}
	return &RunFinding{IdleReplicas, what, "See the candidates and scores of a request with windtunnel run --explain 0: filters or the role may exclude a replica, and equal scores or a warm cache may keep the others"}
}

// indexFull tells a prefix index that forgets what the engines may still hold; that with the least
// room for what the caches hold.
func indexFull(docs []*Document) *RunFinding {
	var worst FullIndex
	some := func(_ *Document, t *Traffic) bool {
		for _, f := range t.FullIndexes {
			if worst.Tokens == 0 || float64(f.Tokens)*float64(worst.CacheTokens) < float64(worst.Tokens)*float64(f.CacheTokens) {
				worst = f
			}
		}
		return len(t.FullIndexes) > 0
	}
	if !everySeed(docs, some) {
		return nil
	}
	return &RunFinding{IndexFull, fmt.Sprintf("Pool %s: the EPP's prefix index is full for %d of %s. It holds %d tokens of a replica, whose caches hold %d: the EPP forgets prompts that the engine still has",
		worst.Name, worst.Full, figure.Plural(worst.Replicas, "replica"), worst.Tokens, worst.CacheTokens),
		"Raise lruCapacityPerServer of the prefix plugin, with autoTune: false, to what the caches hold ÷ the block size of the index, or use precise-prefix-cache-producer. The metric kvBelief.falseMiss says what the EPP misses"}
}

// nothingShared tells prompts that share too few tokens for a block of any cache.
func nothingShared(docs []*Document) *RunFinding {
	if !everySeed(docs, func(_ *Document, t *Traffic) bool { return t.ShortPrefix != nil }) {
		return nil
	}
	p := docs[0].Traffic.ShortPrefix
	return &RunFinding{NothingShared, fmt.Sprintf("Prompts share %s at most, and a KV block has %d: no prompt finds its beginning in a cache", figure.Plural(p.Tokens, "token"), p.BlockTokens),
		"Routing by prefixes has no effect: lengthen what prompts share, or state the engine's block size (engine.blockSize). See what an EPP makes of it with windtunnel run --explain 0"}
}
