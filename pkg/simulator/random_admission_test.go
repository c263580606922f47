// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"windtunnel.dev/windtunnel/pkg/policy"
)

// randomAdmission puts a priority and an admission policy before the router.
func randomAdmission(c *choices, config *Config) {
	config.Policies.Priority = reversed{}
	config.Policies.Admission = bouncer{most: 1 + c.pick(8)}
}

// reversed makes the least important requests the most important ones.
type reversed struct{}

func (reversed) Prioritize(_ *policy.View, q *policy.Request) int { return -q.Priority }

// bouncer admits no request below priority 0 while replicas hold more than so many
// requests together, as they were last scraped.
type bouncer struct{ most int }

func (b bouncer) Admit(v *policy.View, q *policy.Request) error {
	load := 0
	for _, s := range v.Scrapes {
		load += loadOf(s)
	}
	if load > b.most && q.Priority < 0 {
		return policy.ErrShed
	}
	return nil
}
