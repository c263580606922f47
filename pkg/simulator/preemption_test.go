// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"cmp"
	"context"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// The simulator tells of the preemptions of the plain one: the same requests on the same
// replicas at the same times.
func TestPreemptionsAgainstPlain(t *testing.T) {
	told := 0
	for seed := range int64(400) {
		got, want := []Preemption{}, []Preemption{}
		plain, config := randomConfig(randomBytes(seed)), randomConfig(randomBytes(seed))
		plain.Preempted = func(p Preemption) { want = append(want, p) }
		config.Preempted = func(p Preemption) { got = append(got, p) }
		runPlain(plain)
		if _, err := Run(context.Background(), config); err != nil {
			t.Fatal(err)
		}
		sortPreemptions(got)
		sortPreemptions(want)
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("scenario %d (−plain +got):\n%s", seed, diff)
		}
		told += len(got)
	}
	if told < 100 {
		t.Errorf("the scenarios have %d preemptions, want at least 100", told)
	}
}

func sortPreemptions(all []Preemption) {
	slices.SortFunc(all, func(a, b Preemption) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Replica, b.Replica), cmp.Compare(a.Request, b.Request))
	})
}
