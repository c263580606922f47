// SPDX-License-Identifier: Apache-2.0

package result

import "slices"

// subject is a part of a document together with the metrics that are read from
// it. A file metrics_*.go declares one subject: the part's fields as JSON has
// them, how it is gathered from the simulator's figures, and its metrics.
type subject struct {
	// gather fills the subject's part of a group.
	gather   func(*selection, *Group)
	families []family
}

// subjects is the registry. Its order is that of lists for people.
var subjects = []subject{
	latencies, outcomes, tokens, speculations, beliefs, handoffs, fairness, replicas, imbalances, queues, tiers, links, stabilities, costs, scalings, backlog, maxReplica, tailBlowups, anomalies, adaptives, warmUp,
}

var families = func() []family {
	var all []family
	for _, s := range subjects {
		all = append(all, s.families...)
	}
	return all
}()

// family declares a metric: a name and its statistics.
type family struct {
	name string
	// labels are those that it can be selected by.
	labels []string
	needs  needs
	// audience says who looks at it in a comparison.
	audience audience
	// seldom says that tables leave it out where nothing was measured.
	seldom bool
	// onDemand says that simulations measure it only where something asks for it.
	onDemand bool
	// statistics holds one without a name where the metric has none.
	statistics []statistic
}

// statistic declares one figure of a family.
type statistic struct {
	name      string
	unit      Unit
	direction Direction
	help      string
	// needs is what the scenario must have for it to have a value, in addition to what
	// the family needs.
	needs Need
	// value returns false where nothing was measured.
	value func(*Group) (float64, bool)
}

// needs is what a scenario must state for a metric to have values.
type needs struct {
	// targets are SLOs, prices are one of every pool, tenants are two or more.
	targets, prices, tenants bool
}

// audience is who a metric speaks to, which decides where a comparison lists it.
// The zero value is of metrics that have a better direction and that users do not
// feel.
type audience int

const (
	_ audience = iota
	// users feel latencies, SLOs that are met, and requests that are not served.
	users
	// capacityPlanners see how replicas were used. Less use is no loss where the
	// same requests were served as well: neither direction is better.
	capacityPlanners
)

// Labels by what is counted: requests, what one tenant is compared with another
// by, and replicas, which serve every class and tenant.
var (
	requestLabels = []string{labelClass, labelTenant, labelPool, labelModel}
	betweenLabels = []string{labelClass, labelPool, labelModel}
	replicaLabels = []string{labelPool, labelModel}
)

// needing returns the family of a scenario that has something.
func (f family) needing(n Need) family {
	f.seldom = true
	f.statistics = slices.Clone(f.statistics)
	for i := range f.statistics {
		f.statistics[i].needs = n
	}
	return f
}

// whereAsked returns the family as one that is measured only where something asks for
// it, so that other results stay as they are.
func (f family) whereAsked() family {
	f.seldom, f.onDemand = true, true
	return f
}

func (f *family) hasStatistics() bool { return f.statistics[0].name != "" }

// find returns the statistic of that name, or nil.
func (f *family) find(name string) *statistic {
	for i := range f.statistics {
		if f.statistics[i].name == name {
			return &f.statistics[i]
		}
	}
	return nil
}

func (f *family) statisticNames() []string {
	var names []string
	for _, s := range f.statistics {
		names = append(names, s.name)
	}
	return names
}

// single declares a metric that has no statistics: s has no name.
func single(name string, labels []string, s statistic) family {
	return family{name: name, labels: labels, statistics: []statistic{s}}
}

// to returns the family for an audience.
func (f family) to(a audience) family {
	f.audience = a
	return f
}

// needingTargets returns the family of a scenario with SLOs.
func (f family) needingTargets() family {
	f.needs.targets = true
	return f
}

// needingPrices returns the family of a scenario with a price of every pool.
func (f family) needingPrices() family {
	f.needs.prices = true
	return f
}

// needing returns the statistic of a scenario that has something.
func (s statistic) needing(n Need) statistic {
	s.needs = n
	return s
}

// optional is the value of a figure that may be absent.
func optional(value *float64) (float64, bool) {
	if value == nil {
		return 0, false
	}
	return *value, true
}
