// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"math"
	"slices"
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/starlark"
)

// A program ranks jobs as the policy does whose rule it states.
func TestPrograms(t *testing.T) {
	l := sandbox.SchedulerLayout(sandbox.Names{Tenants: []string{"a"}, Classes: []string{"b"}})
	code, fault := starlark.Load("def rank(job):\n  return job.prompt_tokens if job.tenant == 'a' else 0", l, nil, sandbox.DefaultLimits)
	if fault != nil {
		t.Fatal(fault)
	}
	faults := &policy.Faults{}
	got, want := ProgramFactory(code, l, 1, faults)(), ShortestPrompt()
	for _, a := range []int{1, 5, 1 << 40} {
		for _, b := range []int{0, 5, 7} {
			x, y := Job{Turn: 1, PromptTokens: a}, Job{Turn: 2, PromptTokens: b}
			if got.Compare(x, y, 0) != want.Compare(x, y, 0) {
				t.Errorf("%d and %d tokens: %d", a, b, got.Compare(x, y, 0))
			}
		}
	}
	if f := faults.First(); f != nil {
		t.Error(f)
	}
}

func TestWholeNumbersInTheOrderOfNumbers(t *testing.T) {
	numbers := []float64{math.Inf(-1), -1e300, -2, -1, -1e-300, 0, 1e-300, 1, 2, 1e300, math.Inf(1)}
	var ranks []int64
	for _, x := range numbers {
		ranks = append(ranks, ordered(x))
	}
	if !slices.IsSorted(ranks) || len(slices.Compact(slices.Clone(ranks))) != len(ranks) {
		t.Errorf("%v", ranks)
	}
	if ordered(math.Copysign(0, -1)) != ordered(0) {
		t.Error("minus 0 is another rank than 0")
	}
}
