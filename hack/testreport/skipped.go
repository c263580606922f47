// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/internal/readme"
)

// module is what the paths of packages begin with.
const module = "windtunnel.dev/windtunnel/"

// maxNamed bounds how many tests of a reason are named.
const maxNamed = 5

// close prints FAIL where something failed, as go test does at its end, and then
// what was skipped.
func (r *report) close(claims []readme.Claim) error {
	for _, pkg := range slices.Sorted(maps.Keys(r.output)) {
		// Its events were cut off.
		r.failed = true
		r.endPackage(pkg)
	}
	if r.failed {
		r.printf("FAIL\n")
	}
	r.printSkipped()
	r.printUnchecked(claims)
	return r.out.Flush()
}

// printSkipped groups the skipped tests by reason, the most tests first.
func (r *report) printSkipped() {
	if len(r.skipped) == 0 {
		return
	}
	byReason := map[string][]string{}
	var reasons []string
	for _, s := range r.skipped {
		if byReason[s.reason] == nil {
			reasons = append(reasons, s.reason)
		}
		byReason[s.reason] = append(byReason[s.reason], s.name())
	}
	slices.SortStableFunc(reasons, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(byReason[b]), len(byReason[a])), cmp.Compare(a, b))
	})
	r.printf("\nSkipped: %d tests.\n", len(r.skipped))
	for _, reason := range reasons {
		names := byReason[reason]
		slices.Sort(names)
		r.printf("  %d: %s\n", len(names), reason)
		for _, name := range names[:min(len(names), maxNamed)] {
			r.printf("     %s\n", name)
		}
		if more := len(names) - maxNamed; more > 0 {
			r.printf("     and %d more\n", more)
		}
	}
}

// printUnchecked names the claims of which a test, or a part of it, was skipped.
// Tests that were not selected look like those that do not exist, so that
// nothing is said of them.
func (r *report) printUnchecked(claims []readme.Claim) {
	var unchecked []string
	for _, claim := range claims {
		if i := slices.IndexFunc(r.skipped, func(s skip) bool { return s.holds(claim) }); i >= 0 {
			unchecked = append(unchecked, claim.Row+": "+r.skipped[i].name()+" was skipped")
		}
	}
	if len(unchecked) == 0 {
		return
	}
	r.printf("\nUnchecked claims of docs/accuracy.md: %d of %d.\n", len(unchecked), len(claims))
	for _, text := range unchecked {
		r.printf("  %s\n", text)
	}
}

// name is the test with its package below the module.
func (s skip) name() string { return strings.TrimPrefix(s.pkg, module) + "." + s.test }

// holds reports whether the test, or the one that it is a part of, is the claim's.
func (s skip) holds(claim readme.Claim) bool {
	return slices.ContainsFunc(claim.Tests, func(test string) bool {
		return s.name() == test || strings.HasPrefix(s.name(), test+"/")
	})
}
