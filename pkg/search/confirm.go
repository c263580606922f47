// SPDX-License-Identifier: Apache-2.0

package search

import "k8s.io/apimachinery/pkg/util/validation/field"

// confirm ends another algorithm's search with a last generation: the best point
// and the baseline under seeds that no point met before. The best of many looks
// better than it is under the seeds that chose it; under fresh ones it does not.
type confirm struct {
	problem *problem
	inner   Algorithm
	ledger  *ledger
	done    bool
}

// confirm wraps an algorithm.
func (p *problem) confirm(inner Algorithm) (Algorithm, field.ErrorList) {
	var errs field.ErrorList
	if n := p.Settings.Confirm; n < 2 {
		errs = append(errs, field.Invalid(p.settings().Child("confirm"), n, "must be at least 2: one seed does not show the spread"))
	}
	if p.Settings.Algorithm == Capacity {
		errs = append(errs, field.Forbidden(p.settings().Child("confirm"), "does not go with Capacity, which gives every load seeds until it is sure"))
	}
	return &confirm{problem: p, inner: inner, ledger: newLedger(p)}, errs
}

// Unwrap returns the algorithm that proposes the points.
func (c *confirm) Unwrap() Algorithm { return c.inner }

// Confirming says whether the generation that Ask returns is the last one: the
// best point first, and the baseline.
func (c *confirm) Confirming() bool {
	return !c.done && len(c.inner.Ask()) == 0 && c.ledger.best() != nil
}

func (c *confirm) Ask() []Proposal {
	if proposals := c.inner.Ask(); len(proposals) > 0 || c.done || c.ledger.best() == nil {
		return proposals
	}
	var proposals []Proposal
	for _, point := range c.ledger.bestAndBaseline(c.problem.Baseline) {
		proposals = append(proposals, Proposal{point, Effort{Share: 1, First: c.ledger.used, Seeds: c.problem.Settings.Confirm}})
	}
	return proposals
}

func (c *confirm) Tell(trials []Trial) {
	if len(c.inner.Ask()) == 0 {
		c.done = true
		return
	}
	c.inner.Tell(trials)
	c.ledger.tell(trials)
}
