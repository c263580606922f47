// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"windtunnel.dev/windtunnel/pkg/experiment"
)

// What the pods of workers have in common, for those who make them and those who look for them.
const (
	// Container is the name of their container.
	Container = "worker"
	// AccountName is the name of their ServiceAccount, of its RoleBinding and of the
	// ClusterRole that this one refers to.
	AccountName = "windtunnel-worker"
	// Component is their value of LabelComponent.
	Component = "worker"
)

// Labels of what serves an object. A name that is no label value is cut and given a digest.
const (
	LabelKind = "sim.windtunnel.dev/kind"
	LabelName = "sim.windtunnel.dev/name"
	// LabelComponent is the role of a child.
	LabelComponent = "app.kubernetes.io/component"
)

const maxLabelValue = 63

// Labels are labels of the pods that simulate for an object.
func Labels(kind, name string) map[string]string {
	return map[string]string{LabelKind: kind, LabelName: LabelValue(name), LabelComponent: Component}
}

// PodLabels are labels that all pods of workers have.
func PodLabels() map[string]string {
	return map[string]string{"app.kubernetes.io/name": "windtunnel", LabelComponent: Component}
}

// LabelValue returns a name as a label's value.
func LabelValue(name string) string { return Shorten(name, name, maxLabelValue) }

// Shorten returns text where it is the whole name and fits; else its beginning
// and a digest of the whole, so that no two names become one.
func Shorten(text, whole string, most int) string {
	if text == whole && len(text) <= most {
		return text
	}
	digest := experiment.Digest([]byte(whole))[:8]
	return strings.TrimRight(text[:min(len(text), most-1-len(digest))], "-.") + "-" + digest
}

// Resources are what a worker pod requests, and its limits, where the spec says nothing: a
// namespace with a quota admits no pod without them, and a node with many CPUs is not for one
// pod alone.
func Resources() (requests, limits corev1.ResourceList) {
	requests = corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("500m"),
		corev1.ResourceMemory: resource.MustParse("256Mi"),
	}
	limits = corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("2"),
		corev1.ResourceMemory: resource.MustParse("2Gi"),
	}
	return requests, limits
}
