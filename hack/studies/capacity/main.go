// SPDX-License-Identifier: Apache-2.0

// Capacity repeats a published benchmark of four routing profiles, llm-d's "73 %
// capacity", and writes a page of documentation that sets what is simulated
// beside what was measured, rate by rate, with a chart.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"windtunnel.dev/windtunnel/hack/studies/study"
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
	page := flags.String("o", "docs/capacity.md", "the page, a `file`; the chart goes beside it, with the ending svg")
	from := flags.String("sample", "config/samples/policysweep-capacity.yaml", "the `manifest` of the sweep over the profiles")
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
	ours, err := simulateAll(*from)
	if err != nil {
		return err
	}
	if err := checkStages(published, ours); err != nil {
		return err
	}
	return newPage(published, ours).write(*page)
}

// simulateAll runs every profile of the sample.
func simulateAll(path string) (map[string]measured, error) {
	s, err := readSample(path)
	if err != nil {
		return nil, err
	}
	results := make([]measured, len(profiles))
	err = study.ForEach(len(profiles), func(i int) (err error) {
		results[i], err = s.simulate(profiles[i])
		return err
	})
	all := map[string]measured{}
	for i, profile := range profiles {
		all[profile] = results[i]
	}
	return all, err
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
