// SPDX-License-Identifier: Apache-2.0

package deployment

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// otherEngines are programs that serve models, and are not simulated.
var otherEngines = []string{"sglang", "tensorrt", "trtllm", "tritonserver", "text-generation-launcher", "llama-server", "ollama"}

// A process is the container of a pod that serves a model, with its options.
type process struct {
	at      *field.Path
	model   string
	options []flag
	// other is the name of an engine that is not vLLM, and unread says that a script could not be read.
	other  string
	unread bool
}

// engineOf finds the process of vLLM in a pod.
func (w *workload) engineOf() (found process, ok bool) {
	for i := range w.pod.Containers {
		c := &w.pod.Containers[i]
		p := process{at: w.at.Child("containers").Index(i)}
		all, readable := commands(c)
		p.unread = !readable
		for _, command := range all {
			if model, options, is := vllmCommand(command, c.Image); is {
				p.model, p.options = model, options
				return p, true
			}
			if p.other == "" {
				p.other = otherEngine(command, c.Image)
			}
		}
		if servesModel(c, p.unread) || w.engine && (c.Name == "main" || len(w.pod.Containers) == 1) || p.other != "" {
			found, ok = p, true
		}
	}
	return found, ok
}

// vllmCommand reports whether a command starts vLLM. The options behind the image's own entry point are alone.
func vllmCommand(command []string, image string) (model string, options []flag, ok bool) {
	start := -1
	for i, w := range command {
		switch {
		case i > 0 && w == "serve" && (command[i-1] == "vllm" || strings.HasSuffix(command[i-1], "/vllm")):
			start = i + 1
		case strings.HasPrefix(w, "vllm.entrypoints."):
			start = i + 1
		}
	}
	entry := strings.Contains(image, "vllm") || strings.Contains(image, "inference-sim")
	if start < 0 && entry && len(command) > 0 && strings.HasPrefix(command[0], "-") {
		start = 0
	}
	if start < 0 {
		return "", nil, false
	}
	positional, options := flags(command[start:])
	if len(positional) > 0 {
		model = positional[0]
	}
	return model, options, true
}

func otherEngine(command []string, image string) string {
	text := strings.ToLower(image + " " + strings.Join(command, " "))
	i := slices.IndexFunc(otherEngines, func(name string) bool { return strings.Contains(text, name) })
	if i < 0 {
		return ""
	}
	return otherEngines[i]
}

// servesModel tells the container of an engine by its image or by its GPUs.
func servesModel(c *corev1.Container, scripted bool) bool {
	for name := range c.Resources.Limits { // in any order: one suffices
		if isAccelerator(string(name)) {
			return true
		}
	}
	return scripted && strings.Contains(c.Image, "vllm")
}

// roles are the values of the label of a role.
var roles = map[string]v1alpha1.Role{
	"prefill": v1alpha1.PrefillRole, "decode": v1alpha1.DecodeRole, "both": v1alpha1.BothRole, "prefill-decode": v1alpha1.BothRole,
}

// roleLabel is that of llm-d.
const roleLabel = "llm-d.ai/role"

// pool makes a pool of a workload of vLLM.
func (r *reader) pool(w *workload, p *process) Pool {
	pool := Pool{From: w.from, Pool: v1alpha1.Pool{Name: PoolName(w.name), Replicas: 1}}
	e := &engine{pool: &pool.Pool}
	faults := e.take(slices.Concat(w.given, additional(w, p), p.options))
	for _, name := range slices.Sorted(maps.Keys(faults)) {
		r.fault(field.Invalid(p.at.Child("args").Key("--"+name), field.OmitValueType{}, faults[name].Error()))
	}
	r.replicas(w, &pool)
	pool.Role = w.roleOf(e.kvRole)
	r.ranks(w, e)
	r.findModel(&pool, cmp.Or(p.model, e.model))
	pool.Accelerator = r.options.Accelerator
	if pool.Accelerator == "" {
		var why string
		if pool.Accelerator, why = w.accelerator(); why != "" {
			pool.Unknown = append(pool.Unknown, Question{"accelerator", why})
		}
	}
	for _, text := range e.notes {
		r.note("%s: %s", w.from, text)
	}
	if p.unread {
		r.note("%s: the script of %s could not be read, so that its options are not in the pool", w.from, p.at)
	}
	r.labels[pool.Name] = w.labels
	return pool
}

// additional are the options that KServe's template passes on by a variable of the container.
func additional(w *workload, p *process) []flag {
	for i := range w.pod.Containers {
		c := &w.pod.Containers[i]
		if !strings.HasPrefix(p.at.String(), w.at.Child("containers").Index(i).String()) {
			continue
		}
		if text, ok := variables(c)["VLLM_ADDITIONAL_ARGS"]; ok {
			all, _ := scriptCommands("vllm serve "+text, variables(c))
			for _, command := range all {
				if _, options, ok := vllmCommand(command, ""); ok {
					return options
				}
			}
		}
	}
	return nil
}

func (r *reader) replicas(w *workload, pool *Pool) {
	pool.Replicas = or(w.replicas, 1)
	if pool.Replicas < 1 {
		r.note("%s has %d replicas: the pool begins with 1", w.from, pool.Replicas)
		pool.Replicas = 1
	}
}

// roleOf is that of the pods' label, or of the connector for KV blocks.
func (w *workload) roleOf(kvRole string) v1alpha1.Role {
	if role, ok := roles[w.labels[roleLabel]]; ok {
		return role
	}
	if role, ok := roles[w.role]; ok {
		return role
	}
	return map[string]v1alpha1.Role{"kv_producer": v1alpha1.PrefillRole, "kv_consumer": v1alpha1.DecodeRole}[kvRole]
}

// ranks states who chooses the rank, and says which parallelism the scenario does not have.
func (r *reader) ranks(w *workload, e *engine) {
	if e.pool.DataParallelism > 1 {
		if !e.external {
			e.pool.DataParallelBalancing = v1alpha1.InternalBalancing
		}
	} else {
		e.pool.DataParallelism = 0
	}
	if asked, used := w.accelerators(), int64(max(e.pool.TensorParallelism, 1))*int64(max(e.pool.DataParallelism, 1))*int64(max(e.pipeline, 1)); asked > 0 && asked != used {
		e.note("a replica asks for %d accelerators, and its options use %d: replicas of the pool may be more or fewer than those of your cluster", asked, used)
	}
	if e.pipeline > 1 {
		e.note("pipeline parallelism of %d is not simulated", e.pipeline)
	}
}

// findModel looks the model up in the catalogue.
func (r *reader) findModel(pool *Pool, written string) {
	asked := cmp.Or(r.options.Model, written)
	name, weights := knownModel(r.options.Catalogue, asked)
	switch pool.Model = name; {
	case name == "" && r.options.Model != "":
		pool.Model = asked // the scenario's check says what is wrong with it
	case name == "":
		pool.Unknown = append(pool.Unknown, Question{"model", unknownModel(r.options.Catalogue, pool.From, written)})
	case weights != "" && pool.Quantization.Weights == "":
		pool.Quantization.Weights = weights
		r.note("%s serves %s: %s with weights of %s", pool.From, asked, name, weights)
	}
}

// keepLabels gives a pool the labels of its pods that the configuration of its EPP names.
func keepLabels(pool *v1alpha1.Pool, labels map[string]string, config string) {
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		if key != roleLabel && strings.Contains(config, key) && len(pool.Labels) < 16 {
			if pool.Labels == nil {
				pool.Labels = map[string]v1alpha1.LabelValue{}
			}
			pool.Labels[key] = v1alpha1.LabelValue(labels[key])
		}
	}
}
