// SPDX-License-Identifier: Apache-2.0

package deployment

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// route says that an HTTPRoute divides requests among InferencePools.
func (r *reader) route(d *document) {
	var o struct {
		Spec struct {
			Rules []struct {
				BackendRefs []struct{ Kind, Name string }
			}
		}
	}
	if err := d.decode(&o); err != nil {
		r.fault(err)
		return
	}
	names := map[string]bool{}
	for _, rule := range o.Spec.Rules {
		for _, ref := range rule.BackendRefs {
			if ref.Kind == "InferencePool" {
				names[ref.Name] = true
			}
		}
	}
	if len(names) > 1 {
		r.note("%s divides requests among the InferencePools %s, which the scenario does not", d.name(), strings.Join(slices.Sorted(maps.Keys(names)), ", "))
	}
}

// severalRouters refuses what a scenario of several routers does not have.
func (r *reader) severalRouters() {
	if len(r.cluster.Routers) > 1 {
		r.fault(field.Forbidden(field.NewPath("InferencePool"), "the files have several InferencePools ("+poolNames(r.pools)+"): name the one to simulate with --pool"))
	}
}

// askedPool is a pool where no file has an engine: flags say what it is.
func (r *reader) askedPool() Pool {
	pool := Pool{From: "--model and --accelerator"}
	pool.Name, pool.Replicas = "pool", r.options.Replicas
	pool.Model, pool.Accelerator = r.options.Model, r.options.Accelerator
	for _, q := range []struct {
		flag    string
		unknown bool
	}{{"model", pool.Model == ""}, {"accelerator", pool.Accelerator == ""}, {"replicas", pool.Replicas == 0}} {
		if q.unknown {
			pool.Unknown = append(pool.Unknown, Question{q.flag, "the files have an EPP and no engine"})
		}
	}
	pool.Replicas = max(pool.Replicas, 1)
	return pool
}
