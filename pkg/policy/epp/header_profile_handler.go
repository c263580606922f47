// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

const headerProfileHandlerType = "header-profile-handler"

// headerProfileHandler runs the profile that a header of the request names.
var headerProfileHandler = pluginType{
	name:       headerProfileHandlerType,
	roles:      profileHandlerRole,
	since:      router10,
	alpha:      true,
	parameters: func() any { return &headerProfileParameters{} },
	treatment:  unsupported("it needs headers of requests"),
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
