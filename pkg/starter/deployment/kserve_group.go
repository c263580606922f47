// SPDX-License-Identifier: Apache-2.0

package deployment

import (
	"cmp"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// A member is a service of a group, among whose services KServe divides requests by weight
// (kserve@aaac4e29, pkg/controller/v1alpha2/llmisvc/router_group.go).
type member struct {
	group, pool string
	// model is the name that clients give the model.
	model  string
	weight int32
	at     *field.Path
}

// serviceGroup reads the group of a service.
func (r *reader) serviceGroup(d *document, spec *serviceSpec, at *field.Path) {
	route := spec.Router.Route
	switch {
	case route == nil || route.Group == "" && route.Weight == nil:
	case route.Group == "":
		r.fault(field.Required(at.Child("group"), "weight goes with group"))
	case route.Weight == nil:
		r.fault(field.Required(at.Child("weight"), "group goes with weight"))
	case r.options.Pool == "":
		r.members = append(r.members, member{route.Group, d.Metadata.Name, cmp.Or(spec.Model.Name, d.Metadata.Name), *route.Weight, at.Child("group")})
	}
}

// groupBackends are the routers of the group, by the weights of its services.
func (r *reader) groupBackends() []v1alpha1.RouteBackend {
	var all []v1alpha1.RouteBackend
	for i := range r.members {
		m, first := &r.members[i], &r.members[0]
		switch {
		case m.group != first.group:
			r.fault(field.Invalid(m.at, m.group, "another group is "+first.group+": name the service to simulate with --pool, or the files of one group"))
		case m.model != first.model:
			r.fault(field.Invalid(m.at, m.group, "KServe divides requests among services of one model.name, and the others have "+first.model+": this one has "+m.model))
		case r.hasRouter(m.pool):
			all = append(all, v1alpha1.RouteBackend{Router: PoolName(m.pool), Weight: &m.weight})
		}
	}
	return all
}
