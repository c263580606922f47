// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const disaggregatedSetRolloutScreenerType = "disaggregatedset-rollout-screener"

// disaggregatedSetRolloutScreener drops endpoints of revisions that are not
// complete while a set of them rolls out, and shares requests among the others.
// In a simulation nothing rolls out.
var disaggregatedSetRolloutScreener = config.PluginType{
	Name:         disaggregatedSetRolloutScreenerType,
	Registration: version.GIE("router-v0.10.."),
	Roles:        config.ObserverRole,
	Alpha:        true,
	Parameters:   func() any { return &rolloutParameters{} },
	Treatment: func(*config.Config, *config.Cluster, *config.Plugin) (config.Treatment, string) {
		return config.Approximated, "nothing rolls out: all endpoints are of one complete revision, and stay"
	},
}

type rolloutParameters struct {
	Scope           rolloutScope     `json:"scope"`
	HeaderSelectors []headerSelector `json:"headerSelectors,omitempty"`
	RevisionGating  *revisionGating  `json:"revisionGating"`
}

type rolloutScope struct {
	LabelSelector string `json:"labelSelector"`
}

type headerSelector struct {
	Name       string `json:"name"`
	HeaderName string `json:"headerName"`
	LabelKey   string `json:"labelKey"`
	Mode       string `json:"mode"`
}

type revisionGating struct {
	RevisionLabelKey string        `json:"revisionLabelKey,omitempty"`
	RoleLabelKey     string        `json:"roleLabelKey,omitempty"`
	Mode             string        `json:"mode"`
	RequireRoles     *requireRoles `json:"requireRoles,omitempty"`
}

type requireRoles struct {
	Values []string `json:"values"`
}

const (
	sumGating      = "sum"
	maxRoleGating  = "max-role"
	disabledGating = "disabled"
)

func (p *rolloutParameters) Check(l *config.Loader, path *field.Path) {
	at := path.Child("scope", "labelSelector")
	if p.Scope.LabelSelector == "" {
		l.Add(field.Required(at, "must be a label selector"))
	} else {
		checkSelectorText(l, p.Scope.LabelSelector, at)
	}
	names, headers := map[string]bool{}, map[string]bool{}
	for i := range p.HeaderSelectors {
		p.HeaderSelectors[i].Check(l, names, headers, path.Child("headerSelectors").Index(i))
	}
	if p.RevisionGating == nil {
		l.Add(field.Required(path.Child("revisionGating"), "must be set"))
		return
	}
	p.RevisionGating.Check(l, path.Child("revisionGating"))
}

func (s *headerSelector) Check(l *config.Loader, names, headers map[string]bool, path *field.Path) {
	s.HeaderName = strings.ToLower(s.HeaderName)
	for _, required := range []struct{ name, value string }{{"name", s.Name}, {"headerName", s.HeaderName}, {"labelKey", s.LabelKey}} {
		if required.value == "" {
			l.Add(field.Required(path.Child(required.name), "must be set"))
		}
	}
	config.CheckOneOf(l, path.Child("mode"), s.Mode, []string{"strict", "prefer"})
	if names[s.Name] {
		l.Add(field.Duplicate(path.Child("name"), s.Name))
	}
	if headers[s.HeaderName] {
		l.Add(field.Duplicate(path.Child("headerName"), s.HeaderName))
	}
	names[s.Name], headers[s.HeaderName] = true, true
}

func (g *revisionGating) Check(l *config.Loader, path *field.Path) {
	config.SetDefault(&g.RevisionLabelKey, "disaggregatedset.x-k8s.io/revision")
	config.SetDefault(&g.RoleLabelKey, "disaggregatedset.x-k8s.io/role")
	config.CheckOneOf(l, path.Child("mode"), g.Mode, []string{sumGating, maxRoleGating, disabledGating})
	if g.Mode != sumGating && g.Mode != maxRoleGating {
		return
	}
	at := path.Child("requireRoles")
	if g.RequireRoles == nil {
		l.Add(field.Required(at, fmt.Sprintf("must be set where mode is %s", g.Mode)))
		return
	}
	at = at.Child("values")
	if len(g.RequireRoles.Values) == 0 {
		l.Add(field.Required(at, "must name at least one role"))
	}
	seen := map[string]bool{}
	for i, role := range g.RequireRoles.Values {
		if role == "" {
			l.Add(field.Required(at.Index(i), "must name a role"))
		} else if seen[role] {
			l.Add(field.Duplicate(at.Index(i), role))
		}
		seen[role] = true
	}
}
