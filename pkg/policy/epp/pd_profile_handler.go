// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const pdProfileHandlerType = "pd-profile-handler"

// pdProfileHandler is the older disaggProfileHandler: decode, then prefill if
// the decider says so. It does not tell the engines what the prefill profile
// chose, but leaves that to a [disaggHeadersHandler] that looks for a profile of
// that name. Where there is none the EPP counts as if another endpoint had the
// prompt, but the decode endpoint computes it. Up to scheduler-v0.5 it is its own
// decider: see [thresholdDecider].
var pdProfileHandler = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         pdProfileHandlerType,
		NeededInMay:  []config.DataKind{config.PrefixMatchData},
		Registration: version.LLMD("scheduler-v0.2..router-main"),
		Roles:        config.ProfileHandlerRole,
		Successor:    disaggProfileHandlerType,
		Ordered:      true,
		Parameters: func() any {
			return &pdParameters{DecodeProfile: config.DecodeProfile, PrefillProfile: config.PrefillProfile, DeciderPluginName: prefixBasedPDDeciderType, HashBlockSize: 64}
		},
		Needs: func(p *config.Plugin) []config.DataKey {
			return []config.DataKey{{Kind: config.PrefixMatchData, Producer: p.Parameters.(*pdParameters).PrefixMatchInfoProducerName}, {Kind: config.TokensData, Producer: config.TokenProducerType}}
		},
		Treatment: func(c *config.Config, cluster *config.Cluster, p *config.Plugin) (config.Treatment, string) {
			switch {
			case c.Stages.PrefillHeaderMissing:
				return config.Exact, "no header handler tells the engines of prefill endpoints, and all prompts are computed where they are decoded"
			case c.Stages.Decider == p.Name:
				return treatThreshold(c, cluster, p)
			}
			return config.Exact, ""
		},
		Obstacles: func(c *config.Config, _ *config.Cluster, p *config.Plugin, at *field.Path) field.ErrorList {
			return p.Parameters.(*pdParameters).obstacles(c, at.Child("parameters"))
		},
		Stages: func(l *config.Loader, p *config.Plugin) config.Stages {
			return p.Parameters.(*pdParameters).stages(l, p.Name)
		},
	},
	NewDecider: func(b *scheduler.Builder, p *config.Plugin) scheduler.Decider { return newThresholdDecider(b, p) },
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

// Defaults: the first version with deciders asks another one, and those without
// any read what a prefix scorer left behind.
func (p *pdParameters) Defaults(at version.Release) {
	switch at {
	case version.Scheduler03, version.Scheduler04:
		p.PrefixPluginName = config.PrefixCacheScorerType
	case version.Scheduler05:
		p.PrefixPluginType = config.PrefixCacheScorerType
	case version.Scheduler06:
		p.DeciderPluginName = alwaysDisaggPDDeciderType
	}
}

// Moved is for the files of the scheduler up to v0.6.
func (p *pdParameters) Moved(name string) string {
	switch name {
	case "threshold":
		return "it is nonCachedTokens of " + prefixBasedPDDeciderType + " now"
	case "hashBlockSize":
		return "it is blockSizeTokens of " + config.ApproxPrefixCacheProducerType + " now"
	}
	return ""
}

func (p *pdParameters) Check(l *config.Loader, path *field.Path) {
	p.PrefixMatchInfoProducerName = config.OrDefault(p.PrefixMatchInfoProducerName, config.PrefixMatchData)
	if p.PrimaryPort != 0 {
		l.Notice(path.Child("primaryPort"), "deprecated", "deprecated, no effect on which endpoint is chosen")
	}
	if p.PrimaryPort < 0 || p.PrimaryPort > 65535 {
		l.Add(field.Invalid(path.Child("primaryPort"), p.PrimaryPort, "must be between 1 and 65535"))
	}
	if p.Threshold < 0 && l.Clock >= version.Scheduler04 {
		l.Add(field.Invalid(path.Child("threshold"), p.Threshold, "must not be negative"))
	}
	if p.HashBlockSize <= 0 && l.Clock >= version.Scheduler04 && l.Clock < version.Scheduler06 {
		l.Add(field.Invalid(path.Child("hashBlockSize"), p.HashBlockSize, "must be greater than 0"))
	}
	clock := l.Clock
	if clock < version.Scheduler06 {
		if clock == version.Scheduler05 {
			config.SetDefault(&p.PrefixPluginName, p.PrefixPluginType)
		}
	} else {
		p.checkUnused(l, path)
	}
	l.References = append(l.References, func() {
		if clock >= version.Scheduler06 {
			l.ReferInParameters(p.DeciderPluginName, config.DeciderRole, "a decider", path.Child("deciderPluginName"))
		}
	})
	l.Later = append(l.Later, func() {
		if len(l.Doc.SchedulingProfiles) != 2 && !l.HasProfile(p.PrefillProfile) {
			l.Notice(path.Child("prefillProfile"), "missing-stage-profile", "no scheduling profile is named %s: all prompts are computed where they are decoded", p.PrefillProfile)
		}
	})
}

// checkUnused is about what no version with deciders reads. From router-v0.10 on
// it has to be there all the same.
func (p *pdParameters) checkUnused(l *config.Loader, path *field.Path) {
	name, at := p.PrefixPluginName, path.Child("prefixPluginName")
	if name == "" {
		name, at = p.PrefixPluginType, path.Child("prefixPluginType")
	}
	p.PrefixPluginName, p.PrefixPluginType = "", ""
	if name == "" {
		return
	}
	clock := l.Clock
	l.References = append(l.References, func() {
		l.Notice(at, "deprecated", "deprecated, no effect")
		if clock >= version.Router10 {
			l.ReferInParameters(name, 0, "", at)
		}
	})
}

// obstacles are what an EPP starts with and then crashes or hangs over.
func (p *pdParameters) obstacles(c *config.Config, path *field.Path) field.ErrorList {
	errs := needsProfile(c, p.DecodeProfile, path.Child("decodeProfile"))
	switch profiles := c.Document.SchedulingProfiles; {
	case len(profiles) > 2:
		errs = append(errs, field.Invalid(path, len(profiles), fmt.Sprintf("with more than two profiles a %s never ends", pdProfileHandlerType)))
	case len(profiles) == 2 && p.PrefillProfile != profiles[0].Name && p.PrefillProfile != profiles[1].Name:
		errs = append(errs, field.Invalid(path.Child("prefillProfile"), p.PrefillProfile, "no scheduling profile has this name, and the EPP would crash"))
	}
	return errs
}

func (p *pdParameters) stages(l *config.Loader, handler string) config.Stages {
	s := config.Stages{Decode: p.DecodeProfile, DecodeMatchLost: p.PrimaryPort != 0}
	if p.PrefillProfile != s.Decode && l.HasProfile(p.PrefillProfile) {
		s.Prefill, s.Decider, s.PrefillHeaderMissing = p.PrefillProfile, p.DeciderPluginName, !hasHeaderHandler(l, p.PrefillProfile)
		if l.Dialect.Own < version.Scheduler06 {
			s.Decider = handler
		}
	}
	return s
}
