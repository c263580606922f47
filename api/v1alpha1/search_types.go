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

// Search chooses the points to simulate. The algorithm decides which settings go
// with it.
type Search struct {
	// algorithm is the method that chooses points.
	// +optional
	// +kubebuilder:default=Grid
	Algorithm SearchAlgorithm `json:"algorithm,omitempty"`
	// maxTrials is the maximum number of points. A Grid with more points is rejected.
	// The other algorithms try this number of points, or all points if there are
	// fewer.
	// +optional
	// +kubebuilder:default=1000
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	MaxTrials int32 `json:"maxTrials,omitempty"`
	// maxFailedTrials is the number of points that may fail before the sweep fails. A
	// point fails if its values contradict each other. If a parameter evolves, any
	// number may fail.
	// +optional
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100000
	MaxFailedTrials int32 `json:"maxFailedTrials,omitempty"`
	// seed is the seed of the search's random draws.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	Seed int64 `json:"seed,omitempty"`
	// generationSize is the number of points that are simulated in parallel before
	// the algorithm learns from them. It is derived by the algorithm.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	GenerationSize *int32 `json:"generationSize,omitempty"`
	// halving holds the settings of SuccessiveHalving and Hyperband.
	// +optional
	Halving *Halving `json:"halving,omitempty"`
	// capacity holds the settings of Capacity.
	// +optional
	Capacity *Capacity `json:"capacity,omitempty"`
	// features are the metrics by which MAPElites distinguishes behaviours.
	// +optional
	// +listType=map
	// +listMapKey=metric
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=3
	Features []Feature `json:"features,omitempty"`
	// islands are several archives of MAPElites in place of one.
	// +optional
	Islands *Islands `json:"islands,omitempty"`
	// racing stops points early that are worse than the best: they get no further
	// seeds.
	// +optional
	Racing *Racing `json:"racing,omitempty"`
	// confirm is the number of additional seeds with which the best point and the
	// baseline are simulated at the end. Gates then use only these seeds, because the
	// best of many points looks better than it is under the seeds of the search.
	// +optional
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=1000
	Confirm *int32 `json:"confirm,omitempty"`
}

// Halving says how the effort grows from rung to rung.
//
// +structType=atomic
type Halving struct {
	// fidelity is the quantity that a smaller effort reduces: requests or seeds.
	// +optional
	// +kubebuilder:default=Requests
	Fidelity Fidelity `json:"fidelity,omitempty"`
	// minimum is the first rung's share of the full effort. It is derived:
	// 1 ÷ reduction².
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

// Fidelity is the quantity that a smaller effort reduces.
// +kubebuilder:validation:Enum=Requests;Seeds
type Fidelity string

const (
	// RequestsFidelity shortens simulations.
	RequestsFidelity Fidelity = "Requests"
	// SeedsFidelity uses fewer seeds.
	SeedsFidelity Fidelity = "Seeds"
)

// Capacity says which parameter is the load, and how precisely the search finds
// the highest one.
type Capacity struct {
	// load is the name of the parameter that the search raises until the constraints
	// no longer hold. The parameter must have a range.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Load string `json:"load,omitempty"`
	// precision is the maximum distance between the highest load at which the
	// constraints hold and the lowest at which they do not, such as 2%.
	// +optional
	// +kubebuilder:default="2%"
	Precision Percentage `json:"precision,omitempty"`
	// confidence is the confidence of the decision whether the constraints hold at a
	// load, over all looks with more seeds.
	// +optional
	// +kubebuilder:default="0.95"
	Confidence Fraction `json:"confidence,omitempty"`
	// maxSeeds is the maximum number of seeds for one load if the evidence is not
	// sufficient. It is derived: four times the replications.
	// +optional
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=1000
	MaxSeeds *int32 `json:"maxSeeds,omitempty"`
	// demand is a load that a pool has to bear. With it, the search looks for the
	// smallest pool that meets the constraints at this load, and for the capacity of
	// this pool only.
	// +optional
	Demand *Demand `json:"demand,omitempty"`
}

// Demand is a load that a pool has to bear.
type Demand struct {
	// load is a value of the parameter that is the load.
	// +required
	Load PositiveDecimal `json:"load,omitempty"`
	// replicas is the name of the parameter that is the number of replicas of the pool.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Replicas string `json:"replicas,omitempty"`
	// headroom is how much more load the pool bears, such as 30%.
	// +optional
	Headroom Percentage `json:"headroom,omitempty"`
	// survive is the number of replicas that may fail: without them, the pool still
	// bears the load with its headroom.
	// +optional
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000
	Survive int32 `json:"survive,omitempty"`
}

// Feature is a metric by which MAPElites distinguishes behaviours.
type Feature struct {
	// metric is the metric.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Metric string `json:"metric,omitempty"`
	// min is the start of the first bin. Lower values fall into this bin.
	// +required
	Min Decimal `json:"min,omitempty"`
	// max is the end of the last bin. Higher values fall into this bin.
	// +required
	Max Decimal `json:"max,omitempty"`
	// bins is the number of bins.
	// +required
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=100
	Bins int32 `json:"bins,omitempty"`
}

// Racing stops points early that are worse than the best.
//
// +structType=atomic
type Racing struct {
	// confidence is the probability that the truly best point gets all of its seeds,
	// over all comparisons and looks.
	// +optional
	// +kubebuilder:default="0.95"
	Confidence Fraction `json:"confidence,omitempty"`
	// first is the number of seeds that every point gets. It must be less than the
	// replications. With many points, 3 seeds stop few points, because the correction
	// for multiple comparisons needs more evidence; 4 to 6 seeds save more.
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
