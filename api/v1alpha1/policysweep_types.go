// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// PolicySweepSpec asks which variation of a scenario serves best.
//
// +kubebuilder:validation:XValidation:rule="self.search.algorithm != 'Capacity' || has(self.constraints)",message="Capacity needs constraints, which say what holding a load means",fieldPath=".constraints"
// +kubebuilder:validation:XValidation:rule="!has(self.search.capacity) || self.parameters.exists(p, p.name == self.search.capacity.load)",message="capacity.load must be the name of a parameter",fieldPath=".search"
// +kubebuilder:validation:XValidation:rule="!has(self.gates) || has(self.baseline) || self.gates.all(g, !has(g.versusBaseline))",message="versusBaseline needs a baseline",fieldPath=".gates"
// +kubebuilder:validation:XValidation:rule="!has(self.promote) || has(self.gates) || (has(self.promote.when) && self.promote.when == 'Complete')",message="a sweep without gates never passes; state gates, or promote when Complete",fieldPath=".promote"
// +kubebuilder:validation:XValidation:rule="self.search.algorithm != 'Grid' || self.parameters.all(p, !has(p.range) || has(p.range.step))",message="a Grid needs the step of every range; set step, or use algorithm Random",fieldPath=".parameters"
// +kubebuilder:validation:XValidation:rule="!has(self.baseline) || (self.baseline.parameters.all(b, self.parameters.exists(p, p.name == b.name)) && self.parameters.all(p, has(p.when) || self.baseline.parameters.exists(b, b.name == p.name)))",message="baseline must give every parameter of the sweep a value, and no other",fieldPath=".baseline.parameters"
type PolicySweepSpec struct {
	// scenario is the base that the parameters vary.
	// +required
	Scenario Scenario `json:"scenario,omitzero"`
	// parameters are what varies.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Parameters []Parameter `json:"parameters,omitempty"`
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
	// objectives rank the points, the first one first.
	// +required
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
	// gates are claims about the best point. They become condition Passed.
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
	ReuseFrom []string `json:"reuseFrom,omitempty"`
	// execution says how Kubernetes runs it.
	// +optional
	// +kubebuilder:default={}
	Execution Execution `json:"execution,omitzero"`
}

// Parameter is a place in the scenario and the values to try there.
//
// +kubebuilder:validation:ExactlyOneOf=range;values;profiles
// +kubebuilder:validation:XValidation:rule="!has(self.profiles) || self.path == 'router.endpointPickerConfig'",message="with profiles, path must be router.endpointPickerConfig"
type Parameter struct {
	// name identifies the parameter in results.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z]([-_A-Za-z0-9]*[A-Za-z0-9])?$`
	Name string `json:"name,omitempty"`
	// path leads into the scenario: field names joined by dots, list entries
	// by their name in brackets. Beneath router.endpointPickerConfig it steps
	// into the configuration as the EPP sees it, with defaults filled in, such
	// as router.endpointPickerConfig.schedulingProfiles[default].plugins[queue-scorer].weight.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Path string `json:"path,omitempty"`
	// range is an interval of numbers.
	// +optional
	Range *Range `json:"range,omitempty"`
	// values are listed, each as a string.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=256
	Values []string `json:"values,omitempty"`
	// profiles are whole EPP configurations, tried in place of the base's.
	// The path must be router.endpointPickerConfig.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Profiles []Profile `json:"profiles,omitempty"`
	// when says at which points the parameter exists. Elsewhere the scenario
	// keeps what it has at the path.
	// +optional
	When *ParameterCondition `json:"when,omitempty"`
}

// ParameterCondition is fulfilled where another parameter, listed before, has
// one of the values.
type ParameterCondition struct {
	// parameter is its name.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Parameter string `json:"parameter,omitempty"`
	// values are those under which the condition holds.
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
	// expression is in CEL and yields true or false. Parameters are variables
	// of their names, such as prefix / queue <= 1.33.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Expression string `json:"expression,omitempty"`
	// message says what it is for.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Message string `json:"message,omitempty"`
}

// RangeScale says how random points spread over a range.
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
// +kubebuilder:validation:XValidation:rule="!self.min.matches('^-?[0-9]+([.][0-9]+)?$') || !self.max.matches('^-?[0-9]+([.][0-9]+)?$') || double(self.min) <= double(self.max)",message="min must not be greater than max"
// +kubebuilder:validation:XValidation:rule="self.scale != 'Log' || self.min.matches('^[0-9.]*[1-9][0-9.]*$')",message="min must be greater than 0 when scale is Log"
type Range struct {
	// min is the least value.
	// +required
	Min Decimal `json:"min,omitempty"`
	// max is the greatest value.
	// +required
	Max Decimal `json:"max,omitempty"`
	// step is the distance of neighbouring values. A Grid needs one.
	// +optional
	Step PositiveDecimal `json:"step,omitempty"`
	// scale says how Random points spread.
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

// SearchAlgorithm names a way to choose points.
// +kubebuilder:validation:Enum=Grid;Random;Sobol;LatinHypercube;TPE;GP;CMAES;SuccessiveHalving;Hyperband;NSGA2;MAPElites;Capacity
type SearchAlgorithm string

const (
	// GridSearch tries every combination.
	GridSearch SearchAlgorithm = "Grid"
	// RandomSearch draws combinations at random, each once.
	RandomSearch SearchAlgorithm = "Random"
	// SobolSearch spreads points by a scrambled Sobol sequence.
	SobolSearch SearchAlgorithm = "Sobol"
	// LatinHypercubeSearch spreads points so that each parameter's range is
	// covered evenly.
	LatinHypercubeSearch SearchAlgorithm = "LatinHypercube"
	// TPESearch models where good points lie by a multivariate tree of Parzen
	// estimators.
	TPESearch SearchAlgorithm = "TPE"
	// GPSearch models the first objective by a Gaussian process and tries where
	// it expects most improvement.
	GPSearch SearchAlgorithm = "GP"
	// CMAESSearch adapts a normal distribution to the best points.
	CMAESSearch SearchAlgorithm = "CMAES"
	// SuccessiveHalvingSearch tries many points with little effort and goes on
	// with the best.
	SuccessiveHalvingSearch SearchAlgorithm = "SuccessiveHalving"
	// HyperbandSearch is SuccessiveHalving from several first efforts.
	HyperbandSearch SearchAlgorithm = "Hyperband"
	// NSGA2Search evolves a Pareto front of all objectives.
	NSGA2Search SearchAlgorithm = "NSGA2"
	// MAPElitesSearch keeps the best point of each kind of behaviour.
	MAPElitesSearch SearchAlgorithm = "MAPElites"
	// CapacitySearch finds for each point the highest load under which the
	// constraints hold.
	CapacitySearch SearchAlgorithm = "Capacity"
)

// Search chooses the points to simulate.
//
// +kubebuilder:validation:XValidation:rule="has(self.capacity) == (has(self.algorithm) && self.algorithm == 'Capacity')",message="algorithm Capacity needs capacity, and no other takes it",fieldPath=".capacity"
// +kubebuilder:validation:XValidation:rule="has(self.features) == (has(self.algorithm) && self.algorithm == 'MAPElites')",message="algorithm MAPElites needs features, and no other takes them",fieldPath=".features"
// +kubebuilder:validation:XValidation:rule="!has(self.halving) || self.algorithm in ['SuccessiveHalving', 'Hyperband']",message="halving goes with algorithms SuccessiveHalving and Hyperband",fieldPath=".halving"
// +kubebuilder:validation:XValidation:rule="!has(self.generationSize) || self.algorithm in ['TPE', 'GP', 'CMAES', 'NSGA2', 'MAPElites']",message="generationSize goes with algorithms that learn: TPE, GP, CMAES, NSGA2 and MAPElites",fieldPath=".generationSize"
type Search struct {
	// algorithm is the way to choose.
	// +optional
	// +kubebuilder:default=Grid
	Algorithm SearchAlgorithm `json:"algorithm,omitempty"`
	// maxTrials bounds the number of points. A Grid with more is refused; the
	// others try so many, or all that there are.
	// +optional
	// +kubebuilder:default=1000
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	MaxTrials int32 `json:"maxTrials,omitempty"`
	// maxFailedTrials is how many points may fail before the sweep does. A
	// point fails where its values do not go together.
	// +optional
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100000
	MaxFailedTrials int32 `json:"maxFailedTrials,omitempty"`
	// seed is that of the search's random draws.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	Seed int64 `json:"seed,omitempty"`
	// generationSize is how many points are tried side by side before the
	// algorithm learns from them. Where it is not set the algorithm chooses.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	GenerationSize *int32 `json:"generationSize,omitempty"`
	// halving says how SuccessiveHalving and Hyperband spend their effort.
	// +optional
	Halving *Halving `json:"halving,omitempty"`
	// capacity says what Capacity varies.
	// +optional
	Capacity *Capacity `json:"capacity,omitempty"`
	// features are what MAPElites tells behaviours apart by.
	// +optional
	// +listType=map
	// +listMapKey=metric
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=3
	Features []Feature `json:"features,omitempty"`
	// racing stops giving seeds to points that are worse than the best.
	// +optional
	Racing *Racing `json:"racing,omitempty"`
	// confirm is a number of further seeds under which the best point and the
	// baseline are simulated at the end. Gates are then judged by those alone: the
	// best of many points looks better than it is under the seeds that chose
	// it.
	// +optional
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=1000
	Confirm *int32 `json:"confirm,omitempty"`
}

// Halving says how effort grows from rung to rung.
type Halving struct {
	// fidelity is what a smaller effort has less of: requests, or seeds.
	// +optional
	// +kubebuilder:default=Requests
	Fidelity Fidelity `json:"fidelity,omitempty"`
	// minimum is the first rung's share of the full effort. Where it is not set
	// it is 1 ÷ reduction².
	// +optional
	Minimum Fraction `json:"minimum,omitempty"`
	// reduction is the factor by which points decrease, and effort increases,
	// from rung to rung.
	// +optional
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=10
	Reduction int32 `json:"reduction,omitempty"`
}

// Fidelity is what a smaller effort has less of.
// +kubebuilder:validation:Enum=Requests;Seeds
type Fidelity string

const (
	// RequestsFidelity shortens simulations.
	RequestsFidelity Fidelity = "Requests"
	// SeedsFidelity takes fewer of them.
	SeedsFidelity Fidelity = "Seeds"
)

// Capacity says what load is and how closely it is found.
type Capacity struct {
	// load is the parameter that is raised until the constraints break. It must
	// have a range.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Load string `json:"load,omitempty"`
	// precision is how far the load that holds and the one that breaks may be
	// apart, such as 2%.
	// +optional
	// +kubebuilder:default="2%"
	Precision Percentage `json:"precision,omitempty"`
	// confidence is that of a claim that the constraints hold at a load, or break,
	// over all looks at it with more seeds.
	// +optional
	// +kubebuilder:default="0.95"
	Confidence Fraction `json:"confidence,omitempty"`
	// maxSeeds bounds the seeds of one load where the evidence is not enough.
	// Where it is not set it is four times the replications.
	// +optional
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=1000
	MaxSeeds *int32 `json:"maxSeeds,omitempty"`
}

// Feature is a metric by which behaviours are told apart.
type Feature struct {
	// metric is the metric.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Metric string `json:"metric,omitempty"`
	// min is where the first bin begins. What is below falls into it.
	// +required
	Min Decimal `json:"min,omitempty"`
	// max is where the last bin ends. What is above falls into it.
	// +required
	Max Decimal `json:"max,omitempty"`
	// bins is their number.
	// +required
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=100
	Bins int32 `json:"bins,omitempty"`
}

// Racing drops points early.
type Racing struct {
	// confidence is the probability with which the point that is truly best gets
	// all of its seeds, over all comparisons and looks.
	// +optional
	// +kubebuilder:default="0.95"
	Confidence Fraction `json:"confidence,omitempty"`
	// first is the number of seeds that every point gets, less than the
	// replications. Of many points 3 drop few, since the correction for their
	// number asks for more evidence than so few seeds give; 4 to 6 save more.
	// +optional
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=1000
	First int32 `json:"first,omitempty"`
	// step is the number of seeds between looks.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Step int32 `json:"step,omitempty"`
}

// Direction says which way an objective improves.
// +kubebuilder:validation:Enum=Maximize;Minimize
type Direction string

const (
	// Maximize says that more is better.
	Maximize Direction = "Maximize"
	// Minimize says that less is better.
	Minimize Direction = "Minimize"
)

// Objective is a metric to improve.
type Objective struct {
	// metric is a name and a statistic, such as ttft.p99, and may select a
	// class, tenant or pool: ttft.p99{class=critical}. Or it is one of
	// spec.metrics.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Metric string `json:"metric,omitempty"`
	// direction says which way it improves.
	// +required
	Direction Direction `json:"direction,omitempty"`
}

// Constraint bounds a metric's mean over the seeds.
type Constraint struct {
	// metric is as that of an objective.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Metric string `json:"metric,omitempty"`
	// operator says on which side of the value the metric must be.
	// +required
	Operator Operator `json:"operator,omitempty"`
	// value is a number, a percentage such as 99%, or a duration such as 500ms.
	// +required
	Value MetricBound `json:"value,omitempty"`
}

// Promotion says what is written out, and when.
type Promotion struct {
	// format is that of the configuration: Source, as it was given, with only
	// the changed lines changed; Document, the EndpointPickerConfig alone;
	// ConfigMap or HelmValues, that document in such a wrapping.
	// +optional
	// +kubebuilder:default=Source
	Format PromotionFormat `json:"format,omitempty"`
	// when is Passed, once all gates pass, or Complete, whatever they say.
	// +optional
	// +kubebuilder:default=Passed
	When PromotionTime `json:"when,omitempty"`
}

// PromotionFormat is the format of a configuration that is written out.
// +kubebuilder:validation:Enum=Source;Document;ConfigMap;HelmValues
type PromotionFormat string

const (
	// SourceFormat is the one in which the configuration was given.
	SourceFormat PromotionFormat = "Source"
	// DocumentFormat is a bare EndpointPickerConfig.
	DocumentFormat PromotionFormat = "Document"
	// ConfigMapFormat is a ConfigMap that holds one.
	ConfigMapFormat PromotionFormat = "ConfigMap"
	// HelmValuesFormat is the values of llm-d's router chart that hold one.
	HelmValuesFormat PromotionFormat = "HelmValues"
)

// PromotionTime says when a configuration is written out.
// +kubebuilder:validation:Enum=Passed;Complete
type PromotionTime string

const (
	// PromoteWhenPassed waits for all gates to pass. A sweep without gates
	// promotes nothing then.
	PromoteWhenPassed PromotionTime = "Passed"
	// PromoteWhenComplete asks no gate.
	PromoteWhenComplete PromotionTime = "Complete"
)

// Follow says which points are simulated once more.
type Follow struct {
	// best is how many of the best points become SimulationRuns, which belong to
	// the sweep and keep full traces.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10
	Best int32 `json:"best,omitempty"`
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
// +kubebuilder:printcolumn:name="State",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Done",type=integer,JSONPath=`.status.progress.completed`
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
