// SPDX-License-Identifier: Apache-2.0

package mutate_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/mutate"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// FuzzChild has children of any two bundles: the manager makes them of what users write, and of
// what services propose.
func FuzzChild(f *testing.F) {
	for _, text := range []string{everything, programs, templates} {
		f.Add([]byte(text), []byte(programs), int64(1))
	}
	f.Add([]byte(everything), []byte(head+"routing: {decisionTree: {root: {if: {field: request.tokens, above: 1}, then: {value: 1}}}}"), int64(1))
	f.Fuzz(func(t *testing.T, first, second []byte, seed int64) {
		mother, errs := bundle.Read(first, nil)
		if len(errs) > 0 {
			t.Skip("no bundle: mothers are of scenarios that were checked")
		}
		father, errs := bundle.Read(second, nil)
		o := mutate.Options{MaxNodes: 24, Names: names, AnyLabel: true}
		if len(errs) == 0 {
			_, errs = mutate.New(father, o, field.NewPath("evolve"))
		}
		if len(errs) > 0 {
			father = mother // a parent was simulated, and so has no faults
		}
		m, errs := mutate.New(mother, o, field.NewPath("evolve"))
		if len(errs) > 0 {
			t.Skip("nothing in the bundle can vary")
		}
		s := stats.NewStream(seed, "fuzz")
		for _, pair := range [][2]string{{m.First(), father.Canonical()}, {father.Canonical(), m.First()}} {
			child, _ := m.Child(pair[0], pair[1], 4, s)
			b, errs := bundle.Read([]byte(child), nil)
			if len(errs) > 0 {
				t.Fatalf("%v: %s", errs.ToAggregate(), child)
			}
			if b.Canonical() != child {
				t.Fatalf("not canonical: %s", child)
			}
		}
	})
}
