// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import corev1 "k8s.io/api/core/v1"

// Execution says how Kubernetes runs the simulation. It never changes a
// result. The local verbs ignore it.
type Execution struct {
	// shards is the number of pods that share the simulations. There are never more
	// pods than simulations.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Shards int32 `json:"shards,omitempty"`
	// resources are the compute resources of each pod. The CPU limit is the number
	// of simulations that a pod runs at the same time. Missing entries are derived:
	// requests of 500m CPU and 256Mi memory, and limits of 2 CPUs and 2Gi, or the
	// request if it is larger.
	// +optional
	// +kubebuilder:validation:XValidation:rule="!has(self.claims)",message="must not be set: the pods have no resource claims",fieldPath=".claims"
	Resources corev1.ResourceRequirements `json:"resources,omitzero"`
	// retriesPerShard is the number of retries of a shard after failures of its pod.
	// Evictions do not count.
	// +optional
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	RetriesPerShard *int32 `json:"retriesPerShard,omitempty"`
	// maxFailedShards is the number of shards, over all rounds, that may fail after
	// their retries without stopping the work. With up to this number of failed
	// shards, the work continues to its end, and the object is then Failed with
	// partial results.
	// +optional
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000
	MaxFailedShards int32 `json:"maxFailedShards,omitempty"`
	// activeDeadlineSeconds is the maximum duration of the work over all rounds,
	// without the time for which it is suspended. After this time the operator stops
	// the pods, and the object is Failed with the results so far.
	// +optional
	// +kubebuilder:validation:Minimum=1
	ActiveDeadlineSeconds *int64 `json:"activeDeadlineSeconds,omitempty"`
	// ttlSecondsAfterFinished is the time after which the operator deletes the Jobs,
	// pods, plan and rounds of finished work. The object and its results stay, and
	// no simulation runs again.
	// +optional
	// +kubebuilder:validation:Minimum=0
	TTLSecondsAfterFinished *int32 `json:"ttlSecondsAfterFinished,omitempty"`
	// suspend stops the pods of the Job, or keeps the Job from starting pods.
	// +optional
	// +kubebuilder:default=false
	Suspend bool `json:"suspend,omitempty"` //nolint:kubeapilinter // as in batch/v1, so that queueing controllers know it
	// managedBy is the name of the controller that runs the Jobs in place of
	// Kubernetes' Job controller. The operator copies it into the Jobs.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	ManagedBy string `json:"managedBy,omitempty"`
	// podOverrides add fields to the pods.
	// +optional
	PodOverrides PodOverrides `json:"podOverrides,omitzero"`
}

// PodOverrides are pod fields that a cluster may require. They do not affect the
// simulation.
type PodOverrides struct {
	// labels are additional labels of the pods. They do not replace the operator's
	// labels.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	Labels map[string]LabelValue `json:"labels,omitempty"`
	// annotations are additional annotations of the pods.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	Annotations map[string]AnnotationValue `json:"annotations,omitempty"`
	// nodeSelector holds the labels of nodes on which the pods may run.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	NodeSelector map[string]LabelValue `json:"nodeSelector,omitempty"`
	// tolerations are the node taints that the pods tolerate.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`
	// priorityClassName is the priority class of the pods. The classes of system
	// pods are not allowed.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="must be the name of an object: lower case letters, digits, - and ., such as team-a.prompts"
	// +kubebuilder:validation:XValidation:rule="!self.startsWith('system-')",message="must not be one of the system's own classes, whose names start with system-"
	PriorityClassName string `json:"priorityClassName,omitempty"`
	// runtimeClassName is the runtime class of the pods.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="must be the name of an object: lower case letters, digits, - and ., such as team-a.prompts"
	RuntimeClassName string `json:"runtimeClassName,omitempty"`
	// imagePullSecrets are the Secrets for pulling the pods' images.
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
