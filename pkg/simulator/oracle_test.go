// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAgainstPlain holds the simulator against the plain one, to the last
// bucket of every histogram.
func TestAgainstPlain(t *testing.T) {
	for seed := range int64(600) {
		compareWithPlain(t, randomBytes(seed))
		if t.Failed() {
			t.Fatalf("scenario %d", seed)
		}
	}
}

func FuzzAgainstPlain(f *testing.F) {
	for seed := range int64(20) {
		f.Add(randomBytes(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 2000 {
			compareWithPlain(t, data)
		}
	})
}

// compareWithPlain runs a scenario on both, and once more with the invariants
// checked: some shortcuts are only taken where nobody watches.
func compareWithPlain(t *testing.T, data []byte) {
	t.Helper()
	want := runPlain(randomConfig(data))
	for _, checked := range []bool{false, true} {
		config := randomConfig(data)
		config.CheckInvariants = checked
		got, err := Run(context.Background(), config)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, everyField); diff != "" {
			t.Errorf("outcome, checked: %v (-plain +got):\n%s", checked, diff)
		}
	}
}
