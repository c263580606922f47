// SPDX-License-Identifier: Apache-2.0

package v1alpha1

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
