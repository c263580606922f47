// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// In scheduler-v0.8 and scheduler-520af478 all prefix producers attach their match to the
// endpoints under one name, and the last one overwrites all others: an
// approx-prefix-cache-producer before any profile runs; a precise-prefix-cache-scorer then
// too, where it speculates, and as it scores, when each candidate holds one block of one
// token, or none of one.

// sharesMatch reports whether the producers of a version share one match.
func sharesMatch(d *version.Dialect) bool {
	return d.Own >= version.Scheduler08 && d.Own <= version.SchedulerMay
}

// sharedMatch is the shared match, or nil where no precise scorer writes it.
func sharedMatch(b *scheduler.Builder) *scheduler.PrefixMatch {
	if !sharesMatch(&b.Dialect) || !b.Lists(precisePrefixCacheScorerType) {
		return nil
	}
	return b.PrefixMatch(config.ApproxPrefixCacheProducerType)
}

// shareSpeculative writes the shared match at the beginning of a cycle, unless a producer does.
func (p *precisePrefix) shareSpeculative() {
	if p.shared == nil || p.producerWritesShared {
		return
	}
	clear(p.shared.Blocks)
	p.shared.TotalBlocks = 0
	if p.speculation.ttl > 0 {
		p.shared.BlockTokens, p.shared.TotalBlocks = p.info.BlockTokens, p.info.TotalBlocks
		copy(p.shared.Blocks, p.info.Blocks)
	}
}

// shareScored writes the shared match for the candidates of a scorer.
func (p *precisePrefix) shareScored(candidates []int) {
	if p.shared == nil {
		return
	}
	p.shared.BlockTokens, p.shared.TotalBlocks = 1, 1
	for _, e := range candidates {
		p.shared.Blocks[e] = 0
		if p.match.Scores[e] > 0 {
			p.shared.Blocks[e] = 1
		}
	}
}

// checkSeveralWriters rejects a plugin that writes or reads the shared match, where several
// write it before any profile runs, in no defined order.
func checkSeveralWriters(c *config.Config, p *config.Plugin, at *field.Path) field.ErrorList {
	if !sharesMatch(&c.Dialect) {
		return nil
	}
	var tell []string
	speculates := false
	for _, other := range c.Document.Plugins {
		parameters, precise := other.Parameters.(*preciseScorerParameters)
		if precise || other.Type == config.ApproxPrefixCacheProducerType {
			tell = append(tell, other.Name)
		}
		speculates = speculates || precise && parameters.SpeculativeIndexing
	}
	if len(tell) < 2 || !speculates {
		return nil
	}
	return field.ErrorList{field.Invalid(at, p.Name, fmt.Sprintf("%s overwrite each other's prefix matches, in an order that is not defined", strings.Join(tell, " and ")))}
}

// checkReadsSharedMatch rejects plugins of profiles whose shared match is not defined: from one
// profile to the next its blocks have different sizes.
func checkReadsSharedMatch(c *config.Config, p *config.Plugin, at *field.Path) field.ErrorList {
	if len(c.Document.SchedulingProfiles) > 1 {
		return checkReadsPreciseMatch(c, p, at)
	}
	return checkSeveralWriters(c, p, at)
}

// checkReadsPreciseMatch rejects plugins that may read the shared match before or after a
// precise scorer writes it.
func checkReadsPreciseMatch(c *config.Config, p *config.Plugin, at *field.Path) field.ErrorList {
	if !sharesMatch(&c.Dialect) || !c.HasType(precisePrefixCacheScorerType) {
		return nil
	}
	return field.ErrorList{field.Invalid(at, p.Name, "reads what a "+precisePrefixCacheScorerType+" says of prefixes, which is not simulated in "+c.Dialect.Name)}
}
