// SPDX-License-Identifier: Apache-2.0

package compile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
)

// given is a parameter of the scaler that exists at some values of another one.
func given(name, of string, at []string, values ...string) v1alpha1.Parameter {
	return v1alpha1.Parameter{
		Name: name, Path: "scalers[s].parameters." + name, Values: values,
		When: &v1alpha1.ParameterCondition{Parameter: of, Values: at},
	}
}

// A value that needs others is right where parameters that exist by it give them, and those
// are right with each other.
func TestValuesAreTriedWithWhatBelongsToThem(t *testing.T) {
	predictive := []string{"predictive"}
	capacity, period := given("capacity", "policy", predictive, "2", "4"), given("period", "method", []string{"seasonal"}, "10m")
	method := given("method", "policy", predictive, "seasonal", "holt-winters")
	for name, tc := range map[string]struct {
		parameters []v1alpha1.Parameter
		want       []string
	}{
		"a policy with what it needs":     {[]v1alpha1.Parameter{capacity}, nil},
		"values that need others in turn": {[]v1alpha1.Parameter{method, capacity, period}, nil},
		"a policy without what it needs": {nil, []string{
			`spec.parameters[0].values[1]: Invalid value: "predictive": makes the scenario invalid: scalers[0].parameters[capacity]: Required value: state the requests per second that one replica serves within its targets`}},
		"what belongs to another value": {[]v1alpha1.Parameter{given("capacity", "policy", []string{"queue-length"}, "2")}, []string{
			`spec.parameters[0].values[1]: Invalid value: "predictive": makes the scenario invalid: scalers[0].parameters[capacity]: Required value: state the requests per second that one replica serves within its targets`,
			`spec.parameters[1].values[0]: Invalid value: "2": makes the scenario invalid: scalers[0].parameters[capacity]: Invalid value: "capacity": unknown parameter; there are low, scaleInCooldown, scaleOut, scaleOutCooldown, step, target`}},
		"a value in turn without what it needs": {[]v1alpha1.Parameter{method, capacity}, []string{
			`spec.parameters[0].values[1]: Invalid value: "predictive": makes the scenario invalid: scalers[0].parameters[period]: Required value: state the time after which the rates repeat, such as 24h`,
			`spec.parameters[1].values[0]: Invalid value: "seasonal": makes the scenario invalid: scalers[0].parameters[period]: Required value: state the time after which the rates repeat, such as 24h`,
		}},
		"what belongs to a value is wrong": {[]v1alpha1.Parameter{given("capacity", "policy", predictive, "2", "-1")}, []string{
			`spec.parameters[1].values[1]: Invalid value: "-1": makes the scenario invalid: scalers[0].parameters[capacity]: Invalid value: "-1": must be a number greater than 0`}},
	} {
		t.Run(name, func(t *testing.T) {
			sweep := experimenttest.Sweep(t)
			scenario := &sweep.Spec.Scenario
			scenario.Scalers = []v1alpha1.Scaler{{Name: "s", Pools: []string{scenario.Pools[0].Name}, MaxReplicas: 20, Policy: "queue-length"}}
			policy := v1alpha1.Parameter{Name: "policy", Path: "scalers[s].policy", Values: []string{"queue-length", "predictive"}}
			sweep.Spec.Parameters = append([]v1alpha1.Parameter{policy}, tc.parameters...)
			sweep.Spec.Baseline = nil
			_, errs, err := compile.Sweep(t.Context(), sweep, experimenttest.TraceInputs(t))
			var got []string
			for _, e := range errs {
				got = append(got, e.Error())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
				t.Errorf("%v (−want +got):\n%s", err, diff)
			}
		})
	}
}
