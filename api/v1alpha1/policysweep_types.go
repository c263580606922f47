// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// PolicySweepSpec describes variations of a scenario to compare. A sweep has one of five
// modes (Proposal, Rollout, Capacity, Parameters, Workloads), which its fields decide.
//
// +kubebuilder:validation:XValidation:rule="!has(self.search.capacity) || has(self.parameters) && self.parameters.exists(p, p.name == self.search.capacity.load)",message="capacity.load must be the name of a parameter",fieldPath=".search.capacity.load"
// +kubebuilder:validation:XValidation:rule="!has(self.gates) || has(self.baseline) || has(self.proposal) || has(self.rollout) || self.gates.all(g, !has(g.versusBaseline))",message="versusBaseline needs a baseline",fieldPath=".gates"
// +kubebuilder:validation:XValidation:rule="!has(self.gates) || has(self.baseline) || has(self.proposal) || has(self.rollout) || self.gates.all(g, !has(g.subject) || g.subject != 'EveryOther')",message="subject EveryOther needs a baseline",fieldPath=".gates"
// +kubebuilder:validation:XValidation:rule="!has(self.rollout) || !has(self.gates) || self.gates.all(g, !has(g.subject) || g.subject == 'EveryOther')",message="gates of a rollout judge each step; leave subject out",fieldPath=".gates"
// +kubebuilder:validation:XValidation:rule="!has(self.promote) || has(self.gates) || (has(self.promote.when) && self.promote.when == 'Complete')",message="a sweep without gates never passes; state gates, or promote when Complete",fieldPath=".promote"
// +kubebuilder:validation:XValidation:rule="self.search.algorithm != 'Grid' || !has(self.parameters) || self.parameters.all(p, !has(p.range) || has(p.range.step))",message="a Grid needs the step of every range; set step, or use algorithm Random",fieldPath=".parameters"
// +kubebuilder:validation:XValidation:rule="!has(self.baseline) || !has(self.parameters) || (self.baseline.parameters.all(b, self.parameters.exists(p, p.name == b.name)) && self.parameters.all(p, has(p.when) || self.baseline.parameters.exists(b, b.name == p.name)))",message="baseline must give every parameter of the sweep a value, and no other",fieldPath=".baseline.parameters"
// +kubebuilder:validation:XValidation:rule="!has(self.workloads) || !has(self.follow)",message="must not be set together with workloads: a run has one workload, so write a SimulationRun with the sources of one of them",fieldPath=".follow"
type PolicySweepSpec struct {
	// scenario is the base scenario that the parameters vary. `kubectl explain
	// simulationrun.spec.scenario` describes its fields.
	// +required
	Scenario Scenario `json:"scenario,omitzero"`
	// parameters are the fields of the scenario that vary (mode Parameters). Without them,
	// a proposal and a rollout, the sweep simulates the scenario under its workloads (mode
	// Workloads).
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Parameters []Parameter `json:"parameters,omitempty"`
	// rules are conditions on the values of every point.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Rules []ParameterRule `json:"rules,omitempty"`
	// proposal is an EPP configuration to roll out in place of the scenario's
	// configuration, which is its baseline (mode Proposal). Gates without a subject judge the
	// proposal, and promote writes it.
	// +optional
	Proposal *Proposal `json:"proposal,omitempty"`
	// rollout moves traffic to a backend of the scenario's route in steps (mode Rollout).
	// The gates judge each step, against the route with a share of 0 for this backend.
	// +optional
	Rollout *Rollout `json:"rollout,omitempty"`
	// workloads are selections of the clients and traces of the scenario's workload.
	// The sweep simulates each point under all of them, with the same seeds. A metric
	// without a workload label is the mean over the workloads. Without them, the sweep
	// simulates each point under all sources together.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Workloads []SweepWorkload `json:"workloads,omitempty"`
	// baseline is the point with which the others are compared.
	// +optional
	Baseline *Baseline `json:"baseline,omitempty"`
	// search chooses the points to simulate.
	// +optional
	// +kubebuilder:default={}
	Search Search `json:"search,omitzero"`
	// replications are the seeds, the same for every point.
	// +optional
	// +kubebuilder:default={}
	Replications Replications `json:"replications,omitzero"`
	// objectives rank the points; the first objective decides first. They are optional
	// with gates and a proposal or a rollout, and with algorithm Capacity. They are then derived:
	// the metrics of the gates, or of the constraints.
	// +optional
	// +listType=map
	// +listMapKey=metric
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	Objectives []Objective `json:"objectives,omitempty"`
	// constraints are bounds that a point must meet. Points that do not meet them rank
	// behind all points that do.
	// +optional
	// +listType=map
	// +listMapKey=metric
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	Constraints []Constraint `json:"constraints,omitempty"`
	// gates are claims about the best point, a named point, or every point except the
	// baseline. Condition Passed shows their verdict.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Gates []Gate `json:"gates,omitempty"`
	// metrics are additional metrics, computed from the built-in ones.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Metrics []DerivedMetric `json:"metrics,omitempty"`
	// promote writes the files of the best point to roll out into a ConfigMap, with a
	// report: the EPP configuration, and the manifest of each scaler whose manifest the
	// sweep varies. Where no router has an EPP configuration, it writes the manifests
	// alone.
	// +optional
	Promote *Promotion `json:"promote,omitempty"`
	// follow simulates the best points once more, with traces.
	// +optional
	Follow *Follow `json:"follow,omitempty"`
	// execution says how Kubernetes runs the simulations.
	// +optional
	// +kubebuilder:default={}
	Execution Execution `json:"execution,omitzero"`
	// reuseFrom lists other PolicySweeps and SimulationRuns of the namespace. The
	// operator reuses their results for simulations that are the same.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	// +kubebuilder:validation:items:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="must be the name of an object: lower case letters, digits, - and ., such as team-a.prompts"
	ReuseFrom []string `json:"reuseFrom,omitempty"`
}

// Proposal is an EPP configuration to roll out.
type Proposal struct {
	// endpointPickerConfig is the configuration.
	// +required
	EndpointPickerConfig EndpointPickerConfig `json:"endpointPickerConfig,omitzero"`
}

// Baseline is the point with which others are compared. It is simulated even if the
// search does not choose it.
type Baseline struct {
	// parameters are the values of all parameters.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Parameters []Assignment `json:"parameters,omitempty"`
}

// Assignment is a parameter's value.
type Assignment struct {
	// name is the name of the parameter.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name,omitempty"`
	// value is the value as a string, the name of a profile or an alternative, or
	// scenario for the policy that the others evolve from.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Value string `json:"value,omitempty"`
}

// PolicySweepStatus is the progress and the results of a sweep.
type PolicySweepStatus struct {
	CommonStatus `json:",inline"`
	// best is the point that ranks first.
	// +optional
	Best *PointStatus `json:"best,omitempty"`
	// baseline is the point with which the others are compared, and its results.
	// +optional
	Baseline *PointStatus `json:"baseline,omitempty"`
	// paretoFront holds the points that no other point beats in every objective, best
	// first: at most 16, and fewer if the status has no room.
	// +optional
	// +listType=map
	// +listMapKey=point
	// +kubebuilder:validation:MaxItems=16
	ParetoFront []PointStatus `json:"paretoFront,omitempty"`
	// lineage is the line of the best point's policy, if it evolved, from the oldest
	// ancestor on: at most 10.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	Lineage []Ancestor `json:"lineage,omitempty"`
	// steps are what came of the gates at each step of the rollout, in order.
	// +optional
	// +listType=map
	// +listMapKey=percent
	// +kubebuilder:validation:MaxItems=20
	Steps []StepStatus `json:"steps,omitempty"`
	// leaderboard is the name of the ConfigMap that holds the best points with all
	// their figures.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Leaderboard string `json:"leaderboard,omitempty"`
	// promoted is the name of the ConfigMap that holds the files to roll out and the
	// report.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Promoted string `json:"promoted,omitempty"`
	// promotedSHA256 is the SHA-256 of the data of that ConfigMap as JSON with sorted keys, in hex.
	// Condition ResultsDamaged says that the ConfigMap has other data.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	PromotedSHA256 string `json:"promotedSHA256,omitempty"`
	// followed lists the names of the SimulationRuns of the best points, best first.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	// +kubebuilder:validation:items:MaxLength=253
	Followed []string `json:"followed,omitempty"`
}

// PointStatus is a point and its objectives' values.
type PointStatus struct {
	// point is the number of the point.
	// +required
	Point int64 `json:"point"`
	// parameters are the values of the point's parameters.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Parameters []Assignment `json:"parameters,omitempty"`
	// objectives are the point's results.
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
// +kubebuilder:printcolumn:name="Undelivered",type=integer,JSONPath=`.status.progress.underway`
// +kubebuilder:printcolumn:name="Of",type=integer,JSONPath=`.status.progress.total`
// +kubebuilder:printcolumn:name="Passed",type=string,JSONPath=`.status.conditions[?(@.type=="Passed")].status`
// +kubebuilder:printcolumn:name="Best",type=string,JSONPath=`.status.best.summary`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
type PolicySweep struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the object's metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec is the requested comparison.
	// +required
	Spec PolicySweepSpec `json:"spec,omitzero"`
	// status is the progress and the results.
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
