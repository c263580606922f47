// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import corev1 "k8s.io/api/core/v1"

// Execution says how Kubernetes runs the simulation. It never changes a
// result. The local verbs ignore it.
type Execution struct {
	// suspend holds the Job back, or stops it.
	// +optional
	// +kubebuilder:default=false
	Suspend bool `json:"suspend,omitempty"` //nolint:kubeapilinter // as in batch/v1, so that queueing controllers know it
	// shards is the number of pods that share the simulations. There are
	// never more than simulations.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Shards int32 `json:"shards,omitempty"`
	// resources are those of each pod. A pod simulates as many points at once as
	// its CPU limit allows. What is not set of them is a request of 500m of CPU
	// and 256Mi of memory, and limits of 2 CPUs and 2Gi, or the request where that
	// is more.
	// +optional
	// +kubebuilder:validation:XValidation:rule="!has(self.claims)",message="must not be set: the pods have no resource claims",fieldPath=".claims"
	Resources corev1.ResourceRequirements `json:"resources,omitzero"`
	// retriesPerShard is how often a shard whose pod failed is tried again.
	// Evictions do not count.
	// +optional
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	RetriesPerShard *int32 `json:"retriesPerShard,omitempty"`
	// maxFailedShards is how many shards, of all rounds together, may fail for
	// good before the work stops. Within it the work goes on to its end without
	// them and is Failed then, with partial results.
	// +optional
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000
	MaxFailedShards int32 `json:"maxFailedShards,omitempty"`
	// activeDeadlineSeconds is how long the work may take, all rounds together and
	// without the time that it is held. Then its pods are stopped, and it is Failed
	// with the results that there are.
	// +optional
	// +kubebuilder:validation:Minimum=1
	ActiveDeadlineSeconds *int64 `json:"activeDeadlineSeconds,omitempty"`
	// ttlSecondsAfterFinished is after what time the Jobs, pods, plan and rounds
	// of finished work are deleted. This object and its results stay, and nothing
	// runs again.
	// +optional
	// +kubebuilder:validation:Minimum=0
	TTLSecondsAfterFinished *int32 `json:"ttlSecondsAfterFinished,omitempty"`
	// managedBy is passed to the Jobs: the controller that runs them where that is
	// not Kubernetes' own.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	ManagedBy string `json:"managedBy,omitempty"`
	// podOverrides add to the pods.
	// +optional
	PodOverrides PodOverrides `json:"podOverrides,omitzero"`
}

// PodOverrides are what a cluster may ask of a pod, and no simulation does.
type PodOverrides struct {
	// labels of the pods. They replace none of the operator's own.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	Labels map[string]LabelValue `json:"labels,omitempty"`
	// annotations of the pods.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	Annotations map[string]AnnotationValue `json:"annotations,omitempty"`
	// nodeSelector holds the labels of nodes that they may run on.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	NodeSelector map[string]LabelValue `json:"nodeSelector,omitempty"`
	// tolerations are the taints of nodes that they may run on.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`
	// priorityClassName is their priority class. Those of the system's own pods
	// are not for simulations.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="must be the name of an object: lower case letters, digits, - and ., such as team-a.prompts"
	// +kubebuilder:validation:XValidation:rule="!self.startsWith('system-')",message="must not be one of the system's own classes, whose names start with system-"
	PriorityClassName string `json:"priorityClassName,omitempty"`
	// runtimeClassName is their runtime class.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="must be the name of an object: lower case letters, digits, - and ., such as team-a.prompts"
	RuntimeClassName string `json:"runtimeClassName,omitempty"`
	// imagePullSecrets are what their image is pulled with.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	ImagePullSecrets []corev1.LocalObjectReference `json:"imagePullSecrets,omitempty"`
}

// AnnotationValue is the value of a pod's annotation.
//
// +kubebuilder:validation:MaxLength=1024
type AnnotationValue string
