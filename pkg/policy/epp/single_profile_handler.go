// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// singleProfileHandler runs the one profile there is, once a request. The
// scheduler does so by itself.
var singleProfileHandler = config.PluginType{
	Name:         config.SingleProfileHandlerType,
	Registration: version.GIE(".."),
	Roles:        config.ProfileHandlerRole,
	Obstacles:    handlesOne,
}

// handlesOne says where every request would fail because there are several
// profiles and the handler, though the EPP takes it, is for one.
func handlesOne(c *config.Config, _ *config.Cluster, p *config.Plugin, at *field.Path) field.ErrorList {
	if n := len(c.Document.SchedulingProfiles); n != 1 {
		return field.ErrorList{field.Invalid(at, p.Name, fmt.Sprintf("a %s cannot handle %d profiles, and every request would fail", p.Type, n))}
	}
	return nil
}
