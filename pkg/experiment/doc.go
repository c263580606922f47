// SPDX-License-Identifier: Apache-2.0

// Package experiment connects the custom resources with the simulator. It holds the
// [Plan] of an object, with all references resolved and all defaults set, the [Point]s
// of the plan, and the [Round]s of simulations that a study requests. It runs no
// simulation and does not reconcile objects.
//
// The packages below pkg/experiment do the work:
//
//	preset    gives clients the fields of their presets
//	compile   compiles an object and its inputs into a Plan, or returns errors with field paths
//	study     makes rounds, rankings, verdicts and the status from rows of results
//	execute   runs any range of a round's simulations in this process
//	whatif    compares a simulation with others in which a request goes elsewhere
//	inspect   simulates a case and summarizes what went wrong, or tells the story of a decision
//	store     reads and writes rows and documents in ConfigMaps, and the report of a Job
//	advice    makes the promotion of a point, the report of a rollout, follow-up runs
//
// The local commands, the worker in a pod and the controllers share these packages, so
// they give the same results. store and study import only this package; preset imports
// none of them; compile and advice import preset and study; execute imports store and study;
// whatif imports execute; inspect imports whatif and execute.
package experiment
