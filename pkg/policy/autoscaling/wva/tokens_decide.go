// SPDX-License-Identifier: Apache-2.0

package wva

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// unlimited is a bound that bounds nothing.
const unlimited = math.MaxInt

// DefaultCost is the cost of a replica of which none is known.
const DefaultCost = 10

// model is the model in one decision.
type model struct {
	config   *TokensConfig
	variants []Variant
	found    []capacityOf
	// roles are those of the variants, in the order of their names.
	roles []string
	needs map[string]Need
	// required and spare are what is left to add and to remove, by role.
	required, spare map[string]float64
	targets         []int
	// budget are the accelerators that are left; nil without a limiter.
	budget map[string]int
	// rest is what the only role still needs, over all rounds of the limiter.
	rest float64
}

// measure sums up the variants by role, with what waits in the queue of the EPP.
func (m *model) measure(queue Queue) {
	byRole := map[string]Need{}
	anticipated := map[string]float64{}
	for i := range m.found {
		f, role := &m.found[i], m.variants[i].Role
		n := byRole[role]
		n.Supply += float64(float64(f.engines) * f.capacity)
		n.Demand += f.demand
		anticipated[role] += float64(float64(f.engines+f.pending) * f.capacity)
		byRole[role] = n
	}
	prompts, answers := m.queued(queue)
	m.needs = map[string]Need{}
	for role, n := range byRole {
		if role == Prefill {
			n.Demand += prompts
		} else {
			n.Demand += prompts + answers
		}
		n.Required = max(0, n.Demand/m.config.ScaleUpThreshold-anticipated[role])
		n.Spare = max(0, n.Supply-n.Demand/m.config.ScaleDownBoundary)
		m.needs[role] = n
	}
	m.roles = slices.Sorted(maps.Keys(m.needs))
}

// queued are the tokens of the prompts and the answers that wait in the queue of the EPP.
func (m *model) queued(q Queue) (prompts, answers float64) {
	if q == (Queue{}) {
		return 0, 0
	}
	input, output, hits := meanLengths(m.variants)
	prompts = max(float64(q.Bytes)/bytesPerToken, float64(q.Requests)*input)
	return float64(prompts * (1 - hits)), float64(q.Requests) * output
}

// decide sets the targets.
func (m *model) decide() {
	m.required, m.spare = map[string]float64{}, map[string]float64{}
	for role, n := range m.needs {
		m.required[role], m.spare[role] = n.Required, n.Spare
	}
	for i := range m.variants {
		m.targets = append(m.targets, m.variants[i].Current)
	}
	switch {
	case !m.lacks():
		m.scaleDown()
	case m.config.Limits == nil:
		m.scaleUp(0)
	default:
		m.scaleUpWithin()
	}
	m.keepOne()
}

// lacks reports whether some role needs more.
func (m *model) lacks() bool {
	return slices.ContainsFunc(m.roles, func(role string) bool { return m.required[role] > 0 })
}

// scaleUp adds replicas to all roles together: a role that needs none takes part with none, but
// where the variants of one role can have no more, no role gets any. With a limiter, no variant gets
// more at once than a share of the need.
func (m *model) scaleUp(share float64) {
	for m.lacks() {
		picked, most := make([]int, len(m.roles)), make([]int, len(m.roles))
		for k, role := range m.roles {
			if picked[k], most[k] = m.pick(role, share); picked[k] < 0 {
				return
			}
		}
		// part is the share of its need that the role gets which gets the smallest one.
		part, counts := math.MaxFloat64, make([]int, len(m.roles))
		for k, role := range m.roles {
			part = min(part, m.part(role, picked[k], most[k], &counts[k]))
		}
		if part <= 0 || !m.add(picked, counts, part) {
			return
		}
	}
}

// part is the share of a role's need that replicas of a variant serve, and how many that are.
func (m *model) part(role string, variant, most int, count *int) float64 {
	need, each := m.required[role], m.found[variant].capacity
	*count = min(int(math.Ceil(need/each)), most)
	if need <= 0 {
		return 1
	}
	return float64(float64(*count)*each) / need
}

// add adds replicas to each role for a share of its need, at least one of those that count, and
// reports whether there are any.
func (m *model) add(picked, counts []int, part float64) bool {
	added := false
	for k, role := range m.roles {
		n, need, each := 0, m.required[role], m.found[picked[k]].capacity
		if need > 0 {
			n = max(int(math.Floor(float64(part*need)/each)), min(1, counts[k]))
		}
		counts[k], added = n, added || n > 0
	}
	if !added {
		return false
	}
	for k, role := range m.roles {
		v := picked[k]
		m.targets[v] += counts[k]
		more := float64(float64(counts[k]) * m.found[v].capacity)
		m.required[role] = max(0, m.required[role]-more)
		m.rest = max(0, m.rest-more)
		if m.budget != nil {
			m.budget[m.found[v].accelerator] -= counts[k] * m.gpus(v)
		}
	}
	return true
}

// gpus are the accelerators of a replica of a variant.
func (m *model) gpus(variant int) int { return max(1, m.variants[variant].GPUs) }

// pick returns the variant of a role with the least cost for its capacity that can have more, and
// how many at most; -1 where none can.
func (m *model) pick(role string, share float64) (variant, most int) {
	for _, i := range m.ofRole(role, func(a, b int) int { return cmp.Compare(m.efficiency(a), m.efficiency(b)) }) {
		v, each := &m.variants[i], m.found[i].capacity
		if each <= 0 {
			continue
		}
		most := unlimited
		if m.budget != nil {
			most = min(int(math.Ceil(share/each)), m.budget[m.found[i].accelerator]/m.gpus(i))
		}
		if v.Max > 0 {
			most = min(most, v.Max-m.targets[i])
		}
		if most > 0 {
			return i, most
		}
	}
	return -1, 0
}

// ofRole lists the variants of a role in an order.
func (m *model) ofRole(role string, order func(a, b int) int) []int {
	var all []int
	for i := range m.variants {
		if m.variants[i].Role == role {
			all = append(all, i)
		}
	}
	slices.SortStableFunc(all, order)
	return all
}

// efficiency is the cost of a token of capacity.
func (m *model) efficiency(variant int) float64 {
	if f := &m.found[variant]; f.capacity > 0 {
		return f.cost / f.capacity
	}
	return math.MaxFloat64
}

// scaleDown removes replicas, role by role, of the dearest variants first.
func (m *model) scaleDown() {
	for _, role := range m.roles {
		order := m.ofRole(role, func(a, b int) int {
			return cmp.Or(cmp.Compare(m.found[b].cost, m.found[a].cost), cmp.Compare(m.found[a].capacity, m.found[b].capacity),
				cmp.Compare(m.variants[a].Name, m.variants[b].Name))
		})
		if m.spare[role] <= 0 {
			continue
		}
		for k, i := range order {
			m.remove(role, i, k == len(order)-1 && !m.anyLeft(order[:k]))
		}
	}
}

// remove removes replicas of a variant, of which the last stays if it is the last of its role.
func (m *model) remove(role string, i int, last bool) {
	each := m.found[i].capacity
	removable := m.targets[i] - m.variants[i].Min
	if each <= 0 || removable <= 0 {
		return
	}
	n := min(int(math.Floor(m.spare[role]/each)), removable)
	if last && m.targets[i]-n < 1 {
		n = m.targets[i] - 1
	}
	if n <= 0 {
		return
	}
	m.targets[i] -= n
	m.spare[role] = max(0, m.spare[role]-float64(float64(n)*each))
}

func (m *model) anyLeft(variants []int) bool {
	return slices.ContainsFunc(variants, func(i int) bool { return m.targets[i] > 0 })
}

// keepOne keeps a replica of the cheapest variant where no variant has any and none has a minimum.
func (m *model) keepOne() {
	cheapest, least := -1, 0.0
	for i := range m.variants {
		if m.variants[i].Min > 0 || m.targets[i] > 0 {
			return
		}
		cost := m.found[i].cost
		if cost <= 0 {
			cost = DefaultCost
		}
		if cheapest < 0 || cost < least || cost == least && m.variants[i].Name < m.variants[cheapest].Name {
			cheapest, least = i, cost
		}
	}
	if cheapest >= 0 {
		m.targets[cheapest] = 1
	}
}
