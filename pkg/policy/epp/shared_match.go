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

// In scheduler-v0.8 and scheduler-520af478 whoever looks for a prompt attaches what it
// finds to the endpoints under one name, the last one over all others: an
// approx-prefix-cache-producer before any profile runs; a precise-prefix-cache-scorer
// then too, where it speculates, and as it scores, when it says of each candidate that
// it holds one block of one token, or none of one.

// tellsAll reports whether prefixes are so in a version.
func tellsAll(d *version.Dialect) bool {
	return d.Own >= version.Scheduler08 && d.Own <= version.SchedulerMay
}

// toldMatch is what is attached, where precise scorers do so; else nil.
func toldMatch(b *scheduler.Builder) *scheduler.PrefixMatch {
	if !tellsAll(&b.Dialect) || !b.Lists(precisePrefixCacheScorerType) {
		return nil
	}
	return b.PrefixMatch(config.ApproxPrefixCacheProducerType)
}

// tellSpeculating begins a cycle, unless a producer does.
func (p *precisePrefix) tellSpeculating() {
	if p.told == nil || p.toldBefore {
		return
	}
	clear(p.told.Blocks)
	p.told.TotalBlocks = 0
	if p.speculation.ttl > 0 {
		p.told.BlockTokens, p.told.TotalBlocks = p.info.BlockTokens, p.info.TotalBlocks
		copy(p.told.Blocks, p.info.Blocks)
	}
}

// tellScored is for the candidates of a scorer.
func (p *precisePrefix) tellScored(candidates []int) {
	if p.told == nil {
		return
	}
	p.told.BlockTokens, p.told.TotalBlocks = 1, 1
	for _, e := range candidates {
		p.told.Blocks[e] = 0
		if p.match.Scores[e] > 0 {
			p.told.Blocks[e] = 1
		}
	}
}

// severalTell is about a plugin that makes or reads what is attached, where several
// attach it before any profile runs, in no particular order.
func severalTell(c *config.Config, p *config.Plugin, at *field.Path) field.ErrorList {
	if !tellsAll(&c.Dialect) {
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
	return field.ErrorList{field.Invalid(at, p.Name, fmt.Sprintf("%s overwrite what each other says of prefixes; which of them is heard is not simulated", strings.Join(tell, " and ")))}
}

// readsTold is for plugins of profiles that read what is attached: from one profile to
// the next it is in blocks of different sizes.
func readsTold(c *config.Config, p *config.Plugin, at *field.Path) field.ErrorList {
	if len(c.Document.SchedulingProfiles) > 1 {
		return heedsPrecise(c, p, at)
	}
	return severalTell(c, p, at)
}

// heedsPrecise is for plugins of which it is not clear whether a precise scorer has
// told them anything when they read it.
func heedsPrecise(c *config.Config, p *config.Plugin, at *field.Path) field.ErrorList {
	if !tellsAll(&c.Dialect) || !c.HasType(precisePrefixCacheScorerType) {
		return nil
	}
	return field.ErrorList{field.Invalid(at, p.Name, "reads what a "+precisePrefixCacheScorerType+" says of prefixes, which is not simulated in "+c.Dialect.Name)}
}
