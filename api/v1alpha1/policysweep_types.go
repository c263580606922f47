// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// PolicySweepSpec asks which variation of a scenario serves best.
//
// +kubebuilder:validation:XValidation:rule="self.search.algorithm != 'Capacity' || has(self.constraints)",message="Capacity needs constraints, which say what holding a load means",fieldPath=".constraints"
// +kubebuilder:validation:XValidation:rule="!has(self.search.capacity) || has(self.parameters) && self.parameters.exists(p, p.name == self.search.capacity.load)",message="capacity.load must be the name of a parameter",fieldPath=".search"
// +kubebuilder:validation:XValidation:rule="!has(self.gates) || has(self.baseline) || has(self.proposal) || self.gates.all(g, !has(g.versusBaseline))",message="versusBaseline needs a baseline",fieldPath=".gates"
// +kubebuilder:validation:XValidation:rule="!has(self.gates) || has(self.baseline) || has(self.proposal) || self.gates.all(g, !has(g.subject) || g.subject != 'EveryOther')",message="subject EveryOther needs a baseline",fieldPath=".gates"
// +kubebuilder:validation:XValidation:rule="!has(self.promote) || has(self.gates) || (has(self.promote.when) && self.promote.when == 'Complete')",message="a sweep without gates never passes; state gates, or promote when Complete",fieldPath=".promote"
// +kubebuilder:validation:XValidation:rule="self.search.algorithm != 'Grid' || !has(self.parameters) || self.parameters.all(p, !has(p.range) || has(p.range.step))",message="a Grid needs the step of every range; set step, or use algorithm Random",fieldPath=".parameters"
// +kubebuilder:validation:XValidation:rule="!has(self.baseline) || !has(self.parameters) || (self.baseline.parameters.all(b, self.parameters.exists(p, p.name == b.name)) && self.parameters.all(p, has(p.when) || self.baseline.parameters.exists(b, b.name == p.name)))",message="baseline must give every parameter of the sweep a value, and no other",fieldPath=".baseline.parameters"
// +kubebuilder:validation:XValidation:rule="has(self.parameters) != has(self.proposal)",message="must have one of parameters, which vary the scenario, and proposal, which is held against it",fieldPath=".parameters"
// +kubebuilder:validation:XValidation:rule="!has(self.proposal) || !has(self.baseline)",message="must not be set beside proposal, whose baseline is the scenario's own configuration",fieldPath=".baseline"
// +kubebuilder:validation:XValidation:rule="!has(self.proposal) || self.search.algorithm == 'Grid'",message="must be Grid, the default, beside proposal",fieldPath=".search.algorithm"
// +kubebuilder:validation:XValidation:rule="!has(self.proposal) || !has(self.scenario.router.policies)",message="replaces an EPP configuration, and the scenario's router has policies",fieldPath=".proposal"
// +kubebuilder:validation:XValidation:rule="has(self.objectives) || has(self.proposal) && has(self.gates) || self.search.algorithm == 'Capacity'",message="must be set, unless a proposal has gates or capacities are searched for",fieldPath=".objectives"
type PolicySweepSpec struct {
	// scenario is the base that the parameters vary.
	// +required
	Scenario Scenario `json:"scenario,omitzero"`
	// parameters are what varies.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Parameters []Parameter `json:"parameters,omitempty"`
	// proposal is an EPP configuration to roll out in place of the scenario's, which
	// is its baseline. Gates are about the proposal unless they say otherwise, and
	// promote writes it.
	// +optional
	Proposal *Proposal `json:"proposal,omitempty"`
	// rules are what the values of every point must fulfil together.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Rules []ParameterRule `json:"rules,omitempty"`
	// search chooses the points to simulate.
	// +optional
	// +kubebuilder:default={}
	Search Search `json:"search,omitzero"`
	// replications are the seeds, the same for every point.
	// +optional
	// +kubebuilder:default={}
	Replications Replications `json:"replications,omitzero"`
	// metrics are further ones, made of those that there are.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Metrics []DerivedMetric `json:"metrics,omitempty"`
	// objectives rank the points, the first one first. They may be left
	// out of a proposal with gates and of a search for capacities: they are the
	// metrics of the gates, or of the constraints, then.
	// +optional
	// +listType=map
	// +listMapKey=metric
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	Objectives []Objective `json:"objectives,omitempty"`
	// constraints are what a point must keep to: those that do not rank behind
	// all that do.
	// +optional
	// +listType=map
	// +listMapKey=metric
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	Constraints []Constraint `json:"constraints,omitempty"`
	// baseline is the point that the others are compared with.
	// +optional
	Baseline *Baseline `json:"baseline,omitempty"`
	// gates are claims about the best point, a named one, or every point but the
	// baseline. They become condition Passed.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Gates []Gate `json:"gates,omitempty"`
	// promote has the best point written out as the EPP configuration to roll
	// out, with a report, into a ConfigMap.
	// +optional
	Promote *Promotion `json:"promote,omitempty"`
	// follow has the best points simulated once more, with traces.
	// +optional
	Follow *Follow `json:"follow,omitempty"`
	// reuseFrom names other PolicySweeps and SimulationRuns of the namespace
	// whose results serve too where they are of the same simulations.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	// +kubebuilder:validation:items:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="must be the name of an object: lower case letters, digits, - and ., such as team-a.prompts"
	ReuseFrom []string `json:"reuseFrom,omitempty"`
	// execution says how Kubernetes runs it.
	// +optional
	// +kubebuilder:default={}
	Execution Execution `json:"execution,omitzero"`
}

// Proposal is an EPP configuration that somebody wants to roll out.
type Proposal struct {
	// endpointPickerConfig is the configuration.
	// +required
	EndpointPickerConfig EndpointPickerConfig `json:"endpointPickerConfig,omitzero"`
}

// Baseline is a point to compare with. It is simulated even where the search
// does not choose it.
type Baseline struct {
	// parameters give each parameter its value.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Parameters []Assignment `json:"parameters,omitempty"`
}

// Assignment is a parameter's value.
type Assignment struct {
	// name is the parameter's.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name,omitempty"`
	// value is the value as a string, or a profile's name.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Value string `json:"value,omitempty"`
}

// PolicySweepStatus says how far the sweep is and what came out.
type PolicySweepStatus struct {
	CommonStatus `json:",inline"`
	// best is the point that ranks first.
	// +optional
	Best *Candidate `json:"best,omitempty"`
	// baseline is the point compared with.
	// +optional
	Baseline *Candidate `json:"baseline,omitempty"`
	// paretoFront holds points that no other beats in every objective, best
	// first, at most 16 and as many as there is room for.
	// +optional
	// +listType=map
	// +listMapKey=point
	// +kubebuilder:validation:MaxItems=16
	ParetoFront []Candidate `json:"paretoFront,omitempty"`
	// leaderboard names the ConfigMap that holds the best points with all their
	// figures.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Leaderboard string `json:"leaderboard,omitempty"`
	// promoted names the ConfigMap that holds the configuration to roll out and
	// the report.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Promoted string `json:"promoted,omitempty"`
	// followed names the SimulationRuns of the best points, best first.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	// +kubebuilder:validation:items:MaxLength=253
	Followed []string `json:"followed,omitempty"`
}

// Candidate is a point and its objectives' values.
type Candidate struct {
	// point is its number.
	// +required
	Point int64 `json:"point"`
	// parameters are its values.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Parameters []Assignment `json:"parameters,omitempty"`
	// objectives are its results.
	// +optional
	// +listType=map
	// +listMapKey=metric
	// +kubebuilder:validation:MaxItems=8
	Objectives []MetricValue `json:"objectives,omitempty"`
	// summary is the candidate in one line, for people.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Summary string `json:"summary,omitempty"`
}

// PolicySweep compares variations of a scenario.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=sweep,categories=windtunnel
// +kubebuilder:metadata:annotations="argocd.argoproj.io/sync-options=ServerSideApply=true"
// +kubebuilder:printcolumn:name="State",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Done",type=integer,JSONPath=`.status.progress.completed`
// +kubebuilder:printcolumn:name="Underway",type=integer,JSONPath=`.status.progress.underway`
// +kubebuilder:printcolumn:name="Of",type=integer,JSONPath=`.status.progress.total`
// +kubebuilder:printcolumn:name="Passed",type=string,JSONPath=`.status.conditions[?(@.type=="Passed")].status`
// +kubebuilder:printcolumn:name="Best",type=string,JSONPath=`.status.best.summary`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
type PolicySweep struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the object's.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec is what is asked for.
	// +required
	Spec PolicySweepSpec `json:"spec,omitzero"`
	// status is what came of it.
	// +optional
	Status PolicySweepStatus `json:"status,omitzero"`
}

// PolicySweepList is a list of PolicySweeps.
//
// +kubebuilder:object:root=true
type PolicySweepList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []PolicySweep `json:"items"`
}
