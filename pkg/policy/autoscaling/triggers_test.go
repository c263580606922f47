// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Each trigger is asked at each sample; the seconds at which it fires are listed.
func TestTriggers(t *testing.T) {
	waiting := func(n int) func(*Sample) { return func(x *Sample) { x.Engines[0].Waiting = n } }
	ended := func(n, good int64) func(*Sample) {
		return func(x *Sample) { x.Gateway.Ended += n; x.Gateway.Good += good }
	}
	worked := func(d time.Duration) func(*Sample) {
		return func(x *Sample) { x.Engines[0].Busy += d; x.Engines[1].Busy += d }
	}
	arrived := func(n int64) func(*Sample) { return func(x *Sample) { x.Gateway.Arrived += n } }
	for name, tc := range map[string]struct {
		trigger    string
		parameters []string
		samples    []func(*Sample) // each 15 s, from 15 s on
		want       []int
	}{
		"a queue at the threshold":                       {"queue", nil, slices.Repeat([]func(*Sample){waiting(10)}, 9), nil},
		"a queue above the threshold, and after a pause": {"queue", nil, slices.Repeat([]func(*Sample){waiting(11)}, 9), []int{15, 75, 135}},
		"a queue that does not last":                     {"queue", []string{"for=30s"}, []func(*Sample){waiting(11), waiting(11), waiting(0), waiting(11), waiting(11), waiting(11)}, []int{90}},
		"a request for no replica":                       {"queue", nil, []func(*Sample){nil, func(x *Sample) { x.Gateway.Awaiting = 1 }}, []int{30}},
		"requests within their targets":                  {"attainment", nil, slices.Repeat([]func(*Sample){ended(100, 95)}, 4), nil},
		"requests that miss their targets":               {"attainment", nil, []func(*Sample){ended(100, 100), ended(100, 100), ended(100, 80)}, []int{45}},
		"busy accelerators":                              {"utilization", []string{"window=30s"}, slices.Repeat([]func(*Sample){worked(14 * time.Second)}, 3), []int{30}},
		"accelerators that are busy enough":              {"utilization", []string{"window=30s", "below=0.3"}, slices.Repeat([]func(*Sample){worked(9 * time.Second)}, 3), nil},
		"idle accelerators":                              {"utilization", []string{"window=30s", "below=0.3"}, slices.Repeat([]func(*Sample){worked(3 * time.Second)}, 3), []int{30}},
		"a steady rate":                                  {"rate", []string{"reference=1m"}, slices.Repeat([]func(*Sample){arrived(30)}, 12), nil},
		"a rate that doubles":                            {"rate", []string{"reference=1m"}, append(slices.Repeat([]func(*Sample){arrived(30)}, 6), arrived(120)), []int{105}},
		// At 75 s, long before the 5 min of the reference: the last two samples have 120 requests
		// in 15 s, 8 a second, and all samples since 15 s have 210 in 60 s, 3.5 a second: 8 is
		// more than 1.5 times as much.
		"a rate that jumps before the reference is full": {"rate", nil, append(slices.Repeat([]func(*Sample){arrived(30)}, 4), arrived(120), arrived(120), arrived(120)), []int{75}},
		"a steady rate from the start":                   {"rate", nil, slices.Repeat([]func(*Sample){arrived(30)}, 12), nil},
		"a rate that ends":                               {"rate", []string{"reference=1m"}, append(slices.Repeat([]func(*Sample){arrived(30)}, 6), nil), []int{105}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(2)
			trigger := s.trigger(t, tc.trigger, tc.parameters...)
			var got []int
			for i, change := range tc.samples {
				seconds := 15 * (i + 1)
				if s.sample(time.Duration(seconds)*time.Second, change); trigger.Fires(&s.view) {
					got = append(got, seconds)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(−want +got):\n%s", diff)
			}
		})
	}
}
