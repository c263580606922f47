// SPDX-License-Identifier: Apache-2.0

package deployment

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/files"
)

// chartValues are Helm values of llm-d's charts: llm-d-router-gateway and llm-d-router-standalone
// (llm-d-router@ebab6879), the chart inferencepool before them, and llm-d-modelservice v0.4.
type chartValues struct {
	Router             *routerValues    `json:"router"`
	InferenceExtension *pickerValues    `json:"inferenceExtension"`
	InferencePool      *poolValues      `json:"inferencePool"`
	InferenceObjective []objectiveValue `json:"inferenceObjectives"`

	ModelArtifacts struct {
		Name   string            `json:"name"`
		URI    string            `json:"uri"`
		Labels map[string]string `json:"labels"`
	} `json:"modelArtifacts"`
	Decode  *podValues `json:"decode"`
	Prefill *podValues `json:"prefill"`
}

type routerValues struct {
	EPP                 *pickerValues    `json:"epp"`
	InferenceObjectives []objectiveValue `json:"inferenceObjectives"`
	ModelServers        *modelServers    `json:"modelServers"`
}

type modelServers struct {
	Type        string            `json:"type"`
	MatchLabels map[string]string `json:"matchLabels"`
}

type poolValues struct {
	ModelServerType string       `json:"modelServerType"`
	ModelServers    modelServers `json:"modelServers"`
}

type pickerValues struct {
	Image struct {
		Name       string `json:"name"`
		Repository string `json:"repository"`
		Tag        string `json:"tag"`
	} `json:"image"`
	Replicas            int               `json:"replicas"`
	Flags               any               `json:"flags"`
	PluginsConfigFile   string            `json:"pluginsConfigFile"`
	PluginsCustomConfig map[string]string `json:"pluginsCustomConfig"`
}

type objectiveValue struct {
	Name     string `json:"name"`
	Priority int32  `json:"priority"`
}

type podValues struct {
	Create      *bool  `json:"create"`
	Replicas    *int32 `json:"replicas"`
	Parallelism struct {
		Tensor  *int32 `json:"tensor"`
		Data    *int32 `json:"data"`
		Workers *int32 `json:"workers"`
	} `json:"parallelism"`
	Autoscaling struct {
		Enabled bool `json:"enabled"`
	} `json:"autoscaling"`
	AcceleratorTypes struct {
		LabelValues []string `json:"labelValues"`
	} `json:"acceleratorTypes"`
	NodeSelector map[string]string `json:"nodeSelector"`
	Affinity     *corev1.Affinity  `json:"affinity"`
	Containers   []struct {
		corev1.Container `json:",inline"`
		ModelCommand     string `json:"modelCommand"`
	} `json:"containers"`
}

// values reads Helm values: those of the EPP's chart, of the engines' chart, or of both.
func (r *reader) values(d *document) {
	var v chartValues
	if err := d.decode(&v); err != nil {
		r.fault(err)
		return
	}
	if v.Router != nil {
		r.objectives(v.Router.InferenceObjectives)
		r.pickerValues(v.Router.EPP, v.Router.ModelServers, field.NewPath("router", "epp"))
	}
	if v.InferenceExtension != nil {
		servers := &modelServers{}
		if v.InferencePool != nil {
			*servers = v.InferencePool.ModelServers
			servers.Type = cmp.Or(servers.Type, v.InferencePool.ModelServerType)
		}
		r.objectives(v.InferenceObjective)
		r.pickerValues(v.InferenceExtension, servers, field.NewPath("inferenceExtension"))
	}
	r.podValues(&v, v.Decode, "decode")
	r.podValues(&v, v.Prefill, "prefill")
}

func (r *reader) objectives(all []objectiveValue) {
	for _, o := range all {
		r.cluster.Objectives = append(r.cluster.Objectives, Objective(o))
	}
}

// pickerValues are those about the EPP and the engines that it chooses among.
func (r *reader) pickerValues(epp *pickerValues, servers *modelServers, at *field.Path) {
	if servers != nil {
		if len(servers.MatchLabels) > 0 {
			r.pools = append(r.pools, inferencePool{from: "the InferencePool of the Helm values", at: at, selector: servers.MatchLabels})
		}
		if servers.Type != "" && servers.Type != "vllm" {
			r.note("the values have engines of type %s: those of the simulation are of vLLM", servers.Type)
		}
	}
	if epp == nil {
		return
	}
	image := cmp.Or(epp.Image.Name, epp.Image.Repository) + ":" + epp.Image.Tag
	p := picker{version: knownVersion(imageVersion(image)), at: at}
	if len(epp.PluginsCustomConfig) > 0 {
		p.file = epp.PluginsConfigFile
	}
	options := append([]flag{leaderElection}, flagsOfValues(epp.Flags)...)
	p.start = files.NewStart("Helm values", epp.Replicas, flagValues(options))
	r.pickerOptions(&p, options)
	r.pickers = append(r.pickers, p)
}

// leaderElection is the option that the charts and KServe give several EPPs, in front of those of the values.
var leaderElection = flag{"ha-enable-leader-election", []string{"true"}}

// flagsOfValues are options of the EPP: an object, or the list of older charts.
func flagsOfValues(in any) []flag {
	var all []flag
	switch in := in.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(in)) {
			all = append(all, flag{name, []string{fmt.Sprint(in[name])}})
		}
	case []any:
		for _, item := range in {
			if object, ok := item.(map[string]any); ok {
				if name, ok := object["name"].(string); ok {
					all = append(all, flag{name, []string{fmt.Sprint(object["value"])}})
				}
			}
		}
	}
	return all
}

// podValues are those of the engines of a role. The chart gives vLLM the model and the parallelism.
func (r *reader) podValues(v *chartValues, in *podValues, role string) {
	switch {
	case in == nil || !or(in.Create, true):
		return
	case len(in.Containers) == 0:
		r.note("Helm values, %s: there are no containers, so that the engines are not in the scenario", role)
		return
	}
	w := workload{from: "Helm values, " + role, name: role, at: field.NewPath(role), role: role, replicas: in.Replicas, labels: maps.Clone(v.ModelArtifacts.Labels)}
	if w.labels == nil {
		w.labels = map[string]string{}
	}
	w.labels[roleLabel] = role
	w.pod.NodeSelector, w.pod.Affinity = in.NodeSelector, in.Affinity
	if values := in.AcceleratorTypes.LabelValues; len(values) > 0 {
		w.labels["accelerator"] = values[0]
	}
	model := cmp.Or(v.ModelArtifacts.Name, modelOfURI(v.ModelArtifacts.URI))
	for i := range in.Containers {
		c := in.Containers[i].Container
		if command := in.Containers[i].ModelCommand; i == 0 && command != "custom" && len(c.Command) == 0 {
			c.Command = []string{"vllm", "serve", model}
		}
		w.pod.Containers = append(w.pod.Containers, c)
	}
	for name, value := range map[string]*int32{"tensor-parallel-size": in.Parallelism.Tensor, "data-parallel-size": in.Parallelism.Data} { // in any order: each sets a field of its own
		if value != nil {
			w.given = append(w.given, flag{name, []string{strconv.Itoa(int(*value))}})
		}
	}
	if in.Autoscaling.Enabled {
		r.note("%s: autoscaling.enabled leaves the replicas to an autoscaler: name its manifest too", w.from)
	}
	r.workloads = append(r.workloads, w)
}
