// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

func buildAdapters(in *v1alpha1.Adapters) *simulator.AdapterPlaces {
	if in == nil {
		return nil
	}
	return &simulator.AdapterPlaces{Max: int(in.Max), LoadTime: in.LoadTime.Duration()}
}

// validateAdapters says which pools lack places for the adapters that clients ask
// for: the router may send any request to any of them.
func (p *Part) validateAdapters(path *field.Path) field.ErrorList {
	in := p.Scenario
	var errs field.ErrorList
	for i := range in.Workload.Clients {
		adapter, why := p.adapterOf(&in.Workload.Clients[i])
		if adapter == "" {
			continue
		}
		for i := range in.Pools {
			if in.Pools[i].Adapters == nil {
				errs = append(errs, field.Required(path.Child("pools").Index(i).Child("adapters", "max"), why))
			}
		}
		return errs
	}
	return nil
}

// adapterOf is an adapter that requests of a client need in the part's pools, and why; empty where
// they need none.
func (p *Part) adapterOf(c *v1alpha1.Client) (adapter, why string) {
	base := p.Scenario.Pools[0].Model
	rewrite := p.rewriteOf(nameOf(p.Scenario, c.Adapter, c.Model))
	if rewrite == nil {
		return c.Adapter, fmt.Sprintf("client %s asks for the adapter %s", c.Name, c.Adapter)
	}
	i := slices.IndexFunc(rewrite.Targets, func(t v1alpha1.RewriteTarget) bool { return t.Model != base })
	if i < 0 {
		return "", ""
	}
	return rewrite.Targets[i].Model, fmt.Sprintf("rewrite %s gives requests of client %s the adapter %s", rewrite.Name, c.Name, rewrite.Targets[i].Model)
}
