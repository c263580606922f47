// SPDX-License-Identifier: Apache-2.0

package deployment

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/pkg/policy/epp/files"
)

// An inferenceService is what counts of an LLMInferenceService (kserve@aaac4e29, v1alpha1 and
// v1alpha2), or of an LLMInferenceServiceConfig.
type inferenceService struct {
	Spec serviceSpec `json:"spec"`
}

type serviceSpec struct {
	ServiceWorkload `json:",inline"`
	Model           struct {
		URI  string `json:"uri,omitempty"`
		Name string `json:"name,omitempty"`
		LoRA struct {
			Adapters []struct {
				Name string `json:"name"`
			} `json:"adapters,omitempty"`
		} `json:"lora,omitzero"`
	} `json:"model,omitzero"`
	Prefill *ServiceWorkload `json:"prefill,omitempty"`
	Router  *struct {
		Route *struct {
			HTTP   json.RawMessage `json:"http,omitempty"`
			Group  string          `json:"group,omitempty"`
			Weight *int32          `json:"weight,omitempty"`
		} `json:"route,omitempty"`
		Scheduler *struct {
			Replicas *int32          `json:"replicas,omitempty"`
			Template *corev1.PodSpec `json:"template,omitempty"`
			Config   *struct {
				Inline json.RawMessage `json:"inline,omitempty"`
				Ref    *struct {
					Name string `json:"name"`
					Key  string `json:"key"`
				} `json:"ref,omitempty"`
			} `json:"config,omitempty"`
			Pool json.RawMessage `json:"pool,omitempty"`
		} `json:"scheduler,omitempty"`
	} `json:"router,omitempty"`
	BaseRefs []struct {
		Name string `json:"name"`
	} `json:"baseRefs,omitempty"`
}

// A ServiceWorkload is what a service says of its pods, or of those of prefill. It is exported since a
// strategic merge looks up fields of exported types alone.
type ServiceWorkload struct {
	Replicas    *int32 `json:"replicas,omitempty"`
	Parallelism struct {
		Tensor   *int32 `json:"tensor,omitempty"`
		Pipeline *int32 `json:"pipeline,omitempty"`
		Data     *int32 `json:"data,omitempty"`
		Expert   bool   `json:"expert,omitempty"`
	} `json:"parallelism,omitzero"`
	Scaling *struct {
		MinReplicas *int32         `json:"minReplicas,omitempty"`
		MaxReplicas int32          `json:"maxReplicas,omitempty"`
		WVA         map[string]any `json:"wva,omitempty"`
		KEDA        map[string]any `json:"keda,omitempty"`
	} `json:"scaling,omitempty"`
	Labels            map[string]string `json:"labels,omitempty"`
	Template          *corev1.PodSpec   `json:"template,omitempty"`
	KVCacheOffloading *struct {
		CPU       string            `json:"cpu"`
		Secondary []json.RawMessage `json:"secondary,omitempty"`
	} `json:"kvCacheOffloading,omitempty"`
}

// serviceLabel is the label by which the InferencePool of a service selects pods. Those of a service without
// a scheduler may have the name of another one.
const serviceLabel = "app.kubernetes.io/name"

// service reads an LLMInferenceService: its pods, its EPP and its InferencePool.
func (r *reader) service(d *document) {
	var o inferenceService
	if err := d.decode(&o); err != nil {
		r.fault(err)
		return
	}
	spec, err := r.withBases(&o.Spec)
	if err != nil {
		r.fault(field.Invalid(d.at().Child("spec", "baseRefs"), field.OmitValueType{}, err.Error()))
		return
	}
	main := r.serviceWorkload(d, d.Metadata.Name, spec, &spec.ServiceWorkload, d.at().Child("spec"))
	if spec.Prefill != nil {
		main.role = "decode"
		prefill := r.serviceWorkload(d, d.Metadata.Name+"-prefill", spec, spec.Prefill, d.at().Child("spec", "prefill"))
		prefill.role = "prefill"
		r.workloads = append(r.workloads, prefill)
	}
	r.workloads = append(r.workloads, main)
	r.serviceRouter(d, spec)
}

// withBases are the fields of a service over those of the configurations that it names, the last of which is
// the strongest, as KServe merges them.
func (r *reader) withBases(spec *serviceSpec) (*serviceSpec, error) {
	merged := []byte("{}")
	for _, base := range spec.BaseRefs {
		i := slices.IndexFunc(r.documents, func(d *document) bool { return d.Kind == "LLMInferenceServiceConfig" && d.Metadata.Name == base.Name })
		if i < 0 {
			return nil, fmt.Errorf("the files have no LLMInferenceServiceConfig %s", base.Name)
		}
		var o inferenceService
		if err := yaml.Unmarshal(r.documents[i].text, &o); err != nil {
			return nil, err
		}
		var err error
		if merged, err = over(merged, &o.Spec); err != nil {
			return nil, err
		}
	}
	merged, err := over(merged, spec)
	if err != nil {
		return nil, err
	}
	all := &serviceSpec{}
	return all, json.Unmarshal(merged, all)
}

// over merges fields into others: containers by their names, as Kubernetes does.
func over(base []byte, spec *serviceSpec) ([]byte, error) {
	patch, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	return strategicpatch.StrategicMergePatch(base, patch, serviceSpec{})
}

// serviceWorkload makes the pods of a service, or of its prefill. KServe's template gives vLLM the
// model, the parallelism and the variable VLLM_ADDITIONAL_ARGS.
func (r *reader) serviceWorkload(d *document, name string, spec *serviceSpec, in *ServiceWorkload, at *field.Path) workload {
	w := workload{
		from: d.name(), name: name, at: at.Child("template"), replicas: in.Replicas, engine: true,
		labels: map[string]string{serviceLabel: d.Metadata.Name},
	}
	for key, value := range in.Labels { // in any order: into a map
		w.labels[key] = value
	}
	if at.String() != d.at().Child("spec").String() {
		w.from += " (prefill)"
	}
	if in.Scaling != nil {
		w.replicas = in.Scaling.MinReplicas
	}
	if in.Template != nil {
		w.pod = *in.Template
	}
	if len(w.pod.Containers) == 0 {
		w.pod.Containers = []corev1.Container{{Name: "main"}}
	}
	main := &w.pod.Containers[max(0, slices.IndexFunc(w.pod.Containers, func(c corev1.Container) bool { return c.Name == "main" }))]
	model := modelOfURI(spec.Model.URI)
	if _, known := knownModel(r.options.Catalogue, model); known == "" && inCatalogue(r.options.Catalogue, model) == "" {
		model = cmp.Or(spec.Model.Name, model)
	}
	if len(main.Command) == 0 {
		main.Command = []string{"vllm", "serve", model}
	}
	w.given = append(w.given, in.options(spec)...)
	if in.KVCacheOffloading != nil && len(in.KVCacheOffloading.Secondary) > 0 {
		r.note("%s: kvCacheOffloading.secondary is not in the scenario: state it in kvCache.tiers", w.from)
	}
	r.serviceScaling(d, name, in, at.Child("scaling"))
	return w
}

// options are those that KServe makes of fields.
func (in *ServiceWorkload) options(spec *serviceSpec) []flag {
	var all []flag
	add := func(name string, value *int32) {
		if value != nil {
			all = append(all, flag{name, []string{strconv.Itoa(int(*value))}})
		}
	}
	add("tensor-parallel-size", in.Parallelism.Tensor)
	add("pipeline-parallel-size", in.Parallelism.Pipeline)
	add("data-parallel-size", in.Parallelism.Data)
	if in.Parallelism.Expert {
		all = append(all, flag{name: "enable-expert-parallel"})
	}
	if in.KVCacheOffloading != nil {
		if q, err := resource.ParseQuantity(in.KVCacheOffloading.CPU); err == nil {
			all = append(all, flag{"kv-offloading-size", []string{strconv.FormatFloat(math.Ceil(q.AsApproximateFloat64())/(1<<30), 'f', -1, 64)}})
		}
	}
	if len(spec.Model.LoRA.Adapters) > 0 {
		modules := flag{name: "lora-modules"}
		for _, a := range spec.Model.LoRA.Adapters {
			modules.values = append(modules.values, a.Name+"=")
		}
		all = append(all, modules)
	}
	return all
}

// serviceScaling makes the ScaledObject that KServe makes of scaling.keda.
func (r *reader) serviceScaling(d *document, name string, in *ServiceWorkload, at *field.Path) {
	switch {
	case in.Scaling == nil:
		return
	case in.Scaling.KEDA == nil:
		r.note("%s: without keda, nothing scales the pool in the scenario", at)
		return
	}
	spec := in.Scaling.KEDA
	spec["scaleTargetRef"] = map[string]any{"name": name}
	spec["minReplicaCount"] = or(in.Scaling.MinReplicas, 1)
	spec["maxReplicaCount"] = in.Scaling.MaxReplicas
	text, err := yaml.Marshal(map[string]any{
		"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject", "metadata": map[string]any{"name": name}, "spec": spec,
	})
	if err != nil {
		r.fault(field.Invalid(at.Child("keda"), field.OmitValueType{}, err.Error()))
		return
	}
	all, err := newDocuments(d.file, text)
	if err == nil {
		r.autoscalers = append(r.autoscalers, all...)
	}
}

// serviceRouter reads the EPP of a service.
func (r *reader) serviceRouter(d *document, spec *serviceSpec) {
	at := d.at().Child("spec", "router")
	if spec.Router == nil {
		return
	}
	if spec.Router.Scheduler == nil {
		if route := spec.Router.Route; route != nil && route.Group != "" {
			r.note("%s has no scheduler, and so no part of the group %s in the scenario", d.name(), route.Group)
		}
		return
	}
	r.pools = append(r.pools, inferencePool{from: d.name(), name: d.Metadata.Name, at: d.at(), selector: map[string]string{serviceLabel: d.Metadata.Name}})
	r.serviceGroup(d, spec, at.Child("route"))
	s := spec.Router.Scheduler
	p := picker{pool: d.Metadata.Name, at: at.Child("scheduler")}
	given := []flag{leaderElection}
	if s.Template != nil {
		for i := range s.Template.Containers {
			if v := knownVersion(imageVersion(s.Template.Containers[i].Image)); v != "" {
				p.version = v
			}
			all, _ := commands(&s.Template.Containers[i])
			for _, command := range all {
				_, options := flags(afterProgram(command))
				given = append(given, options...)
			}
		}
	}
	p.start = files.NewStart(d.name(), int(or(s.Replicas, 0)), flagValues(given))
	r.pickerOptions(&p, given)
	p.pool = d.Metadata.Name
	if s.Config != nil && s.Config.Ref != nil {
		p.file = s.Config.Ref.Key
		p.at = p.at.Child("config", "ref")
	}
	p.own = serviceDefault(spec)
	r.pickers = append(r.pickers, p)
}
