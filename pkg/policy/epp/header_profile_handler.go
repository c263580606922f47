// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

const headerProfileHandlerType = "header-profile-handler"

// headerProfileHandler runs the profile that a header of the request names, or
// defaultProfile where there is no such header. One profile runs whatever the
// header says.
var headerProfileHandler = pluginType{
	name:       headerProfileHandlerType,
	roles:      profileHandlerRole,
	alpha:      true,
	parameters: func() any { return &headerProfileParameters{} },
	stages:     func(l *loader, p *plugin) stages { return p.Parameters.(*headerProfileParameters).stages(l) },
	treatment: func(c *Config, _ *Cluster, p *plugin) (Treatment, string) {
		if len(c.document.SchedulingProfiles) == 1 {
			return Exact, ""
		}
		return Unsupported, fmt.Sprintf("the header %q of each request names its profile, and requests carry no headers here: keep the one profile that they are to run", p.Parameters.(*headerProfileParameters).HeaderName)
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

// stages are those of a request without the header.
func (p *headerProfileParameters) stages(l *loader) stages {
	if len(l.doc.SchedulingProfiles) > 1 && l.hasProfile(p.DefaultProfile) {
		return stages{decode: p.DefaultProfile}
	}
	return stages{decode: l.doc.SchedulingProfiles[0].Name}
}
