// SPDX-License-Identifier: Apache-2.0

package result

// costs are what the replicas take.
var costs = subject{
	gather: func(in *selection, g *Group) {
		if r := g.Replicas; r != nil {
			r.Hours = in.present(in.uses()) * in.span().Hours()
			r.Cost = in.cost()
		}
	},
	families: []family{
		single("replicaHours", replicaLabels, statistic{
			unit: Hours, direction: Minimize, help: "sum of the replicas' lifetimes",
			value: ofReplicas(func(r *Replicas) (float64, bool) { return r.Hours, true }),
		}),
		single("cost", replicaLabels, statistic{
			unit: Currency, direction: Minimize, help: "replica-hours × price",
			value: ofReplicas(func(r *Replicas) (float64, bool) { return optional(r.Cost) }),
		}).needingPrices(),
		single("costPerGoodRequest", replicaLabels, statistic{
			unit: CurrencyPerRequest, direction: Minimize,
			help:  "cost ÷ requests that met every target of their class",
			value: costPerGoodRequest,
		}).needingTargets().needingPrices().to(users),
	},
}

// cost returns what the selection's pools cost; nil where a
// price is missing, since a sum without it would look cheap.
func (in *selection) cost() *float64 {
	total, known := 0.0, false
	for i := range in.outcome.Pools {
		if !in.serves(i) {
			continue
		}
		if i >= len(in.meta.CostPerReplicaHour) || in.meta.CostPerReplicaHour[i] == nil {
			return nil
		}
		hours := in.present(usesOf(in.outcome, func(pool int) bool { return pool == i })) * in.span().Hours()
		total += float64(hours * *in.meta.CostPerReplicaHour[i])
		known = true
	}
	if !known {
		return nil
	}
	return &total
}

// costPerGoodRequest has no value where no request was good.
func costPerGoodRequest(g *Group) (float64, bool) {
	if g.Replicas == nil || g.Replicas.Cost == nil || g.Requests.Good == 0 {
		return 0, false
	}
	return *g.Replicas.Cost / float64(g.Requests.Good), true
}
