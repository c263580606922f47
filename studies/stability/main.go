// SPDX-License-Identifier: Apache-2.0

// Stability measures at which load the wait queue of a replica begins to grow without
// bound, under the assumptions of the queueing law and in the engine, and what a stability
// controller reports and achieves there. It writes docs/studies/stability.md with a chart.
package main

import (
	"flag"

	"windtunnel.dev/windtunnel/studies/study"
)

func main() {
	study.Main("stability", func(flags *flag.FlagSet) func() error {
		page := flags.String("o", "../docs/studies/stability.md", "the page, a `file`; the chart goes next to it, with the ending svg")
		return func() error {
			t, err := readTraces()
			if err != nil {
				return err
			}
			f, err := find(fullScale(t))
			if err != nil {
				return err
			}
			return f.write(*page)
		}
	})
}
