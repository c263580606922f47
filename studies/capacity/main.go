// SPDX-License-Identifier: Apache-2.0

// Capacity simulates llm-d's published "73 % capacity" benchmark of four routing profiles
// and compares the result with the measurement, rate by rate. It writes docs/studies/capacity.md
// with a chart.
package main

import (
	"flag"
	"fmt"
	"maps"
	"slices"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/studies/study"
)

func main() {
	study.Main("capacity", func(flags *flag.FlagSet) func() error {
		out := flags.String("o", "../docs/studies/capacity.md", "the page, a `file`; the chart goes next to it, with the ending svg")
		from := flags.String("sample", "../config/samples/policysweep-capacity.yaml", "the `manifest` of the sweep over the profiles")
		return func() error {
			published, err := readPublished()
			if err != nil {
				return err
			}
			ours, err := simulateLike(published, profiles, *from, uncalibrated)
			if err != nil {
				return err
			}
			calibrated, err := simulateLike(published, profiles, *from)
			if err != nil {
				return err
			}
			guide, err := newGuide(*from, 1)
			if err != nil {
				return err
			}
			roomy, err := newGuide(*from, 2)
			if err != nil {
				return err
			}
			return (&page{
				benchmark:  benchmark{profiles, published, ours, map[string]float64{"precise": 10262, "estimated": 6914, "load": 5453, "random": 5024}},
				calibrated: benchmark{profiles, published, calibrated, nil},
				guide:      *guide,
				roomy:      *roomy,
			}).write(*out)
		}
	})
}

// A benchmark is what was published of some profiles and what was simulated.
type benchmark struct {
	profiles  []string // best first
	published map[string][]stage
	ours      map[string]measured
	// before is the throughput that engine version 6 simulated, by profile; optional.
	before map[string]float64
}

// seeds are what each profile is run with.
var seeds = []int64{42, 43, 44, 45, 46}

// simulateLike runs the profiles of the sample under every seed. The stages must be
// those that were published.
func simulateLike(published map[string][]stage, profiles []string, path string, edits ...func(*v1alpha1.PolicySweep)) (map[string]measured, error) {
	s, err := readSample(path, edits...)
	if err != nil {
		return nil, err
	}
	results := make([]measured, len(profiles)*len(seeds))
	err = study.ForEach(len(results), func(i int) (err error) {
		results[i], err = s.simulate(profiles[i/len(seeds)], seeds[i%len(seeds)])
		return err
	})
	if err != nil {
		return nil, err
	}
	all := map[string]measured{}
	for i, profile := range profiles {
		all[profile] = meanOf(results[i*len(seeds) : (i+1)*len(seeds)])
	}
	return all, checkStages(published, all)
}

// checkStages says where the sample's stages are not those that were published.
func checkStages(published map[string][]stage, ours map[string]measured) error {
	for _, profile := range slices.Sorted(maps.Keys(published)) {
		if want, got := len(published[profile]), len(ours[profile].stages); want != got {
			return fmt.Errorf("%s: %d stages were published, and the sample has %d", profile, want, got)
		}
		for i, s := range published[profile] {
			if got := ours[profile].stages[i]; got.rate != s.rate || got.seconds != s.seconds {
				return fmt.Errorf("%s: stage %d is %v requests/s for %v s, and was published as %v for %v", profile, i+1, got.rate, got.seconds, s.rate, s.seconds)
			}
		}
	}
	return nil
}
