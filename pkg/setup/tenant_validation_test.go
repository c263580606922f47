// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

func TestTraitsThatChangeNothingAreFaults(t *testing.T) {
	trait := func(a v1alpha1.Archetype) v1alpha1.Tenant { return v1alpha1.Tenant{Archetype: &a} }
	onlyTrace := func(w *v1alpha1.Workload) { w.Clients, w.Trace = nil, &v1alpha1.Trace{} }
	for name, tc := range map[string]struct {
		tenant v1alpha1.Tenant
		edit   func(*v1alpha1.Workload)
		want   string
	}{
		"nobody's":                {v1alpha1.Tenant{}, func(w *v1alpha1.Workload) { w.Clients = w.Clients[3:] }, "w.tenants[0].name: Invalid value: \"gold\": no client names this tenant; they name free"},
		"a weight of a trace":     {v1alpha1.Tenant{Weight: "2"}, onlyTrace, "w.tenants[0].weight: Forbidden: no client names this tenant, and recorded rows have a rate"},
		"an archetype of a trace": {trait(v1alpha1.Archetype{BurstCV: "2"}), onlyTrace, "w.tenants[0].archetype: Forbidden: no client names this tenant, and recorded rows have a rate"},
		"no groups":               {trait(v1alpha1.Archetype{PrefixAffinity: "1"}), func(w *v1alpha1.Workload) { w.Clients[1].Prefix = nil }, "w.tenants[0].archetype.prefixAffinity: "},
		"no Poisson":              {trait(v1alpha1.Archetype{BurstCV: "2"}), func(w *v1alpha1.Workload) { w.Clients = w.Clients[2:] }, "w.tenants[0].archetype.burstCV: "},
		"no sessions":             {trait(v1alpha1.Archetype{MeanTurns: "2"}), func(w *v1alpha1.Workload) { w.Clients[1].Sessions = nil }, "w.tenants[0].archetype.meanTurns: "},
		"less than one turn":      {trait(v1alpha1.Archetype{MeanTurns: "0.5"}), func(*v1alpha1.Workload) {}, "w.tenants[0].archetype.meanTurns: Invalid value: \"0.5\": must be at least 1"},
		"an affinity over 1":      {trait(v1alpha1.Archetype{PrefixAffinity: "1.5"}), func(*v1alpha1.Workload) {}, "w.tenants[0].archetype.prefixAffinity: Invalid value: \"1.5\": must be at most 1"},
	} {
		t.Run(name, func(t *testing.T) {
			in := tenantScenario(tc.tenant)
			tc.edit(&in.Workload)
			errs := ValidateTenants(&in.Workload, field.NewPath("w"))
			if len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), tc.want) {
				t.Errorf("faults %v, want %q", errs, tc.want)
			}
		})
	}
}

// TestATraceMayBearATenant has a tenant that only a trace names state what rows can have.
func TestATraceMayBearATenant(t *testing.T) {
	in := tenantScenario(v1alpha1.Tenant{Priority: ptr.To(int32(1)), Class: "vip", SLO: &v1alpha1.LatencyTargets{TTFT: "1s"}})
	in.Workload.Clients, in.Workload.Trace = nil, &v1alpha1.Trace{}
	if errs := ValidateTenants(&in.Workload, nil); len(errs) > 0 {
		t.Error(errs)
	}
}

func TestTenantsAndClassesOfNoRequestAreFaults(t *testing.T) {
	recorded, err := trace.Read(trace.Azure, strings.NewReader("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,4,1\n"), "rows")
	if err != nil {
		t.Fatal(err)
	}
	in := &v1alpha1.Scenario{
		Workload: v1alpha1.Workload{Tenants: []v1alpha1.Tenant{{Name: "a"}, {Name: "gold"}}, Trace: &v1alpha1.Trace{}},
		SLOs:     []v1alpha1.SLO{{Class: "x"}, {Class: "vip"}},
	}
	labels := workload.Labels{Tenants: []string{"a"}, Classes: []string{"x"}}
	for name, tc := range map[string]struct {
		traces trace.Set
		want   []string
	}{
		"a trace that was read":       {trace.Set{"": recorded}, []string{"s.workload.tenants[1].name", "s.slos[1].class"}},
		"a trace that only pods read": {trace.Set{"": new(trace.Trace)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, e := range validateUse(in, labels, tc.traces, field.NewPath("s")) {
				got = append(got, e.Field)
			}
			if strings.Join(got, " ") != strings.Join(tc.want, " ") {
				t.Errorf("faults at %v, want %v", got, tc.want)
			}
		})
	}
}

// TestASelectionMayLackATenant decodes and builds a scenario whose tenant and whose class
// belong to a client that is not there.
func TestASelectionMayLackATenant(t *testing.T) {
	edit := func(s *v1alpha1.Scenario) {
		s.Workload.Tenants = []v1alpha1.Tenant{{
			Name: "gold", SLO: &v1alpha1.LatencyTargets{TTFT: "1s"}, Archetype: &v1alpha1.Archetype{MeanTurns: "2"},
		}}
		s.SLOs = append(s.SLOs, v1alpha1.SLO{Class: "vip", TTFT: "1s"})
	}
	if _, faults := build(t, edit); len(faults) == 0 {
		t.Error("no fault of a whole workload without the tenant")
	}
	root, errs := resolved(t, edit)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	in, routing, errs := new(Builder).DecodeSelection(root, spec)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if _, errs := new(Builder).BuildSelection(in, routing, nil, 1, spec); len(errs) > 0 {
		t.Error(errs)
	}
}
