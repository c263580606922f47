// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Parameter is a field of the scenario and the values to try for it.
//
// +kubebuilder:validation:ExactlyOneOf=range;values;profiles;alternatives;evolve
// +kubebuilder:validation:XValidation:rule="!has(self.profiles) || self.path == 'router.endpointPickerConfig' || self.path.startsWith('routers[') && self.path.endsWith('].endpointPickerConfig')",message="with profiles, path must be router.endpointPickerConfig, or routers[MODEL].endpointPickerConfig",fieldPath=".path"
// +kubebuilder:validation:XValidation:rule="!has(self.alternatives) || (self.path == 'router' || self.path.startsWith('routers[') && self.path.endsWith(']') ? self.alternatives.all(a, has(a.router)) : self.path == 'router.admission' || self.path.startsWith('routers[') && self.path.endsWith('].admission') ? self.alternatives.all(a, has(a.admission)) : self.path.startsWith('pools[') && self.path.endsWith('].engine') && self.alternatives.all(a, has(a.engine)))",message="with alternatives, path must be router, router.admission, routers[MODEL], routers[MODEL].admission or pools[NAME].engine, and each alternative must have what the path leads to",fieldPath=".path"
type Parameter struct {
	// name identifies the parameter in results.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z]([-_A-Za-z0-9]*[A-Za-z0-9])?$`
	Name string `json:"name,omitempty"`
	// path is the path of the field in the scenario: field names joined by dots, and
	// list entries by their name in brackets, or by their number from 0 if they have
	// none. Below router.endpointPickerConfig the
	// path refers to the configuration as the EPP sees it, with defaults filled in,
	// such as
	// router.endpointPickerConfig.schedulingProfiles[default].plugins[queue-scorer].weight.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Path string `json:"path,omitempty"`
	// range is an interval of numbers.
	// +optional
	Range *Range `json:"range,omitempty"`
	// values are the values to try, each as a string.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=256
	Values []string `json:"values,omitempty"`
	// profiles are whole EPP configurations to try in place of the scenario's. The
	// path must be router.endpointPickerConfig, or with routers
	// routers[MODEL].endpointPickerConfig.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Profiles []Profile `json:"profiles,omitempty"`
	// alternatives are whole parts to try in place of the scenario's: routers (EPP
	// configurations and native policies), admissions, or engines with their
	// schedulers. The path must be router, router.admission or pools[NAME].engine, or
	// with routers routers[MODEL] or routers[MODEL].admission.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Alternatives []Alternative `json:"alternatives,omitempty"`
	// evolve has the search make policies out of the bundle of a router. The path must
	// be router.policies.bundle, or with routers routers[MODEL].policies.bundle, and
	// the algorithm MAPElites.
	// +optional
	Evolve *Evolution `json:"evolve,omitempty"`
	// when is the condition under which the parameter exists. At other points the
	// scenario keeps its own value at the path.
	// +optional
	When *ParameterCondition `json:"when,omitempty"`
}

// ParameterCondition is true at points where another, earlier parameter has one of
// the values.
type ParameterCondition struct {
	// parameter is the name of the other parameter.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Parameter string `json:"parameter,omitempty"`
	// values are the values for which the condition is true.
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=256
	Values []string `json:"values,omitempty"`
}

// ParameterRule is a condition on the values of a point.
type ParameterRule struct {
	// expression is a CEL expression that yields true or false. The names of
	// parameters are its variables, such as prefix / queue <= 1.33.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Expression string `json:"expression,omitempty"`
	// message explains the purpose of the rule.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Message string `json:"message,omitempty"`
}

// RangeScale says how random points are distributed over a range.
// +kubebuilder:validation:Enum=Linear;Log
type RangeScale string

const (
	// LinearScale spreads points evenly.
	LinearScale RangeScale = "Linear"
	// LogScale spreads their logarithms evenly.
	LogScale RangeScale = "Log"
)

// Range is an interval of numbers, ends included.
//
// +kubebuilder:validation:XValidation:rule="!self.min.matches('^-?[0-9]+([.][0-9]+)?$') || !self.max.matches('^-?[0-9]+([.][0-9]+)?$') || double(self.min) <= double(self.max)",message="min must not be greater than max",fieldPath=".min"
// +kubebuilder:validation:XValidation:rule="self.scale != 'Log' || self.min.matches('^[0-9.]*[1-9][0-9.]*$')",message="min must be greater than 0 when scale is Log",fieldPath=".min"
type Range struct {
	// min is the least value.
	// +required
	Min Decimal `json:"min,omitempty"`
	// max is the greatest value.
	// +required
	Max Decimal `json:"max,omitempty"`
	// step is the distance between neighbouring values. A Grid needs a step.
	// +optional
	Step PositiveDecimal `json:"step,omitempty"`
	// scale says how Random points are distributed.
	// +optional
	// +kubebuilder:default=Linear
	Scale RangeScale `json:"scale,omitempty"`
}

// Profile is a named EPP configuration.
type Profile struct {
	// name identifies the profile in results.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$`
	Name string `json:"name,omitempty"`
	// endpointPickerConfig is the configuration.
	// +required
	EndpointPickerConfig EndpointPickerConfig `json:"endpointPickerConfig,omitzero"`
}
