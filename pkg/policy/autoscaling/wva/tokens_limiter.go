// SPDX-License-Identifier: Apache-2.0

package wva

import "maps"

// scaleUpWithin is scaleUp within the limits of accelerators. It allocates in rounds. Each begins
// with what the model needs, times its weight: no role gets more than that in a round. Roles of a
// model that has several begin each round with their whole need, also where an earlier round has
// served a part of it.
func (m *model) scaleUpWithin() {
	left, whole := m.budgets(), len(m.needs) == 1 && m.roles[0] == Both
	needs := maps.Clone(m.required)
	for share := m.weighted(needs); share > 0 && anyLeft(left); {
		m.budget = maps.Clone(left)
		for role, need := range needs {
			m.required[role] = min(need, share)
		}
		m.rest = needs[Both]
		m.scaleUp(share)
		for name, before := range left {
			if before != unlimited {
				left[name] = m.budget[name]
			}
		}
		rest := m.weighted(m.required)
		if whole {
			needs[Both] = m.rest
			rest = m.weighted(needs)
		}
		if rest >= share {
			return
		}
		share = rest
	}
}

// budgets are the accelerators that the limits leave.
func (m *model) budgets() map[string]int {
	left := map[string]int{}
	for name, limit := range m.config.Limits {
		left[name] = unlimited
		if limit >= 0 {
			left[name] = max(0, limit-m.used(name))
		}
	}
	return left
}

// used counts the accelerators of a name that the variants have.
func (m *model) used(accelerator string) int {
	n := 0
	for i := range m.variants {
		if m.found[i].accelerator == accelerator {
			n += m.variants[i].Current * m.gpus(i)
		}
	}
	return n
}

// anyLeft reports whether the budgets have accelerators left. Two roles may have taken the same
// accelerator, so that one is negative.
func anyLeft(budgets map[string]int) bool {
	sum := 0
	for _, n := range budgets {
		if n == unlimited {
			return true
		}
		sum += n
	}
	return sum != 0
}

// weighted is what the roles need, times the weight of the model.
func (m *model) weighted(needs map[string]float64) float64 {
	sum := 0.0
	for _, role := range m.roles {
		sum += needs[role]
	}
	return float64(m.config.Priority * float64(sum*m.config.Score))
}
