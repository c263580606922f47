// SPDX-License-Identifier: Apache-2.0

package deployment

import (
	"maps"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A workload is a set of equal pods, and what an object says of them in addition to the pods.
type workload struct {
	// from names the object and name is that of the pool; at leads to the pod's spec.
	from, name string
	at         *field.Path
	replicas   *int32
	// size is the number of pods of a replica; 0 where it is not known.
	size   int32
	labels map[string]string
	pod    corev1.PodSpec
	// given are the options that the object's kind gives to vLLM, in front of those of the pods.
	given []flag
	// role is that of the object's kind; "" where a label of the pods has it.
	role string
	// engine says that the object's kind serves a model, whatever its container main starts.
	engine bool
}

// leaderWorkerSet is what counts of a LeaderWorkerSet: a replica is a group of pods.
type leaderWorkerSet struct {
	Replicas             *int32 `json:"replicas"`
	LeaderWorkerTemplate struct {
		Size           *int32                  `json:"size"`
		LeaderTemplate *corev1.PodTemplateSpec `json:"leaderTemplate"`
		WorkerTemplate corev1.PodTemplateSpec  `json:"workerTemplate"`
	} `json:"leaderWorkerTemplate"`
}

// workloads are those of a document: none of most kinds.
func workloads(d *document) ([]workload, *field.Error) {
	switch d.Kind {
	case "Deployment", "StatefulSet":
		// A StatefulSet has these fields too, under the same names.
		var o appsv1.Deployment
		if err := d.decode(&o); err != nil {
			return nil, err
		}
		return []workload{d.workload(d.Metadata.Name, o.Spec.Replicas, &o.Spec.Template, d.at().Child("spec", "template", "spec"))}, nil
	case "LeaderWorkerSet":
		var o struct{ Spec leaderWorkerSet }
		if err := d.decode(&o); err != nil {
			return nil, err
		}
		return []workload{d.group(d.Metadata.Name, &o.Spec, 1, d.at().Child("spec"))}, nil
	case "DisaggregatedSet":
		return disaggregatedSet(d)
	}
	return nil, nil
}

// disaggregatedSet reads the roles, each of which is a LeaderWorkerSet, slices times.
func disaggregatedSet(d *document) ([]workload, *field.Error) {
	var o struct {
		Spec struct {
			Slices *int32
			Roles  []struct {
				Name string
				Spec leaderWorkerSet
			}
		}
	}
	if err := d.decode(&o); err != nil {
		return nil, err
	}
	var all []workload
	for i, role := range o.Spec.Roles {
		all = append(all, d.group(d.Metadata.Name+"-"+role.Name, &role.Spec, or(o.Spec.Slices, 1), d.at().Child("spec", "roles").Index(i).Child("spec")))
	}
	return all, nil
}

// group is a LeaderWorkerSet, whose controller tells its pods the size of the group and their places in it
// (lws v0.7). The place is that of the leader.
func (d *document) group(name string, set *leaderWorkerSet, slices int32, at *field.Path) workload {
	replicas := or(set.Replicas, 1) * slices
	template, field := &set.LeaderWorkerTemplate.WorkerTemplate, "workerTemplate"
	if leader := set.LeaderWorkerTemplate.LeaderTemplate; leader != nil {
		template, field = leader, "leaderTemplate"
	}
	w := d.workload(name, &replicas, template, at.Child("leaderWorkerTemplate", field, "spec"))
	w.size = or(set.LeaderWorkerTemplate.Size, 1)
	for i := range w.pod.Containers {
		c := &w.pod.Containers[i]
		c.Env = append([]corev1.EnvVar{{Name: "LWS_GROUP_SIZE", Value: strconv.Itoa(int(w.size))}, {Name: "LWS_WORKER_INDEX", Value: "0"}}, c.Env...)
	}
	return w
}

func (d *document) workload(name string, replicas *int32, template *corev1.PodTemplateSpec, at *field.Path) workload {
	labels := maps.Clone(d.Metadata.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	maps.Copy(labels, template.Labels)
	return workload{from: d.name(), name: name, at: at, replicas: replicas, size: 1, labels: labels, pod: template.Spec}
}

// or is a value, or another where it is not stated.
func or[T any](value *T, other T) T {
	if value == nil {
		return other
	}
	return *value
}

// selected reports whether the pods have all labels of a selector.
func (w *workload) selected(by map[string]string) bool {
	for key, value := range by { // in any order: all must hold
		if w.labels[key] != value {
			return false
		}
	}
	return len(by) > 0
}

// maxPoolName is the greatest length of the name of a pool.
const maxPoolName = 63

// PoolName is a name that a pool, a scaler or a client may have.
func PoolName(name string) string {
	name = strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, name), "-")
	if len(name) > maxPoolName {
		name = strings.TrimRight(name[:maxPoolName], "-")
	}
	if name == "" {
		return "pool"
	}
	return name
}
