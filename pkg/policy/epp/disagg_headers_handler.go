// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// disaggHeadersHandler writes the endpoint that the prefill profile chose into a
// header, for the engine that decodes. A [disaggProfileHandler] does so by
// itself from scheduler-520af478 on, a [pdProfileHandler] does not.
const (
	disaggHeadersHandlerType = "disagg-headers-handler"
	prefillHeaderHandlerType = "prefill-header-handler"
)

var (
	disaggHeadersHandler = headersHandler(disaggHeadersHandlerType).Registered(version.LLMD("scheduler-v0.7..router-main"))
	// prefillHeaderHandler is its older name.
	prefillHeaderHandler = headersHandler(prefillHeaderHandlerType).Registered(version.LLMD("scheduler-v0.2..router-main"))
)

func headersHandler(name string) config.PluginType {
	return config.PluginType{
		Name:      name,
		Roles:     config.HeadersRole,
		Successor: disaggProfileHandlerType,
		Parameters: func() any {
			return &headersParameters{PrefillProfile: config.PrefillProfile, EncodeProfile: config.EncodeProfile}
		},
		Treatment: func(c *config.Config, cluster *config.Cluster, p *config.Plugin) (config.Treatment, string) {
			handler := c.FirstWith(config.ProfileHandlerRole)
			switch {
			case handler.Type == disaggProfileHandlerType && c.Dialect.Own >= version.SchedulerMay:
				return config.NoEffect, disaggProfileHandlerType + " tells the engines of prefill endpoints by itself"
			case (handler.Type == pdProfileHandlerType || handler.Type == disaggProfileHandlerType) && p.Parameters.(*headersParameters).PrefillProfile == c.Stages.Prefill:
				return config.Exact, "tells the engines of prefill endpoints"
			}
			return config.NoEffect, "no profile of its name chooses prefill endpoints"
		},
	}
}

type headersParameters struct {
	PrefillProfile string `json:"prefillProfile"`
	EncodeProfile  string `json:"encodeProfile" versions:"scheduler-v0.7.."`
}

// Check warns of a handler that takes away what another one has written, if it
// happens to come later. Where only encoding is apart, no prefill profile is the aim.
func (p *headersParameters) Check(l *config.Loader, path *field.Path) {
	l.Later = append(l.Later, func() {
		encodeOnly := p.PrefillProfile == config.PrefillProfile && l.HasProfile(p.EncodeProfile)
		if !l.HasProfile(p.PrefillProfile) && !encodeOnly {
			l.Notice(path.Child("prefillProfile"), "missing-stage-profile", "no scheduling profile is named %s: the EPP may send no request to a prefill endpoint", p.PrefillProfile)
		}
	})
}

// hasHeaderHandler reports whether a header handler is listed for a profile.
func hasHeaderHandler(l *config.Loader, profile string) bool {
	for _, p := range l.Plugins {
		if parameters, ok := p.Parameters.(*headersParameters); ok && parameters.PrefillProfile == profile {
			return true
		}
	}
	return false
}
