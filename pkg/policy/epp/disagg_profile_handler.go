// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

const disaggProfileHandlerType = "disagg-profile-handler"

// disaggProfileHandler lets one endpoint compute a prompt and another decode.
// With stageOrder decode-first the decode profile runs; if it finds no endpoint
// the request fails. Then the prefill profile runs, if the decider says so of
// that endpoint; if it finds none, the decode endpoint computes the prompt. With
// prefill-first the prefill profile runs for each request, before the other, and
// no decider is asked. A stage without its profile never runs. The encode profile
// runs for requests with images, audio or video; simulated requests have none.
//
// Up to scheduler-v0.8 a [disaggHeadersHandler] has to tell the engines, as for a
// [pdProfileHandler].
var disaggProfileHandler = pluginType{
	name:         disaggProfileHandlerType,
	neededInMay:  []dataKind{prefixMatchData},
	registration: llmd("scheduler-v0.7.."),
	roles:        profileHandlerRole,
	ordered:      true,
	parameters:   func() any { return &disaggParameters{} },
	needs: func(*plugin) []dataKey {
		return []dataKey{{prefixMatchData, approxPrefixCacheProducerType}, {tokensData, tokenProducerType}}
	},
	obstacles: func(c *Config, _ *Cluster, p *plugin, at *field.Path) field.ErrorList {
		return p.Parameters.(*disaggParameters).obstacles(c, at.Child("parameters"))
	},
	stages: func(l *loader, p *plugin) stages { return p.Parameters.(*disaggParameters).stages(l) },
}

const (
	decodeFirst  = "decode-first"
	prefillFirst = "prefill-first"
)

// disaggParameters are nested or, deprecated, flat; not both.
type disaggParameters struct {
	StageOrder string          `json:"stageOrder,omitempty" versions:"router-v0.10.."`
	Profiles   *disaggProfiles `json:"profiles,omitempty"`
	Deciders   *disaggDeciders `json:"deciders,omitempty"`

	DecodeProfile            *string `json:"decodeProfile,omitempty"`
	PrefillProfile           *string `json:"prefillProfile,omitempty"`
	EncodeProfile            *string `json:"encodeProfile,omitempty"`
	PrefillDeciderPluginName *string `json:"prefillDeciderPluginName,omitempty"`
	EncodeDeciderPluginName  *string `json:"encodeDeciderPluginName,omitempty"`
	DeciderPluginName        *string `json:"deciderPluginName,omitempty"`
}

type disaggProfiles struct {
	Decode  string `json:"decode,omitempty"`
	Prefill string `json:"prefill,omitempty"`
	Encode  string `json:"encode,omitempty"`
}

type disaggDeciders struct {
	Prefill string `json:"prefill,omitempty"`
	Encode  string `json:"encode,omitempty"`
}

// disaggPaths say where what disaggParameters say stands in the document.
type disaggPaths struct {
	decode, prefill, encode       *field.Path
	prefillDecider, encodeDecider *field.Path
}

func (p *disaggParameters) check(l *loader, path *field.Path) {
	at := disaggPaths{
		decode:         path.Child("profiles", "decode"),
		prefill:        path.Child("profiles", "prefill"),
		encode:         path.Child("profiles", "encode"),
		prefillDecider: path.Child("deciders", "prefill"),
		encodeDecider:  path.Child("deciders", "encode"),
	}
	nested := p.Profiles != nil || p.Deciders != nil
	if p.Profiles == nil {
		p.Profiles = &disaggProfiles{}
	}
	if p.Deciders == nil {
		p.Deciders = &disaggDeciders{}
	}
	p.moveFlat(l, path, nested, &at)
	setDefault(&p.Profiles.Decode, decodeProfile)
	setDefault(&p.Profiles.Prefill, prefillProfile)
	setDefault(&p.Profiles.Encode, encodeProfile)
	p.checkOrder(l, path, at.prefillDecider)
	l.references = append(l.references, func() { p.checkDeciders(l, &at) })
	l.later = append(l.later, func() { p.noticeProfiles(l, &at) })
}

// moveFlat puts flat keys where the nested ones live. Of the two names of the
// prefill decider, the longer one holds.
func (p *disaggParameters) moveFlat(l *loader, path *field.Path, nested bool, at *disaggPaths) {
	for _, key := range []struct {
		name, successor string
		given           **string
		to              *string
		at              **field.Path
	}{
		{"decodeProfile", "profiles.decode", &p.DecodeProfile, &p.Profiles.Decode, &at.decode},
		{"prefillProfile", "profiles.prefill", &p.PrefillProfile, &p.Profiles.Prefill, &at.prefill},
		{"encodeProfile", "profiles.encode", &p.EncodeProfile, &p.Profiles.Encode, &at.encode},
		{"prefillDeciderPluginName", "deciders.prefill", &p.PrefillDeciderPluginName, &p.Deciders.Prefill, &at.prefillDecider},
		{"encodeDeciderPluginName", "deciders.encode", &p.EncodeDeciderPluginName, &p.Deciders.Encode, &at.encodeDecider},
		{"deciderPluginName", "deciders.prefill", &p.DeciderPluginName, &p.Deciders.Prefill, &at.prefillDecider},
	} {
		given := *key.given
		*key.given = nil
		switch {
		case given == nil:
		case nested:
			l.add(field.Forbidden(path.Child(key.name), "cannot stand beside profiles or deciders; use "+key.successor))
		default:
			l.notice(path.Child(key.name), "deprecated", "deprecated, use %s", key.successor)
			if *given != "" && *key.to == "" {
				*key.to, *key.at = *given, path.Child(key.name)
			}
		}
	}
}

// checkOrder reads the stage order as loosely as the EPP does.
func (p *disaggParameters) checkOrder(l *loader, path, decider *field.Path) {
	switch strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(p.StageOrder)) {
	case "", "decodefirst", "decode":
		p.StageOrder = decodeFirst
	case "prefillfirst", "prefill":
		p.StageOrder = prefillFirst
	default:
		l.add(field.NotSupported(path.Child("stageOrder"), p.StageOrder, []string{decodeFirst, prefillFirst}))
	}
	if p.StageOrder == prefillFirst && p.Deciders.Prefill != "" {
		l.add(field.Forbidden(decider, "with stageOrder "+prefillFirst+" no decider is asked"))
	}
}

func (p *disaggParameters) checkDeciders(l *loader, at *disaggPaths) {
	if p.Deciders.Prefill != "" {
		l.referInParameters(p.Deciders.Prefill, deciderRole, "a decider", at.prefillDecider)
	}
	if p.Deciders.Encode != "" {
		l.referInParameters(p.Deciders.Encode, deciderRole, "a decider", at.encodeDecider)
	}
}

// noticeProfiles is about stages without a profile, which never run.
func (p *disaggParameters) noticeProfiles(l *loader, at *disaggPaths) {
	if p.Deciders.Prefill != "" && !l.hasProfile(p.Profiles.Prefill) {
		l.notice(at.prefill, "missing-stage-profile", "no scheduling profile is named %s: all prompts are computed where they are decoded", p.Profiles.Prefill)
	}
	if p.Deciders.Encode != "" && !l.hasProfile(p.Profiles.Encode) {
		l.notice(at.encode, "missing-stage-profile", "no scheduling profile is named %s: nothing is encoded apart", p.Profiles.Encode)
	}
}

// obstacles are what the EPP starts with, to fail every request or to send text
// to encoders.
func (p *disaggParameters) obstacles(c *Config, path *field.Path) field.ErrorList {
	errs := needsProfile(c, p.Profiles.Decode, path.Child("profiles", "decode"))
	if d := c.plugin(p.Deciders.Encode); d != nil && d.Type != alwaysDisaggMultimodalDeciderType {
		errs = append(errs, field.Invalid(path.Child("deciders", "encode"), d.Name, d.Type+" sends text to encoders, and there are none"))
	}
	return errs
}

// needsProfile says where every request would fail for want of a profile.
func needsProfile(c *Config, name string, at *field.Path) field.ErrorList {
	var names []string
	for _, profile := range c.document.SchedulingProfiles {
		if profile.Name == name {
			return nil
		}
		names = append(names, profile.Name)
	}
	return field.ErrorList{field.Invalid(at, name, "no scheduling profile has this name, and every request would fail"+didYouMean(name, names))}
}

// stages leaves prefill out where it never runs. One profile runs once for a
// request, whatever stages it is named for; the encode stage, which has no work,
// comes before a prefill that is asked for.
func (p *disaggParameters) stages(l *loader) stages {
	s := stages{decode: p.Profiles.Decode, prefillFirst: p.StageOrder == prefillFirst}
	if p.Deciders.Encode != "" && l.hasProfile(p.Profiles.Encode) {
		s.encode = p.Profiles.Encode
	}
	prefill := p.Profiles.Prefill
	asked := s.prefillFirst || p.Deciders.Prefill != "" && prefill != p.Profiles.Encode
	if asked && prefill != s.decode && l.hasProfile(prefill) {
		s.prefill, s.decider, s.peers = prefill, p.Deciders.Prefill, true
		s.silent = l.dialect.own < schedulerMay && !tellsEngines(l, prefill)
	}
	return s
}
