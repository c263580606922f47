// SPDX-License-Identifier: Apache-2.0

package mutate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/mutate"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/tree"
	"windtunnel.dev/windtunnel/pkg/stats"
)

const head = "apiVersion: sim.windtunnel.dev/v1alpha1\nkind: PolicyBundle\n"

// everything has each kind of component that varies.
const everything = head + `
routing:
  signals: [prefix-affinity, queue-depth]
  decisionTree:
    root:
      if: {field: endpoints.waiting, above: 4}
      then: {value: 0}
      else: {sum: [{field: endpoints.prefix_affinity, times: 3}], plus: 1}
admission:
  builtIn: {policy: token-bucket, parameters: {rate: "10", burst: 5, scope: tenant, "rate:gold": 20, over: delay, maxDelay: 5s}}
priority:
  decisionTree:
    root: {if: {field: request.tenant, is: gold}, then: {value: 1}, else: {value: 0}}
scheduler:
  decisionTree: {root: {sum: [{field: job.prompt_tokens, times: 1}]}}
autoscale:
  decisionTree: {root: {sum: [{field: pools.wanted, times: 1}]}}
`

// programs have numbers of code, and weights.
const programs = head + `
routing:
  builtIn:
    policy: weighted
    weights: normalized
    scorers: [{name: queue-depth, weight: 2}, {name: prefix-affinity, weight: 3, parameters: {blocksPerEndpoint: 1000}}]
scheduler:
  starlark: {source: "def rank(job): return job.turn * parameters.x", parameters: {x: 2, z: 0}}
priority:
  builtIn: {policy: class, parameters: {"value:batch": -2}}
`

// templates have the numbers of templates.
const templates = head + `
routing: {parameterized: {template: weighted_affinity_routing}}
admission: {parameterized: {template: occupancy_admission}}
autoscale: {parameterized: {template: utilization_band_autoscale, parameters: {step: 2}}}
`

var names = sandbox.Names{Tenants: []string{"gold", "free"}, Classes: []string{"batch", "chat"}}

func read(t testing.TB, text string) *bundle.Bundle {
	t.Helper()
	b, errs := bundle.Read([]byte(text), field.NewPath("bundle"))
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return b
}

func mustNew(t testing.TB, text string, o mutate.Options) *mutate.Mutator {
	t.Helper()
	o.Names, o.AnyLabel = names, true
	if o.MaxNodes == 0 {
		o.MaxNodes = 24
	}
	m, errs := mutate.New(read(t, text), o, field.NewPath("evolve"))
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return m
}

// layouts are those of the trees of everything.
func layouts() map[sandbox.Component]*sandbox.Layout {
	return map[sandbox.Component]*sandbox.Layout{
		sandbox.Routing: sandbox.RoutingLayout(names).With(
			sandbox.Field{Name: "prefix_affinity"}, sandbox.Field{Name: "prefix_affinity_tokens"}, sandbox.Field{Name: "queue_depth"}, sandbox.Field{Name: "load_balance"}),
		sandbox.Admission: sandbox.AdmissionLayout(names), sandbox.Priority: sandbox.PriorityLayout(names), sandbox.Scheduler: sandbox.SchedulerLayout(names), sandbox.Autoscale: sandbox.AutoscaleLayout(),
	}
}

func TestLongChainsOfChildrenAreBundlesWithoutFaults(t *testing.T) {
	for name, text := range map[string]string{"everything": everything, "programs": programs, "templates": templates} {
		m := mustNew(t, text, mutate.Options{})
		s := stats.NewStream(1, name)
		line := []string{m.First()}
		unchanged := 0
		for range 1500 {
			mother, father := line[s.IntN(len(line))], line[s.IntN(len(line))]
			child, changed := m.Child(mother, father, 1+s.IntN(3), s)
			if len(changed) == 0 {
				unchanged++
				continue
			}
			b := read(t, child)
			if b.Canonical() != child || len(child) > mutate.MaxBytes {
				t.Fatalf("%d bytes, not canonical: %s", len(child), child)
			}
			checkTrees(t, b)
			if line = append(line, child); len(line) > 50 {
				line = line[1:]
			}
		}
		if unchanged > 15 {
			t.Errorf("%s: %d of 1500 children are unchanged", name, unchanged)
		}
	}
}

// checkTrees fails where a tree cannot be loaded, or has too many nodes.
func checkTrees(t *testing.T, b *bundle.Bundle) {
	t.Helper()
	for name, layout := range layouts() {
		c := b.Components()[name]
		if c == nil || c.DecisionTree == nil {
			continue
		}
		if _, errs := tree.Load(c.DecisionTree.Root, layout, field.NewPath(string(name))); len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		if n := nodes(c.DecisionTree.Root); n > 24 {
			t.Fatalf("%s has %d nodes", name, n)
		}
	}
}

func nodes(n *tree.Node) int {
	if n == nil {
		return 0
	}
	return 1 + nodes(n.Then) + nodes(n.Else)
}

func TestEqualParentsAndNumbersHaveEqualChildren(t *testing.T) {
	m := mustNew(t, everything, mutate.Options{})
	var all [2][]string
	for i := range all {
		s := stats.NewStream(7, "children")
		last := m.First()
		for range 100 {
			child, changed := m.Child(last, m.First(), 2, s)
			all[i] = append(all[i], child, strings.Join(changed, "; "))
			last = child
		}
	}
	if diff := cmp.Diff(all[0], all[1]); diff != "" {
		t.Errorf("(−first +second):\n%s", diff)
	}
}

// A sweep that goes on with a newer version makes the policies of its former rounds again. If
// they are others, their rows are simulated anew: a change here needs a line in the changelog.
func TestChildrenArePinned(t *testing.T) {
	got := map[string]string{}
	for name, text := range map[string]string{"everything": everything, "programs": programs} {
		m := mustNew(t, text, mutate.Options{})
		s, last, all := stats.NewStream(11, name), m.First(), ""
		for range 40 {
			last, _ = m.Child(last, m.First(), 2, s)
			all += last
		}
		got[name] = fmt.Sprintf("%016x", stats.HashString(all))
	}
	want := map[string]string{"everything": "b034b6d23e7e6b1e", "programs": "a60ff03ce69ccf29"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(−want +got):\n%s", diff)
	}
}

func TestChangesSayWhatDiffers(t *testing.T) {
	m := mustNew(t, programs, mutate.Options{Components: []sandbox.Component{sandbox.Routing}})
	s := stats.NewStream(3, "words")
	child, changed := m.Child(m.First(), m.First(), 1, s)
	b := read(t, child)
	want := fmt.Sprintf("routing.builtIn.scorers[queue-depth].weight: 2 → %v", b.Routing.BuiltIn.Scorers[0].Weight)
	other := fmt.Sprintf("routing.builtIn.scorers[prefix-affinity].weight: 3 → %v", b.Routing.BuiltIn.Scorers[1].Weight)
	third := fmt.Sprintf("routing.builtIn.scorers[prefix-affinity].parameters.blocksPerEndpoint: 1000 → %v", b.Routing.BuiltIn.Scorers[1].Parameters["blocksPerEndpoint"])
	if len(changed) != 1 || changed[0] != want && changed[0] != other && changed[0] != third {
		t.Errorf("changes %q of %s", changed, child)
	}
}

func TestOnlyChosenComponentsVary(t *testing.T) {
	m := mustNew(t, everything, mutate.Options{Components: []sandbox.Component{sandbox.Priority}})
	first := read(t, m.First())
	s := stats.NewStream(1, "chosen")
	last := m.First()
	for range 50 {
		last, _ = m.Child(last, m.First(), 1, s)
	}
	b := read(t, last)
	first.Priority = b.Priority
	if diff := cmp.Diff(first, b, cmpopts.IgnoreUnexported(bundle.Component{})); diff != "" {
		t.Errorf("(−want +got):\n%s", diff)
	}
}

func TestCodeStaysAsItIs(t *testing.T) {
	broken := head + "routing: {starlark: {source: \"not a program\", parameters: {x: 1}}}"
	m := mustNew(t, broken, mutate.Options{})
	child, _ := m.Child(m.First(), m.First(), 5, stats.NewStream(1, "code"))
	if b := read(t, child); b.Routing.Starlark.Source != "not a program" || b.Routing.Starlark.Parameters["x"] == 1 {
		t.Errorf("child %s", child)
	}
}

func TestFaultsOfEvolution(t *testing.T) {
	for name, test := range map[string]struct {
		bundle     string
		components []sandbox.Component
		want       string
	}{
		"nothing to vary":         {head + "routing: {builtIn: {policy: round-robin}}", nil, "evolve: Invalid value: there is nothing to vary: a component needs a decision tree, numbers as parameters, or weights of scorers"},
		"code without parameters": {head + "routing: {starlark: {source: x}}", nil, "evolve: Invalid value: there is nothing to vary: a component needs a decision tree, numbers as parameters, or weights of scorers"},
		"a tree with a fault": {head + "routing: {decisionTree: {root: {if: {field: request.tokens, above: 1}, then: {value: 1}}}}", nil,
			`evolve: Invalid value: "routing": the component of the scenario's bundle has faults`},
		"a component that is not there": {programs, []sandbox.Component{sandbox.Admission},
			`evolve.components[0]: Invalid value: "admission": the bundle of the scenario has no such component`},
		"a large bundle": {head + "routing: {starlark: {source: \"" + strings.Repeat("x", mutate.MaxBytes) + "\", parameters: {x: 1}}}", nil,
			"evolve: Too long: may not be more than 16384 bytes"},
	} {
		_, errs := mutate.New(read(t, test.bundle), mutate.Options{Components: test.components, MaxNodes: 24}, field.NewPath("evolve"))
		if len(errs) != 1 || errs[0].Error() != test.want {
			t.Errorf("%s: %v, want %s", name, errs.ToAggregate(), test.want)
		}
	}
}

func BenchmarkChild(b *testing.B) {
	m := mustNew(b, everything, mutate.Options{})
	s := stats.NewStream(1, "bench")
	for b.Loop() {
		m.Child(m.First(), m.First(), 1, s)
	}
}
