// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/spelling"
)

// nobody is the owner of a pool that no router chooses among.
const nobody = -1

// poolOwners are the indices of the routers that choose among each pool, or what is wrong
// with them: each pool has one, each router has some pools, and those of a router are next to each
// other.
func poolOwners(in *v1alpha1.Scenario, path *field.Path) ([]int, field.ErrorList) {
	owners, errs := namedOwners(in, path.Child("routers"))
	errs = append(errs, validateRouterNames(in, path)...)
	for i := range in.Routers {
		r, at := &in.Routers[i], path.Child("routers").Index(i)
		if len(r.Pools) > 0 {
			continue
		}
		errs = append(errs, ownRest(in, owners, i, at)...)
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return owners, validateOwners(in, owners, path.Child("pools"))
}

// namedOwners are the owners of the pools that routers name.
func namedOwners(in *v1alpha1.Scenario, path *field.Path) ([]int, field.ErrorList) {
	owners := slices.Repeat([]int{nobody}, len(in.Pools))
	var errs field.ErrorList
	for i := range in.Routers {
		for j, name := range in.Routers[i].Pools {
			at := path.Index(i).Child("pools").Index(j)
			pool := slices.IndexFunc(in.Pools, func(p v1alpha1.Pool) bool { return p.Name == name })
			switch {
			case pool < 0:
				errs = append(errs, field.Invalid(at, name, "there is no pool of this name; there are "+spelling.Quote(poolNames(in))))
			case in.Pools[pool].Model != in.Routers[i].Model:
				errs = append(errs, field.Invalid(at, name, fmt.Sprintf("the pool serves %s, and the router %s", in.Pools[pool].Model, in.Routers[i].Model)))
			case owners[pool] != nobody:
				errs = append(errs, field.Invalid(at, name, "router "+in.Routers[owners[pool]].Key()+" has this pool: a pool has one router"))
			default:
				owners[pool] = i
			}
		}
	}
	return owners, errs
}

// ownRest gives a router that names no pools those of its model that no router names.
func ownRest(in *v1alpha1.Scenario, owners []int, router int, path *field.Path) field.ErrorList {
	r, found := &in.Routers[router], false
	for i := range in.Pools {
		switch {
		case in.Pools[i].Model != r.Model:
		case owners[i] == nobody:
			owners[i], found = router, true
		case len(in.Routers[owners[i]].Pools) == 0:
			return field.ErrorList{field.Required(path.Child("pools"), fmt.Sprintf(
				"router %s serves %s too: name the pools of each, such as pools: [%s]", in.Routers[owners[i]].Key(), r.Model, in.Pools[i].Name))}
		}
	}
	switch {
	case found:
		return nil
	case slices.Contains(poolModels(in), r.Model):
		return field.ErrorList{field.Required(path.Child("pools"), "other routers have all pools of "+r.Model)}
	}
	return field.ErrorList{field.Invalid(path.Child("model"), r.Model, "no pool serves this model; the pools serve "+spelling.Quote(poolModels(in)))}
}

// validateRouterNames says which routers have the name or the InferencePool of another one, and where a model has
// several routers that no route divides requests among.
func validateRouterNames(in *v1alpha1.Scenario, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range in.Routers {
		r := &in.Routers[i]
		if slices.ContainsFunc(in.Routers[:i], func(s v1alpha1.ModelRouter) bool { return s.Key() == r.Key() }) {
			errs = append(errs, field.Duplicate(path.Child("routers").Index(i).Child("name"), r.Key()))
			continue
		}
		if slices.ContainsFunc(in.Routers[:i], func(s v1alpha1.ModelRouter) bool { return s.PoolName() == r.PoolName() }) {
			errs = append(errs, field.Duplicate(path.Child("routers").Index(i).Child("inferencePool"), r.PoolName()))
		}
		before := slices.IndexFunc(in.Routers[:i], func(s v1alpha1.ModelRouter) bool { return s.Model == r.Model })
		if before >= 0 && !DividesRequests(in.Route) {
			errs = append(errs, field.Required(path.Child("route"), fmt.Sprintf(
				"routers %s and %s serve %s: state how requests are divided among them, such as route: {backends: [{router: %[1]s, weight: 90}, {router: %[2]s, weight: 10}]}",
				in.Routers[before].Key(), r.Key(), r.Model)))
		}
	}
	return errs
}

// validateOwners says which pools have no router, and which are apart from others of their
// router.
func validateOwners(in *v1alpha1.Scenario, owners []int, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, owner := range owners {
		model, at := in.Pools[i].Model, path.Index(i)
		switch earlier := slices.Index(owners[:i], owner); {
		case owner == nobody && slices.Contains(routerModels(in), model):
			errs = append(errs, field.Invalid(at.Child("name"), in.Pools[i].Name, "no router of "+model+" names this pool in its pools"))
		case owner == nobody:
			errs = append(errs, field.NotSupported(at.Child("model"), model, routerModels(in)))
		case earlier >= 0 && owners[i-1] != owner:
			errs = append(errs, field.Invalid(at.Child("model"), model, fmt.Sprintf(
				"pools of one router must be next to each other: move this pool after pool %s", in.Pools[earlier].Name)))
		}
	}
	return errs
}

// routerModels are the models of the scenario's routers, in their order.
func routerModels(in *v1alpha1.Scenario) []string {
	var models []string
	for i := range in.Routers {
		models = append(models, in.Routers[i].Model)
	}
	return models
}

// ownerOf is the index of the router that chooses among a pool of a scenario with routers, or
// nobody.
func ownerOf(in *v1alpha1.Scenario, pool string) int {
	owners, errs := poolOwners(in, nil)
	i := slices.IndexFunc(in.Pools, func(p v1alpha1.Pool) bool { return p.Name == pool })
	if len(errs) > 0 || i < 0 {
		return nobody
	}
	return owners[i]
}

// RouterKeyOf names the router that chooses among a pool; empty where there is one router, or none.
func RouterKeyOf(in *v1alpha1.Scenario, pool string) string {
	if len(in.Routers) == 0 {
		return ""
	}
	if at := ownerOf(in, pool); at != nobody {
		return in.Routers[at].Key()
	}
	return ""
}
