// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const dataParallelProfileHandlerType = "data-parallel-profile-handler"

// dataParallelProfileHandler runs the one profile there is. What it chooses is a
// data-parallel rank: the request goes to the primary port of that rank's pod,
// with the rank in a header, which a sidecar follows. So the chosen endpoint
// serves it all the same, and is only forgotten to hold any of the prompt. With
// several profiles every request fails.
var dataParallelProfileHandler = config.PluginType{
	Name:         dataParallelProfileHandlerType,
	Registration: version.LLMD("scheduler-v0.4.."),
	Roles:        config.ProfileHandlerRole,
	Successor:    config.SingleProfileHandlerType,
	Parameters:   func() any { return &dataParallelParameters{PrimaryPort: 8000} },
	Stages: func(l *config.Loader, _ *config.Plugin) config.Stages {
		return config.Stages{Decode: l.Doc.SchedulingProfiles[0].Name, DecodeMatchLost: true}
	},
	Obstacles: func(c *config.Config, _ *config.Cluster, p *config.Plugin, at *field.Path) field.ErrorList {
		if n := len(c.Document.SchedulingProfiles); n > 1 {
			return field.ErrorList{field.Invalid(at, p.Name, fmt.Sprintf("it handles one scheduling profile, there are %d, and every request fails", n))}
		}
		return nil
	},
}

type dataParallelParameters struct {
	PrimaryPort int `json:"primaryPort"`
}

func (p *dataParallelParameters) Check(l *config.Loader, path *field.Path) {
	if p.PrimaryPort < 0 || p.PrimaryPort > 65535 {
		l.Add(field.Invalid(path.Child("primaryPort"), p.PrimaryPort, "must be between 1 and 65535"))
	}
}
