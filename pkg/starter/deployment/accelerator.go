// SPDX-License-Identifier: Apache-2.0

package deployment

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
)

// nodeNames tell an accelerator of the catalogue by the values of the labels of nodes: those of
// NVIDIA's and AMD's device plugins, of clouds for accelerators, and of clouds for types of
// machines. The first that matches counts, without regard to case. Words end at what is no letter
// and no digit.
var nodeNames = sync.OnceValue(func() []nodeName {
	return []nodeName{
		// A part of an accelerator.
		{words(`mig-[0-9]+g`), ""},
		// Types of machines of AWS, Google Cloud and Azure.
		{words(`p6e-gb200`, `a4x-highgpu`), "gb200"},
		{words(`p6-b300`), "b300-sxm"},
		{words(`p6-b200`, `a4-highgpu`), "b200-sxm"},
		{words(`p5(e|en)\.48xlarge`, `a3-ultragpu`), "h200-sxm"},
		{words(`p5\.48xlarge`, `a3-(high|mega|edge)gpu`), "h100-sxm"},
		{words(`p4de`, `a2-ultragpu`), "a100-sxm"},
		{words(`p4d`, `a2-(high|mega)gpu`), "a100-sxm-40gb"},
		{words(`g6e`), "l40s"},
		{words(`g6`, `g2-standard`), "l4"},
		{words(`g5`), "a10g"},
		// Names of accelerators.
		{words(`gb300`), "gb300"},
		{words(`gb200`), "gb200"},
		{words(`gh200`), "gh200"},
		{words(`b300`), "b300-sxm"},
		{words(`b200`), "b200-sxm"},
		{words(`h200`), "h200-sxm"},
		{words(`h100.*pcie`), "h100-pcie"},
		{words(`h100.*nvl`, `nc[0-9]+ad[a-z]*-h100`, `nc[0-9]+ads-a100`, `a100.*pcie`), ""},
		{words(`h100`), "h100-sxm"},
		{words(`h20`), "h20"},
		{words(`a100.*40gb`, `nvidia-tesla-a100`), "a100-sxm-40gb"},
		{words(`a100`), "a100-sxm"},
		{words(`a10g`), "a10g"},
		{words(`l40s`), "l40s"},
		{words(`l4`), "l4"},
		{words(`rtx[ -]?pro[ -]?6000.*workstation`), "rtx-pro-6000-workstation"},
		{words(`rtx[ -]?pro[ -]?6000`), "rtx-pro-6000"},
		{words(`rtx[ -]?4090`), "rtx-4090"},
		{words(`mi300x`), "mi300x"},
		{words(`mi325x`), "mi325x"},
		{words(`mi355x`), "mi355x"},
	}
})

type nodeName struct {
	value func() *regexp.Regexp
	name  string
}

func words(patterns ...string) func() *regexp.Regexp {
	return expression(`(?i)(^|[^a-z0-9])(` + strings.Join(patterns, "|") + `)([^a-z0-9]|$)`)
}

// acceleratorNamed is the accelerator that the value of a label means; "" for others.
func acceleratorNamed(value string) string {
	value = strings.ReplaceAll(value, "_", "-")
	for _, n := range nodeNames() {
		if n.value().MatchString(value) {
			return n.name
		}
	}
	return ""
}

// accelerator is that of the nodes that pods are bound to, or of a label about it. why says what is
// known where it is not.
func (w *workload) accelerator() (name, why string) {
	found := map[string]bool{}
	take := func(value string) {
		if name := acceleratorNamed(value); name != "" {
			found[name] = true
		}
	}
	for _, value := range w.pod.NodeSelector { // in any order: into a set
		take(value)
	}
	for _, value := range requiredValues(w.pod.Affinity) {
		take(value)
	}
	for key, value := range w.labels { // in any order: into a set
		if key = strings.ToLower(key); strings.Contains(key, "accelerator") || strings.Contains(key, "gpu") {
			take(value)
		}
	}
	names := slices.Sorted(maps.Keys(found))
	if asked := w.asked(); strings.Contains(asked, "/mig-") {
		return "", fmt.Sprintf("%s %s, which is a part of an accelerator", w.from, asked)
	}
	switch len(names) {
	case 1:
		return names[0], ""
	case 0:
		return "", fmt.Sprintf("%s %s, and no node selector, node affinity or label says which", w.from, w.asked())
	}
	return "", fmt.Sprintf("%s may run on %s", w.from, strings.Join(names, " and on "))
}

// requiredValues are the values of labels that a node must have.
func requiredValues(a *corev1.Affinity) []string {
	if a == nil || a.NodeAffinity == nil || a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return nil
	}
	var all []string
	for _, term := range a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		for _, e := range term.MatchExpressions {
			if e.Operator == corev1.NodeSelectorOpIn {
				all = append(all, e.Values...)
			}
		}
	}
	return all
}

// asked says how many accelerators the pods ask for.
func (w *workload) asked() string {
	for i := range w.pod.Containers {
		for _, name := range slices.Sorted(maps.Keys(w.pod.Containers[i].Resources.Limits)) {
			if isAccelerator(string(name)) {
				n := w.pod.Containers[i].Resources.Limits[name]
				return fmt.Sprintf("asks for %s of %s", n.String(), name)
			}
		}
	}
	return "names no resource of an accelerator"
}

// accelerators is how many a replica asks for; 0 where that is not known.
func (w *workload) accelerators() int64 {
	var n int64
	for i := range w.pod.Containers {
		for name, quantity := range w.pod.Containers[i].Resources.Limits { // in any order: a sum
			if isAccelerator(string(name)) {
				n += quantity.Value()
			}
		}
	}
	return n * int64(w.size)
}

// isAccelerator tells the resources of device plugins that are accelerators.
func isAccelerator(resource string) bool {
	vendor, device, found := strings.Cut(resource, "/")
	return found && vendor != "rdma" && slices.ContainsFunc([]string{"gpu", "tpu", "mig", "gaudi", "npu", "i915", "xe", "atom", "ascend", "neuron"}, func(word string) bool {
		return strings.Contains(strings.ToLower(device), word)
	})
}
