// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/workload"
)

func TestCopiesShareTheRate(t *testing.T) {
	for name, tc := range map[string]struct {
		copies workload.Copies
		want   []float64 // of a rate of 110 a second
	}{
		"alone":        {workload.Copies{Count: 1, ZipfExponent: 1}, []float64{110}},
		"equal shares": {workload.Copies{Count: 4}, []float64{27.5, 27.5, 27.5, 27.5}},
		"Zipf's law":   {workload.Copies{Count: 3, ZipfExponent: 1}, []float64{60, 30, 20}},
		"steeper":      {workload.Copies{Count: 2, ZipfExponent: 3}, []float64{110 * 8 / 9., 110 / 9.}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []float64
			for _, c := range tc.copies.Expand(constantClient("tenant", 110)) {
				got = append(got, c.Arrivals.RatePerSecond)
			}
			near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
			if diff := cmp.Diff(tc.want, got, near); diff != "" {
				t.Errorf("rates (−want +got):\n%s", diff)
			}
		})
	}
}

func TestCopiesAreIndependentClients(t *testing.T) {
	client := constantClient("tenant", 10)
	client.PrefixGroup, client.PrefixTokens = "prompt", 512
	client.Tenant, client.Priority = "all", 3
	for name, tc := range map[string]struct {
		shared bool
		want   [][2]string // name and prefix group
	}{
		"with prefixes of their own": {false, [][2]string{{"tenant-1", "prompt-1"}, {"tenant-2", "prompt-2"}}},
		"with one prefix for all":    {true, [][2]string{{"tenant-1", "prompt"}, {"tenant-2", "prompt"}}},
	} {
		t.Run(name, func(t *testing.T) {
			var got [][2]string
			for _, c := range (workload.Copies{Count: 2, SharedPrefix: tc.shared}).Expand(client) {
				got = append(got, [2]string{c.Name, c.PrefixGroup})
				if c.Tenant != client.Tenant || c.Priority != client.Priority || c.PrefixTokens != client.PrefixTokens {
					t.Errorf("a copy of %+v is %+v", client, c)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("copies (−want +got):\n%s", diff)
			}
		})
	}
}

func TestCopiesWithoutPrefix(t *testing.T) {
	for _, c := range (workload.Copies{Count: 2}).Expand(constantClient("tenant", 1)) {
		if c.PrefixGroup != "" {
			t.Errorf("prefix group %q", c.PrefixGroup)
		}
	}
}

// The smallest share that can be asked for is still a rate that is served.
func TestSmallestCopyShareIsAValidRate(t *testing.T) {
	most := workload.Copies{Count: 10_000, ZipfExponent: 10}
	clients := most.Expand(constantClient("tenant", 1e-9))
	if errs := workload.ValidateClients(clients, nil); len(errs) > 0 {
		t.Error(errs.ToAggregate())
	}
	if _, ok := workload.NewClients(clients[:2], 1).Next(); !ok {
		t.Error("no request")
	}
}

func TestValidateCopies(t *testing.T) {
	for name, tc := range map[string]struct {
		copies workload.Copies
		want   []string
	}{
		"fine":             {workload.Copies{Count: 1}, nil},
		"none":             {workload.Copies{}, []string{"x.count: Invalid value: 0: must be between 1 and 10000"}},
		"too many":         {workload.Copies{Count: 10_001}, []string{"x.count: Invalid value: 10001: must be between 1 and 10000"}},
		"growing shares":   {workload.Copies{Count: 1, ZipfExponent: -1}, []string{"x.zipfExponent: Invalid value: -1: must be between 0 and 10"}},
		"not a number":     {workload.Copies{Count: 1, ZipfExponent: math.NaN()}, []string{"x.zipfExponent: Invalid value: NaN: must be between 0 and 10"}},
		"too steep a fall": {workload.Copies{Count: 1, ZipfExponent: 10.5}, []string{"x.zipfExponent: Invalid value: 10.5: must be between 0 and 10"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, err := range tc.copies.Validate(field.NewPath("x")) {
				got = append(got, err.Error())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("faults (−want +got):\n%s", diff)
			}
		})
	}
}
