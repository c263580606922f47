// SPDX-License-Identifier: Apache-2.0

package starter

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// SizeOptions ask for the smallest pool that bears the load of a scenario.
type SizeOptions struct {
	// Pool names the pool, and Load is the path of the load; each may be empty where the
	// scenario has one.
	Pool, Load string
	// MaxReplicas bounds the pools that are tried.
	MaxReplicas int
	// Headroom is a percentage such as 30%; "" is none.
	Headroom v1alpha1.Percentage
	Survive  int
	// Constraints say what it is to bear a load.
	Constraints []v1alpha1.Constraint
}

// The parameters of a sweep for a size.
const (
	SizeReplicas = "replicas"
	SizeLoad     = "load"
)

const (
	// sizeSeeds are the seeds of a load where the run has fewer than leastSeeds: one seed
	// decides nothing.
	sizeSeeds, leastSeeds = 5, 3
	// loadsAround is how many times the load, and which part of it, the search may try.
	loadsAround = 64
	// moreTrials are those of loads, in addition to those of pools.
	moreTrials = 1000
)

// Size is the sweep that looks for the smallest pool that bears the load of a run. Errors
// are at fields of the run.
func Size(run *v1alpha1.SimulationRun, o *SizeOptions) (*v1alpha1.PolicySweep, field.ErrorList) {
	at := field.NewPath("spec", "scenario")
	pool, errs := poolToSize(&run.Spec.Scenario, o.Pool, at)
	load, more := loadOf(&run.Spec.Scenario.Workload, o.Load, at.Child("workload"))
	if errs = append(errs, more...); len(errs) > 0 {
		return nil, errs
	}
	sweep := &v1alpha1.PolicySweep{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.PolicySweepKind},
		ObjectMeta: metav1.ObjectMeta{Name: run.Name, Namespace: run.Namespace},
		Spec: v1alpha1.PolicySweepSpec{
			Scenario: run.Spec.Scenario, Replications: seedsToSize(run.Spec.Replications), Metrics: run.Spec.Metrics,
			Execution: run.Spec.Execution.Execution, Constraints: o.Constraints,
			Parameters: []v1alpha1.Parameter{
				{Name: SizeReplicas, Path: fmt.Sprintf("pools[%s].replicas", pool), Range: &v1alpha1.Range{Min: "1", Max: v1alpha1.Decimal(strconv.Itoa(o.MaxReplicas)), Step: "1"}},
				{Name: SizeLoad, Path: load.path, Range: load.around(o.Headroom)},
			},
			Search: v1alpha1.Search{
				Algorithm: v1alpha1.CapacitySearch, MaxTrials: int32(o.MaxReplicas + moreTrials),
				Capacity: &v1alpha1.Capacity{
					Load: SizeLoad, Precision: "5%",
					Demand: &v1alpha1.Demand{Load: load.value, Replicas: SizeReplicas, Headroom: o.Headroom, Survive: int32(o.Survive)},
				},
			},
		},
	}
	return sweep, nil
}

// poolToSize is the name of the pool whose replicas are counted.
func poolToSize(in *v1alpha1.Scenario, name string, at *field.Path) (string, field.ErrorList) {
	var names []string
	for i := range in.Pools {
		names = append(names, in.Pools[i].Name)
	}
	switch {
	case name == "" && len(names) > 1:
		return "", field.ErrorList{field.Required(at.Child("pools"), fmt.Sprintf("there are several pools, and a size is that of one: name it with --pool (%s)", strings.Join(names, ", ")))}
	case name == "":
		name = names[0]
	case !slices.Contains(names, name):
		return "", field.ErrorList{field.NotSupported(field.NewPath("--pool"), name, names)}
	}
	for i := range in.Scalers {
		if slices.Contains(in.Scalers[i].Pools, name) {
			return "", field.ErrorList{field.Forbidden(at.Child("scalers").Index(i).Child("pools"), fmt.Sprintf("scaler %s changes the replicas of pool %s, and a size is fixed: remove the scaler", in.Scalers[i].Name, name))}
		}
	}
	return name, nil
}

// sizeLoad is the field that is the load, and its value now.
type sizeLoad struct {
	path  string
	value v1alpha1.PositiveDecimal
}

// loadOf is the load of a workload: the one of the path, or the only one.
func loadOf(in *v1alpha1.Workload, path string, at *field.Path) (sizeLoad, field.ErrorList) {
	loads, fixed := loadsOf(in, at)
	var paths []string
	for _, l := range loads {
		paths = append(paths, l.path)
	}
	i := slices.Index(paths, strings.TrimPrefix(path, "spec.scenario."))
	switch {
	case path == "" && len(loads) == 0:
		return sizeLoad{}, fixed
	case path == "" && len(loads)+len(fixed) > 1:
		return sizeLoad{}, field.ErrorList{field.Required(at, fmt.Sprintf("it has several sources of requests, and one of them is raised to find how much a pool bears, while the others stay: name it with --load (%s)", strings.Join(paths, ", ")))}
	case path == "":
		return loads[0], nil
	case i < 0:
		return sizeLoad{}, field.ErrorList{field.NotSupported(field.NewPath("--load"), path, paths)}
	default:
		return loads[i], nil
	}
}

// BesideLoad says how many sources of requests a workload has in addition to that of the path of a load.
func BesideLoad(in *v1alpha1.Workload, path string) int {
	loads, fixed := loadsOf(in, nil)
	rest := slices.DeleteFunc(loads, func(l sizeLoad) bool { return l.path == path })
	return len(rest) + len(fixed)
}

// loadsOf are the rates of the sources, and why other sources have none.
func loadsOf(in *v1alpha1.Workload, at *field.Path) (loads []sizeLoad, fixed field.ErrorList) {
	if in.Trace != nil {
		loads = append(loads, sizeLoad{"workload.trace.rateScale", in.Trace.RateScale})
	}
	for i := range in.Traces {
		loads = append(loads, sizeLoad{fmt.Sprintf("workload.traces[%s].rateScale", in.Traces[i].Name), in.Traces[i].RateScale})
	}
	for i := range in.Clients {
		c, path := &in.Clients[i], fmt.Sprintf("workload.clients[%s]", in.Clients[i].Name)
		switch {
		case c.Arrivals.Rate != "":
			loads = append(loads, sizeLoad{path + ".arrivals.rate", c.Arrivals.Rate})
		case c.Preset != nil && c.Preset.Rate != "":
			// The preset's rate is this field once its fields are the client's.
			loads = append(loads, sizeLoad{path + ".arrivals.rate", c.Preset.Rate})
		case c.ClosedLoop != nil:
			fixed = append(fixed, field.Forbidden(at.Child("clients").Index(i).Child("closedLoop"), "users who wait for answers slow down with the pool, so that they have no rate to bear: state arrivals.rate"))
		default:
			fixed = append(fixed, field.Forbidden(at.Child("clients").Index(i).Child("arrivals"), "a rate by stages is no single number: state arrivals.rate, with a profile for its shape"))
		}
	}
	return loads, fixed
}

// around is the range of loads that the search may try.
func (l sizeLoad) around(headroom v1alpha1.Percentage) *v1alpha1.Range {
	now := l.value.Float()
	more, err := strconv.ParseFloat(strings.TrimSuffix(string(headroom), "%"), 64)
	if err != nil {
		more = 0 // the schema says what is wrong with it
	}
	text := func(x float64) v1alpha1.Decimal { return v1alpha1.Decimal(strconv.FormatFloat(x, 'f', -1, 64)) }
	return &v1alpha1.Range{Min: text(now / loadsAround), Max: text(now * (1 + more/100) * loadsAround), Scale: v1alpha1.LogScale}
}

// seedsToSize are the seeds of the run, or as many as it takes to tell.
func seedsToSize(in v1alpha1.Replications) v1alpha1.Replications {
	if len(in.Seeds) >= leastSeeds || len(in.Seeds) == 0 && in.Count != nil && *in.Count >= leastSeeds {
		return in
	}
	if len(in.Seeds) > 0 {
		in.Seed, in.Seeds = &in.Seeds[0], nil
	}
	count := int32(sizeSeeds)
	in.Count = &count
	return in
}
