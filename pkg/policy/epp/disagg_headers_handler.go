// SPDX-License-Identifier: Apache-2.0

package epp

import "k8s.io/apimachinery/pkg/util/validation/field"

// disaggHeadersHandler writes the endpoint that the prefill profile chose into a
// header, for the engine that decodes. A [disaggProfileHandler] does so by
// itself from scheduler-520af478 on, a [pdProfileHandler] does not.
const (
	disaggHeadersHandlerType = "disagg-headers-handler"
	prefillHeaderHandlerType = "prefill-header-handler"
)

var (
	disaggHeadersHandler = headersHandler(disaggHeadersHandlerType).registered(llmd("scheduler-v0.7..router-main"))
	// prefillHeaderHandler is its older name.
	prefillHeaderHandler = headersHandler(prefillHeaderHandlerType).registered(llmd("scheduler-v0.2..router-main"))
)

func headersHandler(name string) pluginType {
	return pluginType{
		name:       name,
		roles:      headersRole,
		successor:  disaggProfileHandlerType,
		parameters: func() any { return &headersParameters{PrefillProfile: prefillProfile, EncodeProfile: encodeProfile} },
		treatment: func(c *Config, cluster *Cluster, p *plugin) (Treatment, string) {
			handler := c.firstWith(profileHandlerRole)
			switch {
			case handler.Type == disaggProfileHandlerType && c.dialect.own >= schedulerMay:
				return NoEffect, disaggProfileHandlerType + " tells the engines of prefill endpoints by itself"
			case (handler.Type == pdProfileHandlerType || handler.Type == disaggProfileHandlerType) && p.Parameters.(*headersParameters).PrefillProfile == c.stages.prefill:
				return Exact, "tells the engines of prefill endpoints"
			}
			return NoEffect, "no profile of its name chooses prefill endpoints"
		},
	}
}

type headersParameters struct {
	PrefillProfile string `json:"prefillProfile"`
	EncodeProfile  string `json:"encodeProfile" versions:"scheduler-v0.7.."`
}

// check warns of a handler that takes away what another one has written, if it
// happens to come later.
func (p *headersParameters) check(l *loader, path *field.Path) {
	l.later = append(l.later, func() {
		if !l.hasProfile(p.PrefillProfile) {
			l.notice(path.Child("prefillProfile"), "missing-stage-profile", "no scheduling profile is named %s: the EPP may send no request to a prefill endpoint", p.PrefillProfile)
		}
	})
}

// tells reports whether a header handler is listed for a profile.
func tellsEngines(l *loader, profile string) bool {
	for _, p := range l.plugins {
		if parameters, ok := p.Parameters.(*headersParameters); ok && parameters.PrefillProfile == profile {
			return true
		}
	}
	return false
}
