// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// defaultRequests and defaultLimits are a pod's where the spec says nothing.
var defaultRequests, defaultLimits = worker.Resources()

// podResources returns wanted resources with what they lack: a limit is never
// below its request, and a request never above its limit.
func podResources(wanted corev1.ResourceRequirements) corev1.ResourceRequirements {
	resources := *wanted.DeepCopy()
	if resources.Requests == nil {
		resources.Requests = corev1.ResourceList{}
	}
	if resources.Limits == nil {
		resources.Limits = corev1.ResourceList{}
	}
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		request, requested := resources.Requests[name]
		limit, limited := resources.Limits[name]
		if !requested {
			if request = defaultRequests[name]; limited && limit.Cmp(request) < 0 {
				request = limit
			}
			resources.Requests[name] = request
		}
		if !limited {
			if limit = defaultLimits[name]; request.Cmp(limit) > 0 {
				limit = request
			}
			resources.Limits[name] = limit
		}
	}
	return resources
}

// maxAtOnce bounds how many simulations a pod does at once: a limit may say more
// CPUs than any node has, and each simulation takes memory.
const maxAtOnce = 256

// cpus is how many simulations a pod does at once: as many as it has CPUs, and
// one at least.
func cpus(resources corev1.ResourceRequirements) int64 {
	return min(max(1, resources.Limits.Cpu().Value()), maxAtOnce)
}

// heap is what the worker's heap should stay below, in bytes: the rest of the
// limit is for what the collector does not see.
func heap(resources corev1.ResourceRequirements) int64 {
	limit := resources.Limits.Memory().Value()
	return limit - limit/10
}

// override adds to a pod's template what the spec wants of its pods. It replaces
// nothing: the operator finds its pods by their labels.
func override(template *corev1.PodTemplateSpec, o *v1alpha1.PodOverrides) {
	template.Labels = addTexts(template.Labels, o.Labels)
	template.Annotations = addTexts(template.Annotations, o.Annotations)
	template.Spec.NodeSelector = addTexts(template.Spec.NodeSelector, o.NodeSelector)
	template.Spec.Tolerations = o.Tolerations
	template.Spec.PriorityClassName = o.PriorityClassName
	template.Spec.ImagePullSecrets = o.ImagePullSecrets
	if o.RuntimeClassName != "" {
		template.Spec.RuntimeClassName = ptr.To(o.RuntimeClassName)
	}
}

// addTexts returns texts with the added ones of other keys.
func addTexts[T ~string](texts map[string]string, added map[string]T) map[string]string {
	if len(added) == 0 {
		return texts
	}
	all := map[string]string{}
	for key, text := range added {
		all[key] = string(text)
	}
	maps.Copy(all, texts)
	return all
}
