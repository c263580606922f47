// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

const headerProfileHandlerType = "header-profile-handler"

// headerProfileHandler runs the profile that a header of the request names, or
// defaultProfile where there is no such header. One profile runs whatever the
// header says.
var headerProfileHandler = pluginType{
	name:         headerProfileHandlerType,
	registration: gie("router-v0.10.."),
	roles:        profileHandlerRole,
	alpha:        true,
	parameters:   func() any { return &headerProfileParameters{} },
	stages:       func(l *loader, p *plugin) stages { return p.Parameters.(*headerProfileParameters).stages(l) },
	treatment: func(c *Config, cluster *Cluster, p *plugin) (Treatment, string) {
		if len(c.document.SchedulingProfiles) == 1 {
			return Exact, ""
		}
		if parameters := p.Parameters.(*headerProfileParameters); !cluster.states(parameters.HeaderName) {
			return Exact, fmt.Sprintf("all requests run the profile %s, as no client of the workload states the header %q", parameters.DefaultProfile, parameters.HeaderName)
		}
		return Exact, ""
	},
	obstacles: func(c *Config, cluster *Cluster, p *plugin, at *field.Path) field.ErrorList {
		if slices.ContainsFunc(c.stages.primaries(cluster), c.document.hasProfile) {
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

func (p *headerProfileParameters) check(*loader, *field.Path) {
	p.HeaderName = strings.ToLower(strings.TrimSpace(p.HeaderName))
	setDefault(&p.HeaderName, "epp-profile")
	p.DefaultProfile = strings.TrimSpace(p.DefaultProfile)
	setDefault(&p.DefaultProfile, decodeProfile)
}

// stages: a single profile runs whatever the header says.
func (p *headerProfileParameters) stages(l *loader) stages {
	if len(l.doc.SchedulingProfiles) > 1 {
		return stages{decode: p.DefaultProfile, header: p.HeaderName}
	}
	return stages{decode: l.doc.SchedulingProfiles[0].Name}
}
