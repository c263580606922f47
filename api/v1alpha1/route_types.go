// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Route is how requests find their router, and the model that serves them. The gateway
// draws the router of each request, and then the router's EPP draws its model.
type Route struct {
	// backends are the routers of the requests that match no rule, by their weights.
	// +optional
	// +listType=map
	// +listMapKey=router
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Backends []RouteBackend `json:"backends,omitempty"`
	// rules are the routers of certain requests. The first rule that matches counts.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Rules []RouteRule `json:"rules,omitempty"`
	// httpRoute are manifests of HTTPRoutes of the Gateway API, whose rules stand in place
	// of backends and rules. Paths of a sweep name backends and rules, as if they were
	// stated: the rule without conditions gives backends.
	// +optional
	HTTPRoute *ManifestSource `json:"httpRoute,omitempty"`
	// path is the path of the requests, such as /v1/completions, by which rules of
	// httpRoute match. It is derived: the first path of a match.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Path string `json:"path,omitempty"`
	// rewrites give requests other models, which the same router's engines serve: the base
	// model, or a LoRA adapter.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Rewrites []ModelRewrite `json:"rewrites,omitempty"`
	// modelRewrites are manifests of InferenceModelRewrites of llm-d, whose rules stand in
	// place of rewrites. Paths of a sweep name rewrites, as if they were stated, by the name
	// of the manifest.
	// +optional
	ModelRewrites *ManifestSource `json:"modelRewrites,omitempty"`
}

// RouteBackend is a router with its share of requests.
type RouteBackend struct {
	// router is the name of a router, or its model where it has no name.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Router string `json:"router,omitempty"`
	// weight is the share of the requests that go to the router, divided by the sum of all
	// weights. With 0, the router gets none.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000
	Weight *int32 `json:"weight,omitempty"`
}

// RouteRule gives the requests that match all its conditions to routers.
type RouteRule struct {
	// name is the name of the rule.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`
	// model is the model that the requests name: the adapter, or else the model.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Model string `json:"model,omitempty"`
	// headers are headers that the requests have, with their values.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	Headers map[string]HeaderValue `json:"headers,omitempty"`
	// backends are the routers, by their weights.
	// +required
	// +listType=map
	// +listMapKey=router
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Backends []RouteBackend `json:"backends,omitempty"`
}

// ModelRewrite gives the requests of a router that name a model another one.
type ModelRewrite struct {
	// name is the name of the rewrite.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`
	// router is the name of the router, or its model where it has no name. It is not set in
	// a scenario with one router.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Router string `json:"router,omitempty"`
	// model is the model that the requests name. A rewrite without model is for the
	// requests for which there is no other; the first of several such rewrites counts.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Model string `json:"model,omitempty"`
	// targets are the models that serve the requests, by their weights.
	// +required
	// +listType=map
	// +listMapKey=model
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Targets []RewriteTarget `json:"targets,omitempty"`
}

// RewriteTarget is a model with its share of requests.
type RewriteTarget struct {
	// model is the base model of the router, or a LoRA adapter.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Model string `json:"model,omitempty"`
	// weight is the share of the requests, divided by the sum of all weights. Targets
	// without weight get none, unless the sum is 0: then all get the same share.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000
	Weight *int32 `json:"weight,omitempty"`
}
