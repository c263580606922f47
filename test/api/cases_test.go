// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/runtime"

	"windtunnel.dev/windtunnel/pkg/manifest"
)

// allCases vary every document by every bound and every rule. Those of a field that both
// kinds share vary it in runs.
func allCases(t *testing.T) []testCase {
	t.Helper()
	var cases []testCase
	for name, doc := range documents(t) {
		all := ownNodes(t, doc)
		cases = append(cases, testCase{name: name + "/as it is", doc: doc, at: "spec", fault: ""})
		cases = append(cases, boundCases(name, doc, all)...)
		cases = append(cases, ruleCases(name, doc, all)...)
	}
	slices.SortFunc(cases, func(a, b testCase) int { return strings.Compare(a.name, b.name) })
	return cases
}

// The table says what is right without a server; the next test says that the
// server thinks the same.
func TestManifestFindsEachFault(t *testing.T) {
	for _, c := range allCases(t) {
		t.Run(c.name, func(t *testing.T) {
			got := localVerdict(t, encode(t, c.doc))
			if i := slices.IndexFunc(got.faults, func(f string) bool { return strings.Contains(f, "no such key") }); i >= 0 {
				t.Errorf("a rule reads a field that is not there: %s", got.faults[i])
			}
			if found := got.faultAt(c.at, c.fault); !c.any && found != c.bad {
				t.Errorf("fault %q at %s: found %t, want %t; faults:\n%s", c.fault, c.at, found, c.bad, strings.Join(got.faults, "\n"))
			}
			if got.accepted() {
				checkStable(t, got.object)
			}
		})
	}
}

// checkStable demands that a Go client may write back what it has read: a field
// whose zero is dropped on the way must not come back as its default.
func checkStable(t *testing.T, obj runtime.Object) {
	t.Helper()
	again := obj.DeepCopyObject()
	manifest.Default(again)
	if diff := cmp.Diff(spec(obj), spec(again), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("defaulting again changes the object (-once +twice):\n%s", diff)
	}
	if errs := manifest.Validate(again); len(errs) > 0 {
		t.Errorf("the typed object is not valid: %v", errs)
	}
}

func TestServerAndManifestAgreeOnEveryCase(t *testing.T) {
	s := server(t)
	for _, c := range allCases(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			body := encode(t, c.doc)
			compare(t, serverVerdict(t, s, kindOf(c.doc), jsonType, body), localVerdict(t, body))
		})
	}
}
