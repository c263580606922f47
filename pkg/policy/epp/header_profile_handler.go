// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const headerProfileHandlerType = "header-profile-handler"

// headerProfileHandler runs the profile that a header of the request names, or
// defaultProfile where there is no such header. One profile runs whatever the
// header says.
var headerProfileHandler = config.PluginType{
	Name:         headerProfileHandlerType,
	Registration: version.GIE("router-v0.10.."),
	Roles:        config.ProfileHandlerRole,
	Alpha:        true,
	Parameters:   func() any { return &headerProfileParameters{} },
	Stages: func(l *config.Loader, p *config.Plugin) config.Stages {
		return p.Parameters.(*headerProfileParameters).stages(l)
	},
	Treatment: func(c *config.Config, cluster *config.Cluster, p *config.Plugin) (config.Treatment, string) {
		if len(c.Document.SchedulingProfiles) == 1 {
			return config.Exact, ""
		}
		if parameters := p.Parameters.(*headerProfileParameters); !cluster.States(parameters.HeaderName) {
			return config.Exact, fmt.Sprintf("all requests run the profile %s, as no client of the workload states the header %q", parameters.DefaultProfile, parameters.HeaderName)
		}
		return config.Exact, ""
	},
	Obstacles: func(c *config.Config, cluster *config.Cluster, p *config.Plugin, at *field.Path) field.ErrorList {
		if slices.ContainsFunc(c.Stages.Primaries(cluster), c.Document.HasProfile) {
			return nil
		}
		parameters := p.Parameters.(*headerProfileParameters)
		return field.ErrorList{field.Invalid(at, p.Name, fmt.Sprintf("every request would fail: it runs the profile that the header %q of a request names, or else %q, and there is none of such a name; state headers of clients", parameters.HeaderName, parameters.DefaultProfile))}
	},
}

type headerProfileParameters struct {
	HeaderName     string `json:"headerName"`
	DefaultProfile string `json:"defaultProfile"`
}

func (p *headerProfileParameters) Check(*config.Loader, *field.Path) {
	p.HeaderName = strings.ToLower(strings.TrimSpace(p.HeaderName))
	config.SetDefault(&p.HeaderName, "epp-profile")
	p.DefaultProfile = strings.TrimSpace(p.DefaultProfile)
	config.SetDefault(&p.DefaultProfile, config.DecodeProfile)
}

// stages: a single profile runs whatever the header says.
func (p *headerProfileParameters) stages(l *config.Loader) config.Stages {
	if len(l.Doc.SchedulingProfiles) > 1 {
		return config.Stages{Decode: p.DefaultProfile, Header: p.HeaderName}
	}
	return config.Stages{Decode: l.Doc.SchedulingProfiles[0].Name}
}
