// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// BundleComponent is a component of a PolicyBundle.
// +kubebuilder:validation:Enum=admission;priority;routing;scheduler;autoscale
type BundleComponent string

// Evolution says how a search makes policies out of the scenario's bundle.
//
// +structType=atomic
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
	// proposer is a service that a pod asks for policies before each generation.
	// +optional
	Proposer *Proposer `json:"proposer,omitempty"`
}

// Proposer is an HTTP service that proposes policies.
type Proposer struct {
	// url is where a POST goes.
	// +required
	// +kubebuilder:validation:MinLength=8
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:Pattern=`^https?://[^/?#@\s]+([/?][^#\s]*)?$`
	URL string `json:"url,omitempty"`
	// timeoutSeconds bounds each of three tries.
	// +optional
	// +kubebuilder:default=120
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3600
	TimeoutSeconds int32 `json:"timeoutSeconds,omitempty"`
	// headerSecretRef is the Secret key that holds the header Authorization. The key origin of the
	// Secret names the service, such as https://proposer.team-a.svc: no other one gets the header.
	// +optional
	HeaderSecretRef *ProposerSecretReference `json:"headerSecretRef,omitempty"`
}

// ProposerSecretReference names a key of a Secret in the sweep's namespace. The prefix
// keeps sweeps, and the manager, from all other Secrets.
type ProposerSecretReference struct {
	// name is that of the Secret.
	// +required
	// +kubebuilder:validation:MinLength=19
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^windtunnel-proposer(-[-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name,omitempty"`
	// key is that of its data.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[-._a-zA-Z0-9]+$`
	Key string `json:"key,omitempty"`
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
