// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

const dataParallelProfileHandlerType = "data-parallel-profile-handler"

// dataParallelProfileHandler runs the one profile there is. What it chooses is a
// data-parallel rank: the request goes to the primary port of that rank's pod,
// with the rank in a header, which a sidecar follows. So the chosen endpoint
// serves it all the same, and is only forgotten to hold any of the prompt. With
// several profiles every request fails.
var dataParallelProfileHandler = pluginType{
	name:         dataParallelProfileHandlerType,
	registration: llmd("scheduler-v0.4.."),
	roles:        profileHandlerRole,
	parameters:   func() any { return &dataParallelParameters{PrimaryPort: 8000} },
	stages:       func(l *loader, _ *plugin) stages { return stages{decode: l.doc.SchedulingProfiles[0].Name, bare: true} },
	obstacles: func(c *Config, _ *Cluster, p *plugin, at *field.Path) field.ErrorList {
		if n := len(c.document.SchedulingProfiles); n > 1 {
			return field.ErrorList{field.Invalid(at, p.Name, fmt.Sprintf("it handles one scheduling profile, there are %d, and every request fails", n))}
		}
		return nil
	},
}

type dataParallelParameters struct {
	PrimaryPort int `json:"primaryPort"`
}

func (p *dataParallelParameters) check(l *loader, path *field.Path) {
	if p.PrimaryPort < 0 || p.PrimaryPort > 65535 {
		l.add(field.Invalid(path.Child("primaryPort"), p.PrimaryPort, "must be between 1 and 65535"))
	}
}
