// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// everyField lets cmp look at histograms to the last bucket.
var everyField = cmp.Exporter(func(reflect.Type) bool { return true })

// TestSameConfigSameOutcome runs the same scenarios again, alone and side by
// side, on one core and on two.
func TestSameConfigSameOutcome(t *testing.T) {
	const scenarios = 40
	run := func(seed int64) *Outcome {
		o, err := Run(context.Background(), randomConfig(randomBytes(seed)))
		if err != nil {
			t.Error(err)
		}
		return o
	}
	var want [scenarios]*Outcome
	for seed := range want {
		want[seed] = run(int64(seed))
	}
	for _, cores := range []int{1, 2} {
		t.Run(fmt.Sprintf("%d cores", cores), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
			var group sync.WaitGroup
			for seed := range want {
				group.Go(func() {
					if diff := cmp.Diff(want[seed], run(int64(seed)), everyField); diff != "" {
						t.Errorf("scenario %d (-first +again):\n%s", seed, diff)
					}
				})
			}
			group.Wait()
		})
	}
}

// TestChecksChangeNothing: the invariants only look.
func TestChecksChangeNothing(t *testing.T) {
	for seed := range int64(40) {
		checked := randomConfig(randomBytes(seed))
		plain := randomConfig(randomBytes(seed))
		plain.CheckInvariants = false
		want, _ := Run(context.Background(), checked)
		got, _ := Run(context.Background(), plain)
		if diff := cmp.Diff(want, got, everyField); diff != "" {
			t.Errorf("scenario %d (-checked +plain):\n%s", seed, diff)
		}
	}
}

func TestCancelledRunSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	o, err := Run(ctx, randomConfig(randomBytes(1)))
	if o != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v and %v, want no outcome and context.Canceled", o, err)
	}
}
