// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

const pdProfileHandlerType = "pd-profile-handler"

// pdProfileHandler is the older disaggProfileHandler: decode, then prefill if
// the decider says so. It does not tell the engines what the prefill profile
// chose, but leaves that to a [disaggHeadersHandler] that looks for a profile of
// that name. Where there is none the EPP counts as if another endpoint had the
// prompt, but the decode endpoint computes it. Up to scheduler-v0.5 it is its own
// decider: see [thresholdDecider].
var pdProfileHandler = factory{
	pluginType: pluginType{
		name:         pdProfileHandlerType,
		neededInMay:  []dataKind{prefixMatchData},
		registration: llmd("scheduler-v0.2..router-main"),
		roles:        profileHandlerRole,
		successor:    disaggProfileHandlerType,
		ordered:      true,
		parameters: func() any {
			return &pdParameters{DecodeProfile: decodeProfile, PrefillProfile: prefillProfile, DeciderPluginName: prefixBasedPDDeciderType, HashBlockSize: 64}
		},
		needs: func(p *plugin) []dataKey {
			return []dataKey{{prefixMatchData, p.Parameters.(*pdParameters).PrefixMatchInfoProducerName}, {tokensData, tokenProducerType}}
		},
		treatment: func(c *Config, cluster *Cluster, p *plugin) (Treatment, string) {
			switch {
			case c.stages.silent:
				return Exact, "no header handler tells the engines of prefill endpoints, and all prompts are computed where they are decoded"
			case c.stages.decider == p.Name:
				return treatThreshold(c, cluster, p)
			}
			return Exact, ""
		},
		obstacles: func(c *Config, _ *Cluster, p *plugin, at *field.Path) field.ErrorList {
			return p.Parameters.(*pdParameters).obstacles(c, at.Child("parameters"))
		},
		stages: func(l *loader, p *plugin) stages { return p.Parameters.(*pdParameters).stages(l, p.Name) },
	},
	newDecider: func(b *builder, p *plugin) decider { return newThresholdDecider(b, p) },
}

type pdParameters struct {
	DecodeProfile    string `json:"decodeProfile"`
	PrefillProfile   string `json:"prefillProfile"`
	PrefixPluginType string `json:"prefixPluginType,omitempty" versions:"scheduler-v0.5.."`
	PrefixPluginName string `json:"prefixPluginName,omitempty" versions:"scheduler-v0.3.."`
	PrimaryPort      int    `json:"primaryPort,omitempty" versions:"scheduler-v0.4.."`
	// Threshold and HashBlockSize, in bytes, are what a decider says now.
	Threshold                   int    `json:"threshold" versions:"..scheduler-v0.5"`
	HashBlockSize               int    `json:"hashBlockSize" versions:"..scheduler-v0.5"`
	DeciderPluginName           string `json:"deciderPluginName" versions:"scheduler-v0.6.."`
	PrefixMatchInfoProducerName string `json:"prefixMatchInfoProducerName" versions:"router-v0.9.."`
}

// defaults: the first version with deciders asks another one, and those without
// any read what a prefix scorer left behind.
func (p *pdParameters) defaults(at release) {
	switch at {
	case scheduler03, scheduler04:
		p.PrefixPluginName = prefixCacheScorerType
	case scheduler05:
		p.PrefixPluginType = prefixCacheScorerType
	case scheduler06:
		p.DeciderPluginName = alwaysDisaggPDDeciderType
	}
}

// moved is for the files of the scheduler up to v0.6.
func (p *pdParameters) moved(name string) string {
	switch name {
	case "threshold":
		return "it is nonCachedTokens of " + prefixBasedPDDeciderType + " now"
	case "hashBlockSize":
		return "it is blockSizeTokens of " + approxPrefixCacheProducerType + " now"
	}
	return ""
}

func (p *pdParameters) check(l *loader, path *field.Path) {
	p.PrefixMatchInfoProducerName = orDefault(p.PrefixMatchInfoProducerName, prefixMatchData)
	if p.PrimaryPort != 0 {
		l.notice(path.Child("primaryPort"), "deprecated", "deprecated, no effect on which endpoint is chosen")
	}
	if p.PrimaryPort < 0 || p.PrimaryPort > 65535 {
		l.add(field.Invalid(path.Child("primaryPort"), p.PrimaryPort, "must be between 1 and 65535"))
	}
	if p.Threshold < 0 && l.clock >= scheduler04 {
		l.add(field.Invalid(path.Child("threshold"), p.Threshold, "must not be negative"))
	}
	if p.HashBlockSize <= 0 && l.clock >= scheduler04 && l.clock < scheduler06 {
		l.add(field.Invalid(path.Child("hashBlockSize"), p.HashBlockSize, "must be greater than 0"))
	}
	clock := l.clock
	if clock < scheduler06 {
		if clock == scheduler05 {
			setDefault(&p.PrefixPluginName, p.PrefixPluginType)
		}
	} else {
		p.checkUnused(l, path)
	}
	l.references = append(l.references, func() {
		if clock >= scheduler06 {
			l.referInParameters(p.DeciderPluginName, deciderRole, "a decider", path.Child("deciderPluginName"))
		}
	})
	l.later = append(l.later, func() {
		if len(l.doc.SchedulingProfiles) != 2 && !l.hasProfile(p.PrefillProfile) {
			l.notice(path.Child("prefillProfile"), "missing-stage-profile", "no scheduling profile is named %s: all prompts are computed where they are decoded", p.PrefillProfile)
		}
	})
}

// checkUnused is about what no version with deciders reads. From router-v0.10 on
// it has to be there all the same.
func (p *pdParameters) checkUnused(l *loader, path *field.Path) {
	name, at := p.PrefixPluginName, path.Child("prefixPluginName")
	if name == "" {
		name, at = p.PrefixPluginType, path.Child("prefixPluginType")
	}
	p.PrefixPluginName, p.PrefixPluginType = "", ""
	if name == "" {
		return
	}
	clock := l.clock
	l.references = append(l.references, func() {
		l.notice(at, "deprecated", "deprecated, no effect")
		if clock >= router10 {
			l.referInParameters(name, 0, "", at)
		}
	})
}

// obstacles are what an EPP starts with and then crashes or hangs over.
func (p *pdParameters) obstacles(c *Config, path *field.Path) field.ErrorList {
	errs := needsProfile(c, p.DecodeProfile, path.Child("decodeProfile"))
	switch profiles := c.document.SchedulingProfiles; {
	case len(profiles) > 2:
		errs = append(errs, field.Invalid(path, len(profiles), fmt.Sprintf("with more than two profiles a %s never ends", pdProfileHandlerType)))
	case len(profiles) == 2 && p.PrefillProfile != profiles[0].Name && p.PrefillProfile != profiles[1].Name:
		errs = append(errs, field.Invalid(path.Child("prefillProfile"), p.PrefillProfile, "no scheduling profile has this name, and the EPP would crash"))
	}
	return errs
}

func (p *pdParameters) stages(l *loader, handler string) stages {
	s := stages{decode: p.DecodeProfile, bare: p.PrimaryPort != 0}
	if p.PrefillProfile != s.decode && l.hasProfile(p.PrefillProfile) {
		s.prefill, s.decider, s.silent = p.PrefillProfile, p.DeciderPluginName, !tellsEngines(l, p.PrefillProfile)
		if l.dialect.own < scheduler06 {
			s.decider = handler
		}
	}
	return s
}
