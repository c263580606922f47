// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A message of Llama-3.1-8B has 8 KiB a token, and a step 64 of them.
func TestAllReduceMatchesMeasurements(t *testing.T) {
	i := instance(t, "Llama-3.1-8B", "h100-sxm", 2)
	c := DefaultRoofline(i.Accelerator)
	without := c
	without.AllReduceLatency = 0
	i.Accelerator.LinkBandwidthBytesPerSecond = 1e18
	free := i.Roofline(without)
	c.AllReduce = []AllReduceTime{{8192 * 2, 10}, {8192 * 4, 20}, {8192 * 104, 320}}
	measured := i.Roofline(c)
	for tokens, micros := range map[int]float64{1: 10, 2: 10, 3: 15, 4: 20, 54: 170, 104: 320, 204: 620} {
		s := step(decodes(tokens, 10)...)
		got := microseconds(measured.StepTime(s) - free.StepTime(s))
		if math.Abs(got-64*micros) > 2e-3 {
			t.Errorf("%d tokens: %.3f µs, want 64 times %.0f", tokens, got, micros)
		}
	}
}

func TestAllReduceExtrapolationDoesNotFall(t *testing.T) {
	curve := newReduceCurve([]AllReduceTime{{0, 9}, {100, 5}}, 1, 1)
	for tokens, want := range map[int64]float64{0: 9000, 50: 7000, 100: 5000, 1000: 5000} {
		if got := curve.of(tokens); got != want {
			t.Errorf("%d tokens: %f ns, want %f", tokens, got, want)
		}
	}
}

func TestOneGPUHasNoAllReduce(t *testing.T) {
	i := instance(t, "Llama-3.1-8B", "h100-sxm", 1)
	c := DefaultRoofline(i.Accelerator)
	c.AllReduce = []AllReduceTime{{1, 1e6}, {2, 1e6}}
	s := step(decodes(3, 10)...)
	if got, want := i.Roofline(c).StepTime(s), i.Roofline(DefaultRoofline(i.Accelerator)).StepTime(s); got != want {
		t.Errorf("step = %s, want %s", got, want)
	}
}

func TestAllReduceValidation(t *testing.T) {
	tests := map[string]struct {
		points []AllReduceTime
		want   []string
	}{
		"none":      {nil, nil},
		"two":       {[]AllReduceTime{{0, 1}, {1, 0.5}}, nil},
		"one point": {[]AllReduceTime{{8192, 3}}, []string{"x.allReduce: Invalid value: 1: must have at least 2 points, or none"}},
		"out of order": {[]AllReduceTime{{-1, 3}, {5, 0}, {5, math.NaN()}}, []string{
			"x.allReduce[0].bytes: Invalid value: -1: must be 0 or more",
			"x.allReduce[1].microseconds: Invalid value: 0: must be greater than 0 and at most half an hour",
			"x.allReduce[2].bytes: Invalid value: 5: must be more than the 5 before it",
			"x.allReduce[2].microseconds: Invalid value: NaN: must be greater than 0 and at most half an hour",
		}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c := DefaultRoofline(mustAccelerator(t, "h100-sxm"))
			c.AllReduce = tc.points
			if diff := cmp.Diff(tc.want, errorMessages(c.Validate(field.NewPath("x")))); diff != "" {
				t.Errorf("faults (−want +got):\n%s", diff)
			}
		})
	}
}
