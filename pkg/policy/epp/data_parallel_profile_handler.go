// SPDX-License-Identifier: Apache-2.0

package epp

import "k8s.io/apimachinery/pkg/util/validation/field"

const dataParallelProfileHandlerType = "data-parallel-profile-handler"

// dataParallelProfileHandler runs the one profile there is, and sends requests to
// one port of the endpoint with the address of the data-parallel rank in a
// header.
var dataParallelProfileHandler = pluginType{
	name:       dataParallelProfileHandlerType,
	own:        true,
	since:      scheduler04,
	roles:      profileHandlerRole,
	parameters: func() any { return &dataParallelParameters{PrimaryPort: 8000} },
	treatment:  unsupported("data-parallel ranks are not told apart"),
}

type dataParallelParameters struct {
	PrimaryPort int `json:"primaryPort"`
}

func (p *dataParallelParameters) check(l *loader, path *field.Path) {
	if p.PrimaryPort < 0 || p.PrimaryPort > 65535 {
		l.add(field.Invalid(path.Child("primaryPort"), p.PrimaryPort, "must be between 1 and 65535"))
	}
}
