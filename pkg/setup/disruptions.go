// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

var disruptionKinds = map[v1alpha1.DisruptionKind]simulator.DisruptionKind{
	v1alpha1.FailDisruption:    simulator.Fail,
	v1alpha1.DrainDisruption:   simulator.Drain,
	v1alpha1.RecoverDisruption: simulator.Recover,
}

// buildDisruptions numbers the replicas through all pools and checks that one
// thing can follow the other.
func buildDisruptions(in *v1alpha1.Scenario, path *field.Path) ([]simulator.Disruption, field.ErrorList) {
	var all []simulator.Disruption
	var errs field.ErrorList
	state := map[int]v1alpha1.DisruptionKind{} // what befell an endpoint last
	last := v1alpha1.Duration("0s")
	for i := range in.Disruptions {
		d, at := &in.Disruptions[i], path.Index(i)
		if d.At.Duration() < last.Duration() {
			errs = append(errs, field.Invalid(at.Child("at"), d.At, fmt.Sprintf("the list is in order of time, and the entry before is at %s", last)))
		}
		last = d.At
		endpoint, es := endpointOf(in, d, at)
		if len(es) > 0 {
			errs = append(errs, es...)
			continue
		}
		if fault := invalidTransition(state[endpoint], d.Kind); fault != "" {
			errs = append(errs, field.Invalid(at.Child("kind"), d.Kind, fmt.Sprintf("replica %d of pool %s %s", d.Replica, d.Pool, fault)))
		}
		state[endpoint] = d.Kind
		all = append(all, simulator.Disruption{
			At: simtime.Time(d.At.Duration()), Endpoint: endpoint, Kind: disruptionKinds[d.Kind],
		})
	}
	return all, errs
}

// invalidTransition says why a replica to which one thing happened last cannot have
// another happen to it; nothing where it can.
func invalidTransition(last, next v1alpha1.DisruptionKind) string {
	there := last == "" || last == v1alpha1.RecoverDisruption
	switch {
	case there && next == v1alpha1.RecoverDisruption:
		return "did not fail or drain before, so it cannot recover"
	case last == v1alpha1.FailDisruption && next != v1alpha1.RecoverDisruption:
		return "failed before and did not recover"
	case last == v1alpha1.DrainDisruption && next == v1alpha1.DrainDisruption:
		return "drains already"
	default:
		return ""
	}
}

// endpointOf returns the number of a replica, or of its first rank, through all pools.
func endpointOf(in *v1alpha1.Scenario, d *v1alpha1.Disruption, path *field.Path) (int, field.ErrorList) {
	pools := in.Pools
	at := slices.IndexFunc(pools, func(p v1alpha1.Pool) bool { return p.Name == d.Pool })
	if at < 0 {
		var names []string
		for _, p := range pools {
			names = append(names, p.Name)
		}
		return 0, field.ErrorList{field.NotSupported(path.Child("pool"), d.Pool, names)}
	}
	if d.Replica >= pools[at].Replicas {
		return 0, field.ErrorList{field.Invalid(path.Child("replica"), d.Replica, fmt.Sprintf(
			"pool %s has %d, numbered from 0", d.Pool, pools[at].Replicas))}
	}
	if s := scalerOf(in, d.Pool); s != nil {
		return 0, field.ErrorList{field.Invalid(path.Child("pool"), d.Pool, "scaler "+s.Name+" starts and ends the replicas of this pool: take it out of disruptions or out of scalers")}
	}
	endpoint := int(d.Replica) * ranksOf(&pools[at])
	for i := range pools[:at] {
		endpoint += places(in, &pools[i])
	}
	return endpoint, nil
}
