// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// A recordObserver makes the records of a simulation that are no decisions.
type recordObserver struct {
	of     result.RecordOrigin
	labels workload.Labels
	// pools are their names, names those of the replicas of all pools, and poolOf their pools.
	pools, names []string
	poolOf       []int
	scaling      []simulator.ScaledUnit
	replicas     replicaCounts
	tell         func(result.Record)
	// batch is used again.
	batch result.BatchRecord
}

// answering is a router with policies before it that say what they answer.
type answering interface {
	Answer(tell func(scheduler.GatewayAnswer))
}

// WatchRecords has the records of a simulation told that are no decisions, which changes nothing of
// it. Those of admissions and priorities need a router that explains. A [result.BatchRecord] holds
// during the call only. What WatchRecords returns is to be called when the simulation is over.
func WatchRecords(c *simulator.Config, tell func(result.Record)) (detach func()) {
	n := &recordObserver{
		of: result.RecordOrigin{Seed: c.Seed}, labels: c.Source.Labels(), scaling: c.Scaling, replicas: newReplicaCounts(c.Pools), tell: tell,
	}
	n.batch.RecordOrigin = n.of
	for i := range c.Pools {
		p := &c.Pools[i]
		n.pools, n.names = append(n.pools, p.Name), append(n.names, p.EndpointNames()...)
		for range p.Places() {
			n.poolOf = append(n.poolOf, i)
		}
	}
	c.Stepped = n.stepped
	c.Preempted = both(c.Preempted, n.preempted)
	c.Transferred, c.HandedOver = n.transferred, n.handedOver
	c.Scaled, c.Staged = both(c.Scaled, n.scaled), both(c.Staged, n.staged)
	router, answers := c.Policies.Routing.Router.(answering)
	if !answers {
		return func() {}
	}
	router.Answer(n.answered)
	return func() { router.Answer(nil) }
}

// at is the origin of a record that is made at a time.
func (n *recordObserver) at(t simtime.Time) result.RecordOrigin {
	of := n.of
	of.AtSeconds = t.Seconds()
	return of
}

func (n *recordObserver) aboutRequest(t simtime.Time, request int) result.RequestOrigin {
	return result.RequestOrigin{RecordOrigin: n.at(t), Request: int64(request)}
}

func (n *recordObserver) stepped(s simulator.EngineStep) {
	r := &n.batch
	r.AtSeconds, r.DurationSeconds, r.Replica = s.At.Seconds(), s.Duration.Seconds(), n.names[s.Replica]
	r.Running, r.Waiting, r.KVUsage = int64(s.Running), int64(s.Waiting), s.KVUsage
	r.PrefillTokens, r.DecodeTokens = int64(s.PrefillTokens), int64(s.DecodeTokens)
	n.tell(r)
}

func (n *recordObserver) preempted(p simulator.Preemption) {
	n.tell(&result.PreemptionRecord{
		RequestOrigin: n.aboutRequest(p.At, p.Request), Replica: n.names[p.Replica], Running: int64(p.Running), Waiting: int64(p.Waiting),
		KVUsage: p.KVUsage, ComputedTokens: int64(p.Computed),
	})
}

func (n *recordObserver) transferred(t simulator.Transfer) {
	r := &result.TransferRecord{
		RecordOrigin: n.at(t.Ended), Reason: t.Reason, From: n.names[t.From], To: n.names[t.To], FromTier: t.FromTier, ToTier: t.ToTier,
		Bytes: t.Bytes, StartSeconds: t.Begun.Seconds(), TransferLatencySeconds: t.Ended.Sub(t.Begun).Seconds(), Cancelled: t.Cancelled,
	}
	if t.Request != simulator.NoRequest {
		r.Request = new(int64(t.Request))
	}
	n.tell(r)
}

func (n *recordObserver) handedOver(h simulator.HandOver) {
	n.tell(&result.HandOverRecord{
		RequestOrigin: n.aboutRequest(h.Ended, h.Request), Prefill: n.names[h.Prefill], Decode: n.names[h.Decode],
		StartSeconds: h.Begun.Seconds(), PrefilledSeconds: secondsOrNil(h.Prefilled), ReadySeconds: secondsOrNil(h.Ready),
		Tokens: int64(h.Tokens), Bytes: h.Bytes, Cancelled: h.Cancelled,
	})
}

// secondsOrNil is a time in seconds; nil where it is negative.
func secondsOrNil(t simtime.Time) *float64 {
	if t < 0 {
		return nil
	}
	return new(t.Seconds())
}
