// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"windtunnel.dev/windtunnel/pkg/experiment"
)

// hashedPlan is a plan with its content hash, and how long its encoding is, in bytes.
type hashedPlan struct {
	*experiment.Plan
	hash string
	size int
}

func hashPlan(p *experiment.Plan) *hashedPlan {
	raw := p.Encode()
	return &hashedPlan{p, experiment.Digest(raw), len(raw)}
}

// subjectPlan is a plan of a subject, and what its children are named by.
type subjectPlan struct {
	*hashedPlan
	// prefix begins the names of what belongs to the plan and to no Job.
	prefix string
	// versions are the resource versions of the inputs that it was just compiled
	// from, by their names in the status; nil where it was known before.
	versions map[string]string
}

func newSubjectPlan(p *hashedPlan, s subject) *subjectPlan {
	return &subjectPlan{hashedPlan: p, prefix: planPrefix(s.object().GetUID(), s.object().GetName(), p.hash)}
}
