// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

func gatewayPolicy(name string, parameters ...string) *v1alpha1.GatewayPolicy {
	p := &v1alpha1.GatewayPolicy{Policy: name, Parameters: map[string]v1alpha1.PolicyParameter{}}
	for i := 0; i < len(parameters); i += 2 {
		p.Parameters[parameters[i]] = v1alpha1.PolicyParameter(parameters[i+1])
	}
	return p
}

// Faults of the policies before the router have the paths of the user's fields, also
// where each model has a router of its own.
func TestFaultsOfGatewayPoliciesHaveTheirPaths(t *testing.T) {
	labels := workload.Labels{Tenants: []string{"acme"}, Classes: []string{"default"}}
	router := v1alpha1.Router{
		Admission: gatewayPolicy("tenant-budget", "share:acne", "2"),
		Priority:  gatewayPolicy("deadlines"),
	}
	wantAdmission := `admission.parameters[share:acne]: Invalid value: "acne": unknown tenant; there are acme; did you mean "acme"?`
	wantPriority := `priority.policy: Invalid value: "deadlines": unknown policy; there are constant, class, tenant, class-age, deadline, least-attained-service; did you mean "deadline"?`
	for name, tc := range map[string]struct {
		scenario v1alpha1.Scenario
		want     []string
	}{
		"one router": {
			v1alpha1.Scenario{Router: router},
			[]string{"spec.router." + wantAdmission, "spec.router." + wantPriority},
		},
		"routers of models": {
			v1alpha1.Scenario{
				Pools:   []v1alpha1.Pool{{Name: "a", Model: "one"}, {Name: "b", Model: "two"}},
				Routers: []v1alpha1.ModelRouter{{Model: "one"}, {Model: "two", Router: router}},
			},
			[]string{"spec.routers[1]." + wantAdmission, "spec.routers[1]." + wantPriority},
		},
		"a bound on priorities of which only the order counts": {
			v1alpha1.Scenario{Router: v1alpha1.Router{Admission: gatewayPolicy("saturation"), Priority: gatewayPolicy("class-age")}},
			[]string{`spec.router.admission.policy: Invalid value: "saturation": sheds requests below a priority, and only the order of the priorities of class-age means something: use another admission, or a priority with numbers of your own, such as class or tenant`},
		},
		"a bound on priorities of classes": {
			v1alpha1.Scenario{Router: v1alpha1.Router{Admission: gatewayPolicy("saturation"), Priority: gatewayPolicy("class")}}, nil,
		},
		"an order of priorities without a bound": {
			v1alpha1.Scenario{Router: v1alpha1.Router{Admission: gatewayPolicy("tier-shed"), Priority: gatewayPolicy("class-age")}}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, e := range validateGateway(&tc.scenario, labels, field.NewPath("spec")) {
				got = append(got, e.Error())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(−want +got):\n%s", diff)
			}
		})
	}
}

// A selection of the workload's sources may lack tenants that a policy names.
func TestASelectionMayLackTenantsOfPolicies(t *testing.T) {
	in := v1alpha1.Scenario{Router: v1alpha1.Router{Admission: gatewayPolicy("tenant-budget", "share:free", "2")}}
	labels := workload.Labels{Tenants: []string{"acme"}, Classes: []string{"default"}}
	if _, errs := loadGateway(&in, labels, true, nil, nil); len(errs) > 0 {
		t.Error(errs)
	}
	if _, errs := loadGateway(&in, labels, false, nil, nil); len(errs) != 1 {
		t.Errorf("with all sources: %v, want one error", errs)
	}
}

// The policy stability is the admission of the controllers that the pools have.
func TestTheAdmissionByStabilityAsksTheControllers(t *testing.T) {
	in := v1alpha1.Scenario{
		Pools:  []v1alpha1.Pool{{Name: "a"}, {Name: "b", KVCache: v1alpha1.KVCache{Stability: &v1alpha1.Stability{}}}},
		Router: v1alpha1.Router{Admission: gatewayPolicy("stability")},
	}
	g, errs := loadGateway(&in, workload.Labels{Tenants: []string{"t"}, Classes: []string{"c"}}, false, nil, nil)
	if len(errs) > 0 || !g.admission.AsksReplicas {
		t.Fatalf("%v, %+v", errs, g.admission)
	}
	pools := []simulator.Pool{{}, {Stability: &simulator.Stability{}}}
	(&Part{Scenario: &in}).refuseWithoutRoom(pools)
	if pools[0].Stability != nil || pools[1].Stability.Admission != simulator.AdmitOrRefuse {
		t.Errorf("admission %v", pools[1].Stability.Admission)
	}
}
