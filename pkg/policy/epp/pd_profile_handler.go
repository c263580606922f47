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
// prompt, but the decode endpoint computes it.
var pdProfileHandler = pluginType{
	name:      pdProfileHandlerType,
	roles:     profileHandlerRole,
	successor: disaggProfileHandlerType,
	parameters: func() any {
		return &pdParameters{DecodeProfile: decodeProfile, PrefillProfile: prefillProfile, DeciderPluginName: prefixBasedPDDeciderType}
	},
	needs: func(p *plugin) []dataKey {
		return []dataKey{{prefixMatchData, p.Parameters.(*pdParameters).PrefixMatchInfoProducerName}, {tokensData, tokenProducerType}}
	},
	treatment: func(c *Config, cluster *Cluster, p *plugin) (Treatment, string) {
		switch {
		case c.stages.silent:
			return Exact, "no header handler tells the engines of prefill endpoints, and all prompts are computed where they are decoded"
		case p.Parameters.(*pdParameters).PrimaryPort != 0:
			return Approximated, "with primaryPort the EPP counts no prompt of a decode endpoint as cached"
		}
		return Exact, ""
	},
	stages: func(l *loader, p *plugin) stages { return p.Parameters.(*pdParameters).stages(l) },
}

type pdParameters struct {
	DecodeProfile               string `json:"decodeProfile"`
	PrefillProfile              string `json:"prefillProfile"`
	PrefixPluginType            string `json:"prefixPluginType,omitempty"`
	PrefixPluginName            string `json:"prefixPluginName,omitempty"`
	PrimaryPort                 int    `json:"primaryPort,omitempty"`
	DeciderPluginName           string `json:"deciderPluginName"`
	PrefixMatchInfoProducerName string `json:"prefixMatchInfoProducerName"`
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
		l.warn(path.Child("primaryPort"), "deprecated, no effect on which endpoint is chosen")
	}
	if p.PrimaryPort < 0 || p.PrimaryPort > 65535 {
		l.add(field.Invalid(path.Child("primaryPort"), p.PrimaryPort, "must be between 1 and 65535"))
	}
	prefix, at := p.PrefixPluginName, path.Child("prefixPluginName")
	if prefix == "" {
		prefix, at = p.PrefixPluginType, path.Child("prefixPluginType")
	}
	p.PrefixPluginName, p.PrefixPluginType = "", ""
	l.later = append(l.later, func() {
		if prefix != "" {
			l.warn(at, "deprecated, no effect")
			l.refer(prefix, 0, "", at)
		}
		p.checkReferences(l, path)
	})
}

// checkReferences refuses what an EPP would start with and then crash or hang
// over.
func (p *pdParameters) checkReferences(l *loader, path *field.Path) {
	l.refer(p.DeciderPluginName, deciderRole, "a decider", path.Child("deciderPluginName"))
	l.checkDecodeProfile(p.DecodeProfile, path.Child("decodeProfile"))
	profiles := l.doc.SchedulingProfiles
	switch at := path.Child("prefillProfile"); {
	case len(profiles) > 2:
		l.add(field.Invalid(l.profilePath(2), profiles[2].Name, fmt.Sprintf("with more than two profiles a %s never ends", pdProfileHandlerType)))
	case l.hasProfile(p.PrefillProfile):
	case len(profiles) == 2:
		l.add(field.Invalid(at, p.PrefillProfile, "no scheduling profile has this name, and the EPP would crash"))
	default:
		l.warn(at, "no scheduling profile is named %s: all prompts are computed where they are decoded", p.PrefillProfile)
	}
}

func (p *pdParameters) stages(l *loader) stages {
	s := stages{decode: p.DecodeProfile}
	if p.PrefillProfile != s.decode && l.hasProfile(p.PrefillProfile) {
		s.prefill, s.decider, s.silent = p.PrefillProfile, p.DeciderPluginName, !l.tells(p.PrefillProfile)
	}
	return s
}
