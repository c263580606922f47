// SPDX-License-Identifier: Apache-2.0

package deployment

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/policy/epp/files"
)

// buildRouters makes a router of each InferencePool with its EPP, or one of all pools.
func (r *reader) buildRouters() {
	configs := r.configurations("")
	groups := r.pools
	if len(groups) == 0 {
		groups = []inferencePool{{}}
	}
	if len(r.cluster.Pools) == 0 && len(r.pickers) == 0 && len(configs) == 0 {
		return
	}
	if len(groups) == 1 && len(groups[0].pools) == 0 {
		r.takeAll(&groups[0])
	}
	for i := range groups {
		if group := &groups[i]; len(group.pools) > 0 {
			r.buildRouter(group, configs)
		}
	}
	if len(r.cluster.Routers) == 0 && len(r.errs) == 0 {
		r.fault(field.Forbidden(field.NewPath("InferencePool"), "none of "+poolNames(r.pools)+" selects an engine of the files"))
	}
	r.oneModel()
}

// takeAll gives the only group all pools, or one that flags describe where no file has an engine.
func (r *reader) takeAll(of *inferencePool) {
	if len(r.cluster.Pools) == 0 {
		r.cluster.Pools, r.cluster.Described = []Pool{r.askedPool()}, true
	}
	for i := range r.cluster.Pools {
		of.pools = append(of.pools, r.cluster.Pools[i].Name)
	}
}

// buildRouter makes the router of a group of pools.
func (r *reader) buildRouter(group *inferencePool, configs []files.Source) {
	router := Router{InferencePool: group.name, Pools: group.pools, Model: r.poolNamed(group.pools[0]).Model}
	ok := true
	switch p := r.pickerOf(group); {
	case p != nil:
		router.Picker, ok = r.configuration(p, r.configurations(p.start.By))
	case r.options.OtherPicker:
	case len(configs) == 1:
		router.Picker = r.launched("", &configs[0].Start)
		ok = r.configure(&router.Picker, &configs[0])
	case len(configs) > 1:
		var all []*files.Source
		for i := range configs {
			all = append(all, &configs[i])
		}
		r.fault(field.Forbidden(field.NewPath("EndpointPickerConfig"), fmt.Sprintf("the files have several, and no EPP that reads one of them (%s): name the file of one with --epp", sourceNames(all))))
	default:
		r.note("the files have no EPP, so that a Service of Kubernetes chooses replicas by chance: llm-d's default configuration is in the scenario")
		if r.disaggregated(group.pools) {
			router.Picker.Text = disaggregatedDefault("", "")
		}
	}
	if !ok {
		return
	}
	r.soleDecoders(group.pools)
	for _, name := range group.pools {
		keepLabels(r.poolNamed(name), r.labels[name], router.Picker.Text)
	}
	r.cluster.Routers = append(r.cluster.Routers, router)
}

// disaggregated reports whether some of the pools compute prompts for others.
func (r *reader) disaggregated(pools []string) bool {
	return slices.ContainsFunc(pools, func(name string) bool { return r.poolNamed(name).Role == v1alpha1.PrefillRole })
}

// soleDecoders gives pools with the role of decode, which charts of llm-d give all engines, both roles where
// no pool computes their prompts.
func (r *reader) soleDecoders(pools []string) {
	if r.disaggregated(pools) {
		return
	}
	for _, name := range pools {
		if pool := r.poolNamed(name); pool.Role == v1alpha1.DecodeRole {
			pool.Role = v1alpha1.BothRole
			r.note("pool %s has the role of decode, and the files have no prefill: it does both", name)
		}
	}
}

// pickerOf is the EPP of an InferencePool: the one that names it, or the only one, if it names no other.
func (r *reader) pickerOf(group *inferencePool) *picker {
	i := slices.IndexFunc(r.pickers, func(p picker) bool { return p.pool != "" && p.pool == group.name })
	switch {
	case i >= 0:
		return &r.pickers[i]
	case len(r.pickers) == 1 && len(r.pools) <= 1 && (group.name == "" || r.pickers[0].pool == "" || strings.Contains(r.pickers[0].pool, "$")):
		return &r.pickers[0]
	case len(r.pickers) > 0:
		r.fault(field.Required(field.NewPath(group.from), "no EPP of the files has --pool-name "+group.name))
	}
	return nil
}

// oneModel refuses pools of several models behind one router.
func (r *reader) oneModel() {
	for _, router := range r.cluster.Routers {
		var models []string
		for _, name := range router.Pools {
			if model := r.poolNamed(name).Model; !slices.Contains(models, model) {
				models = append(models, model)
			}
		}
		if len(models) > 1 && !slices.Contains(models, "") {
			r.fault(field.Forbidden(field.NewPath("pools "+strings.Join(router.Pools, ", ")), "one router has engines of several models: "+strings.Join(models, ", ")+"; name the files of one model"))
		}
	}
}
