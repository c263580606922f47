// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// SweepMode is one member of the union that a sweep is: what a sweep compares. A sweep has
// the first of SweepModes whose fields it has, and its other fields must fit that mode.
//
// `make manifests` makes a rule of the CRD for each field that a mode needs or excludes, and a
// test the table of docs/api.md. Fields are paths below spec.
//
// +kubebuilder:object:generate=false
type SweepMode struct {
	Name string
	// Answers is what the sweep finds out.
	Answers string
	// Fields says which fields choose the mode, and Chosen says it in CEL, as one operand.
	Fields, Chosen string
	// Needs are fields that must be set. Of two that | separates, one must be set.
	Needs []string
	// Excludes are fields that must not be set.
	Excludes []string
	// OnlyGrid says that the mode has no search: its algorithm is the default, Grid.
	OnlyGrid bool
}

// SweepModes are all modes, in the order in which they are tried. Workloads is the last: a
// sweep that varies nothing and proposes nothing has to have workloads.
var SweepModes = []SweepMode{
	{
		Name:     "Proposal",
		Answers:  "whether an EPP configuration may replace the one of the scenario, which is the baseline",
		Fields:   "with a proposal",
		Chosen:   "has(self.proposal)",
		Needs:    []string{"objectives|gates", "scenario.router"},
		Excludes: []string{"parameters", "rollout", "baseline", "scenario.router.policies"},
		OnlyGrid: true,
	},
	{
		Name:     "Rollout",
		Answers:  "how far traffic may move to a backend of a route in steps; the baseline is the share 0",
		Fields:   "with a rollout",
		Chosen:   "has(self.rollout)",
		Needs:    []string{"gates", "scenario.route"},
		Excludes: []string{"parameters", "rules", "baseline", "promote"},
		OnlyGrid: true,
	},
	{
		Name:    "Capacity",
		Answers: "the highest load at which each point meets the constraints",
		Fields:  "with algorithm Capacity",
		Chosen:  "(self.search.algorithm == 'Capacity')",
		Needs:   []string{"parameters", "constraints"},
	},
	{
		Name:    "Parameters",
		Answers: "which values of the parameters serve best",
		Fields:  "with parameters",
		Chosen:  "has(self.parameters)",
		Needs:   []string{"objectives"},
	},
	{
		Name:     "Workloads",
		Answers:  "how the scenario serves each of several workloads",
		Fields:   "without parameters, proposal and rollout",
		Needs:    []string{"workloads", "objectives"},
		Excludes: []string{"baseline", "rules"},
		OnlyGrid: true,
	},
}

// SearchSetting is a field of Search that belongs to some algorithms.
//
// +kubebuilder:object:generate=false
type SearchSetting struct {
	// Field is the name below spec.search.
	Field string
	// Algorithms are those that take the field.
	Algorithms []SearchAlgorithm
	// Required says that these algorithms need the field.
	Required bool
}

// SearchSettings are the members of the union that Search is. `make manifests` makes rules of
// the CRD out of them.
var SearchSettings = []SearchSetting{
	{"capacity", []SearchAlgorithm{CapacitySearch}, true},
	{"features", []SearchAlgorithm{MAPElitesSearch}, true},
	{"islands", []SearchAlgorithm{MAPElitesSearch}, false},
	{"halving", []SearchAlgorithm{SuccessiveHalvingSearch, HyperbandSearch}, false},
	{"generationSize", []SearchAlgorithm{TPESearch, GPSearch, CMAESSearch, NSGA2Search, MAPElitesSearch}, false},
}
