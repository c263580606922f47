// SPDX-License-Identifier: Apache-2.0

// Capacity simulates llm-d's published "73 % capacity" benchmark of four routing profiles
// and compares the result with the measurement, rate by rate. It writes docs/capacity.md
// with a chart.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"windtunnel.dev/windtunnel/studies/study"
)

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "capacity: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("capacity", flag.ContinueOnError)
	flags.SetOutput(stderr)
	page := flags.String("o", "../docs/capacity.md", "the page, a `file`; the chart goes beside it, with the ending svg")
	from := flags.String("sample", "../config/samples/policysweep-capacity.yaml", "the `manifest` of the sweep over the profiles")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	published, err := readPublished()
	if err != nil {
		return err
	}
	variants := map[bool]map[string]measured{}
	for _, calibrated := range []bool{false, true} {
		ours, err := simulateAll(*from, calibrated)
		if err != nil {
			return err
		}
		if err := checkStages(published, ours); err != nil {
			return err
		}
		variants[calibrated] = ours
	}
	return newPage(published, variants[false], variants[true]).write(*page)
}

// seeds are what each profile is run with.
var seeds = []int64{42, 43, 44, 45, 46}

// simulateAll runs every profile of the sample under every seed.
func simulateAll(path string, calibrated bool) (map[string]measured, error) {
	s, err := readSample(path, calibrated)
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
	return all, nil
}

// checkStages says where the sample's stages are not those that were published.
func checkStages(published map[string][]stage, ours map[string]measured) error {
	for _, profile := range profiles {
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
