// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

// Weights are what the scorers of a scheduling profile can give an endpoint at
// most: those of prefixes together, and those of load.
type Weights struct {
	Profile      string
	Prefix, Load float64
}

// ProfileWeights returns the weights of each profile of a configuration that
// takes the endpoint with the highest score.
func ProfileWeights(config *config.Config) []Weights {
	var all []Weights
	for _, p := range newView(config, nil).SchedulingProfiles {
		if p.picksBestOnly() {
			prefix, busy := weights(p)
			all = append(all, Weights{p.Name, prefix, busy})
		}
	}
	return all
}

// LooksAtPrefixes reports whether a scorer of a type scores what of the prompt an
// endpoint is believed to hold.
func LooksAtPrefixes(typeName string) bool { return slices.Contains(prefixScorers, typeName) }

func (p *profile) picksBestOnly() bool {
	return !slices.ContainsFunc(p.with("picker"), func(e *entry) bool { return e.plugin.Type != "max-score-picker" })
}
