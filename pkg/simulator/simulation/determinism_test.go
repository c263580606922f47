// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// everyField lets cmp look at histograms to the last bucket.
var everyField = cmp.Exporter(func(reflect.Type) bool { return true })

// difference is how two outcomes differ. Looking closely takes long, so it first
// asks whether they do.
func difference(want, got *simulator.Result) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got, everyField)
}

// TestSameConfigSameOutcome runs the same scenarios again, alone and side by
// side, on one core and on two.
func TestSameConfigSameOutcome(t *testing.T) {
	const scenarios = 40
	run := func(seed int64) *simulator.Result {
		features := []feature{randomRanks}[:seed%2]
		o, err := Run(context.Background(), randomConfigWith(randomBytes(seed), features...))
		if err != nil {
			t.Error(err)
		}
		return o
	}
	var want [scenarios]*simulator.Result
	for seed := range want {
		want[seed] = run(int64(seed))
	}
	for _, cores := range []int{1, 2} {
		t.Run(fmt.Sprintf("%d cores", cores), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
			var group sync.WaitGroup
			for seed := range want {
				group.Go(func() {
					if diff := difference(want[seed], run(int64(seed))); diff != "" {
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
		if diff := difference(want, got); diff != "" {
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

// TestACancelledRunStopsSoon: also where nothing but decoding is left to do.
func TestACancelledRunStopsSoon(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	steps := 0
	c := smallConfig()
	c.Pools[0].KVBlocks = 1 << 20
	c.Source = &script{requests: []workload.Request{{
		Prompt: prompt.Prompt{}.Append(prompt.Extent{Source: 1, Tokens: 10}), OutputTokens: 5_000_000,
	}}}
	c.Horizon.Drain = math.MaxInt64
	c.Pools[0].Timer = timerFunc(func(latency.Step) time.Duration {
		if steps++; steps == 10_000 {
			cancel()
		}
		return time.Millisecond
	})
	o, err := Run(ctx, c)
	if o != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v and %v, want no outcome and context.Canceled", o, err)
	}
	if steps > 20_000 {
		t.Errorf("%d steps after it was cancelled", steps-10_000)
	}
}

type timerFunc func(latency.Step) time.Duration

func (f timerFunc) StepTime(s latency.Step) time.Duration { return f(s) }
