// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestFaultsOfASpecHaveTheirPaths(t *testing.T) {
	for name, tc := range map[string]struct {
		spec Spec
		want []string
	}{
		"no such scheduler":   {Spec{Scheduler: "Fastest"}, []string{`engine.scheduler: Invalid value: "Fastest": unknown scheduler; there are FCFS, Priority, ReversePriority, ShortestPrompt, ShortestPredicted, ShortestOracle, EarliestDeadline, WeightedFair, LeastAttainedService`}},
		"no such victim":      {Spec{Victim: "LowestRanks"}, []string{`engine.victim: Invalid value: "LowestRanks": unknown victim; there are LastAdmitted, LowestRank, FewestComputedTokens, MostBlocks; did you mean "LowestRank"?`}},
		"no parameters":       {Spec{Scheduler: "Priority", Parameters: map[string]string{"error": "1"}}, []string{`engine.schedulerParameters[error]: Forbidden: Priority has no parameters`}},
		"an exact prediction": {Spec{Scheduler: "ShortestPredicted", Parameters: map[string]string{"error": "0"}}, []string{`engine.schedulerParameters[error]: Invalid value: "0": must be a number greater than 0 and at most 10`}},
		"a uniform error above 1": {
			Spec{Scheduler: "ShortestPredicted", Parameters: map[string]string{"error": "1.5", "distribution": "uniform"}},
			[]string{`engine.schedulerParameters[error]: Invalid value: "1.5": must be a number greater than 0 and at most 1`},
		},
		"all at once": {
			Spec{Scheduler: "ShortestPredicted", Parameters: map[string]string{"error": "x", "distribution": "flat", "eror": "1"}, Victim: "Nobody"},
			[]string{
				`engine.schedulerParameters[distribution]: Unsupported value: "flat": supported values: "logNormal", "uniform"`,
				`engine.schedulerParameters[error]: Invalid value: "x": must be a number greater than 0 and at most 10`,
				`engine.schedulerParameters[eror]: Invalid value: "eror": unknown parameter; there are distribution, error; did you mean "error"?`,
				`engine.victim: Invalid value: "Nobody": unknown victim; there are LastAdmitted, LowestRank, FewestComputedTokens, MostBlocks`,
			},
		},
		"a weight of nobody": {Spec{Scheduler: "WeightedFair", Parameters: map[string]string{"weight:": "1"}}, []string{`engine.schedulerParameters[weight:]: Invalid value: "weight:": unknown parameter; there are weight:TENANT; did you mean "weight:TENANT"?`}},
		"a weight of 0":      {Spec{Scheduler: "WeightedFair", Parameters: map[string]string{"weight:a": "0"}}, []string{`engine.schedulerParameters[weight:a]: Invalid value: "0": must be a number greater than 0 and at most 1000000`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := Load(tc.spec, field.NewPath("engine"))
			var got []string
			for _, err := range errs {
				got = append(got, err.Error())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("faults (−want +got):\n%s", diff)
			}
		})
	}
}

func TestWeightsAreOfTenants(t *testing.T) {
	at := field.NewPath("engine")
	c, errs := Load(Spec{Scheduler: "WeightedFair", Parameters: map[string]string{"weight:free": "2", "weight:fre": "3"}}, at)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	got := fmt.Sprint(c.CheckTenants([]string{"paid", "free"}, at))
	if want := `engine.schedulerParameters[weight:fre]: Invalid value: "fre": unknown tenant: no client and no trace names it; there are paid, free; did you mean "free"?`; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	s := c.Factory(Environment{Tenants: []string{"paid", "free"}})()
	if diff := cmp.Diff([]float64{1, 2}, s.Listener.(*weightedFair).weights); diff != "" {
		t.Errorf("weights (−want +got):\n%s", diff)
	}
}

// Each scheduler has its own victim, and takes any other one.
func TestEverySchedulerIsMade(t *testing.T) {
	for _, p := range Policies() {
		for _, v := range append([]VictimPolicy{{}}, Victims()...) {
			c, errs := Load(Spec{Scheduler: p.Name, Victim: v.Name}, nil)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			s := c.Factory(Environment{})()
			want := v.Name
			if want == "" {
				want = p.Victim
			}
			if (s.Victim == nil) != (want == "LastAdmitted") {
				t.Errorf("%s with victim %q preempts the last admitted: %v", p.Name, v.Name, s.Victim == nil)
			}
		}
	}
}

// Two engines share no state.
func TestEachEngineHasItsOwnState(t *testing.T) {
	for _, p := range Policies() {
		c, errs := Load(Spec{Scheduler: p.Name}, nil)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		make := c.Factory(Environment{})
		if a, b := make(), make(); a.Service != nil && a.Service == b.Service {
			t.Errorf("two engines with %s count together", p.Name)
		}
	}
}
