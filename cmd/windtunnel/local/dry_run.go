// SPDX-License-Identifier: Apache-2.0

package local

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
)

// runEstimate is what --dry-run says of an object: what would be simulated.
type runEstimate struct {
	cli.Identity
	Plan planSummary `json:"plan"`
	// warnings and findings are the plan's remarks, apart: a finding has a severity.
	warnings []string
	findings []experiment.Finding
	// learns says that the figures of the plan are the most that there can be.
	learns bool
}

// planSummary are the figures of a plan. Of a search that learns, points, simulations
// and what they take are the most that there can be.
type planSummary struct {
	Hash        string  `json:"hash"`
	Points      int64   `json:"points"`
	Simulations int64   `json:"simulations"`
	Seeds       []int64 `json:"seeds"`
	// Workloads is their number, where the sweep has some.
	Workloads int `json:"workloads,omitempty"`
	// Shards are the pods on a cluster; Parallelism how many simulations run at
	// once here.
	Shards      int32 `json:"shards"`
	Parallelism int   `json:"parallelism"`
	// CPUSeconds and MemoryBytes are estimates.
	CPUSeconds  float64 `json:"cpuSeconds"`
	MemoryBytes int64   `json:"memoryBytes"`
	ConfigMaps  int64   `json:"configMaps"`
	// Clients are those with a preset, with all of their fields.
	Clients  []any    `json:"clients,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// startSeconds is what a process takes of a core before it simulates: most of it
// for the rules of the kinds.
const startSeconds = 0.2

// How far estimates were off on the samples; docs/sweeps.md says more.
const (
	cpuEstimateError    = "the samples take 0.3 to 1.5 times that"
	memoryEstimateError = "the samples take 0.8 to 1.3 times that"
)

// estimate is what a plan amounts to.
func (o *Options) estimate(object cli.Identity, plan *experiment.Plan, execution *v1alpha1.Execution) (runEstimate, error) {
	st, err := study.New(plan)
	if err != nil {
		return runEstimate{}, err
	}
	status := study.Estimate(plan, st)
	return runEstimate{Identity: object, learns: plan.IsAdaptive(), warnings: plan.Warnings, findings: plan.Findings, Plan: planSummary{
		Hash: plan.Hash(), Points: status.Points, Simulations: status.Simulations, Seeds: plan.Seeds, Workloads: len(plan.Workloads),
		Shards: execution.Shards, Parallelism: o.Parallelism,
		CPUSeconds: twoDigits(startSeconds + study.CoreSeconds(plan, st)), MemoryBytes: study.PeakBytes(plan, st, o.Parallelism),
		ConfigMaps: status.ConfigMaps, Clients: expandedClients(plan), Warnings: plan.Remarks(),
	}}, nil
}

// expandedClients returns the clients of a plan that have the fields of a preset.
func expandedClients(plan *experiment.Plan) []any {
	workload := plan.Scenario["workload"].(experiment.Tree)
	clients, _ := workload["clients"].([]any)
	return slices.DeleteFunc(slices.Clone(clients), func(client any) bool {
		name, _ := client.(experiment.Tree)["name"].(string)
		return !slices.Contains(plan.Expanded, name)
	})
}

// twoDigits rounds an estimate to two digits.
func twoDigits(x float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 2, 64), 64)
	if err != nil {
		return x
	}
	return rounded
}

func (o runEstimate) table(w io.Writer) error {
	p := &o.Plan
	fmt.Fprintf(w, "%s %s: nothing is simulated.\n\n", o.Kind, o.Metadata.Name)
	PrintWarnings(w, o.warnings, o.findings...)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	points, atMost, forOneCore := "", "", "estimated for one core"
	if o.learns {
		points, atMost = "\tat most: the search learns, and ends when it knows enough", "at most, "
		forOneCore = "estimated for one core and all simulations, at the loads of the first"
	}
	fmt.Fprintf(t, "points\t%d%s\n", p.Points, points)
	fmt.Fprintf(t, "seeds\t%d\t%s\n", len(p.Seeds), seedList(p.Seeds))
	if p.Workloads > 0 {
		fmt.Fprintf(t, "workloads\t%d\teach with all points and seeds\n", p.Workloads)
	}
	fmt.Fprintf(t, "simulations\t%d\t%s%d at once here\n", p.Simulations, atMost, p.Parallelism)
	fmt.Fprintf(t, "shards\t%d\tpods on a cluster\n", p.Shards)
	fmt.Fprintf(t, "CPU time\t%s s\t%s: %s\n", strconv.FormatFloat(p.CPUSeconds, 'f', -1, 64), forOneCore, cpuEstimateError)
	fmt.Fprintf(t, "memory\t%d MiB\testimated for this process at its peak: %s\n", int64(math.Ceil(float64(p.MemoryBytes)/(1<<20))), memoryEstimateError)
	fmt.Fprintf(t, "ConfigMaps\t%d\tof results, on a cluster\n", p.ConfigMaps)
	if n := len(p.Clients); n > 0 {
		fmt.Fprintf(t, "presets\t%d\tof clients: -o yaml prints their fields\n", n)
	}
	return t.Flush()
}

// manySeeds are too many for a line.
const manySeeds = 10

func seedList(seeds []int64) string {
	var texts []string
	for _, seed := range seeds[:min(len(seeds), manySeeds)] {
		texts = append(texts, strconv.FormatInt(seed, 10))
	}
	if len(seeds) > manySeeds {
		texts = append(texts, "…")
	}
	return strings.Join(texts, ", ")
}

// PrintEstimates prints what Runs or Sweeps amount to.
func PrintEstimates[T interface {
	estimate(*Options) (runEstimate, error)
}](o *Options, stdout io.Writer, objects []T) error {
	var all []runEstimate
	for _, object := range objects {
		estimate, err := object.estimate(o)
		if err != nil {
			return err
		}
		all = append(all, estimate)
	}
	return o.Output.PrintEach(stdout, len(all), func(i int, stdout io.Writer) error {
		if o.Output != cli.Table {
			return o.Output.Write(stdout, all[i])
		}
		if i > 0 {
			fmt.Fprintln(stdout)
		}
		return all[i].table(stdout)
	})
}
