// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/document"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
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
var disaggProfileHandler = config.PluginType{
	Name:         disaggProfileHandlerType,
	NeededInMay:  []config.DataKind{config.PrefixMatchData},
	Registration: version.LLMD("scheduler-v0.7.."),
	Roles:        config.ProfileHandlerRole,
	Ordered:      true,
	Parameters:   func() any { return &disaggParameters{} },
	Needs: func(*config.Plugin) []config.DataKey {
		return []config.DataKey{{Kind: config.PrefixMatchData, Producer: config.ApproxPrefixCacheProducerType}, {Kind: config.TokensData, Producer: config.TokenProducerType}}
	},
	Obstacles: func(c *config.Config, _ *config.Cluster, p *config.Plugin, at *field.Path) field.ErrorList {
		return p.Parameters.(*disaggParameters).obstacles(c, at.Child("parameters"))
	},
	Stages: func(l *config.Loader, p *config.Plugin) config.Stages {
		return p.Parameters.(*disaggParameters).stages(l)
	},
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

func (p *disaggParameters) Check(l *config.Loader, path *field.Path) {
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
	config.SetDefault(&p.Profiles.Decode, config.DecodeProfile)
	config.SetDefault(&p.Profiles.Prefill, config.PrefillProfile)
	config.SetDefault(&p.Profiles.Encode, config.EncodeProfile)
	p.checkOrder(l, path, at.prefillDecider)
	l.References = append(l.References, func() { p.checkDeciders(l, &at) })
	l.Later = append(l.Later, func() { p.noticeProfiles(l, &at) })
}

// moveFlat puts flat keys where the nested ones live. Of the two names of the
// prefill decider, the longer one holds.
func (p *disaggParameters) moveFlat(l *config.Loader, path *field.Path, nested bool, at *disaggPaths) {
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
			l.Add(field.Forbidden(path.Child(key.name), "cannot be set together with profiles or deciders; use "+key.successor))
		default:
			l.Notice(path.Child(key.name), "deprecated", "deprecated, use %s", key.successor)
			if *given != "" && *key.to == "" {
				*key.to, *key.at = *given, path.Child(key.name)
			}
		}
	}
}

// checkOrder reads the stage order as loosely as the EPP does.
func (p *disaggParameters) checkOrder(l *config.Loader, path, decider *field.Path) {
	switch strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(p.StageOrder)) {
	case "", "decodefirst", "decode":
		p.StageOrder = decodeFirst
	case "prefillfirst", "prefill":
		p.StageOrder = prefillFirst
	default:
		l.Add(field.NotSupported(path.Child("stageOrder"), p.StageOrder, []string{decodeFirst, prefillFirst}))
	}
	if p.StageOrder == prefillFirst && p.Deciders.Prefill != "" {
		l.Add(field.Forbidden(decider, "with stageOrder "+prefillFirst+" no decider is asked"))
	}
}

func (p *disaggParameters) checkDeciders(l *config.Loader, at *disaggPaths) {
	if p.Deciders.Prefill != "" {
		l.ReferInParameters(p.Deciders.Prefill, config.DeciderRole, "a decider", at.prefillDecider)
	}
	if p.Deciders.Encode != "" {
		l.ReferInParameters(p.Deciders.Encode, config.DeciderRole, "a decider", at.encodeDecider)
	}
}

// noticeProfiles is about stages without a profile, which never run.
func (p *disaggParameters) noticeProfiles(l *config.Loader, at *disaggPaths) {
	if p.Deciders.Prefill != "" && !l.HasProfile(p.Profiles.Prefill) {
		l.Notice(at.prefill, "missing-stage-profile", "no scheduling profile is named %s: all prompts are computed where they are decoded", p.Profiles.Prefill)
	}
	if p.Deciders.Encode != "" && !l.HasProfile(p.Profiles.Encode) {
		l.Notice(at.encode, "missing-stage-profile", "no scheduling profile is named %s: nothing is encoded apart", p.Profiles.Encode)
	}
}

// obstacles are what the EPP starts with, to fail every request or to send text
// to encoders.
func (p *disaggParameters) obstacles(c *config.Config, path *field.Path) field.ErrorList {
	errs := needsProfile(c, p.Profiles.Decode, path.Child("profiles", "decode"))
	if d := c.Plugin(p.Deciders.Encode); d != nil && d.Type != alwaysDisaggMultimodalDeciderType {
		errs = append(errs, field.Invalid(path.Child("deciders", "encode"), d.Name, d.Type+" sends text to encoders, and there are none"))
	}
	return errs
}

// needsProfile says where every request would fail for want of a profile.
func needsProfile(c *config.Config, name string, at *field.Path) field.ErrorList {
	var names []string
	for _, profile := range c.Document.SchedulingProfiles {
		if profile.Name == name {
			return nil
		}
		names = append(names, profile.Name)
	}
	return field.ErrorList{field.Invalid(at, name, "no scheduling profile has this name, and every request would fail"+document.DidYouMean(name, names))}
}

// stages leaves prefill out where it never runs. One profile runs once for a
// request, whatever stages it is named for; the encode stage, which has no work,
// comes before a prefill that is asked for.
func (p *disaggParameters) stages(l *config.Loader) config.Stages {
	s := config.Stages{Decode: p.Profiles.Decode, PrefillFirst: p.StageOrder == prefillFirst}
	if p.Deciders.Encode != "" && l.HasProfile(p.Profiles.Encode) {
		s.Encode = p.Profiles.Encode
	}
	prefill := p.Profiles.Prefill
	asked := s.PrefillFirst || p.Deciders.Prefill != "" && prefill != p.Profiles.Encode
	if asked && prefill != s.Decode && l.HasProfile(prefill) {
		s.Prefill, s.Decider, s.SecondSeesFirst = prefill, p.Deciders.Prefill, true
		s.PrefillHeaderMissing = l.Dialect.Own < version.SchedulerMay && !hasHeaderHandler(l, prefill)
	}
	return s
}
