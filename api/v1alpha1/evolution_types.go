// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// BundleComponent is a component of a PolicyBundle.
// +kubebuilder:validation:Enum=admission;priority;routing;scheduler;autoscale
type BundleComponent string

// Evolution says how a search makes policies out of the scenario's bundle.
type Evolution struct {
	// components are the components of the bundle that vary. They are derived: all.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=5
	Components []BundleComponent `json:"components,omitempty"`
	// maxNodes is the number of nodes up to which a decision tree may grow.
	// +optional
	// +kubebuilder:default=31
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=200
	MaxNodes int32 `json:"maxNodes,omitempty"`
}

// Islands are archives of MAPElites that breed apart.
type Islands struct {
	// count is their number.
	// +required
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=16
	Count int32 `json:"count,omitempty"`
	// migrateEvery is the number of generations after which the best points of each
	// island go to the next one.
	// +optional
	// +kubebuilder:default=5
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	MigrateEvery int32 `json:"migrateEvery,omitempty"`
}

// Ancestor is a policy in the line of the best one.
type Ancestor struct {
	// policy is the name of the policy among the values of the parameter.
	// +required
	// +kubebuilder:validation:MaxLength=64
	Policy string `json:"policy,omitempty"`
	// point is the number of the point with it.
	// +required
	Point int64 `json:"point"`
	// generation is the generation of the search that tried it.
	// +required
	Generation int32 `json:"generation"`
	// change says how it differs from the one before.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Change string `json:"change,omitempty"`
	// value is the mean of the first objective; absent if the policy failed.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	Value string `json:"value,omitempty"`
}
