// SPDX-License-Identifier: Apache-2.0

package priority

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

var world = World{Tenants: []string{"acme", "free"}, Classes: []string{"chat", "batch"}, HasTTFT: true}

const (
	acme, free  = 0, 1
	chat, batch = 0, 1
)

func makePolicy(t *testing.T, name string, parameters map[string]string) policy.Priority {
	t.Helper()
	config, errs := Load(Spec{name, parameters}, world, field.NewPath("priority"))
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return config.New()
}

// order returns the IDs of requests, the most important one first, if each arrives at its
// time.
func order(p policy.Priority, requests []policy.Request) []int {
	priorities := make([]int, len(requests))
	ids := make([]int, len(requests))
	for i := range requests {
		requests[i].ID = i
		priorities[i], _ = p.Prioritize(&policy.View{Now: requests[i].Arrival}, &requests[i])
		ids[i] = i
	}
	slices.SortStableFunc(ids, func(a, b int) int { return cmp.Compare(priorities[b], priorities[a]) })
	return ids
}

func seconds(s int) simtime.Time { return simtime.Time(s) * simtime.Time(time.Second) }

func TestTheOrderOfRequests(t *testing.T) {
	for name, tc := range map[string]struct {
		policy     string
		parameters map[string]string
		requests   []policy.Request
		want       []int
	}{
		"constant keeps the order of arrival": {
			"constant", nil,
			[]policy.Request{{Class: batch}, {Class: chat}}, []int{0, 1},
		},
		"a class with a greater value comes first": {
			"class", map[string]string{"value:chat": "5"},
			[]policy.Request{{Class: batch}, {Class: chat}, {Class: batch}}, []int{1, 0, 2},
		},
		"a tenant with a smaller value comes last": {
			"tenant", map[string]string{"value:free": "-1"},
			[]policy.Request{{Tenant: free}, {Tenant: acme}}, []int{1, 0},
		},
		"a class has its head start, and no more": {
			"class-age", map[string]string{"value:chat": "1", "step": "10s"},
			[]policy.Request{{Class: batch, Arrival: seconds(0)}, {Class: chat, Arrival: seconds(9)}, {Class: chat, Arrival: seconds(11)}},
			[]int{1, 0, 2},
		},
		"the earliest deadline comes first, and none last": {
			"deadline", nil,
			[]policy.Request{{}, {TTFT: 9 * time.Second}, {TTFT: 2 * time.Second, Arrival: seconds(6)}, {TTFT: 4 * time.Second, Arrival: seconds(6)}},
			[]int{2, 1, 3, 0},
		},
		"the tenant that sent less comes first": {
			"least-attained-service", nil,
			[]policy.Request{{Tenant: acme, Tokens: 5000}, {Tenant: acme, Tokens: 5000}, {Tenant: free, Tokens: 5000}, {Tenant: free}},
			[]int{0, 2, 1, 3},
		},
		"a share of 5 lets a tenant send five times as much": {
			"least-attained-service", map[string]string{"share:acme": "5"},
			[]policy.Request{{Tenant: acme, Tokens: 9000}, {Tenant: free, Tokens: 2000}, {Tenant: acme}, {Tenant: free}},
			[]int{0, 1, 2, 3},
		},
		// acme has sent 900 tokens and free 100: −900 and −100.
		"less than a kilotoken counts too": {
			"least-attained-service", nil,
			[]policy.Request{{Tenant: acme, Tokens: 900}, {Tenant: free, Tokens: 100}, {Tenant: acme}, {Tenant: free}},
			[]int{0, 1, 3, 2},
		},
		"what a tenant sent long ago counts little": {
			"least-attained-service", map[string]string{"halfLife": "1s"},
			[]policy.Request{{Tenant: acme, Tokens: 100_000}, {Tenant: free, Tokens: 5000, Arrival: seconds(9)}, {Tenant: free, Arrival: seconds(10)}, {Tenant: acme, Arrival: seconds(10)}},
			[]int{0, 1, 3, 2},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := gocmp.Diff(tc.want, order(makePolicy(t, tc.policy, tc.parameters), tc.requests)); diff != "" {
				t.Errorf("(−want +got):\n%s", diff)
			}
		})
	}
}

func TestWrongParametersHaveTheirPath(t *testing.T) {
	for name, tc := range map[string]struct {
		spec  Spec
		world World
		want  []string
	}{
		"a policy that does not exist": {Spec{Policy: "classes"}, world, []string{`priority.policy: Invalid value: "classes": unknown policy; there are ` + strings.Join(policies.Names(), ", ") + `; did you mean "class"?`}},
		"a value for no class":         {Spec{"class", map[string]string{"value:chatt": "1"}}, world, []string{`priority.parameters[value:chatt]: Invalid value: "chatt": unknown class; there are chat, batch; did you mean "chat"?`}},
		"a fraction":                   {Spec{"constant", map[string]string{"value": "1.5"}}, world, []string{`priority.parameters[value]: Invalid value: "1.5": must be a whole number`}},
		"deadlines without targets":    {Spec{Policy: "deadline"}, World{}, []string{`priority.policy: Invalid value: "deadline": no request has a deadline: set ttft in slos or in the targets of a tenant`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := Load(tc.spec, tc.world, field.NewPath("priority"))
			var got []string
			for _, e := range errs {
				got = append(got, e.Error())
			}
			if diff := gocmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(−want +got):\n%s", diff)
			}
		})
	}
}

func TestPoliciesDecideWithoutAllocations(t *testing.T) {
	for _, d := range Describe() {
		p := makePolicy(t, d.Name, nil)
		view, q := &policy.View{}, &policy.Request{Tokens: 100}
		if n := testing.AllocsPerRun(100, func() { view.Now += 1000; p.Prioritize(view, q) }); n > 0 {
			t.Errorf("%s allocates %v times a decision", d.Name, n)
		}
		if d.Help == "" {
			t.Errorf("%s has no help", d.Name)
		}
	}
}
