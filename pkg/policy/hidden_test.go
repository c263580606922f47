// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// known are all fields and methods that a policy reaches from a [View] and a [Request],
// by type, each list in order of names. None tells how long an answer will be. A field
// that is added has to be added here: what does it tell of requests that have not
// ended?
var known = map[string][]string{
	"policy.View":     {"Adapters", "Changed", "Down", "Engines", "Now", "Scrapes", "Traffic"},
	"policy.Scrape":   {"At", "BlockTokens", "Blocks", "KVUsage", "Running", "TransferDelay", "Transfers", "Waiting"},
	"policy.Adapters": {"Active", "Max", "Waiting"},
	"policy.Engine": {
		"EstimatedWait", "ExternalPrefixCacheHits", "InterTokenLatency", "KVUsage", "LoadedBytes",
		"PrefixCacheHits", "PrefixCacheQueries", "StoredBytes", "TimeToFirstToken",
	},
	// Sums over tokens that engines have given.
	"policy.Observed": {"Count", "Mean()", "Since()", "Sum"},
	"policy.Traffic":  {"Admit()", "All", "Arrive()", "Classes", "Complete()", "Delay()", "End()", "Reject()", "Tenants"},
	// InFlightTokens are of prompts.
	"policy.Flow": {
		"Admitted", "AdmissionRate()", "Arrived", "ArrivalRate()", "Completed", "Delayed", "Good", "InFlight", "InFlightTokens", "Rejected", "RejectionRate()",
	},
	// Tokens, as that of Prompt, is the length of the prompt.
	"policy.Request": {
		"Adapter", "Arrival", "Class", "Headers", "Hints", "ID", "Model", "Prompt", "Priority", "Router", "Session", "TPOT", "TTFT", "Tenant", "Tokens", "Turn",
	},
	"policy.Hints": {"PrefillChunk", "With()"},
	// Own counts extents of the prompt. It tells of prompts to come, so no policy may decide by it:
	// see TestPicksAreTheSameWithoutOwn in package epp.
	"prompt.Prompt": {
		"AllBlocks()", "AllStretches()", "Append()", "Extents", "FullBlocks()", "FullStretches()", "Own", "Shared()", "SharedStretches()", "Tokens()",
	},
	"prompt.Extent": {"Source", "Start", "Tokens"},
}

func TestNothingThatAPolicyReachesTellsTheLengthOfAnAnswer(t *testing.T) {
	reached := map[string][]string{}
	reach(reflect.TypeFor[View](), reached)
	reach(reflect.TypeFor[Request](), reached)
	want := map[string][]string{}
	for name, members := range known {
		want[name] = slices.Sorted(slices.Values(members))
	}
	if diff := cmp.Diff(want, reached); diff != "" {
		t.Errorf("what policies reach (−known +reached):\n%s", diff)
	}
}

// reach collects the exported fields and methods of a type and of all types that its
// fields lead to.
func reach(t reflect.Type, reached map[string][]string) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		reach(t.Elem(), reached)
		return
	case reflect.Map, reflect.Func, reflect.Chan, reflect.Interface:
		panic(fmt.Sprintf("nobody can say what a policy reaches through a %v", t))
	case reflect.Struct:
	default:
		return
	}
	if _, done := reached[t.String()]; done {
		return
	}
	reached[t.String()] = nil
	var members []string
	for i := range reflect.PointerTo(t).NumMethod() {
		members = append(members, reflect.PointerTo(t).Method(i).Name+"()")
	}
	for _, f := range reflect.VisibleFields(t) {
		if f.IsExported() {
			members = append(members, f.Name)
			reach(f.Type, reached)
		}
	}
	reached[t.String()] = slices.Sorted(slices.Values(members))
}
