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
func validateAdapters(in *v1alpha1.Scenario, path *field.Path) field.ErrorList {
	asks := slices.IndexFunc(in.Workload.Clients, func(c v1alpha1.Client) bool { return c.Adapter != "" })
	if asks < 0 {
		return nil
	}
	var errs field.ErrorList
	for i := range in.Pools {
		if in.Pools[i].Adapters == nil {
			errs = append(errs, field.Required(path.Child("pools").Index(i).Child("adapters", "max"), fmt.Sprintf(
				"client %s asks for the adapter %s", in.Workload.Clients[asks].Name, in.Workload.Clients[asks].Adapter)))
		}
	}
	return errs
}
