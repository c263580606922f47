// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import corev1 "k8s.io/api/core/v1"

// VolumePath is a file's path in a volume.
//
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=256
// +kubebuilder:validation:XValidation:rule="self.split('/').all(e, size(e) > 0 && !(e in ['.', '..']))",message="must be a path from the volume's root, such as traces/day.jsonl.gz, without . and .."
type VolumePath string

// VolumeClaimFile is a file in a PersistentVolumeClaim's volume.
type VolumeClaimFile struct {
	// claimName is the name of a PersistentVolumeClaim in the object's namespace.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="must be the name of an object: lower case letters, digits, - and ., such as team-a.prompts"
	ClaimName string `json:"claimName,omitempty"`
	// path is the file's path in the volume.
	// +required
	Path VolumePath `json:"path,omitempty"`
}

// ImageFile is a file in an OCI image or artifact.
type ImageFile struct {
	// reference is the name of the image, as in a container.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=300
	Reference string `json:"reference,omitempty"`
	// path is the file's path in the image.
	// +required
	Path VolumePath `json:"path,omitempty"`
	// pullPolicy is the image pull policy, as in a container.
	// +optional
	// +kubebuilder:validation:Enum=Always;Never;IfNotPresent
	PullPolicy corev1.PullPolicy `json:"pullPolicy,omitempty"`
}
