// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"

	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// scale is what is asked.
type scale struct {
	workloads []workload
	requests  int64
	seeds     int32
	ratios    []string // of the chart
	// burst is the ratios of the published experiment, and sustained the number of
	// requests after which it is looked at once more.
	burst     []string
	sustained int64
}

// fullScale is what the page is of: prompts of 640 tokens, of which 0.3, 0.5 and
// 0.8 are shared, and others around that length.
func fullScale() scale {
	return scale{
		workloads: []workload{
			{"0.3", 192, 448, 448}, {"0.5", 320, 320, 320}, {"0.8", 512, 128, 128},
			{"0.3, spread", 192, 224, 672}, {"0.5, spread", 320, 160, 480}, {"0.8, spread", 512, 64, 192},
		},
		requests: 12_000, seeds: 5,
		ratios:    []string{"1", "1.15", "1.3", "1.5", "1.75", "1.95", "2.05", "2.25", "2.5", "2.75", "3", "3.25", "3.5", "4", "4.5", "5"},
		burst:     []string{"0", "1.3333", "1.5", "1.6", "1.7", "1.8", "1.9", "1.95", "2"},
		sustained: 20_000,
	}
}

// findings are the answers.
type findings struct {
	scale
	// searched and charted are by workload.
	searched, charted []*outcome
	burst, sustained  *outcome
}

func find(ctx context.Context, sample *v1alpha1.PolicySweep, s scale) (*findings, error) {
	sample = sample.DeepCopy()
	sample.Spec.Scenario.Horizon.Requests = ptr.To(s.requests)
	sample.Spec.Replications.Count = ptr.To(s.seeds)
	f := &findings{scale: s}
	for _, w := range s.workloads {
		sweep := w.of(sample)
		searched, err := conduct(ctx, sweep)
		if err != nil {
			return nil, err
		}
		charted, err := conduct(ctx, overValues(sweep, s.ratios))
		if err != nil {
			return nil, err
		}
		f.searched, f.charted = append(f.searched, searched), append(f.charted, charted)
	}
	var err error
	if f.burst, err = conduct(ctx, published(sample, s.burst, 2000)); err != nil {
		return nil, err
	}
	f.sustained, err = conduct(ctx, published(sample, s.burst[:2], s.sustained))
	return f, err
}

// published is the experiment behind the rule of 4:3: a prefix of 512 tokens
// before 64 to 512 others, 2000 requests a second, for a second. Who was rejected
// there is served here. Of equals its router takes the first.
func published(sample *v1alpha1.PolicySweep, ratios []string, requests int64) *v1alpha1.PolicySweep {
	sweep := overValues(sample, ratios)
	sweep.Spec.Scenario.Horizon.Requests = ptr.To(requests)
	sweep.Spec.Replications = v1alpha1.Replications{Seeds: []int64{42, 123}}
	sweep.Spec.Scenario.Router.TieBreak = v1alpha1.FirstTieBreak
	client := &sweep.Spec.Scenario.Workload.Clients[0]
	client.Arrivals.Rate = "2000"
	client.Prefix.Tokens = 512
	client.InputTokens = v1alpha1.Lengths{Distribution: v1alpha1.NormalLengths, Mean: "256", StdDev: "100", Min: 64, Max: ptr.To[int32](512)}
	client.OutputTokens = v1alpha1.Lengths{Distribution: v1alpha1.ExponentialLengths, Mean: "128", Min: 1}
	return sweep
}
