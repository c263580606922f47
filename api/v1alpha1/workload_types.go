// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Workload is the traffic: synthetic clients, replays of traces, or both. Their requests
// are merged in order of arrival. Adding a client or a trace changes no request of the
// others.
//
// +kubebuilder:validation:AtLeastOneOf=clients;trace;traces
// +kubebuilder:validation:AtMostOneOf=trace;traces
type Workload struct {
	// clients are independent sources of requests.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=512
	Clients []Client `json:"clients,omitempty"`
	// trace replays recorded traffic.
	// +optional
	Trace *Trace `json:"trace,omitempty"`
	// traces replay recorded traffic of several sources, each with a name.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Traces []NamedTrace `json:"traces,omitempty"`
	// tenants are customers or teams with properties of their own. A client or a trace may
	// also name a tenant that is not in the list.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=256
	Tenants []Tenant `json:"tenants,omitempty"`
}

// NamedTrace is one of several traces.
type NamedTrace struct {
	// name names the source of requests. No client has the same name.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$`
	Name  string `json:"name,omitempty"`
	Trace `json:",inline"`
}
