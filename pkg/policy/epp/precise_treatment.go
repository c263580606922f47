// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"strings"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// preciseTreatment says what of an index of the engines' caches is not as it is.
func preciseTreatment(of func(*config.Plugin) *preciseParameters) config.TreatmentFunc {
	return func(c *config.Config, cluster *config.Cluster, p *config.Plugin) (config.Treatment, string) {
		parameters, rules := of(p), preciseRulesOf(&c.Dialect)
		notes := []string{"events take no time to arrive", "tokenising takes none", "no event is lost, and copies of a block count as one"}
		if cluster != nil && cluster.EventLag > 0 {
			notes[0] = fmt.Sprintf("all events arrive %v late", cluster.EventLag)
		}
		if rules.sameBlockSizeOnly {
			notes = append(notes, fmt.Sprintf("engines whose blocks are not of %d tokens are not known, and hash seeds are the same", parameters.blockTokens()))
		} else {
			notes = append(notes, fmt.Sprintf("engines' blocks of less than %d tokens count as if events came in whole blocks of that", parameters.blockTokens()))
		}
		if c.Dialect.Own == version.Scheduler02 {
			notes = append(notes, "answers that come back in a prompt are known at once, and not once that has been tokenised")
		}
		if parameters.SpeculativeIndexing && c.Dialect.Own == version.Scheduler07 && !attachesMatch(c, p) {
			notes = append(notes, "it does not speculate without the gate "+config.PrepareDataPluginsGate)
		}
		if n := parameters.mostBlocks(); n < standardIndexSize {
			notes = append(notes, fmt.Sprintf("the index never runs full, as it does at %d blocks", n))
		}
		if !parameters.hears(p.Name, rules, &c.Document) {
			notes = append(notes, "no engine's events reach it: list it as an extractor of an "+endpointNotificationSource.Name+" in dataLayer.sources")
		}
		if rules.needsEndpointSource && scheduler.EstimatesTokens(&c.Document) {
			notes = append(notes, "estimated tokens never match an engine's blocks: give the "+config.TokenProducerType+" a model")
		}
		return config.Approximated, strings.Join(notes, "; ")
	}
}
