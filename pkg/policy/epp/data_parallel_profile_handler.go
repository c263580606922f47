// SPDX-License-Identifier: Apache-2.0

package epp

import "k8s.io/apimachinery/pkg/util/validation/field"

const dataParallelProfileHandlerType = "data-parallel-profile-handler"

// dataParallelProfileHandler runs the one profile there is. What it chooses is a
// data-parallel rank: the request goes to the primary port of that rank's pod,
// with the rank in a header, which a sidecar follows. So the chosen endpoint
// serves it all the same.
var dataParallelProfileHandler = pluginType{
	name:       dataParallelProfileHandlerType,
	own:        true,
	since:      scheduler04,
	roles:      profileHandlerRole,
	parameters: func() any { return &dataParallelParameters{PrimaryPort: 8000} },
}

type dataParallelParameters struct {
	PrimaryPort int `json:"primaryPort"`
}

func (p *dataParallelParameters) check(l *loader, path *field.Path) {
	if p.PrimaryPort < 0 || p.PrimaryPort > 65535 {
		l.add(field.Invalid(path.Child("primaryPort"), p.PrimaryPort, "must be between 1 and 65535"))
	}
}
