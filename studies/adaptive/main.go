// SPDX-License-Identifier: Apache-2.0

// Adaptive runs the experiments on weights that a law changes in the run: the published
// figures with fixed weights, six configurations at four rates, and five hypotheses with
// their stated rules. It writes docs/studies/adaptive.md with a chart.
package main

import (
	"context"
	"flag"
	"os"

	"windtunnel.dev/windtunnel/studies/study"
)

func main() {
	study.Main("adaptive", func(flags *flag.FlagSet) func() error {
		page := flags.String("o", "../docs/studies/adaptive.md", "the page, a `file`; the chart goes next to it, with the ending svg")
		folder := flags.String("samples", "../config/samples", "the `folder` of the samples")
		return func() error {
			s, err := readSamples(*folder)
			if err != nil {
				return err
			}
			f, err := find(context.Background(), s, fullScale(), os.Stderr)
			if err != nil {
				return err
			}
			return f.write(*page)
		}
	})
}
