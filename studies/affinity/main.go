// SPDX-License-Identifier: Apache-2.0

// Affinity measures how large the weight of a warm prefix relative to load may be before
// all traffic goes to one replica, and compares sweeps with the bound that follows from the
// workload. It writes docs/studies/affinity.md with a chart.
package main

import (
	"context"
	"flag"

	"windtunnel.dev/windtunnel/studies/manifests"
	"windtunnel.dev/windtunnel/studies/study"
)

func main() {
	study.Main("affinity", func(flags *flag.FlagSet) func() error {
		page := flags.String("o", "../docs/studies/affinity.md", "the page, a `file`; the chart goes next to it, with the ending svg")
		from := flags.String("sample", "../config/samples/policysweep-affinity.yaml", "the `manifest` of the sweep over the weight")
		return func() error {
			sample, err := manifests.Sweep(*from)
			if err != nil {
				return err
			}
			f, err := find(context.Background(), sample, fullScale())
			if err != nil {
				return err
			}
			return f.write(*page)
		}
	})
}
