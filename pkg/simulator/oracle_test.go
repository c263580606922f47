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

func compareWithPlain(t *testing.T, data []byte) {
	t.Helper()
	want := runPlain(randomConfig(data))
	got, err := Run(context.Background(), randomConfig(data))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, everyField); diff != "" {
		t.Errorf("outcome (-plain +got):\n%s", diff)
	}
}
