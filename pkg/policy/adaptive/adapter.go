// SPDX-License-Identifier: Apache-2.0

package adaptive

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Router is a router whose weights are to change, and what is known of it.
type Router struct {
	policy.Weighted
	// Role is what a scorer looks at.
	Role func(policy.ScorerWeight) Role
	// Router, Model and Pools are those of [policy.Adaptation].
	Router, Model string
	Pools         []string
	// Shared is m, as limitOf has it; 0 where no prefix overloads a replica. It matters
	// where the cap is that of the workload.
	Shared float64
	// Admission is asked behind the adapter; nil admits all.
	Admission policy.Admission
}

// An Adapter counts epochs and changes weights between them. It stands before the
// admission, so that it sees every arrival, and decides nothing itself. One simulation
// owns it.
type Adapter struct {
	config  *Config
	router  Router
	driven  []driven
	law     law
	limit   limit
	weights Weights
	record  *policy.Adaptation

	// Of the epoch under way: when it began, and what had been counted by then.
	began bool
	begin simtime.Time
	base  Signal
}

// New makes the adapter of a router, or says why there is none. What is random follows
// from the seed.
func (c *Config) New(router Router, seed int64) (*Adapter, field.ErrorList) {
	found, errs := c.drivenBy(router.Weights(), router.Role)
	if len(errs) > 0 {
		return nil, errs
	}
	a := &Adapter{config: c, router: router, driven: found, limit: c.limit, record: &policy.Adaptation{Router: router.Router, Model: router.Model, Pools: router.Pools, Law: c.law}}
	if c.capsByWorkload {
		a.limit = limitOf(router.Shared)
	}
	a.weights = Weights{Prefix: found[0].prefix.sum, Load: found[0].load.sum}
	if errs := a.check(); len(errs) > 0 {
		return nil, errs
	}
	a.law = c.make(world{start: a.weights, most: a.limit.ratio(), seed: seed})
	a.record.Last = router.Weights()
	return a, nil
}

// check says what is wrong with the weights of the start.
func (a *Adapter) check() field.ErrorList {
	at := a.config.path.Child("parameters")
	var errs field.ErrorList
	if a.limit.exceeds(a.weights) {
		errs = append(errs, field.Invalid(at.Key("cap"), a.limit.String(), fmt.Sprintf(
			"the weights start above the cap, at %g:%g: change the weights of the scorers, or the cap", a.weights.Prefix, a.weights.Load)))
	}
	if b := a.config.bounds; b != nil {
		if fault := b.check(a.weights); fault != "" {
			errs = append(errs, field.Invalid(a.config.path.Child("policy"), a.config.law, fault))
		}
	}
	return errs
}

// Record returns how the weights change, which grows in the run.
func (a *Adapter) Record() *policy.Adaptation { return a.record }

// Admit implements [policy.Admission].
func (a *Adapter) Admit(view *policy.View, request *policy.Request) policy.AdmissionResponse {
	if request.Arrival == view.Now {
		a.arrive(view)
	}
	if a.router.Admission == nil {
		return policy.AdmissionResponse{}
	}
	return a.router.Admission.Admit(view, request)
}

// arrive ends the epoch under way, if it is to end before the request that arrives.
func (a *Adapter) arrive(view *policy.View) {
	all := &view.Traffic.All
	counted := Signal{
		Arrived:  all.Arrived - 1, // the request that arrives belongs to what follows
		Admitted: all.Admitted, Rejected: all.Rejected, Completed: all.Completed, Good: all.Good,
	}
	if !a.began {
		a.began, a.begin, a.base = true, view.Now, counted
		return
	}
	if s := counted.since(&a.base); a.ends(&s, view.Now) {
		a.adapt(s, view.Now)
		a.begin, a.base = view.Now, counted
	}
}

func (a *Adapter) ends(s *Signal, now simtime.Time) bool {
	c := a.config
	counted := s.Arrived
	if c.countsAdmitted {
		counted = s.Admitted
	}
	return c.epochRequests > 0 && counted >= c.epochRequests || c.epochTime > 0 && now.Sub(a.begin) >= c.epochTime
}

// adapt changes the weights after an epoch.
func (a *Adapter) adapt(s Signal, now simtime.Time) {
	e := policy.WeightEpoch{
		Begin: a.begin, End: now, Arrived: s.Arrived, Rejected: s.Rejected, Prefix: a.weights.Prefix, Load: a.weights.Load,
	}
	then, learnt := a.law.next(a.weights, s)
	then, e.Capped = a.limit.hold(then, a.config.bounds.highestLoad())
	e.NoSignal = !learnt
	a.record.Add(e)
	a.weights = then
	for i := range a.driven {
		a.driven[i].prefix.set(a.router.Weighted, then.Prefix)
		a.driven[i].load.set(a.router.Weighted, then.Load)
	}
	a.record.Last = a.router.Weights()
}
